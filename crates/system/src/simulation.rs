//! The components in their arenas and the event loop.
//!
//! No component knows another: each answers an input with effects (`effects`), and what it has to tell others goes on one
//! `agenda`, which is emptied before the next event; events of one moment come in the order of `order`. `life` follows an
//! I/O, `watching` reads off what is going on.

mod agenda;
mod effects;
mod life;
mod order;
mod watching;

use crate::clock::ClockFault;
use crate::conservation::{Books, ConservationError};
use crate::measure::Measurement;
use crate::plan::{LoopPlan, NodeKind, Plan, WorkloadPlan};
use crate::recording::Recording;
use crate::samples::{Sample, Sampler};
use crate::usage::{Balance, FRAME_KINDS, LoopUse, NodeUse, OnWire};
use sansim_fc::arbitrated_loop::{ArbitratedLoop, LoopEvent, Observation, Surroundings, Upcall};
use sansim_fcp::adapter::{Adapter, AdapterBlock, AdapterEffect, AdapterParameters, End};
use sansim_fcp::exchange::{BLOCK_BYTES, ExchangeTable};
use sansim_host::driver::{Driver, DriverEffect};
use sansim_host::workload::Workload;
use sansim_kernel::{Calendar, RandomStream, Span, Time};
use sansim_observe::ledger::Ledger;
use sansim_observe::observer::{GAUGES, Names, NoObserver, Observer, Wants};
use sansim_storage::drive::{Drive, DriveEffect};

use agenda::Agenda;
use order::{Timer, order_of_slot, rank_of_station};

/// I/Os under way that are named when they should not be.
const SHOWN: usize = 3;

/// An event of the whole system.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Loop(u8, LoopEvent),
    Adapter(u8, AdapterBlock),
    Drive(u8, u32),
    DriverArrival(u8),
    DriverCompletion(u8),
    Issue(u16, u32),
}

/// What stands behind a station.
enum Node {
    Passive,
    Host { adapter: Box<Adapter>, driver: Driver },
    Drive { adapter: Box<Adapter>, drive: Box<Drive> },
}

/// An I/O in the system, by the number of its exchange.
#[derive(Clone, Copy)]
struct Io {
    workload: u16,
    slot: u32,
    drive: u8,
    initiator: u8,
    ledger: Ledger,
}

/// A system in the middle of its run.
pub struct Simulation<O: Observer = NoObserver> {
    calendar: Calendar<Event>,
    arbitrated_loop: ArbitratedLoop,
    upcalls: Vec<(u8, Upcall)>,
    nodes: Vec<Node>,
    exchanges: ExchangeTable,
    ios: Vec<Option<Io>>,
    workloads: Vec<Workload>,
    routes: Vec<(u8, Vec<u8>)>,
    /// Of the workloads, among what happens at one moment.
    ranks: Vec<u16>,
    agenda: Agenda,
    adapter_out: Vec<AdapterEffect>,
    drive_out: Vec<DriveEffect>,
    driver_out: Vec<DriverEffect>,
    /// Which I/Os count.
    pub measurement: Measurement,
    balance: Balance,
    loop_use: LoopUse,
    /// Frames between their first word at the sender and their last at the receiver.
    wire: OnWire,
    sampler: Sampler,
    /// The last moment before the next sample, or the end of simulated time.
    until: Time,
    /// When the measured interval begins or ends because it is that time.
    next_edge: Time,
    /// With the automatic rule: use at the moments at which the measured interval may begin.
    openings: Vec<(LoopUse, Vec<NodeUse>)>,
    loop_use_at_opening: LoopUse,
    node_use_at_opening: Vec<NodeUse>,
    node_use_at_closing: Option<Vec<NodeUse>>,
    loop_use_at_closing: Option<LoopUse>,
    word: Span,
    events: u64,
    observer: O,
    wants: Wants,
    gauges: Vec<[u32; GAUGES]>,
}

