//! An arbitrated loop: ports joined by cables into a ring.
//!
//! Only changes of the transmitted word travel ("edge-change", Wang 2005 section 4.3.1.1): a new fill word, a primitive
//! signal, a frame. Two ways of carrying them give the same results to the tick:
//!
//! * [`LoopModel::Reference`]: every port sees every edge and applies its state machine;
//! * [`LoopModel::Fast`] ([`fast`]): ports that only repeat are delays. Edges jump over them.

pub mod fast;
pub mod geometry;
pub mod parameters;
pub mod train;

use crate::al_pa::AlPa;
use crate::frame::{Frame, Tag};
use crate::loop_port::{Link, Login, LoopPort, PortEffect, PortParameters, PortState, Schedule, Waiting};
use crate::word::{FillWord, Item, Signal};
use fast::Fast;
use geometry::Geometry;
pub use parameters::LoopParameters;
use sansim_kernel::{Order, Span, Time};

/// Which of the two equal loops carries the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LoopModel {
    /// Edges jump over ports that only repeat, and frames that nothing disturbs are worked out together, as a train.
    #[default]
    Fast,
    /// Edges jump over ports that only repeat. Every frame goes by events.
    Stepped,
    /// Every port sees every edge.
    Reference,
}

/// One station of a loop: a port with its address.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// Address.
    pub al_pa: AlPa,
    /// How it asks for the loop.
    pub schedule: Schedule,
    /// The port, with its delay and the cable to the next station.
    pub port: PortParameters,
}

/// An event of a loop, to be scheduled by its surroundings and handed back to [`ArbitratedLoop::handle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopEvent {
    /// The next fill edge reaches a port.
    Fill,
    /// An item (by its place in the store) reaches a port.
    Item(u32),
    /// The last word of a frame is in.
    FrameEnd(u32),
    /// A slot that the port asked for.
    Slot,
}

impl LoopEvent {
    /// Order among simultaneous events, for the port of this rank: what arrives is known before what is decided in the same
    /// slot.
    ///
    /// Events of one port that this leaves equal are one and the same: a slot that was asked for twice, or a fill edge that has
    /// been taken over by another line. The first is carried out, the others find nothing to do. Two items never reach a
    /// port in the same slot, for they were sent one after the other.
    pub fn order(self, rank: u16) -> Order {
        let (priority, unit) = match self {
            Self::Fill => (0, 0),
            Self::Item(_) => (0, 1),
            Self::FrameEnd(_) => (1, 0),
            Self::Slot => (3, 0),
        };
        Order { priority, rank, unit }
    }
}

/// Priority of the events of the nodes: after what arrives on the loop, before what ports decide in the slot.
pub const NODE_PRIORITY: u8 = 2;

/// What a loop tells the nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Upcall {
    /// A frame has been received into a buffer.
    Received(Frame),
    /// The first word of a frame has been sent: it has left the outgoing FIFO.
    Started(Frame),
    /// The last data frame of an exchange has been sent entirely.
    Sent(Frame),
    /// The frames of an exchange wait for something else now.
    Waits(Tag, Waiting),
    /// The port won or gave up the loop.
    Owns(bool),
    /// The circuit that the port was in is over.
    CircuitEnded,
}

/// Something that happened at a port that does more than repeat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation {
    /// The port entered this state.
    State(PortState),
    /// It changed its fill word.
    SentFill(FillWord),
    /// It received another fill word.
    ReceivedFill(FillWord),
    /// It sent an item of its own.
    SentItem(Item),
    /// It received an item meant for it.
    ReceivedItem(Item),
}

/// What surrounds a loop: the calendar, the nodes and the observers.
pub trait Surroundings {
    /// Hand `event` of `port` back at `at`.
    fn schedule(&mut self, at: Time, port: usize, event: LoopEvent);
    /// Something for the node behind `port`. May be kept and handled after the present call.
    fn upcall(&mut self, now: Time, port: usize, upcall: Upcall);
    /// Something to be seen. Must not change anything. The time may be ahead of the present by the way of a frame.
    fn observe(&mut self, _now: Time, _port: usize, _what: Observation) {}
    /// A port repeats another fill word or an item. Complete only in the reference loop; the fast loop jumps over most
    /// repeaters.
    fn observe_repeated(&mut self, _now: Time, _port: usize, _what: Observation) {}
}

/// An item on its way to a port.
#[derive(Clone, Copy, Debug)]
struct Pending {
    item: Item,
    to: usize,
    /// When the first word of it is in, or of a frame that has begun the last; [`Time::NEVER`] when it is not under way any more.
    at: Time,
    has_begun: bool,
}

/// Items on their way, by number. Places are used again.
#[derive(Clone, Debug, Default)]
struct Items {
    slots: Vec<Pending>,
    free: Vec<u32>,
}

