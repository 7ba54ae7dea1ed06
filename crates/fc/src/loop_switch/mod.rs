//! A loop switch: a crossbar that joins two ports at a time to a loop of two, as in SBOD enclosures.
//!
//! No standard specifies a loop switch: to the devices the switch is a loop. The rules were published by makers of switches (fact sheet of
//! Fibre Channel, section 7, with the patents and manuals it names); each rule is in the file named after it:
//!
//! * [`fill`] - ARB is answered at the port;
//! * [`opening`] - OPN: the look-up, the queue at a busy destination, and CLS if the queue is full;
//! * [`turns`] and [`arbitration`] - the next contender at a port that has become free;
//! * [`shared_segment`] - a destination that shares its port with other stations;
//! * [`crossbar`] - two ports that are joined, until CLS has gone in both directions;
//! * [`cascade`] - switches that are joined to switches.
//!
//! Each port of the switch has a *segment*: a ring of the port itself and its stations, in most cases one station. The stations are
//! ordinary loop ports. Each station has a frame memory of its own, the switch has none: no port may announce login credit, so that an
//! opener sends nothing but R_RDYs before the destination has given it credit.
//!
//! Times are as on a loop: an input of the switch is given in the slot in which it would be transmitted again, and all ports of the switch
//! have the same slots; the time round each segment is rounded up to whole words. Only changes of words are events, as on the loop.
//!
//! Two models give the same results to the tick: the reference, in which everything goes from port to port, and the fast one ([`fast`]).

pub mod arbitration;
pub mod cascade;
mod crossbar;
pub mod fast;
mod fill;
mod opening;
pub mod parameters;
mod shared_segment;
mod stations;
mod switch_port;
mod turns;

use crate::al_pa::AlPa;
use crate::arbitrated_loop::answer::{Answer, Before, Transmits};
use crate::arbitrated_loop::geometry::LoopGeometry;
use crate::arbitrated_loop::items::Items;
use crate::arbitrated_loop::{LoopEvent, LoopHost, LoopModel, LoopStation, PortEvent};
use crate::frame::Frame;
use crate::loop_port::{Login, LoopFacts, LoopPort};
use crate::observation::Observation;
use crate::word::{FillWord, LinkItem, PrimitiveSignal};
use arbitration::{PortArbiter, PortContender};
use cascade::Cascade;
pub use parameters::LoopSwitchParameters;
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;
use std::sync::Arc;
use switch_port::{Mode, SwitchPort};

/// A port of the switch with its stations.
#[derive(Clone, Debug)]
struct Segment {
    /// The stations, in the order in which words pass them.
    stations: Vec<usize>,
    /// The ring of the segment: the port of the switch, then the stations, or the port of the other switch.
    geometry: LoopGeometry,
    /// The port at the other end of a trunk.
    other_end: Option<usize>,
}

/// A loop switch with its stations.
///
/// Nodes are numbered: first come the stations, then the ports of the switch.
#[derive(Clone, Debug)]
pub struct LoopSwitch {
    ports: Vec<LoopPort>,
    initiates: Vec<bool>,
    /// For each switch, the time of the last turn of each station.
    last_turn: Vec<Vec<Option<Time>>>,
    port_of: Vec<usize>,
    place_of: Vec<usize>,
    segments: Vec<Segment>,
    switch_ports: Vec<SwitchPort>,
    by_address: [u16; 256],
    cascade: Cascade,
    word: Span,
    look_up: Span,
    queue_length: Option<u64>,
    conversations: Option<u64>,
    arbitration: PortArbiter,
    model: LoopModel,
    items: Items,
    /// Fill edges in flight to each node, in order of arrival.
    lines: Vec<VecDeque<(Time, FillWord)>>,
    /// Items in flight to each node, by events.
    coming: Vec<u32>,
    /// The number of conversations that are open or being opened, at each switch.
    active: Vec<u64>,
    use_of: SwitchUse,
    refused: u64,
    /// A list that is reused for each choice.
    candidates: Vec<PortContender>,
}

/// The use of a switch up to a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwitchUse {
    /// The number of conversations that have begun.
    pub conversations: u64,
    /// The number of conversations that are open.
    pub active: u64,
    /// The sum of the durations of all conversations.
    pub talking: u128,
    /// The time in which at least one conversation was open.
    pub busy: Span,
    until: Time,
}

