//! An arbitrated loop as a component: a port for every station. The words of the loop never leave the
//! component.

pub mod burst;
pub(crate) mod catalogue;
mod changes;
mod contract;
pub(crate) mod usage;

use crate::demand;
use crate::frames::{FRAME_KINDS, kind_index};
use crate::stations::{AttachedPort, loop_model, loop_stations};
use catalogue::{CATALOGUE, figure, gauge, meter, segment};
use changes::LoopNodes;
use sansim_component::context::{HoldMode, UnitStep};
use sansim_component::demand::{self as needs, Demand, RequestClass};
use sansim_component::incident_log::{IncidentKind, IncidentSubject};
use sansim_component::network::NetworkPortRole;
use sansim_component::{
    Action, BuildContext, Component, Context, EventTurn, KeysAround, LeftoverFindings, Message, NetworkRole,
    ObservableKind, Timer,
};
use sansim_fc::address::FcAddress;
use sansim_fc::arbitrated_loop::fast::circuit_cache::CircuitCounts;
use sansim_fc::arbitrated_loop::word_loss::DamagedWords;
use sansim_fc::arbitrated_loop::{
    ArbitratedLoop, CircuitStep, LoopEvent, LoopHost, LoopModel, LoopParameters, LoopStation, PortEvent,
};
use sansim_fc::class_2::ServiceClass;
use sansim_fc::frame::{Frame, PduKind, RequestTag};
use sansim_fc::loop_port::QueueWait;
use sansim_fc::observation::Observation;
use sansim_kernel::{Order, Span, Time, Total};
use sansim_request::RequestId;
use sansim_schema::catalogue::Catalogue;
use usage::{Initialisations, LoopUse, OnWire};

/// The counts of frames and data, which must balance, kept over the whole run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Balance {
    /// The number of frames that left a port, by kind.
    pub(crate) sent: [u64; FRAME_KINDS.len()],
    /// The number of frames that arrived in a buffer, by kind.
    pub(crate) received: [u64; FRAME_KINDS.len()],
    /// The number of frames that were lost, by kind; only loops that change or damage words lose frames.
    pub(crate) lost: [u64; FRAME_KINDS.len()],
    /// The number of data bytes that left a port, and the number that arrived.
    pub(crate) data: [u64; 2],
}

impl Balance {
    pub(crate) fn leftovers(self, leftovers: &mut LeftoverFindings) {
        let Balance { sent, received, lost, data } = self;
        for (number, kind) in FRAME_KINDS.iter().enumerate() {
            let ended = received[number] + lost[number];
            leftovers.check_equal(kind, ("sent", sent[number]), ("received or lost", ended));
        }
        leftovers.check_equal("bytes of data", ("sent", data[0]), ("received or lost", data[1]));
    }
}

/// An arbitrated loop as a component.
#[derive(Clone, Debug)]
pub struct LoopNetwork {
    arbitrated_loop: ArbitratedLoop,
    stations: Vec<LoopStation>,
    account: Account,
}

/// The records of the traffic on the loop.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) word: Span,
    pub(crate) balance: Balance,
    pub(crate) usage: LoopUse,
    /// The frames between their first word at the sender and their last word at the receiver.
    pub(crate) wire: OnWire,
    /// The initialisations.
    pub(crate) initialising: Initialisations,
    nodes: LoopNodes,
}

/// The loop's view of the rest of the system.
pub struct LoopContext<'a, 'b> {
    cx: &'a mut Context<'b>,
    account: &'a mut Account,
}

/// The kinds of a loop's timers, by event.
pub(crate) mod what {
    pub const FILL: u8 = 0;
    pub const ITEM: u8 = 1;
    pub const FRAME_END: u8 = 2;
    pub const SLOT: u8 = 3;
    /// The event is a step of a cached circuit, in place of an ordinary event.
    pub const KNOWN: u8 = 4;
    /// E_D_TOV of a port may be over.
    pub const TIME_OUT: u8 = 15;
    /// A step of an initialisation is to be shown.
    pub const INITIALISATION: u8 = 16;
    /// The other ports miss a port that has left.
    pub const MISSED: u8 = 17;
    /// A port that has left notices it.
    pub const LINK_FAILED: u8 = 18;
}