impl Items {
    #[inline]
    fn put(&mut self, item: Item, to: usize, at: Time, has_begun: bool) -> u32 {
        let pending = Pending { item, to, at, has_begun };
        if let Some(id) = self.free.pop() {
            self.slots[id as usize] = pending;
            return id;
        }
        self.slots.push(pending);
        (self.slots.len() - 1) as u32
    }

    #[inline]
    fn get(&self, id: u32) -> Item {
        self.slots[id as usize].item
    }

    /// A frame begins to come in; its last word is in at this time.
    fn begins(&mut self, id: u32, end: Time) {
        let pending = &mut self.slots[id as usize];
        (pending.at, pending.has_begun) = (end, true);
    }

    #[inline]
    fn remove(&mut self, id: u32) {
        self.slots[id as usize].at = Time::NEVER;
        self.free.push(id);
    }

    fn pending(&self) -> impl Iterator<Item = &Pending> {
        self.slots.iter().filter(|pending| pending.at < Time::NEVER)
    }
}

/// An arbitrated loop. See the module text.
#[derive(Clone, Debug)]
pub struct ArbitratedLoop {
    ports: Vec<LoopPort>,
    geometry: Geometry,
    word: Span,
    items: Items,
    /// The reference loop's fill edges towards each port, in order of arrival.
    reference: Option<Vec<std::collections::VecDeque<(Time, FillWord)>>>,
    fast: Fast,
    effects: Vec<PortEffect>,
    by_address: [u8; 256],
}

const NOBODY: u8 = u8::MAX;

impl ArbitratedLoop {
    /// A quiet loop of these stations, in downstream order. Addresses must differ.
    pub fn new(parameters: &LoopParameters, stations: &[Station], model: LoopModel) -> Self {
        let (count, word) = (stations.len(), parameters.word_time());
        let cable = |station: usize| parameters.propagation.delay(stations[station].port.cable);
        let delay = |station: usize| stations[station].port.delay.span;
        let hops: Vec<Span> = (0..count).map(|i| cable(i) + delay((i + 1) % count)).collect();
        let geometry = Geometry::new(&hops, word);
        let mut logins = [Login::default(); 256];
        let mut by_address = [NOBODY; 256];
        for (index, station) in stations.iter().enumerate() {
            logins[usize::from(station.al_pa.value())] = Login::of(&station.port);
            by_address[usize::from(station.al_pa.value())] = index as u8;
        }
        let link = |index: usize| Link {
            al_pa: stations[index].al_pa,
            word,
            phase: geometry.phase(index),
            access_in_circuit: parameters.access_in_circuit,
        };
        let port = |(index, station): (usize, &Station)| {
            LoopPort::new(&station.port, station.schedule, link(index), &logins)
        };
        let ports = stations.iter().enumerate().map(port).collect();
        let reference =
            (model == LoopModel::Reference).then(|| (0..count).map(|_| Default::default()).collect());
        Self {
            ports,
            fast: Fast::new(count),
            geometry,
            word,
            items: Items::default(),
            reference,
            effects: Vec::with_capacity(16),
            by_address,
        }
    }

    /// Time of one way round.
    pub fn round(&self) -> Span {
        self.geometry.round()
    }

    /// The ports, in downstream order.
    pub fn ports(&self) -> &[LoopPort] {
        &self.ports
    }

    /// Items on their way.
    pub fn items_in_flight(&self) -> usize {
        self.items.slots.len() - self.items.free.len()
    }

    /// The node behind `port` hands over a frame.
    pub fn enqueue(&mut self, now: Time, port: usize, frame: Frame, around: &mut impl Surroundings) {
        self.ports[port].enqueue(now, frame, &mut self.effects);
        self.apply(now, port, PortState::Monitoring, around);
    }

    /// The node behind `port` has emptied an incoming frame buffer.
    pub fn buffer_freed(&mut self, now: Time, port: usize, around: &mut impl Surroundings) {
        self.ports[port].buffer_freed(now, &mut self.effects);
        self.apply(now, port, PortState::Monitoring, around);
    }

    /// An event of this loop is due.
    pub fn handle(&mut self, now: Time, port: usize, event: LoopEvent, around: &mut impl Surroundings) {
        let fast = self.reference.is_none();
        let mut fill = FillWord::Idle;
        if event == LoopEvent::Fill {
            match self.next_fill(now, port, around) {
                Some(word) => fill = word,
                None => return,
            }
        }
        if fast {
            if event == LoopEvent::Slot && !self.ports[port].is_due(now) {
                return;
            }
            self.wake_port(now, port, around);
        }
        let before = self.ports[port].state();
        let owned = self.ports[port].is_owner();
        match event {
            LoopEvent::Fill => {
                if !before.repeats() || before == PortState::Arbitrating {
                    around.observe(now, port, Observation::ReceivedFill(fill));
                }
                self.ports[port].receive_fill(now, fill, &mut self.effects);
            }
            LoopEvent::Slot => self.ports[port].service(now, &mut self.effects),
            LoopEvent::Item(id) => {
                let item = self.items.get(id);
                if self.ports[port].receive_item(now, &item, &mut self.effects) {
                    around.observe(now, port, Observation::ReceivedItem(item));
                    if let Item::Frame(frame) = item {
                        self.frame_begins(now, port, id, &frame, around);
                    } else {
                        self.items.remove(id);
                    }
                } else {
                    self.items.remove(id);
                }
            }
            LoopEvent::FrameEnd(id) => {
                if let Item::Frame(frame) = self.items.get(id) {
                    self.ports[port].frame_end(now, frame, &mut self.effects);
                }
                self.items.remove(id);
            }
        }
        let after = self.ports[port].state();
        if before != after {
            around.observe(now, port, Observation::State(after));
            self.fast.note_state(port, after);
        }
        self.apply(now, port, before, around);
        if owned && (after.repeats() || (before == PortState::Transfer && after != before)) {
            self.fast.note_left(port);
        }
        if fast {
            self.sleep_if_idle(now, port, around);
        }
    }