impl SwitchUse {
    fn advance(&mut self, now: Time) {
        let passed = now - self.until;
        self.talking += u128::from(self.active) * u128::from(passed.ticks());
        if self.active > 0 {
            self.busy += passed;
        }
        self.until = now;
    }
}

const NOBODY: u16 = u16::MAX;

impl LoopSwitch {
    /// A quiet switch with these stations. The addresses of the stations must differ.
    pub fn new(parameters: &LoopSwitchParameters, stations: &[LoopStation], model: LoopModel) -> Self {
        let (count, word) = (stations.len(), parameters.on.word_time());
        let mut logins = [Login::default(); 256];
        let mut by_address = [NOBODY; 256];
        for (index, station) in stations.iter().enumerate() {
            logins[usize::from(station.al_pa.address_byte())] = Login::from_port_parameters(&station.port);
            by_address[usize::from(station.al_pa.address_byte())] = index as u16;
        }
        let logins = Arc::new(logins);
        let mut segments = stations::segments(parameters, stations);
        let cascade = Cascade::new(parameters, stations, &mut segments);
        let (mut port_of, mut place_of) = (vec![0; count], vec![0; count]);
        for (port, segment) in segments.iter().enumerate() {
            for (place, &station) in segment.stations.iter().enumerate() {
                (port_of[station], place_of[station]) = (port, place + 1);
            }
        }
        let link = |index: usize| LoopFacts {
            al_pa: stations[index].al_pa,
            word,
            slots: segments[port_of[index]].geometry.slots(place_of[index]),
            access_in_circuit: parameters.on.access_in_circuit,
            tells_ahead: model == LoopModel::Fast,
            tells_ends: stations[index].hears_ends,
            area: 0,
            is_fl_port: false,
        };
        let port = |(index, station): (usize, &LoopStation)| {
            LoopPort::new(&station.port, &station.schedule, link(index), &logins)
        };
        Self {
            ports: stations.iter().enumerate().map(port).collect(),
            initiates: stations.iter().map(|station| station.initiates).collect(),
            last_turn: vec![vec![None; count]; cascade.switches()],
            switch_ports: (0..segments.len())
                .map(|port| SwitchPort::new(word, segments.len(), cascade.comes_second(port)))
                .collect(),
            lines: (0..count + segments.len()).map(|_| VecDeque::with_capacity(8)).collect(),
            coming: vec![0; count + segments.len()],
            port_of,
            place_of,
            segments,
            by_address,
            active: vec![0; cascade.switches()],
            cascade,
            word,
            look_up: Span(parameters.look_up.span.ticks().next_multiple_of(word.ticks())),
            queue_length: parameters.queue_length,
            conversations: parameters.most_conversations(),
            arbitration: PortArbiter::of_rule(&parameters.arbitration),
            model,
            items: Items::default(),
            use_of: SwitchUse::default(),
            refused: 0,
            candidates: Vec::with_capacity(count + 1),
        }
    }

    /// Handles an event of this switch that is due.
    #[inline]
    pub fn handle(&mut self, now: Time, node: usize, event: LoopEvent, around: &mut impl LoopHost) {
        let Some(port) = node.checked_sub(self.ports.len()) else {
            return self.station_handles(now, node, event, around);
        };
        match event {
            LoopEvent::Fill => {
                if let Some((at, word)) = self.lines[node].pop_front() {
                    debug_assert_eq!(at, now);
                    self.fill_at_switch(now, port, word, around);
                }
            }
            LoopEvent::Item(id) => {
                let item = self.items.get(id);
                self.items.remove(id);
                self.coming[node] -= 1;
                self.item_at_switch(now, port, item, around);
            }
            LoopEvent::Slot => self.slot_of_switch(now, port, around),
            LoopEvent::FrameEnd(_)
            | LoopEvent::Known(..)
            | LoopEvent::Initialisation(_)
            | LoopEvent::TimeOut => {}
        }
    }