impl LoopHost for LoopContext<'_, '_> {
    // The kind of event is a constant in each branch, so its order needs no further branch.
    #[inline(always)]
    fn schedule(&mut self, at: Time, port: usize, event: LoopEvent) {
        let Order { priority, unit, .. } = event.event_order(0);
        let (what, number) = match event {
            LoopEvent::Fill => (what::FILL, 0),
            LoopEvent::Item(id) => (what::ITEM, id),
            LoopEvent::FrameEnd(id) => (what::FRAME_END, id),
            LoopEvent::Slot => (what::SLOT, 0),
            LoopEvent::Known(step, number) => (what::KNOWN + step as u8, number),
            LoopEvent::Initialisation(number) => (what::INITIALISATION, number),
            LoopEvent::TimeOut => (what::TIME_OUT, 0),
        };
        self.wake(at, EventTurn { priority, unit }, Timer { what, place: port as u16, number });
    }

    #[inline]
    fn upcall(&mut self, _now: Time, port: usize, upcall: PortEvent) {
        self.account.carry_out(self.cx, port as u16, upcall);
    }

    #[inline]
    fn observe(&mut self, now: Time, port: usize, what: impl FnOnce() -> Observation) {
        if self.cx.wanted_sights().ports {
            self.cx.report_observation(now, ObservableKind::Port(port as u16, what().into()));
        }
    }

    #[inline]
    fn observe_repeated(&mut self, now: Time, port: usize, what: impl FnOnce() -> Observation) {
        if self.cx.wanted_sights().repeaters {
            self.cx.report_observation(now, ObservableKind::Repeater(port as u16, what().into()));
        }
    }

    #[inline]
    fn sees_steps(&self) -> bool {
        self.cx.wanted_sights().ports || self.cx.wanted_sights().repeaters
    }

    #[inline]
    fn has_passed(&self, order: Order) -> bool {
        let Order { priority, rank, unit } = order;
        self.cx.event_has_passed(EventTurn { priority, unit }, rank)
    }
}

impl LoopContext<'_, '_> {
    #[inline(never)]
    fn wake(&mut self, at: Time, turn: EventTurn, timer: Timer) {
        self.cx.set_timer(at, turn, timer);
    }
}

impl LoopNetwork {
    /// A quiet loop with these stations, in downstream order. The ports of the component are joined to the nodes
    /// in the same order.
    pub fn new(parameters: &LoopParameters, stations: &[LoopStation], model: LoopModel) -> Self {
        Self {
            arbitrated_loop: ArbitratedLoop::new(parameters, stations, model),
            stations: stations.to_vec(),
            account: Account::new(parameters.word_time()),
        }
    }

    /// The model of the loop itself.
    pub fn loop_model(&self) -> &ArbitratedLoop {
        &self.arbitrated_loop
    }

    /// Brings the ports of the loop to the present, because their state is to be read. The events of this instant that are before
    /// this place in the order of all events have passed.
    pub fn catch_up_ports(&mut self, cx: &mut Context<'_>, place: Order) {
        let first = cx.first_event_rank();
        let has_passed = |order: Order| Order { rank: first + order.rank, ..order } < place;
        self.react(cx, |arbitrated_loop, now, around| {
            arbitrated_loop.leave_cached_circuit(now, has_passed, around);
        });
    }

    /// The number of circuits of the loop that ran from the cache.
    pub fn cached_circuits(&self) -> CircuitCounts {
        self.arbitrated_loop.cached_circuits()
    }

    /// Counts a frame as sent that never was, so that tests can check that the error is found.
    #[doc(hidden)]
    pub fn lose_frame_for_test(&mut self) {
        self.account.balance.sent[kind_index(PduKind::Data)] += 1;
    }

    /// Gives the loop an input and carries out its effects.
    #[inline]
    fn react(
        &mut self,
        cx: &mut Context<'_>,
        input: impl FnOnce(&mut ArbitratedLoop, Time, &mut LoopContext<'_, '_>),
    ) {
        let now = cx.now;
        input(&mut self.arbitrated_loop, now, &mut LoopContext { cx, account: &mut self.account });
    }
}

impl Account {
    pub(crate) fn new(word: Span) -> Self {
        let (balance, usage, wire) = (Balance::default(), LoopUse::default(), OnWire::default());
        let (initialising, nodes) = (Initialisations::default(), LoopNodes::default());
        Self { word, balance, usage, wire, initialising, nodes }
    }

