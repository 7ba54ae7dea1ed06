//! The beginning of a frame's way on a link.

use super::super::buffered_frame::NONE;
use super::super::probes::FrameStage;
use super::super::{Fabric, FabricEvent, FabricHost, FrameWait, NodeEvent};
use crate::layout::LinkEndDevice;
use crate::switch::Contender;
use crate::switch::arbiter::ArbiterRule;
use sansim_kernel::Time;

/// The next frame at a port.
enum Next {
    /// No frame may leave yet.
    Nobody,
    /// This frame leaves.
    Goes(u32),
    /// This frame would leave if there were credit.
    HasNoCredit(u32),
}

impl Fabric {
    /// A port tries to send.
    pub(in super::super) fn send_on_fast_path(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let of = &mut self.ports[port as usize];
        if of.wake != now {
            return;
        }
        of.wake = Time::NEVER;
        if of.sending != NONE || !of.has_frames_to_send() {
            return;
        }
        self.carry_out_departures(now, port);
        self.carry_out_departures(now, port ^ 1);
        let of = &self.ports[port as usize];
        if of.line.next_frame(&of.rules, now) > now {
            self.plan(now, port, now, around);
            return;
        }
        let next = match of.at {
            LinkEndDevice::Node(_) => self.next_of_queue(now, port),
            LinkEndDevice::Switch(switch) => self.next_of_output(now, port, switch, around),
        };
        match next {
            Next::Nobody => {}
            Next::Goes(held) => {
                if self.ports[port as usize].usage.stalled_since.is_some() {
                    self.stalls_no_more(now, port);
                }
                self.begin_on_fast_path(now, port, held, around);
            }
            Next::HasNoCredit(held) => self.waits_for_credit(now, port, held, around),
        }
    }

    fn next_of_queue(&mut self, now: Time, port: u32) -> Next {
        let of = &mut self.ports[port as usize];
        let Some(&held) = of.queue.front() else { return Next::Nobody };
        let has_credit = of.credits.channel_credit(0).available_credit(now) > 0;
        if has_credit { Next::Goes(held) } else { Next::HasNoCredit(held) }
    }

    /// The next frame at an output of a switch.
    fn next_of_output(&mut self, now: Time, port: u32, switch: u16, around: &mut impl FabricHost) -> Next {
        let of = &mut self.ports[port as usize];
        let has_credit = of.credits.channel_credit(0).available_credit(now) > 0;
        if has_credit
            && let Some(first) = of.arbiter.first_input()
            && let Some(held) = self.first_waiting_from(switch, port, first)
            && self.held[held].ready_at <= now
        {
            let contender = self.contender(held);
            self.ports[port as usize].arbiter.choose(now, &[contender]);
            return Next::Goes(held);
        }
        let mut firsts = std::mem::take(&mut self.firsts);
        self.first_waiting_frames(switch, port, &mut firsts);
        self.contenders.clear();
        self.places.clear();
        let (mut later, mut without) = (Time::NEVER, NONE);
        for &held in &firsts {
            let at = &self.held[held];
            if at.ready_at > now {
                later = later.min(at.ready_at);
            } else if has_credit {
                self.places.push((held, 0));
            } else if without == NONE || at.arrival < self.held[without].arrival {
                without = held;
            }
        }
        self.firsts = firsts;
        if without != NONE {
            return Next::HasNoCredit(without);
        }
        if self.places.is_empty() {
            if later < Time::NEVER {
                self.plan(now, port, later, around);
            }
            return Next::Nobody;
        }
        for place in 0..self.places.len() {
            let contender = self.contender(self.places[place].0);
            self.contenders.push(contender);
        }
        let (held, _) = self.places[self.ports[port as usize].arbiter.choose(now, &self.contenders)];
        Next::Goes(held)
    }

    /// A frame that may leave, as an arbiter sees it.
    #[inline]
    fn contender(&self, held: u32) -> Contender {
        let at = &self.held[held];
        Contender {
            input: self.ports[at.port as usize].local,
            since: at.ready_at,
            came: at.header_at,
            is_control: false,
            place: (at.arrival, at.arrival),
        }
    }

    /// A port has a frame to send and no credit.
    fn waits_for_credit(&mut self, now: Time, port: u32, held: u32, around: &mut impl FabricHost) {
        let of = &mut self.ports[port as usize];
        of.waits_for_credit = true;
        of.usage.stalled_since.get_or_insert(now);
        let (device, next) = (of.at, of.credits.next_ready_arrival());
        if let LinkEndDevice::Node(node) = device {
            let frame = &self.held[held].frame;
            if frame.kind.belongs_to_request() {
                around.upcall(now, node, NodeEvent::Waits(frame.tag, FrameWait::Credit));
            }
        } else {
            self.first_has_no_credit(now, port, held, around);
        }
        match next.or_else(|| self.first_ready(port ^ 1)) {
            Some(at) => self.plan(now, port, at, around),
            None => self.suspects_a_deadlock(now),
        }
    }

