//! An arbitrated loop: ports joined by cables into a ring.
//!
//! Only changes of the transmitted word are events ("edge-change", Wang 2005 section 4.3.1.1): a new fill word, a primitive signal, a
//! frame. Two loop models carry these changes and give the same results to the tick:
//!
//! * [`LoopModel::Reference`]: every port sees every edge and applies its state machine;
//! * [`LoopModel::Fast`] ([`fast`]): ports that only repeat are delays. edges pass such ports without an
//!   event.

pub(crate) mod answer;
pub mod burst;
mod change;
mod class_2;
pub mod event;
pub mod fast;
pub mod geometry;
pub mod initialisation;
pub(crate) mod items;
pub mod parameters;
pub mod word_loss;

use crate::al_pa::AlPa;
use crate::frame::{Frame, RequestTag};
use crate::loop_port::{
    ArbitrationSchedule, Login, LoopFacts, LoopPort, PortParameters, PortState, QueueWait,
};
use crate::observation::Observation;
use crate::word::{FillWord, LinkItem, PrimitiveSignal};
use answer::{Answer, Before, Transmits};
pub use event::{CircuitStep, LoopEvent, NODE_PRIORITY};
use fast::circuit_cache::CircuitCache;
use fast::{Fast, Flight, PortSet};
use geometry::LoopGeometry;
use items::Items;
pub use parameters::LoopParameters;
use sansim_kernel::{Order, Span, Time};
use std::sync::Arc;

/// The loop model that carries the edges; both give equal results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LoopModel {
    /// Edges pass ports that only repeat without an event, inputs of which only the time matters are announced ahead, undisturbed circuits
    /// are cached, and undisturbed frames are computed together, as a frame burst.
    #[default]
    Fast,
    /// Edges pass ports that only repeat without an event. Every input of a port is an event, so that an
    /// observer sees the input at its time.
    Stepped,
    /// Every port sees every edge.
    Reference,
}

/// One station of a loop: a port with its address.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopStation {
    /// Address.
    pub al_pa: AlPa,
    /// The arbitration schedule of the port.
    pub schedule: ArbitrationSchedule,
    /// The port, with its delay and the cable to the next station.
    pub port: PortParameters,
    /// Whether the station sends commands, as a host or a controller does.
    pub initiates: bool,
    /// Whether the node of the station waits for circuits to be over. Nodes that do not wait for the end of
    /// circuits are not notified of it.
    pub hears_ends: bool,
    /// At a loop switch, whether the station shares its port with the station before it.
    pub shares_port: bool,
    /// At cascaded loop switches, the switch of the station: 0 for the switch of the network itself, else its place in `cascaded` plus 1.
    pub switch: usize,
}

/// A notification from a loop to a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PortEvent {
    /// A frame has been received into a buffer.
    Received(Frame),
    /// The first word of a frame has been sent: it has left the outgoing FIFO.
    Started(Frame),
    /// The last data frame of an exchange has been sent entirely.
    Sent(Frame),
    /// An ACK for a frame of this port has come; the port has handled it.
    Acknowledged(Frame),
    /// The frames of an exchange now wait for another reason.
    Waits(RequestTag, QueueWait),
    /// The port won or gave up the loop.
    Owns(bool),
    /// The circuit that the port was in is over. Only nodes that wait for the end of circuits get this notification
    /// ([`LoopStation::hears_ends`]).
    CircuitEnded,
    /// The port no longer repeats: it has won the loop, or was opened.
    InCircuit,
    /// A frame that this port sent is lost, because the loop is initialised or its destination is bypassed.
    Lost(Frame),
    /// The loop has been initialised, and the port is in MONITORING.
    Initialised,
    /// The port initialises the loop after E_D_TOV; the loop works again at this time.
    Initialises(Time),
}