    /// Carries out what a port wants done.
    fn apply(&mut self, now: Time, port: usize, before: PortState, around: &mut impl Surroundings) {
        if self.effects.is_empty() {
            return;
        }
        // By place, since carrying one out may not borrow the others; it adds none.
        for number in 0..self.effects.len() {
            match self.effects[number] {
                PortEffect::Wake(at) => around.schedule(at, port, LoopEvent::Slot),
                PortEffect::Fill(word) => {
                    if self.ports[port].state() == PortState::Monitoring {
                        around.observe_repeated(now, port, Observation::SentFill(word));
                    } else {
                        around.observe(now, port, Observation::SentFill(word));
                    }
                    self.carry_fill(now, port, word, around);
                }
                PortEffect::Send(item) => {
                    if before.repeats() {
                        around.observe_repeated(now, port, Observation::SentItem(item));
                    } else {
                        around.observe(now, port, Observation::SentItem(item));
                    }
                    self.carry_item(now, port, item, around);
                }
                PortEffect::Started(frame) => around.upcall(now, port, Upcall::Started(frame)),
                PortEffect::Sent(frame) => around.upcall(now, port, Upcall::Sent(frame)),
                PortEffect::Received(frame) => around.upcall(now, port, Upcall::Received(frame)),
                PortEffect::Waits(tag, waiting) => {
                    around.upcall(now, port, Upcall::Waits(tag, waiting));
                }
                PortEffect::Owns(owns) => around.upcall(now, port, Upcall::Owns(owns)),
                PortEffect::CircuitEnded => around.upcall(now, port, Upcall::CircuitEnded),
            }
        }
        self.effects.clear();
    }

    /// The fill word that reaches `port` now, unless the event is stale.
    fn next_fill(&mut self, now: Time, port: usize, around: &mut impl Surroundings) -> Option<FillWord> {
        let Some(lines) = &mut self.reference else { return self.fast.next_fill(now, port, around) };
        match lines[port].pop_front() {
            Some((at, word)) => {
                debug_assert_eq!(at, now);
                Some(word)
            }
            None => None,
        }
    }

    fn carry_fill(&mut self, now: Time, port: usize, word: FillWord, around: &mut impl Surroundings) {
        let Some(lines) = &mut self.reference else {
            self.carry_fill_fast(now, port, word, around);
            return;
        };
        let next = self.geometry.next(port);
        let at = now + self.geometry.distance(port, next);
        lines[next].push_back((at, word));
        around.schedule(at, next, LoopEvent::Fill);
    }

    fn carry_item(&mut self, now: Time, port: usize, item: Item, around: &mut impl Surroundings) {
        let target = if self.reference.is_some() {
            self.geometry.next(port)
        } else {
            let opened = match item {
                Item::Signal(Signal::Open { destination, .. }) => self.index_of(destination),
                _ => None,
            };
            self.fast.target(port, opened)
        };
        let distance = self.geometry.distance(port, target);
        if self.reference.is_none() {
            self.fast.note_flight(now, self.word * item.words(), port, target, self.geometry.round());
        }
        let arrives = now + distance;
        match item {
            // On the fast loop a frame goes straight to the other end of the circuit, which will take it: only its end matters,
            // unless the port there keeps its R_RDYs back while a frame comes in.
            Item::Frame(frame)
                if self.reference.is_none() && !self.ports[target].parameters().ready_between_frames =>
            {
                around.observe(arrives, target, Observation::ReceivedItem(item));
                let end = arrives + self.word * frame.words();
                let id = self.items.put(item, target, end, true);
                around.schedule(end, target, LoopEvent::FrameEnd(id));
            }
            _ => {
                let id = self.items.put(item, target, arrives, false);
                around.schedule(arrives, target, LoopEvent::Item(id));
            }
        }
    }

    fn index_of(&self, address: AlPa) -> Option<usize> {
        let index = self.by_address[usize::from(address.value())];
        (index != NOBODY).then_some(usize::from(index))
    }
}
