//! Control messages that stop a data message while it is being sent; the data message continues after them.
//!
//! Source: Molero et al. 2001, section 3. A message stops between two of its words, behind its header at the earliest, because the other
//! end has to know whose words continue. A stopped message keeps its buffers, its link and its place in the crossbar; no control message
//! stops another control message.
//!
//! Times that were computed ahead are changed. A port that stops a message records when its remaining words will leave if nothing else
//! comes between ([`super::cut_through`]), and records the same for a message that is cut through behind it: where all words that have
//! arrived are sent, the link of the next switch still belongs to that message, and waits. The events of ends that have moved find that
//! they come too early, and do nothing.

use super::buffered_frame::NONE;
use super::cut_through::{WordArrival, WordRun, next_word_boundary, words_begun, words_sent_time};
use super::next_frame::Next;
use super::probes::FrameStage;
use super::{Fabric, FabricEvent, FabricHost};
use crate::layout::LinkEndDevice;
use crate::switch::ControlPriority;
use crate::switch::control::is_control;
use sansim_kernel::Time;

impl Fabric {
    /// Whether control messages may stop other messages at a port.
    fn stops_at(&self, port: u32) -> bool {
        let control = &self.parameters.control;
        let transmission = match self.ports[port as usize].at {
            LinkEndDevice::Switch(_) => control.transmission,
            LinkEndDevice::Node(_) => control.nodes,
        };
        transmission == ControlPriority::Preempts
    }

    /// Whether the message that a port sends may be stopped by control messages that wait at the port.
    fn might_stop(&self, port: u32) -> bool {
        let of = &self.ports[port as usize];
        let is_wanted = |&held: &u32| is_control(&self.held[held].frame);
        of.sending != NONE
            && of.is_active
            && self.stops_at(port)
            && !is_control(&self.held[of.sending].frame)
            && (of.queue.iter().any(is_wanted) || self.ports[of.lead as usize].requests.has_control())
    }

    /// The runs of words of the message that a port sends, or has stopped, as computed so far.
    fn runs_of(&mut self, port: u32, held: u32) -> u64 {
        let of = &self.ports[port as usize];
        let words = of.rules.frame_words(self.held[held].frame.payload_bytes.into());
        if self.courses.departure_runs(held).is_none()
            && let Some(ends) = of.line.last_frame_end()
        {
            let start = Time(ends.ticks() - of.rules.time_of_words(words).ticks());
            self.courses.departure_runs_mut(held).push(WordRun { word: 0, at: start });
        }
        words
    }

    /// The first moment at or after `at` at which a port may stop the message that it sends.
    fn boundary(&mut self, port: u32, at: Time) -> Time {
        let held = self.ports[port as usize].sending;
        let words = self.runs_of(port, held);
        let rules = &self.ports[port as usize].rules;
        let runs = self.courses.departure_runs(held).unwrap_or_default();
        next_word_boundary(runs, words, rules.word, rules.header_words, at)
    }

    /// A port that sends a message checks at this time, or at the first possible moment after it, whether it
    /// may stop the message.
    #[cold]
    pub(super) fn plan_stop(&mut self, now: Time, port: u32, at: Time, around: &mut impl FabricHost) {
        if !self.might_stop(port) {
            return;
        }
        let at = self.boundary(port, at.max(now));
        let of = &mut self.ports[port as usize];
        if at < of.wake && of.line.last_frame_end().is_some_and(|ends| at < ends) {
            of.wake = at;
            around.schedule(at, FabricEvent::Send(port), port);
        }
    }

    /// A port that sends a message checks whether another message may stop it.
    #[cold]
    pub(super) fn may_stop(&mut self, now: Time, port: u32, lead: u32, around: &mut impl FabricHost) {
        if !self.might_stop(port) {
            return;
        }
        if self.boundary(port, now) != now {
            self.plan_stop(now, port, now, around);
            return;
        }
        match self.next::<true>(now, port, lead, around) {
            Next::Nobody | Next::HasNoAnswers(_) => {}
            Next::HasNoCredit(_) => {
                if let Some(at) = self.ports[port as usize].credits.next_ready_arrival() {
                    self.plan_stop(now, port, at, around);
                }
            }
            Next::Goes(held, channel) => {
                let stopped = self.stop(now, port);
                self.begin(now, port, held, channel, around);
                self.go_later(now, port, stopped, around);
            }
        }
    }

    /// A port stops the message that it sends.
    fn stop(&mut self, now: Time, port: u32) -> u32 {
        let of = &mut self.ports[port as usize];
        let held = std::mem::replace(&mut of.sending, NONE);
        of.stopped = held;
        of.usage.sending -= of.line.remaining_send_time(now);
        of.line.move_frame_end(now);
        if let LinkEndDevice::Switch(switch) = of.at {
            self.steps_aside(switch, port);
        }
        held
    }

