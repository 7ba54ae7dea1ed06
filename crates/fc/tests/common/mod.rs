//! A loop with simple nodes: frames are handed over at given times, received frames leave their buffers after a fixed
//! time. The tests of the loop share this file.
#![allow(dead_code)]

use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::fast::circuit_cache::CircuitCounts;
use sansim_fc::arbitrated_loop::{
    ArbitratedLoop, LoopEvent, LoopHost, LoopModel, LoopParameters, LoopStation, NODE_PRIORITY, PortEvent,
};
use sansim_fc::delay::{Delay, WordTime};
use sansim_fc::frame::{Frame, Pdu, PduKind, RequestTag};
use sansim_fc::loop_port::{ArbitrationSchedule, PortParameters};
use sansim_fc::loop_switch::{LoopSwitch, LoopSwitchParameters};
use sansim_fc::observation::Observation;
use sansim_kernel::{Calendar, Order, Span, Time};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

#[derive(Clone, Copy)]
enum Event {
    Change(Change),
    Loop(usize, LoopEvent),
    Enqueue(usize, Frame),
    Freed(usize),
}

/// The events of a run.
#[derive(Default)]
pub struct Record {
    pub observations: Vec<(Time, usize, Observation)>,
    pub received: Vec<(Time, usize, Frame)>,
    pub sent: Vec<(Time, usize, Frame)>,
    pub upcalls: Vec<(Time, usize, PortEvent)>,
    pub lost: Vec<(Time, usize, Frame)>,
    /// The times from which on the loop works again, after each change.
    pub works_at: Vec<Time>,
    pub events: u64,
    pub ended: Time,
    pub quiet: bool,
}

/// A change of a loop while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Bypass(usize, bool),
    Enable(usize, bool),
    Initialise,
}

/// A loop, or a switch that makes loops.
pub trait Network {
    /// Changes a loop; a switch has no changes.
    fn change(&mut self, now: Time, _: Change, _: &mut impl LoopHost) -> Time {
        now
    }
    fn handle(&mut self, now: Time, node: usize, event: LoopEvent, around: &mut impl LoopHost);
    fn enqueue(&mut self, now: Time, port: usize, frame: Frame, around: &mut impl LoopHost);
    fn buffer_freed(&mut self, now: Time, port: usize, around: &mut impl LoopHost);
    fn is_quiet(&self) -> bool;
}

impl Network for ArbitratedLoop {
    fn change(&mut self, now: Time, change: Change, around: &mut impl LoopHost) -> Time {
        match change {
            Change::Bypass(port, initialise) => self.bypass(now, port, initialise, around),
            Change::Enable(port, initialise) => self.enable(now, port, initialise, around),
            Change::Initialise => self.initialise(now, around),
        }
    }
    fn handle(&mut self, now: Time, node: usize, event: LoopEvent, around: &mut impl LoopHost) {
        self.handle(now, node, event, around);
    }
    fn enqueue(&mut self, now: Time, port: usize, frame: Frame, around: &mut impl LoopHost) {
        self.enqueue(now, port, frame, around);
    }
    fn buffer_freed(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        self.buffer_freed(now, port, around);
    }
    fn is_quiet(&self) -> bool {
        self.items_in_flight() == 0 && self.ports().iter().all(|p| p.queued_frames() == 0)
    }
}

impl Network for LoopSwitch {
    fn handle(&mut self, now: Time, node: usize, event: LoopEvent, around: &mut impl LoopHost) {
        self.handle(now, node, event, around);
    }
    fn enqueue(&mut self, now: Time, port: usize, frame: Frame, around: &mut impl LoopHost) {
        self.enqueue(now, port, frame, around);
    }
    fn buffer_freed(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        self.buffer_freed(now, port, around);
    }
    fn is_quiet(&self) -> bool {
        let queued = self.ports().iter().any(|p| p.queued_frames() > 0);
        self.items_in_flight() == 0 && self.held_open_count() == 0 && !queued
    }
}

struct Around<'a> {
    calendar: &'a mut Calendar<Event>,
    upcalls: &'a mut Vec<(usize, PortEvent)>,
    record: &'a mut Record,
    sees_steps: bool,
}

impl LoopHost for Around<'_> {
    fn schedule(&mut self, at: Time, port: usize, event: LoopEvent) {
        self.calendar.schedule(at, event.event_order(port as u16), Event::Loop(port, event));
    }
    fn upcall(&mut self, _now: Time, port: usize, upcall: PortEvent) {
        self.upcalls.push((port, upcall));
    }
    fn observe(&mut self, now: Time, port: usize, what: impl FnOnce() -> Observation) {
        if self.sees_steps {
            self.record.observations.push((now, port, what()));
        }
    }
    fn sees_steps(&self) -> bool {
        self.sees_steps
    }
    fn has_passed(&self, order: Order) -> bool {
        order < self.calendar.present_place().1
    }
}

/// A frame to be handed to a port.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub at: Time,
    pub from: usize,
    pub to: usize,
    pub payload: u16,
    pub command: bool,
    /// The number of frames of the sequence, which are handed over at once.
    pub frames: u16,
}

/// A loop of these stations, with the actions of their nodes.
#[derive(Clone, Debug)]
pub struct Case {
    pub network: LoopParameters,
    pub stations: Vec<LoopStation>,
    pub processing: Span,
    pub jobs: Vec<Job>,
}

/// A loop with words of this length.
pub fn loop_of(word: Span) -> LoopParameters {
    let keys = "speed = \"2GFC\"\nstations = [\"all\"]";
    let parameters = LoopParameters::from_toml(keys, &Facts::default()).expect("keys of a loop");
    LoopParameters { word_time: Some(word), ..parameters }
}

