//! Out of a buffer: who is next at an output, and what a frame that leaves brings about.

use super::held::NONE;
use super::seen::{AtPort, Stage};
use super::{Event, Fabric, Surroundings, Upcall, Waiting};
use crate::layout::At;
use crate::switch::arbiter::Arbitrates;
use crate::switch::{Contender, Crossbar, Queueing};
use sansim_fc::frame::FrameKind;
use sansim_kernel::Time;

impl Fabric {
    /// A port looks at a time whether it may send, or before.
    pub(super) fn plan(&mut self, now: Time, port: u32, at: Time, around: &mut impl Surroundings) {
        let of = &mut self.ports[port as usize];
        if of.sending != NONE || !self.works[port as usize / 2] {
            return; // It looks when that has left, or the link works.
        }
        let at = of.line.next_frame(&of.rules, at.max(now));
        if at < of.wake {
            of.wake = at;
            around.schedule(at, Event::Send(port), port);
        }
    }

    /// A port looks whether it may send.
    pub(super) fn may_send(&mut self, now: Time, port: u32, around: &mut impl Surroundings) {
        let of = &mut self.ports[port as usize];
        if of.wake != now {
            return;
        }
        of.wake = Time::NEVER;
        if of.sending != NONE || of.requests.is_empty() || !self.works[port as usize / 2] {
            return;
        }
        if of.line.next_frame(&of.rules, now) > now {
            self.plan(now, port, now, around);
            return;
        }
        let Some(place) = self.next(now, port, around) else { return };
        let held = self.ports[port as usize].requests[place];
        let of = &mut self.ports[port as usize];
        if of.credit.available(now) == 0 {
            of.stalls(now, true);
            if let At::Node(node) = of.at {
                around.upcall(now, node, Upcall::Waits(self.held[held].frame.tag, Waiting::Credit));
            } else {
                self.first_has_no_credit(now, port, held, around);
            }
            if let Some(at) = self.ports[port as usize].credit.next() {
                self.plan(now, port, at, around);
            }
            return;
        }
        of.stalls(now, false);
        self.begin(now, port, held, around);
    }

    /// The place of the frame that is next at a port; none if none may leave now.
    fn next(&mut self, now: Time, port: u32, around: &mut impl Surroundings) -> Option<usize> {
        let of = &self.ports[port as usize];
        let At::Switch(switch) = of.at else { return Some(0) };
        let most = self.parameters.transactions;
        if most.is_some_and(|most| self.switches[usize::from(switch)].passing >= most) {
            return None; // One that leaves has the others look.
        }
        self.contenders.clear();
        self.places.clear();
        let mut later = Time::NEVER;
        for (place, &held) in of.requests.iter().enumerate() {
            let at = &self.held[held];
            if at.ready_at > now {
                later = later.min(at.ready_at);
                continue;
            }
            let input = &self.ports[at.port as usize];
            let is_first =
                self.parameters.queueing == Queueing::PerOutput || input.waiting.front() == Some(&held);
            let has_way = self.parameters.crossbar == Crossbar::PerBuffer || input.leaving == 0;
            if is_first && has_way {
                self.places.push(place);
                self.contenders.push(Contender {
                    input: input.local,
                    since: at.ready_at,
                    came: at.header_at,
                    is_control: at.frame.kind != FrameKind::Data,
                });
            }
        }
        if self.contenders.is_empty() {
            if later < Time::NEVER {
                self.plan(now, port, later, around);
            }
            return None;
        }
        // Without credit nobody is chosen, and no turn is used up.
        if self.ports[port as usize].credit.available(now) == 0 {
            return self.places.first().copied();
        }
        let chosen = self.ports[port as usize].arbiter.choose(&self.contenders);
        Some(self.places[chosen])
    }