/// The surroundings of a loop: the calendar, the nodes and the observers.
pub trait LoopHost {
    /// Hands `event` of `port` back to the loop at the time `at`.
    fn schedule(&mut self, at: Time, port: usize, event: LoopEvent);
    /// Reports an event of the port to its node. The loop's host may keep the event and handle it after the
    /// present call.
    fn upcall(&mut self, now: Time, port: usize, upcall: PortEvent);
    /// Reports an observation, which is evaluated only if an observer asks for it. An observer must not change anything. The time of an
    /// observation may be ahead of the present by the travel time of a frame.
    fn observe(&mut self, _now: Time, _port: usize, _what: impl FnOnce() -> Observation) {}
    /// A port repeats another fill word or an item. The reports of repeated words are complete only in the reference
    /// loop; the fast loop jumps over most repeaters.
    fn observe_repeated(&mut self, _now: Time, _port: usize, _what: impl FnOnce() -> Observation) {}
    /// Whether an observer wants to see every step of the ports, so that no step may be left out.
    fn sees_steps(&self) -> bool {
        true
    }
    /// Whether an event of the present instant with this place, ranked by the number of its port, would have come before the
    /// present event.
    fn has_passed(&self, _order: Order) -> bool {
        false
    }
}

/// An arbitrated loop.
#[derive(Clone, Debug)]
pub struct ArbitratedLoop {
    ports: Vec<LoopPort>,
    geometry: LoopGeometry,
    word: Span,
    items: Items,
    /// The reference loop's fill edges towards each port, in order of arrival.
    reference: Option<Vec<std::collections::VecDeque<(Time, FillWord)>>>,
    fast: Fast,
    known: CircuitCache,
    /// Whether inputs of which only the time matters are announced ahead.
    tells_ahead: bool,
    /// Whether inputs are announced ahead, and every hop to the next port takes longer than a word.
    hops_outlast_a_word: bool,
    by_address: [u8; 256],
    bypassed: PortSet,
    /// The time for which a port keeps an initialisation frame.
    hold_time: Span,
    /// The number of initialisations, and the steps of the last of them that are still to be shown.
    initialisations: u32,
    shown: Option<Box<change::ShownInitialisation>>,
    /// Whether ports send in class 2.
    is_class_2: bool,
    /// The words that are damaged, if words can be.
    loss: Option<Box<word_loss::WordLoss>>,
}

const NOBODY: u8 = u8::MAX;

impl ArbitratedLoop {
    /// A quiet loop with these stations, in downstream order. The addresses of the stations must differ.
    pub fn new(parameters: &LoopParameters, stations: &[LoopStation], model: LoopModel) -> Self {
        let (count, word) = (stations.len(), parameters.word_time());
        let geometry = LoopGeometry::from_stations(parameters, stations);
        let mut logins = [Login::default(); 256];
        let mut by_address = [NOBODY; 256];
        for (index, station) in stations.iter().enumerate() {
            logins[usize::from(station.al_pa.address_byte())] = Login::from_port_parameters(&station.port);
            by_address[usize::from(station.al_pa.address_byte())] = index as u8;
        }
        let logins = Arc::new(logins);
        let link = |index: usize| LoopFacts {
            al_pa: stations[index].al_pa,
            word,
            slots: geometry.slots(index),
            access_in_circuit: parameters.access_in_circuit,
            tells_ahead: model == LoopModel::Fast,
            tells_ends: stations[index].hears_ends,
            area: 0,
            is_fl_port: false,
        };
        let port = |(index, station): (usize, &LoopStation)| {
            LoopPort::new(&station.port, &station.schedule, link(index), &logins)
        };
        let ports: Vec<LoopPort> = stations.iter().enumerate().map(port).collect();
        let looks_back = ports.iter().map(LoopPort::looks_back).max().unwrap_or(word);
        let reference =
            (model == LoopModel::Reference).then(|| (0..count).map(|_| Default::default()).collect());
        Self {
            ports,
            fast: Fast::new(count),
            known: CircuitCache::new(count, looks_back),
            tells_ahead: model == LoopModel::Fast,
            hops_outlast_a_word: model == LoopModel::Fast && geometry.shortest_hop() > word,
            geometry,
            word,
            items: Items::default(),
            reference,
            by_address,
            bypassed: PortSet::default(),
            hold_time: parameters.initialisation_hold_time,
            initialisations: 0,
            shown: None,
            is_class_2: false,
            loss: None,
        }
    }