/// A delay of this number of words of the length `word`.
pub fn words(count: u64, word: Span) -> Delay {
    Delay { span: word * count, in_words: true }
}

pub fn station(rank: usize, word: Span) -> LoopStation {
    let port = PortParameters::from_toml("incoming_buffers = 2", &Facts::default().with_fact(WordTime(word)))
        .expect("keys of a port");
    LoopStation {
        al_pa: AlPa::from_priority_rank(rank).expect("rank"),
        schedule: ArbitrationSchedule::FAIR,
        port: PortParameters { delay: words(6, word), ..port },
        initiates: rank == 0,
        hears_ends: true,
        shares_port: false,
        switch: 0,
    }
}

/// Runs the jobs to the end, or for `limit` events.
pub fn run(
    network: &LoopParameters,
    stations: &[LoopStation],
    processing: Span,
    jobs: &[Job],
    model: LoopModel,
    limit: u64,
) -> Record {
    run_on(&mut ArbitratedLoop::new(network, stations, model), stations, (processing, true), jobs, limit)
}

/// Runs the jobs without an observer, so that circuits may be cached, and counts the cached circuits.
pub fn run_unseen(
    network: &LoopParameters,
    stations: &[LoopStation],
    processing: Span,
    jobs: &[Job],
    limit: u64,
) -> (Record, CircuitCounts) {
    let mut on = ArbitratedLoop::new(network, stations, LoopModel::Fast);
    let record = run_on(&mut on, stations, (processing, false), jobs, limit);
    (record, on.cached_circuits())
}

/// A switch with words of this length.
pub fn switch_of(word: Span, keys: &str) -> LoopSwitchParameters {
    let keys = format!("speed = \"2GFC\"\nstations = [\"all\"]\n{keys}");
    let context = Facts::default().with_fact(WordTime(word));
    let parameters = LoopSwitchParameters::from_toml(&keys, &context).expect("keys of a switch");
    LoopSwitchParameters { on: LoopParameters { word_time: Some(word), ..parameters.on }, ..parameters }
}

/// Runs the jobs on a switch.
pub fn run_switch(
    network: &LoopSwitchParameters,
    stations: &[LoopStation],
    processing: Span,
    jobs: &[Job],
    model: LoopModel,
    limit: u64,
) -> Record {
    run_on(&mut LoopSwitch::new(network, stations, model), stations, (processing, true), jobs, limit)
}

/// Runs the jobs on any network.
pub fn run_on(
    al: &mut impl Network,
    stations: &[LoopStation],
    how: (Span, bool),
    jobs: &[Job],
    limit: u64,
) -> Record {
    run_changing(al, stations, how, (jobs, &[]), limit)
}

/// Runs the jobs on a network that changes at some times.
pub fn run_changing(
    al: &mut impl Network,
    stations: &[LoopStation],
    (processing, sees_steps): (Span, bool),
    (jobs, changes): (&[Job], &[(Time, Change)]),
    limit: u64,
) -> Record {
    let mut calendar: Calendar<Event> = Calendar::new();
    for (number, &(at, change)) in changes.iter().enumerate() {
        let order = Order { priority: 0, rank: 0, unit: number as u32 };
        // A change comes before all else at its time, as events of a scenario do.
        calendar.schedule(at, order, Event::Change(change));
    }
    let mut record = Record::default();
    let mut upcalls = Vec::new();
    for (number, job) in jobs.iter().enumerate() {
        let frame = Frame::from(Pdu {
            tag: RequestTag(number as u32),
            kind: if job.command { PduKind::Command } else { PduKind::Data },
            source: stations[job.from].al_pa.address(),
            destination: stations[job.to].al_pa.address(),
            payload_bytes: job.payload.into(),
            ..Pdu::example()
        });
        for later in 0..job.frames {
            let ends = later + 1 == job.frames;
            let frame = Frame::from(Pdu {
                last_of_unit: ends,
                last_of_data: ends,
                ..*frame.frame_later_in_sequence(later.into())
            });
            let unit = 1 + 16 * number as u32 + u32::from(later);
            let order = Order { priority: NODE_PRIORITY, rank: job.from as u16, unit };
            calendar.schedule(job.at, order, Event::Enqueue(job.from, frame));
        }
    }
    while let Some((now, event)) = calendar.pop() {
        record.events += 1;
        record.ended = now;
        if record.events > limit {
            return record;
        }
        let mut around =
            Around { calendar: &mut calendar, upcalls: &mut upcalls, record: &mut record, sees_steps };
        match event {
            Event::Change(change) => {
                let works_at = al.change(now, change, &mut around);
                around.record.works_at.push(works_at);
            }
            Event::Loop(port, event) => al.handle(now, port, event, &mut around),
            Event::Enqueue(port, frame) => al.enqueue(now, port, frame, &mut around),
            Event::Freed(port) => al.buffer_freed(now, port, &mut around),
        }
        for (port, upcall) in upcalls.drain(..) {
            record.upcalls.push((now, port, upcall));
            match upcall {
                PortEvent::Received(frame) => {
                    record.received.push((now, port, frame));
                    let order = Order { priority: NODE_PRIORITY, rank: port as u16, unit: 0 };
                    calendar.schedule(now + processing, order, Event::Freed(port));
                }
                PortEvent::Started(frame) => record.sent.push((now, port, frame)),
                PortEvent::Lost(frame) => record.lost.push((now, port, frame)),
                _ => {}
            }
        }
    }
    record.quiet = al.is_quiet();
    // Some inputs are announced ahead of their slot; within a slot, arrivals are sorted first.
    let sends =
        |what: &Observation| !matches!(what, Observation::ReceivedFill(_) | Observation::ReceivedItem(_));
    record.observations.sort_by_key(|(time, port, what)| (*time, *port, sends(what)));
    record
}
