//! The parts of a simulation that lag behind the calendar: frame bursts, which keep their own clock, and adapters
//! that fetch ahead.
//!
//! The calendar holds one event for each lagging part, which is its horizon. An input to one of the ends of a lagging part, or a read of
//! their state, first brings the part to the present; then ordinary events continue, and whether the remaining frames form a burst is
//! checked again. Events that are due for an active burst itself have been computed already, and are dropped.
//!
//! A simulation calls this crate for three purposes: to ask whether an event that is due has been computed already
//! ([`LookaheadRunner::handle_due_event`]), to bring lagging parts to the present before a message
//! ([`LookaheadRunner::catch_up_before_message`]) or before everything is read ([`LookaheadRunner::catch_up_all_bursts`]), and to look for
//! more bursts after each event ([`LookaheadRunner::check_for_new_bursts`]). Only this crate depends on the fact that the lagging parts are
//! loops and adapters.
#![forbid(unsafe_code)]

/// Calls a method with the adapter at an end of a burst, whether the adapter is an initiator or a target.
macro_rules! with_adapter {
    ($component:expr, |$adapter:ident| $body:expr) => {
        match $component {
            AnyComponent::Initiator($adapter) => $body,
            AnyComponent::Target($adapter) => $body,
            _ => unreachable!("only adapters are at the ends of trains"),
        }
    };
}

mod begin;
mod horizon;
mod parties;
mod prefetch;
mod unnotified;

use parties::Access;
use prefetch::Ahead;
use sansim_burst::FrameBurst;
pub use sansim_burst::frame_burst::BurstCounts;
use sansim_component::{ComponentId, Context, Message, PortRef, Runtime, Timer};
pub use sansim_fc::arbitrated_loop::fast::circuit_cache::CircuitCounts;
use sansim_fcp::adapter::accepted::AcceptanceInterference;
use sansim_fcp::adapter::burst::BurstInterference;
use sansim_kernel::{EventKey, Order, Span, Time};
use sansim_network::LoopNetwork;
use sansim_registry::AnyComponent;
use std::ops::Add;
use unnotified::{Acceptance, Announcement};

/// The kind of the event of a burst, which no timer of the burst's loop has.
const BOUND: u8 = u8::MAX;

/// A place in the order of all events: events before the place have happened.
pub type EventPlace = (Time, Order);

/// The place after all events of an instant.
pub const LAST: Order =
    Order { priority: Order::PRIORITIES - 1, rank: Order::RANKS - 1, unit: Order::UNITS - 1 };

/// An active burst.
#[derive(Debug)]
struct ActiveBurst {
    train: Box<FrameBurst>,
    arbitrated_loop: ComponentId,
    sender: ComponentId,
    receiver: ComponentId,
    /// The components behind the two adapters, which report the stage of the request to which the frames belong.
    behind: [ComponentId; 2],
    /// Whether data of other requests are fetched during the burst.
    fetches_for_others: bool,
    /// The event that the calendar holds for the burst.
    bound: EventKey,
    /// Whether the present event may give other requests to the DMA of the sender, in which case the horizon of the burst may be
    /// earlier.
    is_changed: bool,
}

/// All parts of a simulation that lag behind the calendar.
#[derive(Debug, Default)]
pub struct LaggingParts {
    going: Vec<ActiveBurst>,
    /// The number of fill words that receiving ends passed on, and the number of fill words that sending ends
    /// answered.
    fills: [u64; 2],
    /// For each component, the number of active bursts in which it takes part, plus one if it may affect any
    /// burst.
    parties: Vec<u16>,
    accesses: Vec<Access>,
    /// The number of active bursts during which data of other requests are fetched.
    for_others: u16,
    /// Bursts that are over, which are kept to reuse their memory.
    #[allow(clippy::vec_box, reason = "a train goes from list to list, and is a kilobyte")]
    kept: Vec<Box<FrameBurst>>,
    /// Ports whose burst ended because another event is next at this instant; they are checked after it.
    look_again: Vec<PortRef>,
    /// The adapters that fetch ahead, and the number of times that an adapter has begun to.
    ahead: Vec<Ahead>,
    fetched_ahead: u64,
    /// The adapters that have announced frames to their fabric.
    announced: Vec<Announcement>,
    /// The adapters that accept frames from their fabric.
    accepting: Vec<Acceptance>,
    /// The number of frames that left an adapter, and that arrived at one, without notice.
    unnotified: [u64; 2],
    /// The first burst that was computed past its horizon: its loop, and the time.
    overrun: Option<(ComponentId, Time)>,
    /// The delay of horizons in a test of the check.
    late: Span,
}

