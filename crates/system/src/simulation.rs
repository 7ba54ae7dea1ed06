//! The components in their arenas, the event loop, and the translation of effects into events.
//!
//! No component knows another: each answers an input with effects, and this is where an effect of one becomes the input of
//! another. Effects that take effect at the same moment go through one agenda, in order.

use crate::measure::{IoRecord, Measurement, Window};
use crate::plan::{NodeKind, Plan};
use crate::usage::{Balance, LoopUse, NodeUse, kind_index};
use sansim_fc::arbitrated_loop::{
    ArbitratedLoop, LoopEvent, NODE_PRIORITY, Observation, Surroundings, Upcall,
};
use sansim_fc::frame::{ExchangeId, Frame, FrameKind};
use sansim_fc::loop_port::Waiting;
use sansim_fcp::adapter::{Adapter, AdapterEffect, Stage, Unit};
use sansim_fcp::exchange::{Exchange, ExchangeTable};
use sansim_host::driver::{Driver, DriverEffect};
use sansim_host::workload::Workload;
use sansim_kernel::{Calendar, Order, RandomStream, Span, Time};
use sansim_observe::ledger::{Ledger, SEGMENTS, Segment};
use sansim_storage::drive::{self, Command, Drive, DriveEffect};
use std::collections::VecDeque;

/// An event of the whole system.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Loop(u8, LoopEvent),
    Adapter(u8, Unit),
    Drive(u8, u32),
    DriverArrival(u8),
    DriverCompletion(u8),
    Issue(u16, u32),
}

/// What stands behind a station.
enum Node {
    Passive,
    Initiator { adapter: Box<Adapter>, driver: Driver },
    Target { adapter: Box<Adapter>, drive: Drive, write_burst: Option<u64>, read_sequence: Option<u64> },
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

/// What an observer of a run may see.
pub trait Observer {
    /// Whether [`Observer::at_port`] is to be called. Asked once.
    fn sees_ports(&self) -> bool {
        false
    }
    /// Something happened at the port of a station.
    fn at_port(&mut self, _now: Time, _station: usize, _what: Observation) {}
    /// A port repeats another fill word or an item. Complete only on the reference loop.
    fn at_repeater(&mut self, _now: Time, _station: usize, _what: Observation) {}
}

/// Sees nothing.
pub struct NoObserver;
impl Observer for NoObserver {}

/// A system in the middle of its run.
pub struct Simulation<O: Observer = NoObserver> {
    calendar: Calendar<Event>,
    fabric: ArbitratedLoop,
    upcalls: Vec<(u8, Upcall)>,
    nodes: Vec<Node>,
    exchanges: ExchangeTable,
    ios: Vec<Option<Io>>,
    workloads: Vec<Workload>,
    routes: Vec<(u8, Vec<u8>)>,
    agenda: VecDeque<(u8, AdapterEffect)>,
    adapter_out: Vec<AdapterEffect>,
    drive_out: Vec<DriveEffect>,
    driver_out: Vec<DriverEffect>,
    /// Which I/Os count.
    pub measurement: Measurement,
    balance: Balance,
    loop_use: LoopUse,
    node_use_at_opening: Vec<NodeUse>,
    node_use_at_closing: Option<Vec<NodeUse>>,
    loop_use_at_closing: Option<LoopUse>,
    word: Span,
    events: u64,
    observer: O,
    observing: bool,
}

/// What the loop sees of the rest of the system.
struct Around<'a, O: Observer> {
    calendar: &'a mut Calendar<Event>,
    upcalls: &'a mut Vec<(u8, Upcall)>,
    observer: &'a mut O,
    observing: bool,
}