    /// A control message has left: the message that it stopped continues, unless the next control message
    /// stops it again.
    #[cold]
    pub(super) fn go_on(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let of = &mut self.ports[port as usize];
        let held = std::mem::replace(&mut of.stopped, NONE);
        if held == NONE {
            return;
        }
        of.sending = held;
        let words = of.rules.frame_words(self.held[held].frame.payload_bytes.into());
        let ends =
            words_sent_time(self.courses.departure_runs(held).unwrap_or_default(), words, of.rules.word);
        of.line.move_frame_end(ends);
        of.usage.sending += of.line.remaining_send_time(now);
        if let LinkEndDevice::Switch(switch) = of.at {
            self.passes(switch, port);
        }
        around.schedule(ends, FabricEvent::Left(port), port);
    }

    /// The words of a message that a port sends or has stopped leave later than was computed, and so do the words of the same
    /// message at later switches.
    fn go_later(&mut self, now: Time, port: u32, held: u32, around: &mut impl FabricHost) {
        let words = self.runs_of(port, held);
        let of = &self.ports[port as usize];
        let (word, latency) = (of.rules.word, of.rules.latency);
        // The control message that stopped the message is sent to its end first.
        let from = if of.stopped == held { of.line.last_frame_end().unwrap_or(now) } else { now };
        let runs = self.courses.departure_runs_mut(held);
        let sent = words_begun(runs, words, word, now);
        runs.truncate(runs.iter().take_while(|run| run.at < now).count());
        let behind = runs.last().map_or(now, |run| run.at + word * (sent - run.word));
        self.courses.record_departures(held, sent, from.max(behind), word, self.input_of(held));
        let ends = words_sent_time(self.courses.departure_runs(held).unwrap_or_default(), words, word);
        let of = &mut self.ports[port as usize];
        if of.sending == held && of.line.last_frame_end() != Some(ends) {
            of.usage.sending -= of.line.remaining_send_time(now);
            of.line.move_frame_end(ends);
            of.usage.sending += of.line.remaining_send_time(now);
            around.schedule(ends, FabricEvent::Left(port), port);
        }
        let ahead = self.held[held].ahead;
        if self.is_in(ahead, port ^ 1) {
            self.courses.follow_to_next_buffer(held, ahead);
            if self.held[ahead].tail_at != ends + latency {
                self.held[ahead].tail_at = ends + latency;
                self.comes_later(now, ahead, around);
            }
        }
    }

    /// Whether a message is still in a buffer of this port. A message that is lost may have been dropped before all of it arrived, and its
    /// number may belong to another frame, which on this link can only be a control message by now.
    fn is_in(&self, ahead: u32, port: u32) -> bool {
        ahead != NONE && {
            let at = &self.held[ahead];
            at.is_there && at.port == port && !is_control(&at.frame)
        }
    }

    /// The last word of a message arrives in its buffer later than was computed.
    fn comes_later(&mut self, now: Time, held: u32, around: &mut impl FabricHost) {
        let at = self.held[held];
        if let LinkEndDevice::Node(_) = self.ports[at.port as usize].at {
            around.schedule(at.tail_at, FabricEvent::Arrived(held), at.port);
        } else if at.ahead != NONE || at.vanishes {
            if let Some(port) = self.port_of(held) {
                self.go_later(now, port, held, around);
            }
        } else if at.is_routed() && self.is_stored_first(&at) {
            let ready_at = at.tail_at + self.parameters.forwarding_delay;
            self.held[held].ready_at = ready_at;
            self.at_stage(now, held, FrameStage::Routed(ready_at), around);
        }
    }

    /// The port by which a message leaves its switch.
    fn port_of(&self, held: u32) -> Option<u32> {
        let LinkEndDevice::Switch(switch) = self.ports[self.held[held].port as usize].at else { return None };
        let is_it = |&port: &u32| {
            let of = &self.ports[port as usize];
            of.sending == held || of.stopped == held
        };
        self.switches[usize::from(switch)].ports.iter().copied().find(is_it)
    }

    /// The arrival of words in the buffer of a frame.
    fn input_of(&self, held: u32) -> WordArrival {
        let rules = &self.ports[self.held[held].port as usize].rules;
        WordArrival { word: rules.word, way: rules.word + rules.latency + self.parameters.forwarding_delay }
    }

    /// A message whose words do not arrive one after another begins to leave by a port: the time at which its last word will have left,
    /// which would be `otherwise` if its words arrived in one run.
    #[cold]
    pub(super) fn leaves_in_runs(&mut self, now: Time, port: u32, held: u32, otherwise: Time) -> Time {
        if self.courses.arrival_runs(held).is_none() {
            return otherwise;
        }
        let (of, input) = (&self.ports[port as usize], self.input_of(held));
        let (words, word) = (of.rules.frame_words(self.held[held].frame.payload_bytes.into()), of.rules.word);
        self.courses.record_departures(held, 0, now, word, input);
        let ends = words_sent_time(self.courses.departure_runs(held).unwrap_or_default(), words, word);
        let of = &mut self.ports[port as usize];
        of.line.move_frame_end(ends);
        of.usage.sending += ends - otherwise;
        ends
    }

    /// The buffer of a message is empty.
    #[inline(always)]
    pub(super) fn release(&mut self, held: u32) {
        self.held.release_buffer(held);
        if let Some(multicast) = &mut self.multicast {
            multicast.forget(held);
        }
        if self.preempts {
            self.courses.buffer_emptied(held);
        }
    }
}
