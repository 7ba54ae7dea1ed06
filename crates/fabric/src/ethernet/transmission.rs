//! The transmitters of ports: which frame begins when, when it arrives, and what follows when its last byte has left.

use super::frame::PAUSE_FRAME_BYTES;
use super::output_queues::{NO_INPUT, WaitingFrame};
use super::port::Transmission;
use super::{
    EthernetEvent, EthernetFrame, EthernetHost, EthernetNotice, EthernetSwitches, LinkPassage, PassingFrame,
    pop_due,
};
use crate::layout::LinkEndDevice;
use sansim_kernel::{Span, Time};

impl EthernetSwitches {
    /// A port begins to send, if it does not send and may send something.
    pub(super) fn begin(&mut self, now: Time, number: u32, host: &mut impl EthernetHost) {
        let port = &mut self.ports[number as usize];
        if port.sends.is_some() {
            return;
        }
        if let Some(request) = port.requests.pop_front() {
            let until = now + Span::to_move(PAUSE_FRAME_BYTES.into(), port.rate);
            let arrives = until + port.delay + self.response;
            port.usage.pauses += 1;
            port.usage.sending += until - now;
            (port.sends, port.sends_until) = (Some(Transmission::Pause), until);
            port.pauses_in_flight.push_back((arrives, request));
            if port.pauses_in_flight.len() == 1 {
                host.schedule(arrives, EthernetEvent::Pause(number));
            }
            host.schedule(until, EthernetEvent::Left(number));
            if host.observes() {
                let what = PassingFrame::Pause(request);
                self.show(now, (number, PAUSE_FRAME_BYTES), what, true, host);
            }
            return;
        }
        let Some(next) = port.queues.take_next(port.paused, &self.weights, self.largest) else {
            let is_paused = port.queues.waiting_classes() != 0;
            if is_paused && port.paused_since.is_none() {
                port.paused_since = Some(now);
            }
            return;
        };
        if let Some(since) = port.paused_since.take() {
            port.usage.paused += now - since;
        }
        let lasts = Span::to_move(next.frame.bytes.into(), port.rate);
        port.usage.frames += 1;
        port.usage.bytes += u64::from(next.frame.bytes);
        port.usage.sending += lasts;
        (port.sends, port.sends_until) = (Some(Transmission::Frame(next)), now + lasts);
        host.schedule(now + lasts, EthernetEvent::Left(number));
        let is_alive = port.is_alive;
        let is_lost = !is_alive
            || next.input == NO_INPUT
                && self.loss > 0.0
                && self.losses[usize::from(next.frame.from)].chance(self.loss);
        if host.observes() {
            let what = PassingFrame::Frame(next.frame);
            self.show(now, (number, next.frame.bytes), what, !is_lost, host);
        }
        if is_lost {
            self.counts.lost += 1;
            host.notify(EthernetNotice::Lost(next.frame));
            return;
        }
        self.fly((now, lasts), number, next.frame, host);
    }

    /// A frame begins to leave an output of a switch at a time that nothing changes any more: when all frames before it have left.
    pub(super) fn leave_in_turn(
        &mut self,
        now: Time,
        number: u32,
        frame: EthernetFrame,
        host: &mut impl EthernetHost,
    ) {
        let port = &mut self.ports[number as usize];
        let lasts = Span::to_move(frame.bytes.into(), port.rate);
        let begins = port.sends_until.max(now);
        port.usage.frames += 1;
        port.usage.bytes += u64::from(frame.bytes);
        port.usage.sending += lasts;
        port.sends_until = begins + lasts;
        port.waiting_bytes += u64::from(frame.bytes);
        port.departures.push_back((begins + lasts, frame.bytes));
        if host.observes() {
            self.show(begins, (number, frame.bytes), PassingFrame::Frame(frame), true, host);
        }
        self.fly((begins, lasts), number, frame, host);
    }

    /// Shows to observers that a transmission of so many bytes passes the link of a port, or is lost there.
    #[cold]
    fn show(
        &self,
        begins: Time,
        (port, bytes): (u32, u32),
        what: PassingFrame,
        arrives: bool,
        host: &mut impl EthernetHost,
    ) {
        let of = &self.ports[port as usize];
        let lasts = Span::to_move(bytes.into(), of.rate);
        let arrives = arrives.then_some(begins + of.delay);
        host.passes(LinkPassage { port, begins, lasts, arrives }, what);
    }

    /// A frame is in flight to the other end of a port, which it begins to leave at a time.
    fn fly(
        &mut self,
        (begins, lasts): (Time, Span),
        number: u32,
        frame: EthernetFrame,
        host: &mut impl EthernetHost,
    ) {
        let port = &mut self.ports[number as usize];
        let whole = if port.cuts_through { Span::ZERO } else { lasts };
        let acts_at = begins + port.delay + whole + port.latency;
        port.in_flight.push_back((acts_at, frame));
        if port.in_flight.len() == 1 {
            host.schedule(acts_at, EthernetEvent::Arrives(number));
        }
    }

    /// The last byte of the transmission of a port has left.
    pub(super) fn left(&mut self, now: Time, number: u32, host: &mut impl EthernetHost) {
        let port = &mut self.ports[number as usize];
        if let Some(Transmission::Frame(sent)) = port.sends.take() {
            port.waiting_bytes -= u64::from(sent.frame.bytes);
            if let LinkEndDevice::Switch(switch) = port.at {
                self.leaves_memory(now, switch, sent, host);
            } else {
                host.notify(EthernetNotice::Left(sent.frame));
            }
        }
        self.begin(now, number, host);
    }

    /// A frame is not in the memory of a switch any more.
    pub(super) fn leaves_memory(
        &mut self,
        now: Time,
        switch: u16,
        waiting: WaitingFrame,
        host: &mut impl EthernetHost,
    ) {
        let WaitingFrame { frame, input } = waiting;
        let memory = &mut self.memories[usize::from(switch)];
        if self.ports[input as usize].pause_rules[usize::from(frame.class)].is_some() {
            memory.lossless_used -= u64::from(frame.bytes);
        } else {
            memory.used -= u64::from(frame.bytes);
        }
        self.count_out(now, input, frame, host);
    }

    /// A pause frame has arrived at the other end of a port.
    pub(super) fn pause_arrives(&mut self, now: Time, number: u32, host: &mut impl EthernetHost) {
        let sender = &mut self.ports[number as usize];
        // The link may have failed with the pause frame for which the event was scheduled.
        let Some((_, request)) = pop_due(&mut sender.pauses_in_flight, now) else { return };
        if let Some(&(next, _)) = sender.pauses_in_flight.front() {
            host.schedule(next, EthernetEvent::Pause(number));
        }
        let port = &mut self.ports[number as usize ^ 1];
        if request.stops {
            port.paused |= 1 << request.class;
        } else {
            port.paused &= !(1 << request.class);
        }
        self.begin(now, number ^ 1, host);
    }
}