impl LaggingParts {
    /// A lookahead without lagging parts, for these components.
    pub fn new(components: &[AnyComponent]) -> Self {
        let accesses: Vec<Access> = components.iter().map(Access::of).collect();
        let parties = accesses.iter().map(|&access| u16::from(access == Access::ReadsAll)).collect();
        let (going, look_again) = (Vec::with_capacity(8), Vec::with_capacity(8));
        Self { going, look_again, kept: Vec::with_capacity(8), parties, accesses, ..Self::default() }
    }
}

/// The way in which an event is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventHandling {
    /// The event is carried out.
    Ordinary,
    /// The event belongs to a burst, and is already computed.
    OfTrain,
}

/// The lagging parts, with the components and their surroundings.
pub struct LookaheadRunner<'a> {
    /// The lagging parts.
    pub trains: &'a mut LaggingParts,
    /// The components.
    pub components: &'a mut [AnyComponent],
    /// The surroundings of the components: the calendar, the ledgers and the observers.
    pub around: &'a mut Runtime,
    /// The time at which the measured interval begins or ends next: steps that are computed together do not
    /// go beyond it.
    pub next_edge: Time,
}

impl LaggingParts {
    /// Whether an input to a component may affect a lagging part, so that [`LookaheadRunner::catch_up_before_message`] has to be called
    /// before.
    #[inline]
    pub fn input_may_affect_burst(&self, id: ComponentId) -> bool {
        self.parties[id.index()] + self.for_others > 0
    }

    /// Whether an event that is due at a component may affect a burst.
    #[inline]
    pub fn event_may_affect_burst(&self, id: ComponentId, timer: Timer) -> bool {
        timer.what == BOUND || self.input_may_affect_burst(id)
    }

    /// The loop of the first burst that was computed past its horizon, and the time: other components were notified too late of the
    /// steps after it.
    pub fn first_overrun_burst(&self) -> Option<(ComponentId, Time)> {
        self.overrun
    }

    /// Delays the horizons of bursts, so that a test can check that the error is found.
    pub fn delay_horizons(&mut self, late: Span) {
        self.late = late;
    }

    /// The frames carried in bursts so far.
    pub fn carried_frame_count(&self) -> BurstCounts {
        let going = self.going.iter().map(|going| &going.train).chain(&self.kept);
        going.fold(BurstCounts::default(), |all, train| all + train.carried_frame_count())
    }

    /// The number of frames that left their adapters, and that arrived at theirs, without a notice to these.
    pub fn frames_without_notice(&self) -> [u64; 2] {
        self.unnotified
    }

    /// The number of times that a fill word was passed on at the receiving end of a burst, and answered at the sending end, without ending
    /// the burst; and the number of times that an adapter has fetched ahead.
    pub fn fill_words_passed_in_bursts(&self) -> ([u64; 2], u64) {
        (self.fills, self.fetched_ahead)
    }
}

/// The counts of cached circuits of all loops.
pub fn cached_circuit_counts<'a>(components: impl Iterator<Item = &'a AnyComponent>) -> CircuitCounts {
    loops_among_components(components)
        .map(LoopNetwork::cached_circuits)
        .fold(CircuitCounts::default(), CircuitCounts::add)
}

