//! The crossbar: two ports that are joined are one loop of two segments, and an item that comes in at one port goes out at the other after
//! the latency of the switch. Several pairs of ports may be joined at the same time.
//!
//! OPN is delayed by the look-up and by the time for which it waited; R_RDYs that the opener sent behind its OPN follow with two fill words
//! between, and so do items that arrive while these R_RDYs are sent. No item overtakes another item. When CLS has gone in both directions
//! the two ports are separated.

use super::switch_port::{Mode, Stored};
use super::{LoopHost, LoopSwitch};
use crate::loop_port::QueueWait;
use crate::word::{LinkItem, PrimitiveSignal};
use sansim_kernel::Time;

impl LoopSwitch {
    /// The opener at one port is the next to be joined to another port.
    pub(super) fn begin_conversation(
        &mut self,
        now: Time,
        opener: usize,
        port: usize,
        around: &mut impl LoopHost,
    ) {
        if self.is_shared(port) {
            self.seek(now, opener, port, around);
        } else {
            self.takes_room(port);
            self.join(now, opener, port, around);
        }
    }

    /// Joins the port of an opener to the port of the destination, and passes the opener's OPN on.
    pub(super) fn join(&mut self, now: Time, opener: usize, port: usize, around: &mut impl LoopHost) {
        let Some(held) = self.switch_ports[opener].held.take() else { return };
        if !self.is_trunk(opener) {
            self.conversation_begins(now, opener);
        }
        self.has_turn(now, port, held.opener);
        self.switch_ports[port].had_trunk = true;
        self.switch_ports[opener].mode = Mode::Joined(port);
        self.switch_ports[port].mode = Mode::Joined(opener);
        self.switch_ports[port].won = false;
        // The opener may have sent CLS behind its OPN already.
        self.switch_ports[port].closing = false;
        self.switch_ports[port].store.push_back(Stored { item: held.item, not_before: now });
        while let Some(item) = self.switch_ports[opener].behind.pop_front() {
            self.switch_ports[port].store.push_back(Stored { item, not_before: now });
        }
        self.tell_opener(now, held.opener, QueueWait::Credit, around);
        self.transmit_stored(now, port, around);
        self.change_fill(now, opener, around);
        self.change_fill(now, port, around);
    }

    /// An item goes out at a port: at once, unless other items are before it.
    pub(super) fn pass(&mut self, now: Time, port: usize, item: LinkItem, around: &mut impl LoopHost) {
        let this = &mut self.switch_ports[port];
        if this.store.is_empty() && now >= this.earliest.max(this.free_at) {
            self.send(now, port, item, false, around);
            return;
        }
        this.store.push_back(Stored { item, not_before: now });
        self.wake_for_store(port, around);
    }

    /// Sends the items that are stored at a port, as far as the spacing rules allow.
    pub(super) fn transmit_stored(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let this = &mut self.switch_ports[port];
        if let Some(&Stored { item, not_before }) = this.store.front()
            && now >= not_before
            && now >= this.item_may_go_at()
        {
            this.store.pop_front();
            self.send(now, port, item, true, around);
        }
        self.wake_for_store(port, around);
    }

    fn wake_for_store(&mut self, port: usize, around: &mut impl LoopHost) {
        let this = &self.switch_ports[port];
        if let Some(stored) = this.store.front() {
            let at = this.item_may_go_at().max(stored.not_before);
            self.wake_switch(port, at, around);
        }
    }

    fn send(&mut self, now: Time, port: usize, item: LinkItem, delayed: bool, around: &mut impl LoopHost) {
        self.switch_ports[port].item_goes(now, &item, delayed);
        self.carry_item(now, self.node_of(port), &item, around);
        if self.wanted_fill(port) != self.switch_ports[port].sent {
            self.wake_switch(port, self.switch_ports[port].free_at, around);
        }
        if let (LinkItem::Signal(PrimitiveSignal::Close), Mode::Joined(from)) =
            (item, self.switch_ports[port].mode)
        {
            self.switch_ports[from].closed = true;
            if self.switch_ports[port].closed {
                self.part(now, from, port, around);
            }
        }
    }

    /// CLS has gone in both directions: the two ports are separated.
    fn part(&mut self, now: Time, one: usize, other: usize, around: &mut impl LoopHost) {
        for port in [one, other] {
            self.conversation_ends(now, port);
            self.switch_ports[port].mode = Mode::Closed;
            self.over(now, port, around);
        }
        self.leave_room(now, one, around);
    }

    /// Whether another conversation may begin at the switch of a port.
    pub(super) fn has_room(&self, port: usize) -> bool {
        self.conversations.is_none_or(|most| self.active[self.cascade.switch_of(port)] < most)
    }

    /// A conversation is being opened, or begins, at the switch of a port.
    pub(super) fn takes_room(&mut self, port: usize) {
        self.active[self.cascade.switch_of(port)] += 1;
    }

    /// There is one conversation fewer at the switch of a port: where conversations are limited, a waiting opener may be next.
    pub(super) fn leave_room(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let switch = self.cascade.switch_of(port);
        self.active[switch] -= 1;
        if self.conversations.is_some() {
            for port in 0..self.switch_ports.len() {
                if self.cascade.switch_of(port) == switch && !self.switch_ports[port].queue.is_empty() {
                    self.wake_switch(port, now + self.word, around);
                }
            }
        }
    }
}
