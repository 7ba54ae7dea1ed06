//! The handling of an OPN: the look-up, the queue at the destination, and CLS if the queue is full.
//!
//! * The switch looks up the port of the destination. If the destination is on the segment of the opener
//!   itself, the OPN goes back into that segment.
//! * If the destination's port is free, the two ports are joined. If the destination's port is busy, the OPN waits there; an OPN that finds
//!   the queue full is answered with CLS (HP P4459A). One OPN may always wait at a port that has no conversation. An OPN that waits for the
//!   port of the refused opener then comes before that opener: a policy that prefers the refused opener would have it refused again, and
//!   with two such openers, each the destination of the other, for ever.
//! * Two stations that want each other at the same time, or a ring of such stations, would wait for ever: the policy chooses between the
//!   newcomer and the opener for which it waits; the other opener is answered with CLS, and an OPN that waits for its port comes before it.
//!   This rule is not published; it is the smallest rule that works.
//! * An opener that withdraws its OPN (by a CLS behind it) is answered with CLS.

use super::switch_port::{Held, Mode, Stored};
use super::{LoopHost, LoopSwitch, PortEvent};
use crate::loop_port::QueueWait;
use crate::word::{LinkItem, PrimitiveSignal};
use sansim_kernel::Time;

impl LoopSwitch {
    /// An OPN arrives at a port that is not joined.
    pub(super) fn open_at_switch(
        &mut self,
        now: Time,
        port: usize,
        item: LinkItem,
        around: &mut impl LoopHost,
    ) {
        let LinkItem::Signal(PrimitiveSignal::Open { destination, .. }) = item else { return };
        let known_at = now + self.look_up;
        let to = self.cascade.route(self.cascade.switch_of(port), destination);
        if to == Some(port) {
            self.switch_ports[port].store.push_back(Stored { item, not_before: known_at });
        } else {
            self.abandon_seeking(now, port, around);
            self.switch_ports[port].had_trunk = false;
            let opener = self.opener_at(port);
            let held = Held { item, opener, to, since: now, known_at, queued: false };
            self.switch_ports[port].held = Some(held);
        }
        self.wake_switch(port, known_at, around);
    }

    /// Stores an item that arrives after an OPN that is held.
    pub(super) fn behind_held(&mut self, now: Time, port: usize, item: LinkItem, around: &mut impl LoopHost) {
        if item == LinkItem::Signal(PrimitiveSignal::Close) {
            self.drop_held(now, port, around);
            self.send_close(now, port, around);
            self.over(now, port, around);
        } else {
            self.switch_ports[port].behind.push_back(item);
        }
    }

    /// The look-up for the OPN that is held at a port is done: the OPN joins the queue of its destination.
    pub(super) fn ask_for_destination(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let Some(held) = &mut self.switch_ports[port].held else { return };
        if held.queued || now < held.known_at {
            return;
        }
        let (Some(to), opener) = (held.to, held.opener) else {
            self.refuse(now, port, around);
            return;
        };
        held.queued = true;
        if self.waits_for(to, port) {
            let stays = self.stays(now, port, to);
            self.switch_ports[port].gave_way = !stays;
            self.switch_ports[to].gave_way = stays;
            self.give_way(now, if stays { to } else { port }, around);
            if !stays {
                return;
            }
        } else if self.is_full(to) {
            self.give_way(now, port, around);
            return;
        }
        self.switch_ports[to].queue.push(port);
        self.serve(now, to, around);
        if self.switch_ports[port].held.is_some() {
            self.tell_opener(now, opener, QueueWait::Destination, around);
        }
    }

    /// Reports the wait of the first frame of an opener.
    pub(super) fn tell_opener(
        &mut self,
        now: Time,
        opener: usize,
        waiting: QueueWait,
        around: &mut impl LoopHost,
    ) {
        if let Some(tag) = self.ports[opener].first_waiting_exchange() {
            around.upcall(now, opener, PortEvent::Waits(tag, waiting));
        }
    }

    /// Two openers wait for each other: whether the opener at `port` goes on waiting. An opener that has won a shared segment keeps it,
    /// because an opener that waits for that segment would have to win it against the other opener again; this holds above all for an
    /// opener that came by a trunk: with each new attempt it would meet the next newcomer at this switch. If both openers have come by
    /// trunks they go on waiting in turns, the newcomer first: if the newcomer always did, the opener that is refused here would try again,
    /// meet the other at the next switch and be the newcomer there, for ever.
    fn stays(&mut self, now: Time, port: usize, to: usize) -> bool {
        match (self.is_shared(port), self.is_shared(to)) {
            (true, true) if self.is_trunk(port) && self.is_trunk(to) => !self.switch_ports[to].gave_way,
            (true, true) => self.is_trunk(port) || !self.is_trunk(to),
            (true, false) => true,
            (false, true) => false,
            (false, false) => {
                let both = [self.candidate(to), self.candidate(port)];
                self.arbitration.choose(now, &both) == 1
            }
        }
    }

    /// An OPN is answered with CLS because its destination waits for its sender, or because too many OPNs wait for its destination. An
    /// opener that wants the sender's port is served next at that port.
    fn give_way(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        self.switch_ports[port].yields = true;
        self.refuse(now, port, around);
    }

    /// Whether no more OPNs may wait at a port. One OPN may always wait at a port without a conversation: two openers would otherwise
    /// refuse each other for ever.
    fn is_full(&self, port: usize) -> bool {
        let this = &self.switch_ports[port];
        let one = u64::from(!matches!(this.mode, Mode::Joined(_)));
        self.queue_length.is_some_and(|most| this.queue.len() as u64 >= most + one)
    }

    /// Whether the opener at `from` waits for `port`, or for another opener that waits for `port`.
    fn waits_for(&self, from: usize, port: usize) -> bool {
        let next = |at: usize| self.switch_ports[at].held.as_ref().filter(|held| held.queued)?.to;
        let mut at = from;
        for _ in 0..self.switch_ports.len() {
            match next(at) {
                Some(to) if to == port => return true,
                Some(to) => at = to,
                None => return false,
            }
        }
        false
    }

    /// Answers the OPN that is held at a port with CLS.
    pub(super) fn refuse(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        self.drop_held(now, port, around);
        self.switch_ports[port].refusing = true;
        self.refused += 1;
        self.send_close(now, port, around);
    }

    fn send_close(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let close = Stored { item: LinkItem::Signal(PrimitiveSignal::Close), not_before: now };
        self.switch_ports[port].store.push_back(close);
        self.wake_switch(port, now, around);
    }

    /// Removes the OPN that is held at a port.
    fn drop_held(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let Some(held) = self.switch_ports[port].held.take() else { return };
        self.switch_ports[port].behind.clear();
        let Some(to) = held.to else { return };
        self.switch_ports[to].queue.retain(|&waits| waits != port);
        if self.switch_ports[to].mode == Mode::Seeking(port) {
            self.switch_ports[to].mode = Mode::Closed;
            self.leave_room(now, to, around);
            self.wake_switch(to, now, around);
        }
    }
}
