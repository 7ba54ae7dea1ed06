//! The parts that lag behind the calendar: frame bursts, which keep their own clock, and adapters that fetch ahead.
//!
//! The calendar holds one event for each, its horizon. An input to one of its ends, or a read of their state, brings it to the present first; then
//! ordinary events go on, and whether the remaining frames form a burst is checked again. Events that are due for an active burst itself have been
//! worked out, and are dropped.
//!
//! A simulation asks three things of it and knows nothing else: whether an event that is due has been worked out ([`Lookahead::comes_due`]), to be
//! brought to the present before a message ([`Lookahead::catch_up`]) or before everything is read ([`Lookahead::catch_up_all_to`]), and to look for
//! more after each event ([`Lookahead::look_for_trains`]). Only this crate knows that the lagging parts are loops and adapters.
#![forbid(unsafe_code)]

/// Calls a method with the adapter at one of the ends of a burst, of either role.
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

use parties::Access;
use prefetch::Ahead;
use sansim_burst::FrameBurst;
pub use sansim_burst::frame_burst::BurstCounts;
use sansim_component::{ComponentId, Context, Message, PortRef, Runtime, Timer};
pub use sansim_fc::arbitrated_loop::fast::circuit_cache::CircuitCounts;
use sansim_fcp::adapter::burst::Interference;
use sansim_kernel::{EventKey, Order, Span, Time};
use sansim_network::Loop;
use sansim_registry::AnyComponent;
use std::ops::Add;

/// The kind of the event of a burst, next to the timers of its loop.
const BOUND: u8 = u8::MAX;

/// A place in the order of all events: those before it have happened.
pub type Moment = (Time, Order);

/// After everything of an instant.
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
    /// Data of other requests are fetched meanwhile.
    fetches_for_others: bool,
    /// The event that the calendar holds for it.
    bound: EventKey,
    /// Whether the present event may give other requests to the DMA of the sender: the horizon of the burst may then be earlier.
    is_changed: bool,
}

/// All that lags in a simulation.
#[derive(Debug, Default)]
pub struct Lagging {
    going: Vec<ActiveBurst>,
    /// Fill words that receiving ends passed on, and fill words that sending ends answered.
    fills: [u64; 2],
    /// By component: the number of active bursts to which it is a party; one more if it may be to any.
    parties: Vec<u16>,
    accesses: Vec<Access>,
    /// The number of active bursts during which data of other requests are fetched.
    for_others: u16,
    /// Bursts that are over, for their memory.
    #[allow(clippy::vec_box, reason = "a train goes from list to list, and is a kilobyte")]
    kept: Vec<Box<FrameBurst>>,
    /// Ports whose burst ended because another event is next at this instant; they are checked after it.
    look_again: Vec<PortRef>,
    /// Adapters that fetch ahead, and how often one has begun to.
    ahead: Vec<Ahead>,
    fetched_ahead: u64,
    /// The first that was worked out past its horizon: its loop, and when.
    overrun: Option<(ComponentId, Time)>,
    /// The delay of horizons, in a test.
    late: Span,
}

impl Lagging {
    /// A lookahead without lagging parts, for these components.
    pub fn new(components: &[AnyComponent]) -> Self {
        let accesses: Vec<Access> = components.iter().map(Access::of).collect();
        let parties = accesses.iter().map(|&access| u16::from(access == Access::ReadsAll)).collect();
        let (going, look_again) = (Vec::with_capacity(8), Vec::with_capacity(8));
        Self { going, look_again, kept: Vec::with_capacity(8), parties, accesses, ..Self::default() }
    }
}

/// The treatment of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventOutcome {
    /// The event is carried out.
    Ordinary,
    /// The event belongs to a burst, and is already computed.
    OfTrain,
}

/// The lagging parts, with the components and their surroundings.
pub struct Lookahead<'a> {
    /// The lagging parts.
    pub trains: &'a mut Lagging,
    /// The components.
    pub components: &'a mut [AnyComponent],
    /// The surroundings of the components.
    pub around: &'a mut Runtime,
    /// When the measured interval begins or ends next: steps that are worked out at once do not go beyond.
    pub next_edge: Time,
}

impl Lagging {
    /// Whether an input to a component may affect a lagging part, so that [`Lookahead::catch_up`] has to be called before.
    #[inline]
    pub fn may_meet(&self, id: ComponentId) -> bool {
        self.parties[id.index()] + self.for_others > 0
    }