    /// A frame begins to leave by a port.
    fn begin_on_fast_path(&mut self, now: Time, port: u32, held: u32, around: &mut impl FabricHost) {
        let to_port = port ^ 1;
        let to_node = matches!(self.ports[to_port as usize].at, LinkEndDevice::Node(_));
        let payload = self.held[held].frame.payload_bytes;
        let of = &mut self.ports[port as usize];
        let rules = &of.rules;
        let words = rules.frame_words(u64::from(payload));
        let time = rules.time_of_words(words);
        let (latency, header_time) = (rules.latency, rules.time_of_words(words.min(rules.header_words)));
        let end = of.line.begin_sending_frame(&of.rules, now, words);
        of.credits.channel_credit(0).use_credit();
        of.waits_for_credit = false;
        of.usage.frames += 1;
        of.usage.sending += time;
        let leaves = FrameStage::Leaves { last: to_node };
        match of.at {
            LinkEndDevice::Node(node) => {
                of.queue.pop_front();
                self.counts.sent += 1;
                let frame = self.held[held].frame;
                if frame.kind.belongs_to_request() {
                    self.held[held].journey = self.held.begin_journey();
                    self.at_stage(now, held, leaves, around);
                    around.upcall(now, node, NodeEvent::Waits(frame.tag, FrameWait::Way));
                }
                let started = match self.announced_frame_follows(now, node, &frame) {
                    Some(next) => NodeEvent::StartedBefore(frame, next),
                    None => NodeEvent::Started(frame),
                };
                around.upcall(now, node, started);
                if around.notices_sent(node, &frame) {
                    self.ports[port as usize].sending = held;
                    around.schedule(end, FabricEvent::Left(port), port);
                }
            }
            LinkEndDevice::Switch(switch) => {
                let input = self.held[held].port;
                self.waits_no_more(now, switch, port, held, around);
                self.counts.hops += 1;
                self.at_stage(now, held, leaves, around);
                self.nobody_lacks_credit(now, port, around);
                if let Some(at) = self.departs(input, end) {
                    self.plan(now, input ^ 1, at, around);
                }
            }
        }
        // The frame is in the next buffer from now on; the port knows how long its line is busy.
        let header_at = now + latency + header_time;
        let at = &mut self.held[held];
        (at.port, at.header_at, at.tail_at, at.ready_at) = (to_port, header_at, end + latency, Time::NEVER);
        at.hop = at.hop.saturating_add(1);
        self.ports[to_port as usize].occupied += 1;
        match self.at_switch(to_port) {
            Some((switch, input)) => self.header_will_arrive(header_at, switch, input, held, around),
            None => around.schedule(end + latency, FabricEvent::Arrived(held), to_port),
        }
        let of = &self.ports[port as usize];
        if of.sending == NONE
            && of.has_frames_to_send()
            && !self.will_wait_for_credit(now, port, held, around)
        {
            self.plan(now, port, now, around);
        }
    }

    /// Whether a node that has just begun to send a frame will wait for credit with another frame of the same request when the line is free
    /// again. In that case the wait begins without an event, later if R_RDYs take the line before it ([`Fabric::wait_is_put_off`]). Until then
    /// the frame is in flight, so the wait does not affect the ledger yet.
    fn will_wait_for_credit(
        &mut self,
        now: Time,
        port: u32,
        held: u32,
        around: &mut impl FabricHost,
    ) -> bool {
        let of = &mut self.ports[port as usize];
        let (LinkEndDevice::Node(node), Some(&next)) = (of.at, of.queue.front()) else { return false };
        let (tag, frame) = (self.held[next].frame.tag, &self.held[held].frame);
        let at = of.line.next_frame(&of.rules, now);
        let is_in_flight = self.held[held].tail_at + self.parameters.routing_delay >= at;
        let is_of_request = frame.tag == tag && frame.kind.belongs_to_request();
        if of.credits.channel_credit(0).credit_at(at) > 0 || !is_in_flight || !is_of_request {
            return false;
        }
        let next = of.credits.channel_credit(0).next_ready_arrival().or_else(|| self.first_ready(port ^ 1));
        if next.is_some_and(|next| next <= at) {
            return false;
        }
        let of = &mut self.ports[port as usize];
        of.waits_for_credit = true;
        of.usage.stalled_since.get_or_insert(at);
        around.upcall(now, node, NodeEvent::Waits(tag, FrameWait::Credit));
        match next {
            Some(next) => self.plan(now, port, next, around),
            None => self.suspects_a_deadlock(now),
        }
        true
    }

    /// A port has sent R_RDY. If it is about to wait for credit, the wait begins when the line is free again.
    #[inline]
    pub(in super::super) fn wait_is_put_off(&mut self, now: Time, port: u32) {
        let of = &mut self.ports[port as usize];
        if let Some(since) = of.usage.stalled_since.filter(|&since| since >= now) {
            of.usage.stalled_since = Some(of.line.next_frame(&of.rules, since));
        }
    }

    /// The last word of a frame whose end its node notices has left the node.
    pub(in super::super) fn left_on_fast_path(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let held = std::mem::replace(&mut self.ports[port as usize].sending, NONE);
        if let LinkEndDevice::Node(node) = self.ports[port as usize].at {
            around.upcall(now, node, NodeEvent::Sent(self.held[held].frame));
        }
        self.plan_if_wanted(now, port, around);
    }
}