    /// The same loop, attached to a fabric: its addresses have this domain and area, and the station with AL_PA 00
    /// is its FL_Port.
    #[must_use]
    pub fn at_fabric(mut self, area: u32) -> Self {
        self.ports.iter_mut().for_each(|port| port.attach(area));
        self
    }

    fn tells_nothing_ahead(&mut self) {
        (self.tells_ahead, self.hops_outlast_a_word) = (false, false);
        self.ports.iter_mut().for_each(LoopPort::tells_nothing_ahead);
    }

    /// The time of one round trip of the loop.
    pub fn round_trip_time(&self) -> Span {
        self.geometry.round_trip_time()
    }

    /// The ports, in downstream order.
    pub fn ports(&self) -> &[LoopPort] {
        &self.ports
    }

    /// The number of items in flight.
    pub fn items_in_flight(&self) -> usize {
        let ready: usize = self.ports.iter().map(|port| port.ready_to_come().len()).sum();
        self.items.len() + ready
    }

    /// The node behind `port` hands over a frame.
    pub fn enqueue(&mut self, now: Time, port: usize, frame: Frame, around: &mut impl LoopHost) {
        if !self.bypassed.is_empty() && self.loses(now, port, frame, around) {
            return;
        }
        if self.known.is_going() && self.cached_takes(now, port, Some(frame), around) {
            return;
        }
        if self.tells_ahead && self.begin_known_with(now, port, frame, around) {
            return;
        }
        self.ports[port].enqueue(now, frame, &mut Answer::new(now, port, around));
    }

    /// The node behind `port` has emptied an incoming frame buffer.
    pub fn buffer_freed(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        if self.known.is_going() && self.cached_takes(now, port, None, around) {
            return;
        }
        self.ports[port].buffer_freed(now, &mut Answer::new(now, port, around));
        if self.is_class_2 {
            self.acknowledge(now, port, around);
        }
    }

    /// Handles an event of this loop that is due.
    #[inline(always)]
    pub fn handle(&mut self, now: Time, port: usize, event: LoopEvent, around: &mut impl LoopHost) {
        let may_be_known = self.known.is_going() || matches!(event, LoopEvent::Known(..));
        if may_be_known && self.is_of_cached(now, port, event, around) {
            return;
        }
        let is_item = matches!(event, LoopEvent::Item(_));
        self.carry_out(now, port, event, around);
        if is_item && self.tells_ahead && self.ports[port].state() == PortState::Opened {
            self.begin_known(now, port, around);
        }
    }

    /// Carries out an event.
    #[inline(always)]
    fn carry_out(&mut self, now: Time, port: usize, event: LoopEvent, around: &mut impl LoopHost) {
        match event {
            LoopEvent::Fill => self.fill_comes(now, port, around),
            LoopEvent::Item(id) => self.item_comes(now, port, id, around),
            LoopEvent::FrameEnd(id) => self.frame_ends(now, port, id, around),
            LoopEvent::Slot => self.slot_begins(now, port, around),
            LoopEvent::Initialisation(number) => self.show_initialisation(now, number, around),
            LoopEvent::TimeOut => self.time_is_out(now, port, around),
            LoopEvent::Known(..) => {}
        }
    }