    /// Whether an event that is due at a component may affect a burst.
    #[inline]
    pub fn may_be_met_by(&self, id: ComponentId, timer: Timer) -> bool {
        timer.what == BOUND || self.may_meet(id)
    }

    /// The loop of the first burst that was worked out past its horizon, and when: other components learned of the excess too late.
    pub fn overrun(&self) -> Option<(ComponentId, Time)> {
        self.overrun
    }

    /// Delays the horizons of bursts, for a test that this does not go unnoticed.
    pub fn delay_bounds(&mut self, late: Span) {
        self.late = late;
    }

    /// The frames carried in bursts so far.
    pub fn carried(&self) -> BurstCounts {
        let going = self.going.iter().map(|going| &going.train).chain(&self.kept);
        going.fold(BurstCounts::default(), |all, train| all + train.carried())
    }

    /// How often a fill word was passed on at the receiving end of a burst, and answered at the sending one, without ending it; and how often an
    /// adapter has fetched ahead.
    pub fn beside(&self) -> ([u64; 2], u64) {
        (self.fills, self.fetched_ahead)
    }
}

/// Counts of cached circuits of loops.
pub fn cached_circuits<'a>(components: impl Iterator<Item = &'a AnyComponent>) -> CircuitCounts {
    loops(components).map(Loop::cached_circuits).fold(CircuitCounts::default(), CircuitCounts::add)
}

/// The loops among components.
pub fn loops<'a>(components: impl Iterator<Item = &'a AnyComponent>) -> impl Iterator<Item = &'a Loop> {
    components.filter_map(|component| match component {
        AnyComponent::ArbitratedLoop(on) => Some(&**on),
        _ => None,
    })
}