/// What the loop sees of the rest of the system.
struct Around<'a, O: Observer> {
    calendar: &'a mut Calendar<Event>,
    upcalls: &'a mut Vec<(u8, Upcall)>,
    observer: &'a mut O,
    wants: Wants,
    exchanges: &'a ExchangeTable,
}

impl<O: Observer> Surroundings for Around<'_, O> {
    fn schedule(&mut self, at: Time, port: usize, event: LoopEvent) {
        self.calendar.schedule(at, event.order(rank_of_station(port as u8)), Event::Loop(port as u8, event));
    }

    fn upcall(&mut self, _now: Time, port: usize, upcall: Upcall) {
        self.upcalls.push((port as u8, upcall));
    }

    fn observe(&mut self, now: Time, port: usize, what: Observation) {
        if O::SEES && self.wants.ports {
            self.observer.at_port(now, port, what, self.exchanges);
        }
    }

    fn observe_repeated(&mut self, now: Time, port: usize, what: Observation) {
        if O::SEES && self.wants.repeaters {
            self.observer.at_repeater(now, port, what, self.exchanges);
        }
    }
}

impl<O: Observer> Simulation<O> {
    /// Builds the system of a plan and issues the first requests.
    pub fn new(plan: &Plan, recording: Recording, observer: O) -> Self {
        let LoopPlan { parameters, stations, model, .. } = &plan.arbitrated_loop;
        let arbitrated_loop = ArbitratedLoop::new(parameters, stations, *model);
        let new_adapter = |station: usize, parameters: &AdapterParameters, target: bool| {
            Box::new(Adapter::new(parameters, &plan.sizes, End { al_pa: stations[station].al_pa, target }))
        };
        let nodes: Vec<Node> = plan
            .nodes
            .iter()
            .enumerate()
            .map(|(station, node)| match &node.kind {
                NodeKind::Passive => Node::Passive,
                NodeKind::Host { adapter, driver } => {
                    Node::Host { adapter: new_adapter(station, adapter, false), driver: Driver::new(driver) }
                }
                NodeKind::Drive { adapter, drive } => {
                    // By its place in its group, not on the loop: what stands elsewhere leaves the stream alone.
                    let member = plan.nodes[..station].iter().filter(|n| n.name == node.name).count();
                    let stream = RandomStream::new(plan.seed, &format!("{}/{member}/access", node.name));
                    Node::Drive {
                        adapter: new_adapter(station, adapter, true),
                        drive: Box::new(Drive::new(drive, stream)),
                    }
                }
            })
            .collect();
        let new_workload = |w: &WorkloadPlan| {
            Workload::new(&w.parameters, &w.capacity_blocks, BLOCK_BYTES, plan.seed, &w.name)
        };
        let workloads: Vec<Workload> = plan.workloads.iter().map(new_workload).collect();
        let slots: u64 = workloads.iter().map(|workload| u64::from(workload.slots())).sum();
        let mut simulation = Self {
            calendar: Calendar::new(),
            arbitrated_loop,
            upcalls: Vec::with_capacity(16),
            exchanges: ExchangeTable::default(),
            ios: Vec::new(),
            workloads,
            routes: plan
                .workloads
                .iter()
                .map(|w| (w.from as u8, w.to.iter().map(|&t| t as u8).collect()))
                .collect(),
            ranks: plan.workloads.iter().map(|w| w.rank).collect(),
            agenda: Agenda::default(),
            adapter_out: Vec::with_capacity(16),
            drive_out: Vec::with_capacity(8),
            driver_out: Vec::with_capacity(8),
            measurement: Measurement::new(&plan.run, slots, recording.ios),
            balance: Balance::default(),
            loop_use: LoopUse::default(),
            wire: OnWire::default(),
            until: Time::HORIZON,
            sampler: Sampler::new(recording.sampling),
            next_edge: Time::ZERO,
            openings: Vec::new(),
            loop_use_at_opening: LoopUse::default(),
            node_use_at_opening: vec![NodeUse::default(); nodes.len()],
            node_use_at_closing: None,
            loop_use_at_closing: None,
            nodes,
            word: plan.arbitrated_loop.parameters.word_time(),
            events: 0,
            wants: observer.wants(),
            gauges: vec![[0; GAUGES]; plan.nodes.len()],
            observer,
        };
        simulation.until = simulation.sampler.until();
        simulation.next_edge = simulation.measurement.next_edge();
        for number in 0..simulation.workloads.len() {
            for slot in 0..simulation.workloads[number].slots() {
                if simulation.workloads[number].claim(slot) {
                    simulation.schedule_issue(Time::ZERO, number as u16, slot);
                }
            }
        }
        simulation
    }

