//! Adapters that fetch ahead: the DMA puts one frame after the other into the queue of a port that waits for the loop.
//!
//! While the queue has frames and the port repeats, one more frame changes nothing, so these fetches need no events. The fetches are
//! computed, like the steps of a burst, before they matter to any component: when the port comes into a circuit, when the adapter or the
//! component behind it gets an input, or when everything is read.

use super::{EventPlace, LookaheadRunner};
use sansim_component::{ComponentId, Context, EventTurn, PortRef, Timer};
use sansim_fcp::adapter::prefetch::PrefetchedFrames;
use sansim_fcp::adapter::{AdapterBlock, BLOCK, NETWORK};
use sansim_kernel::{EventKey, Order, Time};
use sansim_registry::AnyComponent;

/// The kind of the event of an adapter that fetches ahead, which no timer of the adapter's blocks has: work of another
/// kind is next at its DMA.
const AHEAD: u8 = u8::MAX - 1;

/// An adapter that fetches ahead.
#[derive(Debug)]
pub(super) struct Ahead {
    adapter: ComponentId,
    /// The port of the adapter.
    port: PortRef,
    /// The component behind the adapter.
    behind: ComponentId,
    /// The end of the work that was in progress when the adapter began to fetch ahead, for which there is an
    /// event.
    fetched_until: Option<Time>,
    /// The event that ends the fetching ahead.
    until: Option<EventKey>,
}

impl LookaheadRunner<'_> {
    /// Checks which adapters may fetch ahead, and ends fetching ahead where ports have come into a circuit.
    #[inline(never)]
    pub(super) fn look_ahead(&mut self) {
        while let Some(adapter) = self.around.may_fetch_ahead.pop() {
            self.fetch_ahead(adapter);
        }
        let present = self.around.calendar.present_place();
        while let Some(port) = self.around.in_circuit.pop() {
            if let Some(number) = self.trains.ahead.iter().position(|ahead| ahead.port == port) {
                self.end_ahead(number, present);
            }
        }
    }

    fn fetch_ahead(&mut self, adapter: ComponentId) -> Option<()> {
        if self.trains.ahead.iter().any(|ahead| ahead.adapter == adapter) {
            return None;
        }
        let site = self.around.sites[adapter.index()];
        let port = self.around.peer_port(&site, NETWORK)?;
        let behind = self.around.peer_port(&site, BLOCK).map_or(adapter, |end| end.component);
        match &self.components[port.component.index()] {
            AnyComponent::Fabric(_) => return self.frames_need_no_notice(adapter, port),
            on => {
                let waits =
                    matches!(on, AnyComponent::ArbitratedLoop(on) if on.only_lengthens_queue(port.port));
                with_adapter!(&mut self.components[adapter.index()], |by| by.notices_every_frame());
                if !waits {
                    return None;
                }
            }
        }
        let PrefetchedFrames { fetched_until, until, frames } =
            with_adapter!(&mut self.components[adapter.index()], |adapter| adapter.begin_prefetch())?;
        let until = until.map(|at| {
            let order = Order { priority: 0, rank: site.rank, unit: 0 };
            self.around.calendar.schedule_cancellable(at, order, (adapter, Timer::new(AHEAD, 0)))
        });
        if let AnyComponent::ArbitratedLoop(on) = &mut self.components[port.component.index()] {
            on.announce_queue_times(port.port, frames);
        }
        for id in [adapter, behind] {
            self.trains.parties[id.index()] += 1;
        }
        self.trains.fetched_ahead += 1;
        self.trains.ahead.push(Ahead { adapter, port, behind, fetched_until, until });
        Some(())
    }

    /// A component is about to get an input: ends fetching ahead that other components could notice by the
    /// input.
    pub(super) fn end_ahead_of(&mut self, id: ComponentId, present: EventPlace) {
        while let Some(number) =
            self.trains.ahead.iter().position(|ahead| ahead.adapter == id || ahead.behind == id)
        {
            self.end_ahead(number, present);
        }
    }

    /// Whether an event belongs to the fetching ahead of an adapter, in which case it has been, or will be, computed, or the
    /// fetching ahead is over now.
    pub(super) fn is_of_ahead(&mut self, id: ComponentId, present: EventPlace, timer: Timer) -> bool {
        let Some(number) = self.trains.ahead.iter().position(|ahead| ahead.adapter == id) else {
            return false;
        };
        if timer.what == AHEAD {
            self.trains.ahead[number].until = None;
            self.end_ahead(number, present);
        }
        timer.what == AHEAD || usize::from(timer.what) == AdapterBlock::Dma as usize
    }

    /// Computes the fetches of all adapters up to a moment.
    pub(super) fn fetch_all_ahead(&mut self, place: EventPlace) {
        for number in 0..self.trains.ahead.len() {
            self.fetch_up_to(number, place);
        }
    }

    /// Computes the fetches of an adapter up to a place. Returns the first moment after that place.
    fn fetch_up_to(&mut self, number: usize, (now, order): EventPlace) -> Time {
        let &Ahead { adapter, port, .. } = &self.trains.ahead[number];
        let EventTurn { priority, unit } = EventTurn::turn_of_node(AdapterBlock::Dma as u32);
        let mine = Order { priority, rank: self.around.sites[adapter.index()].rank, unit };
        let present = Time(now.ticks() + u64::from(mine < order));
        let mut cx = Context::new(now, adapter, self.around);
        let both = [port.component.index(), adapter.index()];
        if let Ok([AnyComponent::ArbitratedLoop(on), by]) = self.components.get_disjoint_mut(both) {
            with_adapter!(by, |by| {
                by.catch_up_fetching(&mut cx, &[], present);
                on.queue_frames(port.port, by.frames_made_in_burst(0));
            });
        }
        present
    }

    pub(super) fn end_ahead(&mut self, number: usize, present: EventPlace) {
        let from = self.fetch_up_to(number, present);
        let Ahead { adapter, port, behind, fetched_until, until } = self.trains.ahead.swap_remove(number);
        if let AnyComponent::ArbitratedLoop(on) = &mut self.components[port.component.index()] {
            let mut cx = Context::new(present.0, port.component, self.around);
            on.end_announced_queueing(&mut cx, port.port, from);
        }
        for id in [adapter, behind] {
            self.trains.parties[id.index()] -= 1;
        }
        if let Some(key) = until {
            self.around.calendar.cancel(key);
        }
        let mut cx = Context::new(present.0, adapter, self.around);
        with_adapter!(&mut self.components[adapter.index()], |by| by.end_sent_burst(&mut cx, fetched_until));
    }
}