impl Lookahead<'_> {
    fn now(&self) -> Time {
        self.around.calendar.now()
    }

    /// An event of a component is due. Called only where [`Lagging::may_be_met_by`] says so.
    #[inline(never)]
    pub fn comes_due(&mut self, now: Time, id: ComponentId, timer: Timer) -> EventOutcome {
        if timer.what == BOUND && matches!(self.components[id.index()], AnyComponent::ArbitratedLoop(_)) {
            // Its burst may have ended at this very moment.
            if let Some(number) = self.burst_on(id) {
                self.comes_to_bound(now, number);
            }
            EventOutcome::OfTrain
        } else if self.trains.may_meet(id) {
            self.comes_due_at_burst(id, timer)
        } else {
            EventOutcome::Ordinary
        }
    }

    /// The active burst of a loop.
    fn burst_on(&self, arbitrated_loop: ComponentId) -> Option<usize> {
        self.trains.going.iter().position(|going| going.arbitrated_loop == arbitrated_loop)
    }

    fn comes_due_at_burst(&mut self, id: ComponentId, timer: Timer) -> EventOutcome {
        let present = self.around.calendar.present();
        if !self.trains.ahead.is_empty() {
            if self.is_of_ahead(id, present, timer) {
                return EventOutcome::OfTrain;
            }
            self.end_ahead_of(id, present);
        }
        for number in (0..self.trains.going.len()).rev() {
            let going = &self.trains.going[number];
            let event = if going.arbitrated_loop == id {
                let [from, to] = going.train.ports();
                if (timer.place == from || timer.place == to) && Loop::is_of_burst(timer) {
                    self.comes_of_burst(number, present, timer);
                    return EventOutcome::OfTrain;
                }
                let is_end = timer.place == from || timer.place == to;
                if is_end && self.fill_comes(number, present, timer.place) {
                    return EventOutcome::OfTrain;
                }
                self.catch_up_burst(number, present, id, timer.place);
                continue;
            } else if going.sender == id {
                with_adapter!(&self.components[id.index()], |sender| sender.meets_sending(timer))
            } else if going.receiver == id {
                going.train.storing().meets(timer)
            } else {
                self.catch_up_burst(number, present, id, 0);
                continue;
            };
            match event {
                Interference::OfTrain => return EventOutcome::OfTrain,
                // Frames that the sender makes for its port meanwhile go behind those that its DMA has made before.
                Interference::Beside if going.sender == id => self.advance(number, present),
                Interference::Beside if going.fetches_for_others => self.let_read(number, present),
                Interference::Beside => {}
                Interference::FetchesLater => self.goes_on_with_more(number, present),
                Interference::Fetches => self.shorten_burst(number, present),
                Interference::Disturbs => self.stop_burst(number, present),
            }
        }
        EventOutcome::Ordinary
    }

    /// An event of an end of a burst that is not about a fill word has been worked out; but for the slot in which one is passed on.
    fn comes_of_burst(&mut self, number: usize, present: Moment, timer: Timer) {
        let id = self.trains.going[number].arbitrated_loop;
        let AnyComponent::ArbitratedLoop(on) = &mut self.components[id.index()] else { return };
        if !on.passes_fill(present.0, timer) {
            on.pass_over(present.0, timer);
            return;
        }
        self.advance(number, present);
        if let AnyComponent::ArbitratedLoop(on) = &mut self.components[id.index()] {
            on.pass_fill_on(&mut Context::new(present.0, id, self.around), timer.place);
        }
    }

    /// A fill word reaches an end of a burst. Returns whether it goes on there, or is answered, without any other effect on the burst.
    fn fill_comes(&mut self, number: usize, present: Moment, port: u16) -> bool {
        self.let_read(number, present);
        let ActiveBurst { train, arbitrated_loop: id, .. } = &mut self.trains.going[number];
        let AnyComponent::ArbitratedLoop(on) = &mut self.components[id.index()] else { return false };
        let cx = &mut Context::new(present.0, *id, self.around);
        let sends = port == train.ports()[0];
        let passes = if sends {
            on.fill_comes_to_sender(cx, port, train.sent_until())
        } else {
            on.fill_comes_to_burst(cx, port, &train.around_fill())
        };
        self.trains.fills[usize::from(sends)] += u64::from(passes);
        passes
    }

    /// A component is about to be given a message: bursts that it can affect are brought to the present. Called only where [`Lagging::may_meet`] says
    /// so.
    #[inline(never)]
    pub fn catch_up(&mut self, PortRef { component: id, port }: PortRef, message: &Message) {
        let present = self.around.calendar.present();
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
                with_adapter!(adapter, |adapter| adapter.meets_message(message, receives))
                    == Interference::Beside
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

    /// Whether a message is a frame for the port that receives a burst, which waits there until that is over.
    fn waits_beside(&self, going: &ActiveBurst, port: u16, message: &Message) -> bool {
        let [_, to] = going.train.ports();
        match &self.components[going.arbitrated_loop.index()] {
            AnyComponent::ArbitratedLoop(on) if port == to && matches!(message, Message::Send(_)) => {
                on.arbitrated_loop().lets_frames_wait(usize::from(to))
            }
            _ => false,
        }
    }

    /// A component is about to be given an input, at one of its places if it has several: brings a burst to the present as far as they affect each
    /// other.
    fn catch_up_burst(&mut self, number: usize, present: Moment, id: ComponentId, place: u16) {
        let going = &self.trains.going[number];
        let is_end = going.sender == id
            || going.receiver == id
            || (going.arbitrated_loop == id && going.train.ports().contains(&place));
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
    pub fn catch_up_all_to(&mut self, place: Moment) {
        self.fetch_all_ahead(place);
        for number in (0..self.trains.going.len()).rev() {
            self.stop_burst(number, place);
        }
    }

    /// Brings the queues and buffers of loop ports with cached circuits to this moment.
    pub fn catch_up_cached_circuits(&mut self, (now, order): Moment) {
        for (number, component) in self.components.iter_mut().enumerate() {
            if let AnyComponent::ArbitratedLoop(on) = component {
                on.catch_up(&mut Context::new(now, ComponentId(number as u32), self.around), order);
            }
        }
    }

    /// Works out the elapsed part of a burst, if any of it is visible to the component that is about to read.
    fn let_read(&mut self, number: usize, present: Moment) {
        let ActiveBurst { train, sender, fetches_for_others, .. } = &self.trains.going[number];
        let fetched = if *fetches_for_others {
            with_adapter!(&self.components[sender.index()], |sender| sender.fetches_until())
        } else {
            None
        };
        if present.0 >= train.quiet_until() || fetched.is_some_and(|at| present.0 >= at) {
            self.advance(number, present);
        }
    }

    /// Works out the elapsed part of a burst, and its items that pass the repeaters of its loop.
    fn advance(&mut self, number: usize, (now, order): Moment) {
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

    /// Brings a burst to the present and ends it. Whether the rest is one is checked when the present event has been carried out.
    fn stop_burst(&mut self, number: usize, present: Moment) {
        self.advance(number, present);
        let end = self.end_burst(number, present);
        self.around.look_for_burst(end);
    }

    /// Ends a burst that has been worked out up to now. Returns the port that sent it.
    fn end_burst(&mut self, number: usize, (now, order): Moment) -> PortRef {
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
        let [port, _] = train.ports();
        self.trains.kept.push(train);
        PortRef { component: arbitrated_loop, port }
    }
}