    /// Simulated time.
    pub fn now(&self) -> Time {
        self.calendar.now()
    }

    /// Events handled.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Counts that must balance.
    pub fn balance(&self) -> &Balance {
        &self.balance
    }

    /// Whether a run that came to its end lost nothing and did nothing twice.
    ///
    /// # Errors
    /// It did; the error says what, and where.
    pub fn check_conservation(&self, plan: &Plan) -> Result<(), ConservationError> {
        let Balance {
            issued,
            completed,
            frames_sent,
            frames_received,
            data_sent,
            data_completed,
            ledger_errors,
            first_ledger_error,
        } = self.balance;
        let names = plan.names();
        let on_loop = format!("on `{}`", names.arbitrated_loop);
        let mut books = Books::default();
        let under_way: Vec<String> = self
            .ios
            .iter()
            .flatten()
            .take(SHOWN)
            .map(|io| {
                let workload = &plan.workloads[usize::from(io.workload)].name;
                format!("from `{workload}` to `{}`", names.stations[usize::from(io.drive)].name)
            })
            .collect();
        let where_left = if under_way.is_empty() { on_loop.clone() } else { under_way.join(", ") };
        books.equal("I/Os", ("issued", issued), ("completed", completed), &where_left);
        for (kind, (sent, received)) in FRAME_KINDS.iter().zip(frames_sent.into_iter().zip(frames_received)) {
            books.equal(kind, ("sent", sent), ("received", received), &on_loop);
        }
        books.equal("bytes of data", ("sent", data_sent), ("of completed I/Os", data_completed), &on_loop);
        let first = first_ledger_error.map_or(String::new(), |io| format!("first of them I/O {io}"));
        books.none("I/Os whose segments do not add up to their response time", ledger_errors, &first);
        books.none("exchanges left open", self.open_exchanges() as u64, &where_left);
        books.none("words left", self.arbitrated_loop.items_in_flight() as u64, &on_loop);
        books.close()
    }

    /// Loses a frame, for a test that this does not go unnoticed.
    #[cfg(test)]
    pub(crate) fn lose_a_frame(&mut self) {
        self.balance.frames_sent[2] += 1;
    }

    /// Whether the observer cannot go on.
    pub fn observer_failed(&self) -> bool {
        self.observer.failed()
    }

    /// The loop.
    pub fn arbitrated_loop(&self) -> &ArbitratedLoop {
        &self.arbitrated_loop
    }

    /// The workloads, in the order of the plan.
    pub fn workloads(&self) -> &[Workload] {
        &self.workloads
    }

    /// Exchanges that are open.
    pub fn open_exchanges(&self) -> usize {
        self.exchanges.open_count()
    }

    /// Settles where the measured interval began, now that it is known how many I/Os the automatic rule leaves out.
    pub(crate) fn open_at(&mut self, opening: Option<usize>) {
        if let Some((loop_use, node_use)) = opening.and_then(|number| self.openings.get(number)) {
            self.loop_use_at_opening = *loop_use;
            self.node_use_at_opening.clone_from(node_use);
        }
    }

