//! The departure of a frame from a buffer: when a port tries to send, and the effects of a frame that leaves.

use super::buffered_frame::{BufferedFrame, NO_PORT, NONE};
use super::next_frame::Next;
use super::probes::{FrameStage, PortObservation};
use super::{Fabric, FabricEvent, FabricHost, FrameWait, NodeEvent};
use crate::layout::LinkEndDevice;
use crate::switch::{Crossbar, InputQueueing};
use sansim_kernel::Time;

impl Fabric {
    /// A port tries to send at this time, or earlier.
    pub(super) fn plan(&mut self, now: Time, port: u32, at: Time, around: &mut impl FabricHost) {
        self.carry_out_departures(now, port);
        let of = &mut self.ports[port as usize];
        if of.sending != NONE || !of.is_active {
            if self.preempts {
                self.plan_stop(now, port, at, around);
            }
            return; // The port tries again when the present frame has left, or the link works.
        }
        let at = of.line.next_frame(&of.rules, at.max(now));
        if at < of.wake {
            of.wake = at;
            around.schedule(at, FabricEvent::Send(port), port);
        }
    }

    /// All links of an output try to send at this time, or earlier.
    #[inline]
    pub(super) fn plan_output(&mut self, now: Time, output: u32, at: Time, around: &mut impl FabricHost) {
        if self.ports[output as usize].members.is_empty() {
            self.plan(now, output, at, around);
            return;
        }
        for place in 0..self.ports[output as usize].members.len() {
            self.plan(now, self.ports[output as usize].members[place], at, around);
        }
    }

    /// A port tries to send.
    pub(super) fn may_send(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let of = &mut self.ports[port as usize];
        if of.wake != now {
            return;
        }
        of.wake = Time::NEVER;
        let lead = of.lead;
        if of.sending != NONE || !of.is_active || !self.ports[lead as usize].has_frames_to_send() {
            if self.preempts {
                self.may_stop(now, port, lead, around);
            }
            return;
        }
        let of = &mut self.ports[port as usize];
        if of.line.next_frame(&of.rules, now) > now {
            self.plan(now, port, now, around);
            return;
        }
        match self.next::<false>(now, port, lead, around) {
            Next::Nobody => {}
            Next::Goes(held, channel) => {
                if self.ports[port as usize].usage.stalled_since.is_some() {
                    self.stalls_no_more(now, port);
                }
                self.begin(now, port, held, channel, around);
                if self.preempts {
                    // A message that became ready later than the present message may stop it.
                    self.plan_stop(now, port, now, around);
                }
            }
            Next::HasNoCredit(held) => {
                self.stalls(now, port, around);
                let of = &mut self.ports[port as usize];
                let next = of.credits.next_ready_arrival();
                if !of.credits.has_several_channels() {
                    self.lacks_credit(now, port, 0, around);
                }
                let of = &self.ports[port as usize];
                if let LinkEndDevice::Node(node) = of.at {
                    let frame = &self.held[held].frame;
                    if frame.kind.belongs_to_request() {
                        around.upcall(now, node, NodeEvent::Waits(frame.tag, FrameWait::Credit));
                    }
                } else {
                    self.first_has_no_credit(now, lead, held, around);
                }
                match next {
                    Some(at) => self.plan(now, port, at, around),
                    None => self.suspects_a_deadlock(now),
                }
            }
            Next::HasNoAnswers(node) => {
                self.stalls(now, port, around);
                self.waits_for_answers(now, port, node, around);
            }
        }
    }

    /// A port has a frame to send and no credit.
    fn stalls(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let usage = &mut self.ports[port as usize].usage;
        if usage.stalled_since.is_some() {
            return;
        }
        usage.stalled_since = Some(now);
        if self.looks.is_some() {
            self.is_looked_at(now, port, around);
        }
        if self.watch.is_some() {
            self.wait_begins(port);
        }
    }

    /// The port has credit, or no frame to send any more.
    #[cold]
    pub(super) fn stalls_no_more(&mut self, now: Time, port: u32) {
        let usage = &mut self.ports[port as usize].usage;
        if let Some(since) = usage.stalled_since.take() {
            usage.stalled += now - since;
            if self.watch.is_some() {
                self.wait_ends(port, since, now);
            }
        }
    }

