//! The horizon of a burst: the time until which the burst affects no other component, and its continuation or
//! end at that time.

use super::{ActiveBurst, BOUND, EventPlace, LookaheadRunner};
use sansim_burst::FrameBurst;
use sansim_burst::schedule::Horizon;
use sansim_component::site::NODE_PRIORITY;
use sansim_component::{ComponentId, Context, EventTurn, PortRef, Timer};
use sansim_fcp::adapter::AdapterBlock;
use sansim_kernel::{EventKey, Order, Time};
use sansim_registry::AnyComponent;

impl LookaheadRunner<'_> {
    pub(super) fn bound(&self, train: &FrameBurst, sender: ComponentId) -> Horizon {
        with_adapter!(&self.components[sender.index()], |sender| train.horizon(sender))
    }

    /// Handles the event of a burst at its horizon: the burst continues if it can, or ends.
    pub(super) fn comes_to_bound(&mut self, now: Time, number: usize) {
        let present = self.around.calendar.present_place();
        self.advance(number, present);
        let going = &self.trains.going[number];
        let (id, sender) = (going.arbitrated_loop, going.sender);
        let mut bound = self.bound(&going.train, sender);
        if bound.is_certain && bound.at == now && present.1.priority == NODE_PRIORITY {
            // The work of the DMA may belong to requests for which the sender of another burst fetches.
            for other in (0..self.trains.going.len()).rev().filter(|&other| other != number) {
                self.catch_up_burst(other, present, sender, 0);
            }
            let mut cx = Context::new(now, sender, self.around);
            with_adapter!(&mut self.components[sender.index()], |sender| sender
                .transfer_with_effect_completed(&mut cx));
            bound = self.bound(&self.trains.going[number].train, sender);
        }
        if bound.at > now || (bound.is_concern && bound.at == now && present.1.priority < NODE_PRIORITY) {
            self.trains.going[number].bound = self.schedule_bound(id, sender, bound);
        } else {
            let end = self.end_burst(number, present);
            self.look_again(end);
        }
    }

    /// Work that concerns other components happens at its ordinary place in the order of events; at any other horizon all events of its
    /// moment are still to come.
    pub(super) fn schedule_bound(
        &mut self,
        id: ComponentId,
        sender: ComponentId,
        bound: Horizon,
    ) -> EventKey {
        let order = if bound.is_concern && bound.at <= self.next_edge {
            let EventTurn { priority, unit } = EventTurn::turn_of_node(AdapterBlock::Dma as u32);
            Order { priority, rank: self.around.sites[sender.index()].rank, unit }
        } else {
            // The place is after arrivals at the first port of the loop, and before all decisions.
            Order { priority: 0, rank: self.around.sites[id.index()].rank, unit: 2 }
        };
        // The measured interval begins or ends together with all events before it, and the calendar does not go
        // back for that.
        let at = bound.at.min(self.next_edge);
        let at = at + self.trains.late;
        self.around.calendar.schedule_cancellable(at, order, (id, Timer::new(BOUND, 0)))
    }

    /// The DMA of a burst's sender may be asked for other data. The burst continues with the frames that are in the queue, if there are
    /// any; its horizon is computed again when the present event has been carried out.
    pub(super) fn shorten_burst(&mut self, number: usize, present: EventPlace) {
        self.advance(number, present);
        let ActiveBurst { train, sender, .. } = &mut self.trains.going[number];
        if with_adapter!(&mut self.components[sender.index()], |sender| train.limit_to_queue(sender)) {
            self.is_looked_at(number);
        } else {
            self.stop_burst(number, present);
        }
    }

    /// The DMA of a burst's sender will be asked for other data after the frames of the burst.
    pub(super) fn goes_on_with_more(&mut self, number: usize, present: EventPlace) {
        self.advance(number, present);
        self.is_looked_at(number);
    }

    fn is_looked_at(&mut self, number: usize) {
        let ActiveBurst { train, arbitrated_loop, is_changed, .. } = &mut self.trains.going[number];
        *is_changed = true;
        let end = PortRef { component: *arbitrated_loop, port: train.sender_and_receiver()[0] };
        self.around.look_for_burst(end);
    }

    /// If the sender of a burst was asked for other data the burst continues, for as long as it affects no other component at
    /// present.
    pub(super) fn goes_on(&mut self, number: usize) {
        let ActiveBurst { train, arbitrated_loop, sender, is_changed, .. } = &self.trains.going[number];
        let (id, sender) = (*arbitrated_loop, *sender);
        if !is_changed {
            return;
        }
        let bound = self.bound(train, sender);
        if bound.at <= self.now() {
            let end = self.end_burst(number, self.around.calendar.present_place());
            self.look_again(end);
            return;
        }
        let fetches_for_others = with_adapter!(&self.components[sender.index()], |sender| sender
            .fetches_for_other_requests(train.request()));
        let key = self.schedule_bound(id, sender, bound);
        let going = &mut self.trains.going[number];
        self.trains.for_others -= u16::from(going.fetches_for_others);
        self.trains.for_others += u16::from(fetches_for_others);
        (going.fetches_for_others, going.is_changed) = (fetches_for_others, false);
        self.around.calendar.cancel(std::mem::replace(&mut going.bound, key));
    }
}
