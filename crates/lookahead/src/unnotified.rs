//! Adapters at fabrics that are not notified of each data frame: those that have announced the next frames of a sequence, and those that
//! accept the frames of sequences.
//!
//! The frames since then are applied to an adapter before it gets an input, and before everything is read. After the input an announcement goes
//! on if the input has left the DMA alone.

use super::{EventPlace, LookaheadRunner};
use sansim_component::{ComponentId, Context, EventTurn, Message, PortRef, Timer};
use sansim_fcp::adapter::AdapterBlock;
use sansim_fcp::adapter::accepted::AcceptanceInterference;
use sansim_kernel::{Order, Time};
use sansim_network::fabric::unnotified::AnnouncedFrames;
use sansim_registry::AnyComponent;

/// An adapter that has announced frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Announcement {
    adapter: ComponentId,
    /// The port of the adapter.
    port: PortRef,
}

/// An adapter that accepts frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acceptance {
    adapter: ComponentId,
    /// The port of the adapter.
    port: PortRef,
}

impl LookaheadRunner<'_> {
    /// Lets an adapter announce its next frames, or accept the frames of a sequence; or ends its announcement, if that cannot go on.
    pub(super) fn frames_need_no_notice(&mut self, adapter: ComponentId, port: PortRef) -> Option<()> {
        self.accept(adapter, port);
        let Some(number) = self.trains.announced.iter().position(|of| of.adapter == adapter) else {
            return self.announce(adapter, port);
        };
        if !with_adapter!(&self.components[adapter.index()], |by| by.announcement_goes_on()) {
            // It has been applied before the input.
            self.close_announcement(number, 0, self.around.calendar.now());
        }
        None
    }

    fn announce(&mut self, adapter: ComponentId, port: PortRef) -> Option<()> {
        let both = [port.component.index(), adapter.index()];
        let Ok([AnyComponent::Fabric(on), by]) = self.components.get_disjoint_mut(both) else { return None };
        let mut cx = Context::new(self.around.calendar.now(), adapter, self.around);
        with_adapter!(by, |by| {
            let of = by.frames_to_announce()?;
            if !on.takes_announcements(port.port, &of.first, of.takes) {
                by.announces_nothing();
                return None;
            }
            let announced = AnnouncedFrames {
                first: of.first.into(),
                fetching: of.fetching,
                fetched_until: of.fetched_until,
                to_fetch: of.to_fetch,
                takes: of.takes,
            };
            if !on.announce_frames(&mut cx, port.port, &announced) {
                return None;
            }
            by.announcement_begins();
        });
        self.trains.parties[adapter.index()] += 1;
        self.trains.announced.push(Announcement { adapter, port });
        Some(())
    }

    /// A component is about to get an input: applies its announcement, which is over if frames are being fetched.
    pub(super) fn input_meets_announcement(&mut self, id: ComponentId, place: EventPlace) {
        let Some(number) = self.trains.announced.iter().position(|of| of.adapter == id) else { return };
        let fetching = self.pass_announcement(number, place);
        if fetching > 0 {
            self.close_announcement(number, fetching, place.0);
        } else {
            self.around.may_fetch_ahead.push(id);
            self.around.looks_for_bursts = true;
        }
    }

    /// Whether a timer is the end of a fetch that an announcement has accounted for.
    pub(super) fn is_of_announcement(&self, id: ComponentId, timer: Timer) -> bool {
        usize::from(timer.what) == AdapterBlock::Dma as usize
            && self.trains.announced.iter().any(|of| of.adapter == id)
    }

    /// Applies what has happened of an announcement. Returns the number of frames that are being fetched.
    fn pass_announcement(&mut self, number: usize, place: EventPlace) -> u32 {
        let Announcement { adapter, port } = self.trains.announced[number];
        let present = self.present_of_block(adapter, AdapterBlock::Dma, place);
        let both = [port.component.index(), adapter.index()];
        let Ok([AnyComponent::Fabric(on), by]) = self.components.get_disjoint_mut(both) else { return 0 };
        let mut cx = Context::new(place.0, adapter, self.around);
        let passed = on.passed_announcement(port.port, present);
        self.trains.unnotified[0] += u64::from(passed.left);
        let [left, fetching] = [passed.left, passed.fetching].map(|count| count as usize);
        with_adapter!(by, |by| by.announcement_passes(&mut cx, left, fetching, passed.fetched_until));
        passed.fetching
    }

    /// Everything is about to be read: applies an announcement, which is over if frames are being fetched.
    pub(super) fn read_announcement(&mut self, number: usize, place: EventPlace) {
        let fetching = self.pass_announcement(number, place);
        if fetching > 0 {
            self.close_announcement(number, fetching, place.0);
        }
    }

    /// Applies what has happened of an announcement, and ends it.
    pub(super) fn end_announcement(&mut self, number: usize, place: EventPlace) {
        let fetching = self.pass_announcement(number, place);
        self.close_announcement(number, fetching, place.0);
    }

    /// Ends an announcement that has been applied, at a moment at which this number of frames are being fetched.
    fn close_announcement(&mut self, number: usize, fetching: u32, now: Time) {
        let Announcement { adapter, port } = self.trains.announced.swap_remove(number);
        self.trains.parties[adapter.index()] -= 1;
        let both = [port.component.index(), adapter.index()];
        let Ok([AnyComponent::Fabric(on), by]) = self.components.get_disjoint_mut(both) else { return };
        let mut cx = Context::new(now, adapter, self.around);
        with_adapter!(by, |by| {
            let Some(request) = by.announced_request() else { return };
            on.end_announcement(&mut cx, port.port, request, fetching);
            by.announcement_ends(&mut cx, fetching > 0);
        });
    }

    /// The present for the events of a block of an adapter: all events before it have happened.
    fn present_of_block(&self, adapter: ComponentId, block: AdapterBlock, (now, order): EventPlace) -> Time {
        let EventTurn { priority, unit } = EventTurn::turn_of_node(block as u32);
        let mine = Order { priority, rank: self.around.sites[adapter.index()].rank, unit };
        Time(now.ticks() + u64::from(mine < order))
    }

    fn accept(&mut self, adapter: ComponentId, port: PortRef) -> Option<()> {
        let both = [port.component.index(), adapter.index()];
        let Ok([AnyComponent::Fabric(on), by]) = self.components.get_disjoint_mut(both) else { return None };
        with_adapter!(by, |by| {
            let (first, takes) = by.frame_to_accept()?;
            if !on.accept_frames(port.port, first, takes) {
                by.accepts_nothing();
                return None;
            }
            by.acceptance_begins();
        });
        if !self.trains.accepting.iter().any(|of| of.adapter == adapter) {
            self.trains.parties[adapter.index()] += 1;
            self.trains.accepting.push(Acceptance { adapter, port });
        }
        Some(())
    }

    /// A message is about to be delivered to a component, which may accept frames.
    pub(super) fn message_meets_accepted(&mut self, id: ComponentId, message: &Message, place: EventPlace) {
        let Some(number) = self.trains.accepting.iter().position(|of| of.adapter == id) else { return };
        self.apply_accepted(number, place);
        let adapter = &self.components[id.index()];
        let affects = with_adapter!(adapter, |by| by.message_affects_accepted(message));
        self.end_acceptance(number, affects);
    }

    /// A timer of a component is due, which may accept frames.
    pub(super) fn timer_meets_accepted(&mut self, id: ComponentId, timer: Timer, place: EventPlace) {
        let Some(number) = self.trains.accepting.iter().position(|of| of.adapter == id) else { return };
        self.apply_accepted(number, place);
        let affects = with_adapter!(&self.components[id.index()], |by| by.timer_affects_accepted(timer));
        self.end_acceptance(number, affects);
    }

    /// Applies the frames that an adapter has accepted.
    pub(super) fn apply_accepted(&mut self, number: usize, place: EventPlace) {
        let Acceptance { adapter, port } = self.trains.accepting[number];
        let block = with_adapter!(&self.components[adapter.index()], |by| by.storing_block());
        let present = self.present_of_block(adapter, block, place);
        let both = [port.component.index(), adapter.index()];
        let Ok([AnyComponent::Fabric(on), by]) = self.components.get_disjoint_mut(both) else { return };
        let mut cx = Context::new(place.0, adapter, self.around);
        let (runs, last) = on.accepted_frames(port.port);
        let accepted = &mut self.trains.unnotified[1];
        let runs = runs.map(|run| {
            *accepted += u64::from(run.frames);
            (run.tag, run.frames)
        });
        with_adapter!(by, |by| by.frames_accepted(&mut cx, runs, last, present));
    }

    pub(super) fn end_acceptance(&mut self, number: usize, affects: AcceptanceInterference) {
        let Acceptance { adapter, port } = self.trains.accepting[number];
        let both = [port.component.index(), adapter.index()];
        let Ok([AnyComponent::Fabric(on), by]) = self.components.get_disjoint_mut(both) else { return };
        match affects {
            AcceptanceInterference::None => {}
            AcceptanceInterference::Of(tag) => {
                on.end_acceptance_of(port.port, tag);
                with_adapter!(by, |by| by.acceptance_ends(Some(tag)));
            }
            AcceptanceInterference::OfAll => {
                on.end_acceptance(port.port);
                with_adapter!(by, |by| by.acceptance_ends(None));
                self.trains.accepting.swap_remove(number);
                self.trains.parties[adapter.index()] -= 1;
            }
        }
    }
}