    /// A frame begins to leave by a port.
    fn begin(&mut self, now: Time, port: u32, held: u32, around: &mut impl Surroundings) {
        let at = self.held[held];
        let (to_port, rules) = (port ^ 1, self.ports[port as usize].rules);
        let leaves = Stage::Leaves { last: matches!(self.ports[to_port as usize].at, At::Node(_)) };
        let words = rules.frame_words(u64::from(at.frame.payload_bytes));
        let of = &mut self.ports[port as usize];
        of.credit.take();
        of.sending = held;
        of.usage.frames += 1;
        of.usage.sending += rules.words(words);
        let end = of.line.begin_frame(&rules, now, words);
        around.changed(of.place);
        if let At::Node(node) = of.at {
            of.requests.pop_front();
            self.counts.sent += 1;
            self.held[held].journey = self.held.begin_journey();
            self.at_stage(now, held, leaves, around);
            around.upcall(now, node, Upcall::Waits(at.frame.tag, Waiting::Way));
            around.upcall(now, node, Upcall::Started(at.frame));
        } else {
            self.takes_crossbar(now, held, around);
            self.at_stage(now, held, leaves, around);
            self.nobody_lacks_credit(now, port, around);
            self.sees(now, port, AtPort::Sent(at.frame), around);
        }
        around.schedule(end, Event::Left(port), port);
        let header_at = now + rules.latency + rules.words(words.min(rules.header_words));
        let ahead = self.held.hold(at.frame, at.to, to_port, header_at);
        self.held[ahead].tail_at = end + rules.latency;
        self.held[ahead].lost = at.lost;
        self.held[ahead].hop = at.hop.saturating_add(1);
        self.held[ahead].journey = self.held[held].journey;
        self.held[held].ahead = ahead;
        self.ports[to_port as usize].occupied += 1;
        around.changed(self.ports[to_port as usize].place);
        match self.ports[to_port as usize].at {
            At::Switch(_) => {
                around.schedule(header_at, Event::Header(ahead), to_port);
                self.sees(now + rules.latency, to_port, AtPort::Received(at.frame), around);
            }
            At::Node(node) => {
                around.schedule(end + rules.latency, Event::Arrived(ahead), to_port);
                around.coming(now + rules.latency, node, &at.frame);
            }
        }
    }

    /// A frame in a buffer of a switch begins to leave: it waits at no output any more, and the one behind it may.
    fn takes_crossbar(&mut self, now: Time, held: u32, around: &mut impl Surroundings) {
        let at = self.held[held];
        self.withdraw(held);
        let input = &mut self.ports[at.port as usize];
        input.leaving += 1;
        let At::Switch(switch) = input.at else { return };
        self.counts.hops += 1;
        self.switches[usize::from(switch)].passing += 1;
        if self.parameters.queueing == Queueing::Fifo && self.parameters.crossbar == Crossbar::PerBuffer {
            self.first_may_leave(now, at.port, around);
        }
    }

    /// A frame waits at no output any more, nor in its buffer.
    pub(super) fn withdraw(&mut self, held: u32) {
        let at = self.held[held];
        for &port in at.outputs.ports() {
            let requests = &mut self.ports[usize::from(port)].requests;
            if let Some(place) = requests.iter().position(|&other| other == held) {
                requests.remove(place);
            }
            let without = &mut self.ports[usize::from(port)].without_credit;
            if *without == held {
                *without = NONE;
            }
        }
        let waiting = &mut self.ports[at.port as usize].waiting;
        if waiting.front() == Some(&held) {
            waiting.pop_front();
        } else if let Some(place) = waiting.iter().position(|&other| other == held) {
            waiting.remove(place);
        }
    }

    /// The outputs of the first frame of an input look whether they may send it; where any may leave, those of all.
    pub(super) fn first_may_leave(&mut self, now: Time, port: u32, around: &mut impl Surroundings) {
        let fifo = self.parameters.queueing == Queueing::Fifo;
        let count = if fifo { 1 } else { self.ports[port as usize].waiting.len() };
        for place in 0..count {
            let Some(&held) = self.ports[port as usize].waiting.get(place) else { return };
            let at = self.held[held];
            if at.ready_at < Time::NEVER {
                for &output in at.outputs.ports() {
                    self.plan(now, u32::from(output), at.ready_at, around);
                }
            }
        }
    }

    /// The last word of the frame that a port sends has left.
    pub(super) fn left(&mut self, now: Time, port: u32, around: &mut impl Surroundings) {
        let of = &mut self.ports[port as usize];
        let held = std::mem::replace(&mut of.sending, NONE);
        let at = self.held[held];
        self.held.release(held);
        match of.at {
            At::Node(node) => around.upcall(now, node, Upcall::Sent(at.frame)),
            At::Switch(switch) => {
                self.ports[at.port as usize].leaving -= 1;
                let of = &mut self.switches[usize::from(switch)];
                let was_full = self.parameters.transactions.is_some_and(|most| of.passing >= most);
                of.passing -= 1;
                self.sees(now, at.port, AtPort::Freed(held), around);
                self.free_buffer(now, at.port, around);
                if self.parameters.crossbar == Crossbar::PerPort {
                    self.first_may_leave(now, at.port, around);
                }
                if was_full {
                    for place in 0..self.switches[usize::from(switch)].ports.len() {
                        let other = self.switches[usize::from(switch)].ports[place];
                        self.plan_if_wanted(now, other, around);
                    }
                }
            }
        }
        self.plan_if_wanted(now, port, around);
    }

    /// A port looks whether it may send, if anything wants to leave by it.
    pub(super) fn plan_if_wanted(&mut self, now: Time, port: u32, around: &mut impl Surroundings) {
        if !self.ports[port as usize].requests.is_empty() {
            self.plan(now, port, now, around);
        }
    }
}