    /// Notifies the nodes and the ledgers.
    #[inline(never)]
    pub(crate) fn carry_out(&mut self, cx: &mut Context<'_>, port: u16, upcall: PortEvent) {
        match upcall {
            PortEvent::Received(frame) => {
                self.balance.received[kind_index(frame.kind)] += 1;
                if frame.kind == PduKind::Data {
                    self.balance.data[1] += u64::from(frame.payload_bytes);
                }
                self.wire.ends(cx.now);
                let request = request_of(frame.tag);
                if frame.kind.belongs_to_request() {
                    let arrives = UnitStep::Arrives { wire: segment::WIRE, queue: segment::QUEUE };
                    cx.ledger().advance_unit(request, arrives);
                }
                if frame.class_2 {
                    // The record of the request is kept until the ACK of the frame has arrived.
                    cx.keep_record(request);
                }
                cx.send(port, Message::Received(frame.pdu));
            }
            PortEvent::Started(frame) => {
                self.count_sent(cx.now, &frame);
                if frame.kind.belongs_to_request() {
                    cx.ledger().advance_unit(request_of(frame.tag), UnitStep::Leaves);
                }
                if frame.kind == PduKind::Data {
                    cx.send(port, Message::Left(frame.pdu));
                    if !frame.last_of_unit {
                        cx.lookahead().may_begin_burst(port);
                    }
                }
            }
            PortEvent::Sent(frame) => cx.send(port, Message::Sent(frame.pdu)),
            PortEvent::Acknowledged(frame) => {
                self.balance.received[kind_index(frame.kind)] += 1;
                self.wire.ends(cx.now);
                cx.release_record(request_of(frame.tag));
            }
            PortEvent::InCircuit => cx.lookahead().circuit_entered(port),
            PortEvent::Lost(frame) => self.frame_lost(cx, &frame),
            PortEvent::Initialised => self.port_initialised(cx, port),
            PortEvent::Initialises(works_at) => {
                self.usage.stops(cx.now);
                self.initialising.begins(cx.now, works_at);
                cx.failures().report_incident(
                    IncidentKind::LoopInitialisation,
                    works_at,
                    IncidentSubject::Itself,
                );
            }
            PortEvent::CircuitEnded => cx.send(port, Message::CircuitEnded),
            PortEvent::Waits(tag, waiting) => wait(cx, request_of(tag), waiting),
            PortEvent::Owns(true) => self.usage.owner_begins(cx.now),
            PortEvent::Owns(false) => self.usage.owner_ends(cx.now),
        }
    }

    fn count_sent(&mut self, now: Time, frame: &Frame) {
        self.balance.sent[kind_index(frame.kind)] += 1;
        if frame.kind == PduKind::Data {
            self.balance.data[0] += u64::from(frame.payload_bytes);
        }
        self.usage.frame_begins(now, self.word * frame.length_in_words());
        self.wire.begins(now);
    }
}

/// The event of the loop that belongs to a timer.
#[inline]
pub(crate) fn event_of(timer: Timer) -> LoopEvent {
    match timer.what {
        what::FILL => LoopEvent::Fill,
        what::ITEM => LoopEvent::Item(timer.number),
        what::FRAME_END => LoopEvent::FrameEnd(timer.number),
        what::SLOT => LoopEvent::Slot,
        what::INITIALISATION => LoopEvent::Initialisation(timer.number),
        what::TIME_OUT => LoopEvent::TimeOut,
        known => CircuitStep::from_number(known.wrapping_sub(what::KNOWN))
            .map_or(LoopEvent::Slot, |step| LoopEvent::Known(step, timer.number)),
    }
}

fn request_of(tag: RequestTag) -> RequestId {
    RequestId(tag.0)
}

fn wait(cx: &mut Context<'_>, request: RequestId, waiting: QueueWait) {
    match waiting {
        QueueWait::AccessWindow => cx.ledger().enter_segment(request, segment::ACCESS_WINDOW),
        QueueWait::Loop => cx.ledger().enter_segment(request, segment::LOOP),
        QueueWait::Destination => cx.ledger().enter_segment(request, segment::DESTINATION),
        QueueWait::Credit => cx.ledger().enter_segment(request, segment::CREDIT),
        QueueWait::Wire => cx.ledger().enter_segment(request, segment::WIRE),
        QueueWait::Held => cx.ledger().hold_in_segment(request, segment::CIRCUIT_HELD, HoldMode::ForData),
        QueueWait::Gathering => cx.ledger().enter_segment(request, segment::QUEUE),
    }
}