    /// A frame begins to leave by a port and virtual channel.
    pub(super) fn begin(
        &mut self,
        now: Time,
        port: u32,
        held: u32,
        channel: u8,
        around: &mut impl FabricHost,
    ) {
        let BufferedFrame { frame, to, lost, hop, .. } = self.held[held];
        let (to_port, rules) = (port ^ 1, self.ports[port as usize].rules);
        let leaves =
            FrameStage::Leaves { last: matches!(self.ports[to_port as usize].at, LinkEndDevice::Node(_)) };
        let words = rules.frame_words(u64::from(frame.payload_bytes));
        let of = &mut self.ports[port as usize];
        of.credits.channel_credit(channel).use_credit();
        if let Some(lacks) = &mut of.lacks {
            lacks.frame_sent(channel);
        }
        of.sending = held;
        of.usage.frames += 1;
        of.usage.sending += rules.time_of_words(words);
        let mut end = of.line.begin_sending_frame(&rules, now, words);
        around.changed(of.place);
        let vanishes = of.losses.is_some() && self.frame_is_lost(now, port, channel, around);
        match self.ports[port as usize].at {
            LinkEndDevice::Node(node) => {
                if self.class_2.is_none() {
                    if self.orders_nodes {
                        self.has_begun(now, node, held);
                        self.leaves_queue(port, held);
                    } else {
                        self.ports[port as usize].queue.pop_front();
                    }
                } else {
                    self.leaves_in_class_2(now, port, held);
                }
                self.counts.sent += 1;
                if frame.kind.belongs_to_request() {
                    self.held[held].journey = self.held.begin_journey();
                    self.at_stage(now, held, leaves, around);
                    around.upcall(now, node, NodeEvent::Waits(frame.tag, FrameWait::Way));
                }
                self.tell_started(now, node, frame, around);
            }
            LinkEndDevice::Switch(switch) => {
                self.takes_crossbar(now, held, switch, port, channel, around);
                self.at_stage(now, held, leaves, around);
                let lead = self.ports[port as usize].lead;
                self.nobody_lacks_credit(now, lead, around);
                self.sees(now, port, PortObservation::Sent(frame), around);
            }
        }
        if self.preempts {
            end = self.leaves_in_runs(now, port, held, end);
        }
        // A frame whose end the node does not notice leaves without an event: the line knows how long it is busy.
        let is_quiet = !self.preempts
            && !vanishes
            && matches!(self.ports[port as usize].at, LinkEndDevice::Node(node) if !around.notices_sent(node, &frame));
        if !is_quiet {
            around.schedule(end, FabricEvent::Left(port), port);
        }
        if vanishes {
            self.held[held].vanishes = true;
            return;
        }
        let header_at = now + rules.latency + rules.time_of_words(words.min(rules.header_words));
        let ahead = self.held.occupy_buffer(frame, to, to_port, header_at);
        let journey = self.held[held].journey;
        let next = &mut self.held[ahead];
        (next.channel, next.tail_at, next.lost) = (channel, end + rules.latency, lost);
        (next.hop, next.journey) = (hop.saturating_add(1), journey);
        self.held[held].ahead = ahead;
        if let Some(multicast) = &mut self.multicast {
            multicast.follow(held, ahead);
        }
        if self.preempts {
            self.courses.follow_to_next_buffer(held, ahead);
        }
        if self.keeps_order && !self.is_for_group(held) {
            self.flow_moves(held, ahead);
        }
        if is_quiet {
            self.ports[port as usize].sending = NONE;
            self.release(held);
            self.plan_if_wanted(now, port, around);
        }
        self.ports[to_port as usize].occupied += 1;
        around.changed(self.ports[to_port as usize].place);
        match self.ports[to_port as usize].at {
            LinkEndDevice::Switch(_) => {
                around.schedule(header_at, FabricEvent::Header(ahead), to_port);
                self.sees(now + rules.latency, to_port, PortObservation::Received(frame), around);
            }
            LinkEndDevice::Node(node) => {
                around.schedule(end + rules.latency, FabricEvent::Arrived(ahead), to_port);
                around.coming(now + rules.latency, node, &frame);
            }
        }
    }

    /// A frame in a buffer of a switch begins to leave: it waits at no output any more, and the frame behind it
    /// may leave.
    fn takes_crossbar(
        &mut self,
        now: Time,
        held: u32,
        switch: u16,
        port: u32,
        channel: u8,
        around: &mut impl FabricHost,
    ) {
        let BufferedFrame { port: input, flow, .. } = self.held[held];
        self.withdraw(now, held, around);
        self.ports[input as usize].leaving += 1;
        self.counts.hops += 1;
        self.passes(switch, port);
        let output = self.ports[port as usize].lead;
        if flow != NONE {
            self.flow_turns(held, output as u16, channel);
        }
        let by_another = self.parameters.crossbar == Crossbar::PerBuffer || self.has_trunks;
        if self.parameters.queueing == InputQueueing::Fifo && by_another {
            self.first_may_leave(now, input, around);
        }
        if self.has_trunks {
            // The next frames may leave by the other links of the trunk, or by the other paths that this frame
            // had.
            let ways = self.held[held].ways;
            ways.ports().for_each(|way| self.plan_if_wanted(now, way.into(), around));
        }
        if self.escape.is_some() {
            self.others_may_escape(now, output, around);
        }
    }