    /// An item arrives at a port of the switch, in the slot in which it may be sent on.
    fn item_at_switch(&mut self, now: Time, port: usize, item: LinkItem, around: &mut impl LoopHost) {
        let this = &self.switch_ports[port];
        match this.mode {
            Mode::Joined(to) => self.pass(now, to, item, around),
            _ if this.held.is_some() => self.behind_held(now, port, item, around),
            _ if this.refusing => {
                if item == LinkItem::Signal(PrimitiveSignal::Close) {
                    self.over(now, port, around);
                }
            }
            _ if matches!(item, LinkItem::Signal(PrimitiveSignal::Open { .. })) => {
                self.open_at_switch(now, port, item, around)
            }
            // The item belongs to a conversation within the segment.
            _ => self.pass(now, port, item, around),
        }
    }

    /// Handles a slot for which a port of the switch asked.
    fn slot_of_switch(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        if self.switch_ports[port].wake_at != now {
            return;
        }
        self.switch_ports[port].wake_at = Time::NEVER;
        self.ask_for_destination(now, port, around);
        self.serve(now, port, around);
        self.transmit_stored(now, port, around);
        self.change_fill(now, port, around);
        self.look_whether_won(now, port, around);
        if let Some(held) = &self.switch_ports[port].held
            && !held.queued
        {
            self.wake_switch(port, held.known_at, around);
        }
    }

    /// Asks for a slot of a port of the switch, unless the port has an earlier slot anyhow.
    fn wake_switch(&mut self, port: usize, at: Time, around: &mut impl LoopHost) {
        let node = self.node_of(port);
        let wake_at = &mut self.switch_ports[port].wake_at;
        if at < *wake_at {
            *wake_at = at;
            around.schedule(at, node, LoopEvent::Slot);
        }
    }

    /// Counts a conversation that begins with the opener at this port.
    fn conversation_begins(&mut self, now: Time, port: usize) {
        self.switch_ports[port].counts = true;
        self.use_of.advance(now);
        self.use_of.active += 1;
        self.use_of.conversations += 1;
    }

    /// Counts the end of a conversation, if it began at this port.
    fn conversation_ends(&mut self, now: Time, port: usize) {
        if std::mem::take(&mut self.switch_ports[port].counts) {
            self.use_of.advance(now);
            self.use_of.active -= 1;
        }
    }

    /// A station gets its turn at the switch of a port.
    fn has_turn(&mut self, now: Time, port: usize, station: usize) {
        self.last_turn[self.cascade.switch_of(port)][station] = Some(now);
    }

    /// The use of the switch up to now.
    pub fn use_so_far(&self, now: Time) -> SwitchUse {
        let mut used = self.use_of;
        used.advance(now);
        used
    }

    /// The number of OPNs that the switch answered with CLS.
    pub fn refused_open_count(&self) -> u64 {
        self.refused
    }

    /// The number of OPNs that wait at a station's port until the station is free.
    pub fn waiting_open_count(&self, station: usize) -> usize {
        self.switch_ports[self.port_of[station]].queue.len()
    }

    /// The stations' ports, in the order of the stations.
    pub fn ports(&self) -> &[LoopPort] {
        &self.ports
    }

    /// The number of ports of the switches, including the ports of trunks.
    pub fn switch_port_count(&self) -> usize {
        self.segments.len()
    }

    /// The most conversations that can be open at once: one for every two ports with stations.
    pub fn most_open_conversations(&self) -> usize {
        self.segments.iter().filter(|segment| segment.other_end.is_none()).count() / 2
    }

    /// The number of items in flight.
    pub fn items_in_flight(&self) -> usize {
        let ready: usize = self.ports.iter().map(|port| port.ready_to_come().len()).sum();
        let stored: usize = self.switch_ports.iter().map(|port| port.store.len()).sum();
        self.items.len() + ready + stored
    }

    /// The number of OPNs that the switch holds.
    pub fn held_open_count(&self) -> usize {
        self.switch_ports.iter().filter(|port| port.held.is_some()).count()
    }

    fn node_of(&self, port: usize) -> usize {
        self.ports.len() + port
    }

    fn station_of(&self, address: AlPa) -> Option<usize> {
        let index = self.by_address[usize::from(address.address_byte())];
        (index != NOBODY).then_some(usize::from(index))
    }

    fn stands_at(&self, address: AlPa, port: usize) -> bool {
        self.cascade.route(self.cascade.switch_of(port), address) == Some(port)
    }
}