    #[inline(never)]
    fn fill_comes(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let Some(fill) = self.next_fill(now, port, around) else { return };
        self.wake_port(now, port, around);
        let before = Before::of(&self.ports[port]);
        if before.state != PortState::Monitoring {
            around.observe(now, port, || Observation::ReceivedFill(fill));
        }
        let stays_alone = self.stays_alone(now, port);
        let mut answer = Answer::new(now, port, around);
        self.ports[port].receive_fill(now, fill, stays_alone, &mut answer);
        let transmits = answer.transmits;
        self.conclude(now, port, before, transmits, around);
    }

    #[inline(never)]
    fn slot_begins(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        if !self.ports[port].slot_comes(now) {
            return;
        }
        self.wake_port(now, port, around);
        let before = Before::of(&self.ports[port]);
        let mut answer = Answer::new(now, port, around);
        self.ports[port].handle_slot(now, &mut answer);
        let transmits = answer.transmits;
        self.conclude(now, port, before, transmits, around);
    }

    #[inline(never)]
    fn item_comes(&mut self, now: Time, port: usize, id: u32, around: &mut impl LoopHost) {
        if self.items.is_lost(id) || (self.loss.is_some() && self.item_is_lost(now, port, id, around)) {
            return;
        }
        self.wake_port(now, port, around);
        let before = Before::of(&self.ports[port]);
        let item = self.items.get(id);
        let mut answer = Answer::new(now, port, around);
        let taken = self.ports[port].receive_item(now, &item, &mut answer);
        let transmits = answer.transmits;
        if taken {
            around.observe(now, port, || Observation::ReceivedItem(item));
        }
        match item {
            LinkItem::Frame(_) if taken => {
                around.schedule(now + self.word * item.length_in_words(), port, LoopEvent::FrameEnd(id));
            }
            _ => self.items.remove(id),
        }
        self.conclude(now, port, before, transmits, around);
        if self.loss.is_some() {
            self.item_was_given(now, port, (taken, item.frame().is_some()), around);
        }
    }

    #[inline(never)]
    fn frame_ends(&mut self, now: Time, port: usize, id: u32, around: &mut impl LoopHost) {
        if self.items.is_lost(id) || (self.loss.is_some() && self.frame_is_discarded(now, port, id, around)) {
            return;
        }
        if let LinkItem::Frame(frame) = self.items.get(id) {
            self.ports[port].frame_end(now, frame, &mut Answer::new(now, port, around));
        }
        self.items.remove(id);
    }

    /// Carries the word that a port transmits in answer to an input, and takes note of the state of the port.
    #[inline(always)]
    fn conclude(
        &mut self,
        now: Time,
        port: usize,
        before: Before,
        transmits: Transmits,
        around: &mut impl LoopHost,
    ) {
        let after = self.ports[port].state();
        if before.state != after {
            // A port that wins may announce before its slot that it opens a circuit.
            let since = transmits.item_at().unwrap_or(now);
            if since > now {
                around.observe(now, port, || Observation::State(PortState::ArbitrationWon));
            }
            around.observe(since, port, || Observation::State(after));
            self.fast.note_state(port, after);
            if self.tells_ahead && before.state.is_repeating() && !after.is_repeating() {
                around.upcall(now, port, PortEvent::InCircuit);
            }
        }
        match &transmits {
            Transmits::Nothing => {}
            &Transmits::Fill(at, word) => {
                if after == PortState::Monitoring {
                    around.observe_repeated(at, port, || Observation::SentFill(word));
                } else {
                    around.observe(at, port, || Observation::SentFill(word));
                }
                self.carry_fill(now, port, (at, word), around);
            }
            Transmits::Item(at, item) => {
                if before.state.is_repeating() {
                    around.observe_repeated(*at, port, || Observation::SentItem(*item));
                } else {
                    around.observe(*at, port, || Observation::SentItem(*item));
                }
                self.carry_item(now, port, (*at, item), around);
            }
            &Transmits::ItemAndFill((at, item), (behind, fill)) => {
                around.observe(at, port, || Observation::SentItem(item));
                self.carry_item(now, port, (at, &item), around);
                around.observe(behind, port, || Observation::SentFill(fill));
                self.carry_fill(now, port, (behind, fill), around);
            }
        }
        if before.owned
            && (after.is_repeating() || (before.state == PortState::Transfer && after != before.state))
        {
            self.fast.note_left(port);
        }
        if after == PortState::Monitoring {
            self.suspend_if_idle(now, port, around);
        }
    }