    /// An output is not free any more: frames that would rather have left by it try the channel without cycles.
    fn others_may_escape(&mut self, now: Time, output: u32, around: &mut impl FabricHost) {
        let heads: Vec<u32> =
            self.ports[output as usize].requests.candidates(false).map(|head| head.held).collect();
        for other in heads {
            let other = self.held[other];
            if other.ways.escape != NO_PORT {
                self.plan_output(now, other.ways.escape.into(), other.ready_at, around);
            }
        }
    }

    /// A frame does not wait at any output any more, nor in its buffer.
    pub(super) fn withdraw(&mut self, now: Time, held: u32, around: &mut impl FabricHost) {
        let lead = self.ports[self.held[held].port as usize].lead;
        self.withdraw_requests(now, held, around);
        self.ports[lead as usize].waiting.remove(held, &self.held);
    }

    /// A frame does not wait at any output any more.
    #[inline]
    pub(super) fn withdraw_requests(&mut self, now: Time, held: u32, around: &mut impl FabricHost) {
        let ways = &self.held[held].ways;
        if let Some(port) = ways.sole_port() {
            self.wants_no_more(now, port, held, around);
        } else {
            let ways = *ways;
            ways.ports().for_each(|port| self.wants_no_more(now, port, held, around));
        }
    }

    /// A frame does not wait at this output any more, which then may have nothing to send.
    #[inline]
    fn wants_no_more(&mut self, now: Time, port: u16, held: u32, around: &mut impl FabricHost) {
        let of = &mut self.ports[usize::from(port)];
        of.requests.remove(held);
        if of.without_credit == held {
            of.without_credit = NONE;
            self.next_has_no_credit(now, port.into(), around);
        }
        let of = &self.ports[usize::from(port)];
        if of.requests.is_empty() && (of.usage.stalled_since.is_some() || self.has_trunks) {
            self.nothing_waits(now, port);
        }
    }

    /// The outputs of the first frame of an input try to send it; where any frame of the input may leave, the
    /// outputs of all its frames do.
    pub(super) fn first_may_leave(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let of = &self.ports[port as usize];
        let several = self.ports[port as usize ^ 1].credits.has_several_channels();
        let only_first = self.parameters.queueing == InputQueueing::Fifo && !several;
        let lead = of.lead as usize;
        if only_first {
            let Some(&held) = self.ports[lead].waiting.front() else { return };
            let at = self.held[held];
            if at.is_routed() {
                at.ways.ports().for_each(|way| self.plan_output(now, way.into(), at.ready_at, around));
            }
            return;
        }
        let LinkEndDevice::Switch(switch) = self.ports[port as usize].at else { return };
        for place in 0..self.switches[usize::from(switch)].ports.len() {
            let output = self.switches[usize::from(switch)].ports[place];
            let heads = self.ports[output as usize].requests.candidates(false);
            let firsts = heads.filter(|head| head.lead as usize == lead);
            if let Some(at) = firsts.map(|head| self.held[head.held].ready_at).min() {
                self.plan_output(now, output, at, around);
            }
        }
    }

    /// The last word of the frame that a port sends has left.
    pub(super) fn left(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let of = &mut self.ports[port as usize];
        if self.preempts && (of.sending == NONE || of.line.last_frame_end() != Some(now)) {
            return; // The frame leaves later, because it was stopped.
        }
        let held = std::mem::replace(&mut of.sending, NONE);
        let from = of.at;
        let BufferedFrame { port: input, channel, vanishes, .. } = self.held[held];
        let lost = vanishes.then(|| self.held[held]);
        if vanishes {
            self.ends(now, held, false, around);
        }
        self.release(held);
        match from {
            LinkEndDevice::Node(node) => {
                let frame = self.held[held].frame;
                if !frame.is_link_control() {
                    around.upcall(now, node, NodeEvent::Sent(frame));
                }
                if vanishes {
                    self.damaged_frame_left(now, port, node, around);
                }
            }
            LinkEndDevice::Switch(switch) => {
                self.ports[input as usize].leaving -= 1;
                let others_wait = self.has_passed(switch, port);
                let is_empty = self.multicast.as_mut().is_none_or(|multicast| multicast.leaves_empty(held));
                if is_empty {
                    self.sees(now, input, PortObservation::Freed(held), around);
                    self.free_buffer(now, input, channel, around);
                }
                if self.parameters.crossbar == Crossbar::PerPort {
                    self.first_may_leave(now, input, around);
                }
                if others_wait {
                    for place in 0..self.switches[usize::from(switch)].ports.len() {
                        let other = self.switches[usize::from(switch)].ports[place];
                        self.plan_if_wanted(now, other, around);
                    }
                }
            }
        }
        if let Some(at) = lost {
            self.lose(now, &at, around);
        }
        if self.preempts {
            self.go_on(now, port, around);
        }
        self.plan_if_wanted(now, port, around);
    }

    /// A port, or all links of the trunk that it leads, try to send, if any frame waits to leave by it.
    pub(super) fn plan_if_wanted(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        if self.ports[self.ports[port as usize].lead as usize].has_frames_to_send() {
            self.plan_output(now, port, now, around);
        }
    }
}