    /// The measurement, the samples and the observer, when the run is over.
    pub fn into_parts(self) -> (Measurement, Vec<Sample>, O) {
        (self.measurement, self.sampler.samples, self.observer)
    }

    /// Handles up to `count` events and samples. Returns false when nothing is left to happen up to the horizon of simulated
    /// time, or when simulated time stands still.
    pub fn run_events(&mut self, count: u64) -> bool {
        for _ in 0..count {
            let Some((now, event)) = self.calendar.pop_until(self.until) else {
                if self.take_sample() { continue } else { return false }
            };
            self.events += 1;
            if now >= self.next_edge {
                self.pass_edges(now);
            }
            self.handle(now, event);
            // Most events leave nothing on the agenda.
            if !self.agenda.is_empty() && !self.settle(now) {
                return false;
            }
            if O::SEES && self.wants.gauges {
                self.show_gauges(now, self.station_of(event));
            }
        }
        true
    }

    /// Why simulated time did not come to the end of the run, when nothing is left to happen in it; none if everything has
    /// happened.
    pub(crate) fn clock_fault(&mut self, names: &Names) -> Option<ClockFault> {
        if let Some(ring) = self.agenda.ring() {
            let ring = ring.iter().map(|component| component.name(names)).collect();
            return Some(ClockFault::StandsStill { messages: self.agenda.most(), ring });
        }
        let (due, _, event) = *self.calendar.pending().first()?;
        let place = || names.stations[self.station_of(event)].name.clone();
        (due > Time::HORIZON).then(|| ClockFault::Ends { due, place: place() })
    }

    /// Looks for a ring of components after so many messages at one instant.
    #[cfg(test)]
    pub(crate) fn suspect_a_ring_after(&mut self, messages: u32) {
        self.agenda = Agenda::with_most(messages);
    }

    /// Forgets in which order the pending events were scheduled and draws another. For tests that no result depends on it.
    pub fn shuffle(&mut self, random: &mut RandomStream) {
        self.calendar.shuffle(random);
    }

    /// Different events of one instant that nothing but the order of scheduling tells apart: none, or a result depends on
    /// it. For tests.
    pub fn undecided(&mut self) -> Vec<String> {
        let pending = self.calendar.pending();
        let pairs = pending.windows(2).filter(|pair| {
            let [(first_at, first_order, first), (at, order, event)] = pair else { return false };
            (first_at, first_order) == (at, order) && first != event
        });
        pairs
            .map(|pair| format!("{} at {}: {:?} and {:?}", pair[0].0.0, pair[0].0, pair[0].2, pair[1].2))
            .collect()
    }

    fn handle(&mut self, now: Time, event: Event) {
        match event {
            Event::Loop(port, event) => {
                self.on_loop(now, |arbitrated_loop, around| {
                    arbitrated_loop.handle(now, usize::from(port), event, around)
                });
            }
            Event::Adapter(station, block) => {
                self.on_adapter(now, station, |adapter, table, out| adapter.due(now, block, table, out));
            }
            Event::Drive(station, tag) => self.on_drive(now, station, |drive, out| drive.due(now, tag, out)),
            Event::DriverArrival(station) => {
                self.on_driver(now, station, |driver, out| driver.arrival_due(now, out));
            }
            Event::DriverCompletion(station) => {
                self.on_driver(now, station, |driver, out| driver.completion_due(now, out));
            }
            Event::Issue(workload, slot) => self.issue(now, workload, slot),
        }
    }

    fn schedule(&mut self, at: Time, station: u8, timer: Timer, event: Event) {
        self.calendar.schedule(at, timer.order(station), event);
    }

    fn schedule_issue(&mut self, at: Time, workload: u16, slot: u32) {
        let order = order_of_slot(self.ranks[usize::from(workload)], slot);
        self.calendar.schedule(at, order, Event::Issue(workload, slot));
    }
}