    /// The fill word that reaches `port` now, unless the event is stale.
    fn next_fill(&mut self, now: Time, port: usize, around: &mut impl LoopHost) -> Option<FillWord> {
        let Some(lines) = &mut self.reference else { return self.fast.next_fill(now, port, around) };
        // The event is stale if the loop was initialised after it was scheduled.
        let is_due = lines[port].front().is_some_and(|&(at, _)| at == now);
        if is_due { lines[port].pop_front().map(|(_, word)| word) } else { None }
    }

    fn carry_fill(
        &mut self,
        now: Time,
        port: usize,
        (sent, word): (Time, FillWord),
        around: &mut impl LoopHost,
    ) {
        let Some(lines) = &mut self.reference else {
            self.carry_fill_fast(now, port, (sent, word), around);
            return;
        };
        let next = self.geometry.downstream_port(port);
        let at = sent + self.geometry.slot_distance_time(port, next);
        lines[next].push_back((at, word));
        around.schedule(at, next, LoopEvent::Fill);
    }

    fn carry_item(
        &mut self,
        now: Time,
        port: usize,
        (sent, item): (Time, &LinkItem),
        around: &mut impl LoopHost,
    ) {
        let target = if self.reference.is_some() {
            self.geometry.downstream_port(port)
        } else {
            let opened = match *item {
                LinkItem::Signal(PrimitiveSignal::Open { destination, .. }) => self.index_of(destination),
                _ => None,
            };
            let target = self.fast.target(port, opened);
            // The fill word behind the OPN then goes no further than the opened port.
            if self.tells_ahead && opened.is_some() {
                self.wake_port(now, target, around);
            }
            target
        };
        let distance = self.geometry.slot_distance_time(port, target);
        let length = self.word * item.length_in_words();
        if self.reference.is_none() {
            let flight = Flight { sent, length, from: port as u8, to: target as u8 };
            self.fast.note_flight(flight, distance, self.geometry.round_trip_time());
        }
        let arrives = sent + distance;
        match item {
            // A frame goes straight to the other end of the circuit, which will receive it: only the end of the frame matters,
            // if the port there knows when the frame begins. Observers see it when it begins to come in, because it could be lost before.
            LinkItem::Frame(frame)
                if self.reference.is_none()
                    && (self.tells_ahead
                        || !(self.ports[target].parameters().ready_between_frames
                            || around.sees_steps())) =>
            {
                around.observe(arrives, target, || Observation::ReceivedItem(*item));
                let end = arrives + length;
                self.ports[target].frame_comes(arrives, end);
                let id = self.items.put(LinkItem::Frame(*frame), target, end);
                around.schedule(end, target, LoopEvent::FrameEnd(id));
            }
            LinkItem::Signal(PrimitiveSignal::ReceiverReady) if self.tells_ahead => {
                around.observe(arrives, target, || Observation::ReceivedItem(*item));
                self.ports[target].ready_comes(arrives, &mut Answer::new(now, target, around));
            }
            _ => {
                self.fast.note_signal(target, arrives);
                let id = self.items.put(*item, target, arrives);
                around.schedule(arrives, target, LoopEvent::Item(id));
                if self.loss.is_some() {
                    self.note_passing(sent, port, id, around);
                }
            }
        }
    }

    fn index_of(&self, address: AlPa) -> Option<usize> {
        let index = self.by_address[usize::from(address.address_byte())];
        (index != NOBODY).then_some(usize::from(index))
    }
}