/// The loops among components.
pub fn loops_among_components<'a>(
    components: impl Iterator<Item = &'a AnyComponent>,
) -> impl Iterator<Item = &'a LoopNetwork> {
    components.filter_map(|component| match component {
        AnyComponent::ArbitratedLoop(on) => Some(&**on),
        _ => None,
    })
}

impl LookaheadRunner<'_> {
    fn now(&self) -> Time {
        self.around.calendar.now()
    }

    /// An event of a component is due. This function is called only where [`LaggingParts::event_may_affect_burst`] is true.
    #[inline(never)]
    pub fn handle_due_event(&mut self, now: Time, id: ComponentId, timer: Timer) -> EventHandling {
        if timer.what == BOUND && matches!(self.components[id.index()], AnyComponent::ArbitratedLoop(_)) {
            // The burst of the event may have ended at this very moment.
            if let Some(number) = self.burst_on(id) {
                self.comes_to_bound(now, number);
            }
            EventHandling::OfTrain
        } else if self.trains.input_may_affect_burst(id) {
            self.comes_due_at_burst(id, timer)
        } else {
            EventHandling::Ordinary
        }
    }

    /// The active burst of a loop.
    fn burst_on(&self, arbitrated_loop: ComponentId) -> Option<usize> {
        self.trains.going.iter().position(|going| going.arbitrated_loop == arbitrated_loop)
    }

    fn comes_due_at_burst(&mut self, id: ComponentId, timer: Timer) -> EventHandling {
        let present = self.around.calendar.present_place();
        if self.is_of_announcement(id, timer) {
            return EventHandling::OfTrain;
        }
        self.input_meets_announcement(id, present);
        self.timer_meets_accepted(id, timer, present);
        if !self.trains.ahead.is_empty() {
            if self.is_of_ahead(id, present, timer) {
                return EventHandling::OfTrain;
            }
            self.end_ahead_of(id, present);
        }
        for number in (0..self.trains.going.len()).rev() {
            let going = &self.trains.going[number];
            let event = if going.arbitrated_loop == id {
                let [from, to] = going.train.sender_and_receiver();
                if (timer.place == from || timer.place == to) && LoopNetwork::is_burst_event(timer) {
                    self.comes_of_burst(number, present, timer);
                    return EventHandling::OfTrain;
                }
                let is_end = timer.place == from || timer.place == to;
                let is_change = LoopNetwork::is_change(timer);
                if is_end && !is_change && self.fill_comes(number, present, timer.place) {
                    return EventHandling::OfTrain;
                }
                self.catch_up_burst(number, present, id, timer.place);
                continue;
            } else if going.sender == id {
                with_adapter!(&self.components[id.index()], |sender| sender.sending_interference(timer))
            } else if going.receiver == id {
                going.train.receiving_adapter_state().timer_interference(timer)
            } else {
                self.catch_up_burst(number, present, id, 0);
                continue;
            };
            match event {
                BurstInterference::OfTrain => return EventHandling::OfTrain,
                // Frames that the sender makes for its port during the burst go behind the frames that its DMA has
                // made before.
                BurstInterference::Beside if going.sender == id => self.advance(number, present),
                BurstInterference::Beside if going.fetches_for_others => self.let_read(number, present),
                BurstInterference::Beside => {}
                BurstInterference::FetchesLater => self.goes_on_with_more(number, present),
                BurstInterference::Fetches => self.shorten_burst(number, present),
                BurstInterference::Disturbs => self.stop_burst(number, present),
            }
        }
        EventHandling::Ordinary
    }

    /// An event at an end of a burst that is not about a fill word has been computed already, except the slot in which a fill word
    /// is passed on.
    fn comes_of_burst(&mut self, number: usize, present: EventPlace, timer: Timer) {
        let id = self.trains.going[number].arbitrated_loop;
        let AnyComponent::ArbitratedLoop(on) = &mut self.components[id.index()] else { return };
        if !on.is_fill_passing_slot(present.0, timer) {
            on.remove_accounted_event(present.0, timer);
            return;
        }
        self.advance(number, present);
        if let AnyComponent::ArbitratedLoop(on) = &mut self.components[id.index()] {
            on.pass_fill_word(&mut Context::new(present.0, id, self.around), timer.place);
        }
    }

    /// A fill word reaches an end of a burst. Returns whether the fill word is passed on, or is answered, without any other effect on
    /// the burst.
    fn fill_comes(&mut self, number: usize, present: EventPlace, port: u16) -> bool {
        self.let_read(number, present);
        let ActiveBurst { train, arbitrated_loop: id, .. } = &mut self.trains.going[number];
        let AnyComponent::ArbitratedLoop(on) = &mut self.components[id.index()] else { return false };
        let cx = &mut Context::new(present.0, *id, self.around);
        let sends = port == train.sender_and_receiver()[0];
        let passes = if sends {
            on.fill_reaches_burst_sender(cx, port, train.last_frame_end())
        } else {
            on.fill_reaches_burst_receiver(cx, port, &train.readies_around_fill())
        };
        self.trains.fills[usize::from(sends)] += u64::from(passes);
        passes
    }

    /// A message is about to be delivered to a component: bursts that the component can affect are brought to the present. This function is
    /// called only where [`LaggingParts::input_may_affect_burst`] is true.
    #[inline(never)]
    pub fn catch_up_before_message(&mut self, PortRef { component: id, port }: PortRef, message: &Message) {
        let present = self.around.calendar.present_place();
        self.input_meets_announcement(id, present);
        self.message_meets_accepted(id, message, present);
        if !self.trains.ahead.is_empty() {
            self.end_ahead_of(id, present);
        }
        for number in (0..self.trains.going.len()).rev() {
            let going = &self.trains.going[number];
            let is_beside = if going.arbitrated_loop == id {
                self.waits_beside(going, port, message)
            } else if going.receiver == id || going.sender == id {
                let receives = going.receiver == id;
                let adapter = &self.components[id.index()];
                with_adapter!(adapter, |adapter| adapter.message_interference(message, receives))
                    == BurstInterference::Beside
            } else {
                false
            };
            if is_beside && going.fetches_for_others {
                self.let_read(number, present);
            } else if !is_beside {
                self.catch_up_burst(number, present, id, port);
            }
        }
    }

    /// Whether a message is a frame for the receiving port of a burst, where the frame waits until the burst
    /// is over.
    fn waits_beside(&self, going: &ActiveBurst, port: u16, message: &Message) -> bool {
        let [_, to] = going.train.sender_and_receiver();
        match &self.components[going.arbitrated_loop.index()] {
            AnyComponent::ArbitratedLoop(on) if port == to && matches!(message, Message::Send(_)) => {
                on.loop_model().lets_frames_wait(usize::from(to))
            }
            _ => false,
        }
    }

    /// A component is about to get an input, at one of its places if it has several: brings a burst to the present as far as the two affect
    /// each other.
    fn catch_up_burst(&mut self, number: usize, present: EventPlace, id: ComponentId, place: u16) {
        let going = &self.trains.going[number];
        let is_end = going.sender == id
            || going.receiver == id
            || (going.arbitrated_loop == id && going.train.sender_and_receiver().contains(&place));
        let access = if is_end {
            Access::Changes
        } else if going.arbitrated_loop == id {
            Access::Reads
        } else if going.fetches_for_others
            || going.behind.contains(&id)
            || self.trains.accesses[id.index()] == Access::ReadsAll
        {
            self.trains.accesses[id.index()]
        } else {
            Access::Nothing
        };
        match access {
            Access::Nothing => {}
            Access::Reads | Access::ReadsAll => self.let_read(number, present),
            Access::Changes => self.stop_burst(number, present),
        }
    }

    /// Brings every burst to a moment at or after the last event and before the next.
    pub fn catch_up_all_bursts(&mut self, place: EventPlace) {
        self.fetch_all_ahead(place);
        (0..self.trains.announced.len()).rev().for_each(|number| self.read_announcement(number, place));
        (0..self.trains.accepting.len()).for_each(|number| self.apply_accepted(number, place));
        for number in (0..self.trains.going.len()).rev() {
            self.stop_burst(number, place);
        }
    }

    /// Brings every burst to a moment, and ends fetching ahead, because components change.
    pub fn end_all_lookahead(&mut self, place: EventPlace) {
        while !self.trains.ahead.is_empty() {
            self.end_ahead(0, place);
        }
        self.catch_up_all_bursts(place);
        while !self.trains.announced.is_empty() {
            self.end_announcement(0, place);
        }
        while !self.trains.accepting.is_empty() {
            self.end_acceptance(0, AcceptanceInterference::OfAll);
        }
    }

    /// Brings the queues and buffers of loop ports with cached circuits to this moment.
    pub fn catch_up_loop_ports(&mut self, (now, order): EventPlace) {
        for (number, component) in self.components.iter_mut().enumerate() {
            if let AnyComponent::ArbitratedLoop(on) = component {
                on.catch_up_ports(&mut Context::new(now, ComponentId(number as u32), self.around), order);
            }
        }
    }

    /// Computes the elapsed part of a burst, if any of it is visible to the component that is about to read.
    fn let_read(&mut self, number: usize, present: EventPlace) {
        let ActiveBurst { train, sender, fetches_for_others, .. } = &self.trains.going[number];
        let fetched = if *fetches_for_others {
            with_adapter!(&self.components[sender.index()], |sender| sender.dma_chunk_end())
        } else {
            None
        };
        if present.0 >= train.no_visible_step_before() || fetched.is_some_and(|at| present.0 >= at) {
            self.advance(number, present);
        }
    }

    /// Computes the elapsed part of a burst, including its items that pass the repeaters of its loop.
    fn advance(&mut self, number: usize, (now, order): EventPlace) {
        let ActiveBurst { train, arbitrated_loop, sender, .. } = &mut self.trains.going[number];
        let mut cx = Context::new(now, *sender, self.around);
        let both = [arbitrated_loop.index(), sender.index()];
        if let Ok([AnyComponent::ArbitratedLoop(on), by]) = self.components.get_disjoint_mut(both) {
            let is_within = with_adapter!(by, |by| train.advance(&mut cx, order, on, by));
            if !is_within {
                self.trains.overrun.get_or_insert((*arbitrated_loop, now));
            }
        }
    }

    /// Brings a burst to the present and ends it. Whether the remaining frames form a burst is checked when the present event has
    /// been carried out.
    fn stop_burst(&mut self, number: usize, present: EventPlace) {
        self.advance(number, present);
        let end = self.end_burst(number, present);
        self.around.look_for_burst(end);
    }

    /// Ends a burst that has been computed up to now. Returns the port that sent the burst.
    fn end_burst(&mut self, number: usize, (now, order): EventPlace) -> PortRef {
        let ActiveBurst {
            mut train,
            arbitrated_loop,
            sender,
            receiver,
            behind,
            fetches_for_others,
            bound,
            ..
        } = self.trains.going.swap_remove(number);
        for id in [arbitrated_loop, sender, receiver, behind[0], behind[1]] {
            self.trains.parties[id.index()] -= 1;
        }
        self.trains.for_others -= u16::from(fetches_for_others);
        self.around.calendar.cancel(bound);
        let both = [arbitrated_loop.index(), sender.index()];
        if let Ok([AnyComponent::ArbitratedLoop(on), by]) = self.components.get_disjoint_mut(both) {
            let mut cx = Context::new(now, arbitrated_loop, self.around);
            with_adapter!(by, |by| train.end_at_loop(&mut cx, order, on, by));
            let mut cx = Context::new(now, sender, self.around);
            with_adapter!(by, |by| train.end_at_sender(&mut cx, by));
        }
        let mut cx = Context::new(now, receiver, self.around);
        with_adapter!(&mut self.components[receiver.index()], |by| train.end_at_receiver(&mut cx, by));
        let [port, _] = train.sender_and_receiver();
        self.trains.kept.push(train);
        PortRef { component: arbitrated_loop, port }
    }
}