impl<O: Observer> Surroundings for Around<'_, O> {
    fn schedule(&mut self, at: Time, port: usize, event: LoopEvent) {
        let order = Order { priority: event.priority(), component: port as u32 };
        self.calendar.schedule(at, order, Event::Loop(port as u8, event));
    }

    fn upcall(&mut self, _now: Time, port: usize, upcall: Upcall) {
        self.upcalls.push((port as u8, upcall));
    }

    fn observe(&mut self, now: Time, port: usize, what: Observation) {
        if self.observing {
            self.observer.at_port(now, port, what);
        }
    }

    fn observe_repeated(&mut self, now: Time, port: usize, what: Observation) {
        if self.observing {
            self.observer.at_repeater(now, port, what);
        }
    }
}

impl<O: Observer> Simulation<O> {
    /// Builds the system of a plan and issues the first requests.
    pub fn new(plan: &Plan, keep_records: bool, observer: O) -> Self {
        let fabric = ArbitratedLoop::new(
            &plan.arbitrated_loop.stations,
            plan.arbitrated_loop.word,
            plan.arbitrated_loop.model,
        );
        let nodes: Vec<Node> = plan
            .nodes
            .iter()
            .enumerate()
            .map(|(station, node)| match &node.kind {
                NodeKind::Passive => Node::Passive,
                NodeKind::Initiator { adapter, driver } => Node::Initiator {
                    adapter: Box::new(Adapter::new(*adapter)),
                    driver: Driver::new(*driver),
                },
                NodeKind::Target { adapter, drive, write_burst_bytes, read_sequence_bytes } => {
                    // By its place in its group, not on the loop: what stands elsewhere leaves the stream alone.
                    let member = plan.nodes[..station].iter().filter(|n| n.name == node.name).count();
                    let stream = RandomStream::new(plan.seed, &format!("{}/{member}/access", node.name));
                    Node::Target {
                        adapter: Box::new(Adapter::new(*adapter)),
                        drive: Drive::new(*drive, stream),
                        write_burst: *write_burst_bytes,
                        read_sequence: *read_sequence_bytes,
                    }
                }
            })
            .collect();
        let slots: u64 = plan.workloads.iter().map(|w| u64::from(w.closed.slots)).sum();
        let mut simulation = Self {
            calendar: Calendar::new(),
            fabric,
            upcalls: Vec::with_capacity(16),
            exchanges: ExchangeTable::default(),
            ios: Vec::new(),
            workloads: plan.workloads.iter().map(|w| Workload::new(w.closed, plan.seed, &w.name)).collect(),
            routes: plan
                .workloads
                .iter()
                .map(|w| (w.from as u8, w.to.iter().map(|&t| t as u8).collect()))
                .collect(),
            agenda: VecDeque::with_capacity(32),
            adapter_out: Vec::with_capacity(16),
            drive_out: Vec::with_capacity(8),
            driver_out: Vec::with_capacity(8),
            measurement: Measurement::new(plan.warm_up, plan.measured_ios, slots, keep_records),
            balance: Balance::default(),
            loop_use: LoopUse::default(),
            node_use_at_opening: vec![NodeUse::default(); nodes.len()],
            node_use_at_closing: None,
            loop_use_at_closing: None,
            nodes,
            word: plan.arbitrated_loop.word,
            events: 0,
            observing: observer.sees_ports(),
            observer,
        };
        for (number, workload) in plan.workloads.iter().enumerate() {
            for slot in 0..workload.closed.slots {
                simulation.schedule_issue(Time::ZERO, number as u16, slot);
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

    /// Checks, in builds with debug assertions (so in every run of the tests), that a run that came to its end lost nothing
    /// and did nothing twice.
    pub fn assert_balanced(&self) {
        let balance = &self.balance;
        debug_assert_eq!(balance.issued, balance.completed, "I/Os issued and completed");
        debug_assert_eq!(balance.frames_sent, balance.frames_received, "frames by kind");
        debug_assert_eq!(balance.data_sent, balance.data_completed, "bytes of data");
        debug_assert_eq!(balance.ledger_errors, 0, "ledgers that do not add up");
        debug_assert_eq!(self.open_exchanges(), 0, "exchanges left open");
        debug_assert_eq!(self.fabric.items_in_flight(), 0, "items left on the loop");
    }

    /// The loop.
    pub fn fabric(&self) -> &ArbitratedLoop {
        &self.fabric
    }

    /// Exchanges that are open.
    pub fn open_exchanges(&self) -> usize {
        self.exchanges.open_count()
    }

    /// Use of the loop in the measured interval, up to now or to its end.
    pub fn loop_use(&self) -> LoopUse {
        self.loop_use_at_closing.unwrap_or_else(|| self.loop_use_until(self.now()))
    }

    /// Use of the nodes in the measured interval, up to now or to its end, by station.
    pub fn node_use(&self) -> Vec<NodeUse> {
        let until = self.node_use_at_closing.clone().unwrap_or_else(|| self.node_use_so_far());
        until
            .iter()
            .zip(&self.node_use_at_opening)
            .map(|(end, start)| NodeUse {
                processor: end.processor - start.processor,
                dma: end.dma - start.dma,
                incoming: end.incoming - start.incoming,
                single_frame: end.single_frame - start.single_frame,
                drive: end.drive - start.drive,
            })
            .collect()
    }

    /// The measurement and the observer, when the run is over.
    pub fn into_parts(self) -> (Measurement, O) {
        (self.measurement, self.observer)
    }

    /// Handles up to `count` events. Returns false when nothing is left to happen.
    pub fn run_events(&mut self, count: u64) -> bool {
        for _ in 0..count {
            let Some((now, event)) = self.calendar.pop() else { return false };
            self.events += 1;
            self.handle(now, event);
        }
        true
    }

    fn handle(&mut self, now: Time, event: Event) {
        match event {
            Event::Loop(port, event) => {
                let mut around = Around {
                    calendar: &mut self.calendar,
                    upcalls: &mut self.upcalls,
                    observer: &mut self.observer,
                    observing: self.observing,
                };
                self.fabric.handle(now, usize::from(port), event, &mut around);
                if self.upcalls.is_empty() {
                    return;
                }
                self.handle_upcalls(now);
            }
            Event::Adapter(station, unit) => {
                self.with_adapter(station, |adapter, table, out| adapter.due(now, unit, table, out));
            }
            Event::Drive(station, tag) => {
                if let Node::Target { drive, .. } = &mut self.nodes[usize::from(station)] {
                    drive.due(now, tag, &mut self.drive_out);
                }
                self.drive_effects(now, station);
            }
            Event::DriverArrival(station) => {
                if let Node::Initiator { driver, .. } = &mut self.nodes[usize::from(station)] {
                    driver.arrival_due(now, &mut self.driver_out);
                }
                self.driver_effects(now, station);
            }
            Event::DriverCompletion(station) => {
                if let Node::Initiator { driver, .. } = &mut self.nodes[usize::from(station)] {
                    driver.completion_due(now, &mut self.driver_out);
                }
                self.driver_effects(now, station);
            }
            Event::Issue(workload, slot) => self.issue(now, workload, slot),
        }
        self.settle(now);
    }

    fn schedule(&mut self, at: Time, station: u8, event: Event) {
        self.calendar.schedule(at, Order { priority: NODE_PRIORITY, component: u32::from(station) }, event);
    }

    fn schedule_issue(&mut self, at: Time, workload: u16, slot: u32) {
        let order = Order { priority: NODE_PRIORITY, component: 256 + u32::from(workload) };
        self.calendar.schedule(at, order, Event::Issue(workload, slot));
    }

    /// A slot of a workload issues its next request.
    fn issue(&mut self, now: Time, workload: u16, slot: u32) {
        if self.balance.issued == self.measurement.total() {
            return;
        }
        self.balance.issued += 1;
        let request = self.workloads[usize::from(workload)].next(slot);
        let (from, to) = &self.routes[usize::from(workload)];
        let (initiator, target) = (*from, to[request.drive as usize]);
        let Node::Target { adapter, write_burst, read_sequence, .. } = &self.nodes[usize::from(target)]
        else {
            return;
        };
        let burst = if request.write { *write_burst } else { *read_sequence }.unwrap_or(request.bytes);
        let address = |s: u8| self.fabric.ports()[usize::from(s)].config().al_pa;
        let target_address = adapter.config().al_pa;
        let exchange = Exchange::new(address(initiator), target_address, request.write, request.bytes, burst);
        let id = self.exchanges.open(exchange);
        let index = id.0 as usize;
        if index == self.ios.len() {
            self.ios.push(None);
        }
        self.ios[index] = Some(Io { workload, slot, drive: target, initiator, ledger: Ledger::open(now) });
        if let Node::Initiator { driver, .. } = &mut self.nodes[usize::from(initiator)] {
            driver.arrive(now, id.0, &mut self.driver_out);
        }
        self.driver_effects(now, initiator);
    }

    fn driver_effects(&mut self, now: Time, station: u8) {
        let mut effects = std::mem::take(&mut self.driver_out);
        for effect in effects.drain(..) {
            match effect {
                DriverEffect::ArrivalDue(at) => self.schedule(at, station, Event::DriverArrival(station)),
                DriverEffect::CompletionDue(at) => {
                    self.schedule(at, station, Event::DriverCompletion(station))
                }
                DriverEffect::Begins(io) => self.enter(now, ExchangeId(io), Segment::DriverArrival),
                DriverEffect::Submit(io) => {
                    self.with_adapter(station, |adapter, table, out| {
                        adapter.submit(now, ExchangeId(io), table, out)
                    });
                }
                DriverEffect::Done(io) => self.complete(now, ExchangeId(io)),
            }
        }
        self.driver_out = effects;
    }

    /// Calls an adapter and puts what it wants done on the agenda.
    fn with_adapter(
        &mut self,
        station: u8,
        call: impl FnOnce(&mut Adapter, &mut ExchangeTable, &mut Vec<AdapterEffect>),
    ) {
        let (Node::Initiator { adapter, .. } | Node::Target { adapter, .. }) =
            &mut self.nodes[usize::from(station)]
        else {
            return;
        };
        call(adapter, &mut self.exchanges, &mut self.adapter_out);
        self.agenda.extend(self.adapter_out.drain(..).map(|effect| (station, effect)));
    }

    /// Carries out everything on the agenda.
    fn settle(&mut self, now: Time) {
        while let Some((station, effect)) = self.agenda.pop_front() {
            match effect {
                AdapterEffect::Due(unit, at) => self.schedule(at, station, Event::Adapter(station, unit)),
                AdapterEffect::Enqueue(frame) => {
                    let mut around = Around {
                        calendar: &mut self.calendar,
                        upcalls: &mut self.upcalls,
                        observer: &mut self.observer,
                        observing: self.observing,
                    };
                    self.fabric.enqueue(now, usize::from(station), frame, &mut around);
                    self.handle_upcalls(now);
                }
                AdapterEffect::BufferFreed => {
                    let mut around = Around {
                        calendar: &mut self.calendar,
                        upcalls: &mut self.upcalls,
                        observer: &mut self.observer,
                        observing: self.observing,
                    };
                    self.fabric.buffer_freed(now, usize::from(station), &mut around);
                }
                AdapterEffect::Stage(id, stage) => self.enter(now, id, segment_of(stage)),
                AdapterEffect::CommandArrived(id) => {
                    let exchange = &self.exchanges[id];
                    let command = Command {
                        tag: id.0,
                        write: exchange.write,
                        bytes: exchange.bytes,
                        piece: exchange.burst_bytes,
                        received: exchange.command_received,
                    };
                    self.with_drive(station, |drive, out| drive.command(now, command, out));
                    self.drive_effects(now, station);
                }
                AdapterEffect::BurstIn(id) => {
                    self.with_drive(station, |drive, out| drive.piece_stored(now, id.0, out));
                    self.drive_effects(now, station);
                }
                AdapterEffect::AllStored(id) => {
                    if self.ios[id.0 as usize].is_none() {
                        self.exchanges.close(id);
                    }
                }
                AdapterEffect::StatusQueued(id) => {
                    self.with_drive(station, |drive, out| drive.finished(now, id.0, out));
                    self.drive_effects(now, station);
                }
                AdapterEffect::Completed(id) => {
                    self.enter(now, id, Segment::DriverCompletion);
                    if let Node::Initiator { driver, .. } = &mut self.nodes[usize::from(station)] {
                        driver.complete(now, id.0, &mut self.driver_out);
                    }
                    self.driver_effects(now, station);
                }
            }
        }
    }

    fn with_drive(&mut self, station: u8, call: impl FnOnce(&mut Drive, &mut Vec<DriveEffect>)) {
        if let Node::Target { drive, .. } = &mut self.nodes[usize::from(station)] {
            call(drive, &mut self.drive_out);
        }
    }

    fn drive_effects(&mut self, now: Time, station: u8) {
        let mut effects = std::mem::take(&mut self.drive_out);
        for effect in effects.drain(..) {
            match effect {
                DriveEffect::Due(tag, at) => self.schedule(at, station, Event::Drive(station, tag)),
                DriveEffect::DataReady(tag, end) => self.with_adapter(station, |adapter, table, out| {
                    adapter.send_data(now, ExchangeId(tag), end, table, out);
                }),
                DriveEffect::BufferReady(tag) => self.with_adapter(station, |adapter, table, out| {
                    adapter.ask_for_data(ExchangeId(tag), table, out);
                }),
                DriveEffect::Written(tag) => self.with_adapter(station, |adapter, table, out| {
                    adapter.respond(now, ExchangeId(tag), table, out);
                }),
                DriveEffect::Stage(tag, stage) => {
                    let segment = match stage {
                        drive::Stage::Queue => Segment::DriveQueue,
                        drive::Stage::Access => Segment::Access,
                        drive::Stage::Transfer => Segment::MediaTransfer,
                    };
                    self.enter(now, ExchangeId(tag), segment);
                }
            }
        }
        self.drive_out = effects;
    }

    fn handle_upcalls(&mut self, now: Time) {
        let mut upcalls = std::mem::take(&mut self.upcalls);
        for (port, upcall) in upcalls.drain(..) {
            match upcall {
                Upcall::Received(frame) => {
                    self.balance.frames_received[kind_index(frame.kind)] += 1;
                    self.with_adapter(port, |adapter, table, out| adapter.received(now, frame, table, out));
                }
                Upcall::Started(frame) => {
                    self.count_sent(&frame);
                    if frame.kind == FrameKind::Data {
                        self.with_adapter(port, |adapter, table, out| adapter.started(now, table, out));
                    }
                }
                Upcall::Sent(frame) => {
                    self.with_adapter(port, |adapter, table, out| adapter.sent(now, frame, table, out));
                }
                Upcall::Waits(id, waiting) => {
                    let segment = match waiting {
                        Waiting::AccessWindow => Segment::AccessWindow,
                        Waiting::Loop => Segment::Loop,
                        Waiting::Credit => Segment::Credit,
                        Waiting::Wire => Segment::Wire,
                    };
                    self.enter(now, id, segment);
                }
                Upcall::Owns(true) => {
                    self.loop_use.tenancies += 1;
                    self.loop_use.owned_since = Some(now);
                }
                Upcall::Owns(false) => {
                    self.loop_use = LoopUse { owned_since: None, ..self.loop_use_until(now) };
                }
            }
        }
        self.upcalls = upcalls;
    }

    fn count_sent(&mut self, frame: &Frame) {
        self.balance.frames_sent[kind_index(frame.kind)] += 1;
        if frame.kind == FrameKind::Data {
            self.balance.data_sent += u64::from(frame.payload_bytes);
        }
        self.loop_use.frame_count += 1;
        self.loop_use.frames += self.word * frame.words();
    }

    fn enter(&mut self, now: Time, id: ExchangeId, segment: Segment) {
        if let Some(io) = &mut self.ios[id.0 as usize] {
            io.ledger.enter(now, segment);
        }
    }

    /// An I/O has come back to the application.
    fn complete(&mut self, now: Time, id: ExchangeId) {
        let Some(mut io) = self.ios[id.0 as usize].take() else { return };
        let exchange = self.exchanges[id];
        // The status of a write may be back while the target still moves its data; the number stays taken until then.
        if !exchange.write || exchange.stored_bytes == exchange.bytes {
            self.exchanges.close(id);
        }
        let response = io.ledger.close(now);
        self.balance.completed += 1;
        self.balance.data_completed += exchange.bytes;
        if io.ledger.spent().iter().copied().sum::<Span>() != response {
            self.balance.ledger_errors += 1;
        }
        let record = IoRecord {
            response,
            completed: now,
            spent: *io.ledger.spent(),
            bytes: exchange.bytes,
            workload: u32::from(io.workload),
            slot: io.slot,
            drive: u32::from(io.drive),
            write: exchange.write,
        };
        match self.measurement.complete(now, &record) {
            Window::Same => {}
            Window::Opens => {
                self.node_use_at_opening = self.node_use_so_far();
                self.loop_use =
                    LoopUse { owned_since: self.loop_use.owned_since.map(|_| now), ..LoopUse::default() };
            }
            Window::Closes => {
                self.node_use_at_closing = Some(self.node_use_so_far());
                self.loop_use_at_closing = Some(self.loop_use_until(now));
            }
        }
        let next = self.workloads[usize::from(io.workload)].next_issue(now);
        self.schedule_issue(next, io.workload, io.slot);
        debug_assert!(matches!(self.nodes[usize::from(io.initiator)], Node::Initiator { .. }));
    }

    fn loop_use_until(&self, now: Time) -> LoopUse {
        let mut usage = self.loop_use;
        if let Some(since) = usage.owned_since {
            usage.owned += now - since;
            usage.owned_since = Some(now);
        }
        usage
    }

    fn node_use_so_far(&self) -> Vec<NodeUse> {
        let of = |adapter: &Adapter, drive: Span| NodeUse {
            processor: adapter.busy(Unit::Processor),
            dma: if adapter.config().dma_bidirectional {
                // The mean of both channels.
                Span((adapter.busy(Unit::Dma) + adapter.busy(Unit::DmaIn)).ticks() / 2)
            } else {
                adapter.busy(Unit::Dma)
            },
            incoming: adapter.busy(Unit::Incoming),
            single_frame: adapter.busy(Unit::SingleFrame),
            drive,
        };
        self.nodes
            .iter()
            .map(|node| match node {
                Node::Passive => NodeUse::default(),
                Node::Initiator { adapter, .. } => of(adapter, Span::ZERO),
                Node::Target { adapter, drive, .. } => of(adapter, drive.busy()),
            })
            .collect()
    }
}

fn segment_of(stage: Stage) -> Segment {
    match stage {
        Stage::Message => Segment::Message,
        Stage::Command => Segment::CommandExecution,
        Stage::TransferReady => Segment::TransferReady,
        Stage::Response => Segment::Response,
        Stage::Dma => Segment::Dma,
        Stage::Port => Segment::PortQueue,
        Stage::Incoming => Segment::FrameProcess,
        Stage::SingleFrame => Segment::SingleFrame,
    }
}

const _: () = assert!(SEGMENTS < 32);