impl Component for LoopNetwork {
    type Parameters = LoopParameters;
    type Role = NetworkRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        parameters: &LoopParameters,
        class: &RequestClass,
        around: &needs::DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, class, around))
    }

    fn build(parameters: &LoopParameters, cx: &BuildContext<'_, NetworkRole>) -> Self {
        let mut private = Self::new(parameters, &loop_stations(&cx.nodes, |_| 0), loop_model(cx.model));
        if parameters.class == ServiceClass::Class2 {
            private.arbitrated_loop = private.arbitrated_loop.with_class_2(&parameters.class_2);
        }
        if parameters.word_loss > 0.0 {
            let seed = cx.random_stream("word loss").next_u64();
            let words = DamagedWords::with_probability(parameters.word_loss, seed);
            private.arbitrated_loop = private.arbitrated_loop.with_damaged_words(words);
        }
        private.account.nodes = LoopNodes::new(cx.nodes.iter().map(AttachedPort::of).collect());
        match cx.nodes.iter().find(|node| node.side == NetworkPortRole::Crossing) {
            Some(crossing) => Self {
                arbitrated_loop: private.arbitrated_loop.at_fabric(crossing.address.area()),
                ..private
            },
            None => private,
        }
    }

    #[inline(always)]
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        if timer.what > what::INITIALISATION {
            self.noticed(cx, timer);
            return;
        }
        let event = event_of(timer);
        let port = usize::from(timer.place);
        self.react(cx, |arbitrated_loop, now, around| arbitrated_loop.handle(now, port, event, around));
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        let port = usize::from(port);
        match message {
            Message::Send(frame) => self.react(cx, |arbitrated_loop, now, around| {
                arbitrated_loop.enqueue(now, port, frame.into(), around);
                if frame.is_within_unit() && arbitrated_loop.follows_another(port) {
                    around.cx.lookahead().may_begin_burst(port as u16);
                }
            }),
            Message::BufferFreed => {
                self.react(cx, |arbitrated_loop, now, around| {
                    arbitrated_loop.buffer_freed(now, port, around);
                });
            }
            Message::SequenceEnds(tag) => {
                self.react(cx, |arbitrated_loop, now, around| {
                    arbitrated_loop.sequence_ends(now, port, tag, around);
                });
            }
            _ => {}
        }
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        if let Action::Network(change) = action {
            self.loop_changes(cx, change);
        }
    }

    /// Cables, or schedules of ports, change.
    fn change(&mut self, cx: &mut Context<'_>, parameters: &LoopParameters, around: &KeysAround<'_>) {
        self.stations_change(cx, parameters, around.ports);
    }

    fn places(&self) -> u16 {
        self.arbitrated_loop.ports().len() as u16
    }

    fn gauge(&self, now: Time, gauge: usize, place: u16) -> u32 {
        let port = &self.arbitrated_loop.ports()[usize::from(place)];
        match gauge {
            gauge::PORT_QUEUE => port.queued_frames() as u32,
            gauge::BUFFERS => port.occupied_buffers(),
            gauge::CREDIT => port.credit(now),
            _ => 0,
        }
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.account.wire.total(now)
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let used = self.account.usage.until(now);
        match meter {
            meter::OWNED => used.owned.into(),
            meter::CARRYING => used.carrying.into(),
            meter::BOTH_WAYS => used.both_ways.into(),
            meter::TENANCIES => Total(used.tenancies.into()),
            meter::INITIALISATIONS => Total(self.account.initialising.count.into()),
            meter::INITIALISING => self.account.initialising.until(now).into(),
            meter::LOST => Total(self.account.balance.lost.iter().sum::<u64>().into()),
            _ => Total(used.frame_count.into()),
        }
    }

    fn constant(&self, figure: usize) -> f64 {
        match figure {
            figure::ROUND_TRIP => self.arbitrated_loop.round_trip_time().as_ns_f64(),
            _ => self.arbitrated_loop.ports().len() as f64,
        }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        self.account.balance.leftovers(leftovers);
        leftovers.check_zero("words left", self.arbitrated_loop.items_in_flight() as u64);
        let queued: usize = self.arbitrated_loop.ports().iter().map(|port| port.queued_frames()).sum();
        leftovers.check_zero("frames left in the queues of ports", queued as u64);
        let unanswered: usize =
            self.arbitrated_loop.ports().iter().map(|port| port.unanswered_frames()).sum();
        leftovers.check_zero("end-to-end credit that has not come back", unanswered as u64);
    }
}
