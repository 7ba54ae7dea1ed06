//! A fabric as a component: its switches, its links, and a port for every node. Frames travel inside the component; the rules of a
//! port are in `sansim_fc::link`, the rules of a switch in `sansim_fabric`.
//!
//! Longer than 500 lines: the component forwards every call of the contract to one model.

mod catalogue;
mod changes;
pub(crate) mod contract;
mod culprits;
mod demand;
mod distance;
mod gateways;
mod journeys;
mod links;
mod segments;
pub mod unnotified;

use crate::frames::{FRAME_KINDS, frame_index};
use crate::stations::{AttachedPort, fc_port_keys};
use catalogue::{CATALOGUE, PLACE_METERS, figure, gauge, meter, place_meter};
use gateways::WriteGateways;
use journeys::{FrameJourneys, OtherFrames};
use sansim_component::component_kind::NetworkPortRole;
use sansim_component::context::UnitStep;
use sansim_component::demand::{Demand, DemandContext as Needed, RequestClass};
use sansim_component::incident_log::{IncidentKind, IncidentSubject};
use sansim_component::{
    Action, BuildContext, Component, Context, EventTurn, KeysAround, LeftoverFindings, Message, NetworkNode,
    NetworkRole, ObservableKind, PortKeys, Timer,
};
use sansim_fabric::class_2::ServiceClass;
use sansim_fabric::engine::probes::{FrameInFlight, FrameStage, PortObservation};
use sansim_fabric::engine::{FabricEvent, FrameWait, NodeEvent};
use sansim_fabric::{FabricHost, FabricLayout, FabricParameters, NodeSpec};
use sansim_fc::frame::{Frame, PduKind, RequestTag};
use sansim_kernel::{Time, Total};
use sansim_pdu::{Address, PortSight};
use sansim_request::{LossCause, RequestId};
use sansim_schema::catalogue::{Catalogue, PlaceMeter};
use segments::SwitchStage;

/// The specification of a node for the layout of a fabric, with its name in `stations`.
fn spec<'a>(station: &'a str, keys: &PortKeys) -> NodeSpec<'a> {
    let port = &fc_port_keys(keys).port;
    NodeSpec { station, buffers: port.incoming_buffers, cable: port.cable }
}

/// The specifications of the nodes of all stations.
fn specs(nodes: &[NetworkNode]) -> Vec<NodeSpec<'_>> {
    nodes.iter().map(|node| spec(&node.listed, &node.port)).collect()
}

/// The groups to which nodes send: the address of each, and its members.
fn groups(nodes: &[NetworkNode]) -> Vec<(Address, Vec<u16>)> {
    let number = |address: &Address| nodes.iter().position(|node| node.address == *address);
    let members = |all: &Vec<Address>| all.iter().filter_map(number).map(|node| node as u16).collect();
    nodes.iter().filter_map(|node| node.group.as_ref().map(|(group, all)| (*group, members(all)))).collect()
}

/// A fabric as a component.
#[derive(Clone, Debug)]
pub struct FabricNetwork {
    fabric: sansim_fabric::Fabric,
    balance: Balance,
    /// Whether each node is a port to another network.
    crossings: Vec<bool>,
    /// The nodes, as the others know them.
    attached: Vec<AttachedPort>,
    journeys: FrameJourneys,
    /// The names of the stations of the nodes.
    stations: Vec<String>,
    ways: Ways,
    /// The gateways of the link that accelerates writes; they are nodes behind those of the stations.
    gateways: Option<Box<WriteGateways>>,
}

/// The number of frames that have arrived, without data and with data, and the time for which they were in flight
/// in all.
#[derive(Clone, Copy, Debug, Default)]
struct Ways {
    frames: [u64; 2],
    lasted: [Total; 2],
}

/// The frames of each kind, and bytes of data, that left nodes, arrived, and were lost.
#[derive(Clone, Debug, Default)]
struct Balance {
    sent: [u64; FRAME_KINDS.len()],
    received: [u64; FRAME_KINDS.len()],
    lost: [u64; FRAME_KINDS.len()],
    /// The data bytes that left nodes, and the data bytes that arrived or were lost.
    data: [u64; 2],
}

impl Balance {
    /// The first word of a frame has left its node.
    #[inline]
    fn leaves(&mut self, frame: &Frame) {
        self.sent[frame_index(frame)] += 1;
        self.data[0] += data_bytes(frame);
    }

    /// The last word of a frame has arrived at its node.
    #[inline]
    fn arrives(&mut self, frame: &Frame) {
        self.received[frame_index(frame)] += 1;
        self.data[1] += data_bytes(frame);
    }
}

/// The kinds of a fabric's timers, by event.
mod what {
    pub const HEADER: u8 = 0;
    pub const ARRIVED: u8 = 1;
    pub const LEFT: u8 = 2;
    pub const ROUTE: u8 = 3;
    pub const SEND: u8 = 4;
    pub const MARK: u8 = 5;
    pub const EXPIRE: u8 = 6;
    pub const OVERDUE: u8 = 7;
    pub const HEARS: u8 = 8;
    pub const OFFLINE: u8 = 9;
    pub const TIME_OUT: u8 = 10;
    pub const DRAINED: u8 = 11;
    pub const LOOK: u8 = 12;
    pub const DAMAGED: u8 = 13;
}

/// The fabric's view of the rest of the system.
struct Around<'a, 'b> {
    cx: &'a mut Context<'b>,
    balance: &'a mut Balance,
    crossings: &'a [bool],
    journeys: &'a mut FrameJourneys,
    ways: &'a mut Ways,
    gateways: &'a mut Option<Box<WriteGateways>>,
}

fn request_of(tag: RequestTag) -> RequestId {
    RequestId(tag.0)
}

/// The event of the fabric that belongs to a timer.
fn event_of(timer: Timer) -> FabricEvent {
    match timer.what {
        what::HEADER => FabricEvent::Header(timer.number),
        what::ARRIVED => FabricEvent::Arrived(timer.number),
        what::LEFT => FabricEvent::Left(timer.number),
        what::ROUTE => FabricEvent::Route(timer.number),
        what::MARK => FabricEvent::Mark(timer.number),
        what::EXPIRE => FabricEvent::Expire(timer.number),
        what::OVERDUE => FabricEvent::Overdue(timer.number as u16),
        what::HEARS => FabricEvent::Hears(timer.number),
        what::OFFLINE => FabricEvent::Offline(timer.number),
        what::TIME_OUT => FabricEvent::TimeOut(timer.number),
        what::DRAINED => FabricEvent::Drained(timer.number as u16),
        what::LOOK => FabricEvent::Look(timer.number),
        what::DAMAGED => FabricEvent::Damaged(timer.number as u16),
        _ => FabricEvent::Send(timer.number),
    }
}

impl FabricHost for Around<'_, '_> {
    #[inline]
    fn schedule(&mut self, at: Time, event: FabricEvent, unit: u32) {
        let (what, number) = match event {
            FabricEvent::Header(held) => (what::HEADER, held),
            FabricEvent::Arrived(held) => (what::ARRIVED, held),
            FabricEvent::Left(port) => (what::LEFT, port),
            FabricEvent::Route(switch) => (what::ROUTE, switch),
            FabricEvent::Send(port) => (what::SEND, port),
            FabricEvent::Mark(port) => (what::MARK, port),
            FabricEvent::Expire(port) => (what::EXPIRE, port),
            FabricEvent::Overdue(node) => (what::OVERDUE, node.into()),
            FabricEvent::Hears(port) => (what::HEARS, port),
            FabricEvent::Offline(port) => (what::OFFLINE, port),
            FabricEvent::TimeOut(port) => (what::TIME_OUT, port),
            FabricEvent::Drained(node) => (what::DRAINED, node.into()),
            FabricEvent::Look(port) => (what::LOOK, port),
            FabricEvent::Damaged(node) => (what::DAMAGED, node.into()),
        };
        self.cx.set_timer(
            at,
            EventTurn { priority: event.priority(), unit },
            Timer { what, place: 0, number },
        );
    }

    /// A fabric has no circuits, so only the end of a node's data matters, and to a port to another network the end of each frame. Observers
    /// of gauges read them when a frame has left. The numbers of the controllers of switches follow those of the nodes.
    #[inline]
    fn notices_sent(&self, node: u16, frame: &Frame) -> bool {
        let crosses = self.crossings.get(usize::from(node)).is_some_and(|&crosses| crosses);
        frame.last_of_data || crosses || self.cx.wanted_sights().gauges
    }

    #[cold]
    fn is_quarantined(&mut self, node: u16) {
        let now = self.cx.now;
        self.cx.failures().report_incident(IncidentKind::Quarantine, now, IncidentSubject::Node(node));
    }

    #[inline]
    fn observes(&self) -> bool {
        let wanted = self.cx.wanted_sights();
        wanted.gauges || wanted.ports || wanted.requests
    }

    #[inline]
    fn coming(&mut self, at: Time, node: u16, frame: &Frame) {
        if self.cx.wanted_sights().ports && !self.is_gateway(node) {
            self.cx.report_observation(at, ObservableKind::Port(node, PortSight::Received((*frame).into())));
        }
    }

    fn stage(&mut self, now: Time, traveller: &FrameInFlight<'_>, stage: FrameStage) {
        let &FrameInFlight { journey, hop, frame } = traveller;
        let (request, cx, ways) = (frame.tag.0, &mut *self.cx, &mut *self.journeys);
        let id = request_of(frame.tag);
        let segment = match stage {
            FrameStage::Leaves { last } => {
                let segment = if last {
                    segments::last_link_segment(frame)
                } else {
                    segments::at(frame, hop + 1, SwitchStage::Link)
                };
                if hop == 0 {
                    if ways.frame_left_node(now, request, journey, segment) {
                        cx.ledger().enter_segment(id, segment);
                    }
                    return;
                }
                segment
            }
            FrameStage::Header => segments::at(frame, hop, SwitchStage::Routing),
            FrameStage::Routed(_) | FrameStage::BehindOthers => segments::at(frame, hop, SwitchStage::Output),
            FrameStage::Served { came, ready } => {
                let output = segments::at(frame, hop, SwitchStage::Output);
                let link = ways.frame_segment(journey);
                if let Some(since) = ways.frame_served(now, request, journey, output) {
                    let routing = segments::at(frame, hop, SwitchStage::Routing);
                    cx.ledger().reattribute_time(id, link, routing, now.saturating_since(came.max(since)));
                    cx.ledger().enter_segment(id, output);
                }
                if ready > now {
                    ways.switch_works_until(journey, ready);
                }
                return;
            }
            FrameStage::WithoutCredit => segments::credit_wait_segment(frame),
            FrameStage::Over { received } => {
                if received {
                    let class = usize::from(frame.kind == PduKind::Data);
                    self.ways.frames[class] += 1;
                    self.ways.lasted[class] += self.journeys.time_in_flight(now, journey);
                    self.journeys.frame_arrived(journey, frame);
                }
                self.journey_ends(now, traveller);
                return;
            }
        };
        // While the switch still worked on the frame, the frame did not yet wait for its output.
        let worked = ways.switch_work_time(now, request, journey);
        if !worked.is_zero() {
            cx.ledger().reattribute_time(
                id,
                ways.frame_segment(journey),
                segments::at(frame, hop, SwitchStage::Routing),
                worked,
            );
        }
        if ways.frame_advanced(now, request, journey, segment) {
            cx.ledger().enter_segment(id, segment);
        }
        if let FrameStage::Routed(until) = stage
            && until > now
        {
            ways.switch_works_until(journey, until);
        }
    }

    fn is_stuck(&mut self) {
        self.cx.failures().stop_run_with_fault();
    }

    fn at_port(&mut self, at: Time, place: u16, what: PortObservation) {
        if self.cx.wanted_sights().ports {
            let sight = match what {
                PortObservation::Sent(frame) => ObservableKind::Port(place, PortSight::Sent(frame.into())),
                PortObservation::Received(frame) => {
                    ObservableKind::Port(place, PortSight::Received(frame.into()))
                }
                PortObservation::Buffered(buffer, frame) => {
                    ObservableKind::Buffered(place, buffer, frame.into())
                }
                PortObservation::Freed(buffer) => ObservableKind::Freed(place, buffer),
            };
            self.cx.report_observation(at, sight);
        }
    }

    #[inline]
    fn changed(&mut self, place: u16) {
        if self.cx.wanted_sights().gauges {
            self.cx.report_observation(self.cx.now, ObservableKind::Changed(place));
        }
    }

    fn upcall(&mut self, now: Time, node: u16, upcall: NodeEvent) {
        let cx = &mut *self.cx;
        match upcall {
            NodeEvent::Started(frame) => {
                self.leaves(now, node, &frame);
                if frame.kind == PduKind::Data && usize::from(node) < self.crossings.len() {
                    self.cx.send(node, Message::Left(frame.pdu));
                }
            }
            NodeEvent::StartedBefore(frame, next) => {
                self.leaves(now, node, &frame);
                self.cx.requests().units_queued(request_of(next), 1);
            }
            NodeEvent::Sent(frame) => {
                let Some(&crosses) = self.crossings.get(usize::from(node)) else { return };
                // A fabric has no circuits; an adapter that waits for the end of a circuit need not wait.
                if crosses {
                    cx.send(node, Message::Sent(frame.pdu));
                } else if frame.last_of_data {
                    cx.send(node, Message::Sent(frame.pdu));
                    cx.send(node, Message::CircuitEnded);
                }
            }
            NodeEvent::Received(frame) => {
                self.balance.arrives(&frame);
                let is_outdated = self.journeys.is_outdated();
                let Some(&crosses) = self.crossings.get(usize::from(node)) else {
                    if let Some(gateways) = self.gateways {
                        gateways.arrives(node, frame, is_outdated);
                    }
                    return;
                };
                if frame.class_2 {
                    // The record of the request is kept until the ACK of the frame has arrived.
                    cx.keep_record(request_of(frame.tag));
                }
                if is_outdated && !crosses {
                    cx.send(node, Message::Outdated(frame.pdu));
                } else {
                    cx.send(node, Message::Received(frame.pdu));
                }
            }
            NodeEvent::Accepted(frame) => {
                self.balance.arrives(&frame);
                let request = request_of(frame.tag);
                self.cx.ledger().advance_unit(request, UnitStep::Taken);
                self.cx.ledger().advance_unit(request, UnitStep::AllIn);
            }
            NodeEvent::Taken(frame) => {
                self.balance.received[frame_index(&frame)] += 1;
                cx.release_record(request_of(frame.tag));
            }
            NodeEvent::Copied(frame) => {
                // Each copy arrives, or is lost, as a frame that a node sent.
                self.balance.sent[frame_index(&frame)] += 1;
                self.balance.data[0] += data_bytes(&frame);
                cx.keep_record(request_of(frame.tag));
            }
            NodeEvent::Refused(frame) => {
                self.balance.sent[frame_index(&frame)] += 1;
                cx.keep_record(request_of(frame.tag));
            }
            NodeEvent::Lost(frame) => {
                self.balance.lost[frame_index(&frame)] += 1;
                self.balance.data[1] += data_bytes(&frame);
                let request = request_of(frame.tag);
                if !frame.kind.belongs_to_request() {
                    cx.release_record(request);
                    return;
                }
                cx.ledger().advance_unit(request, UnitStep::Taken);
                cx.failures().lose_request(request, LossCause::FrameLost);
                cx.ledger().locate_request(request, segments::LOST);
            }
            // The frames of a request may wait at its node and at a gateway; those at a gateway are in the segment of the gateway.
            NodeEvent::Waits(..) if self.gateways.is_some() && usize::from(node) >= self.crossings.len() => {}
            NodeEvent::Waits(tag, FrameWait::Credit) => {
                if self.journeys.credit_wait_begins(tag.0) {
                    cx.ledger().enter_segment(request_of(tag), segments::CREDIT);
                }
            }
            NodeEvent::Noticed(notice) => {
                // A port between networks has no driver that reacts.
                if self.crossings.get(usize::from(node)) == Some(&false) {
                    cx.send(node, Message::Noticed(notice));
                }
            }
            NodeEvent::Waits(tag, FrameWait::Way) => self.journeys.credit_wait_ends(tag.0),
        }
    }
}

impl Around<'_, '_> {
    /// The first word of a frame has left a node.
    #[inline]
    fn leaves(&mut self, now: Time, node: u16, frame: &Frame) {
        self.balance.leaves(frame);
        if frame.kind.belongs_to_request() {
            self.cx.ledger().advance_unit(request_of(frame.tag), UnitStep::Leaves);
        }
        if self.cx.wanted_sights().ports && !self.is_gateway(node) {
            self.cx.report_observation(now, ObservableKind::Port(node, PortSight::Sent((*frame).into())));
        }
    }

    /// Whether a node is a gateway and no station.
    fn is_gateway(&self, node: u16) -> bool {
        usize::from(node) >= self.crossings.len()
    }

    /// The next frame of the request is the foremost, or none is in flight; in that case the frames that wait at the node determine
    /// the stage of the request.
    fn journey_ends(&mut self, now: Time, traveller: &FrameInFlight<'_>) {
        let &FrameInFlight { journey, frame, .. } = traveller;
        let id = request_of(frame.tag);
        let segment = self.journeys.frame_segment(journey);
        let others = self.journeys.frame_gone(now, frame.tag.0, journey);
        let queue = if others == OtherFrames::Wait { segments::CREDIT } else { segments::QUEUE };
        self.cx.ledger().advance_unit(id, UnitStep::Arrives { wire: segment, queue });
        if let OtherFrames::At(next) = others {
            self.cx.ledger().enter_segment(id, next);
        }
    }
}

fn data_bytes(frame: &Frame) -> u64 {
    if frame.kind == PduKind::Data { frame.payload_bytes.into() } else { 0 }
}

impl FabricNetwork {
    /// The model of the fabric itself.
    pub fn fabric_model(&self) -> &sansim_fabric::Fabric {
        &self.fabric
    }

    /// Gives the fabric an input and carries out its effects.
    #[inline]
    fn react(
        &mut self,
        cx: &mut Context<'_>,
        input: impl FnOnce(&mut sansim_fabric::Fabric, Time, &mut Around<'_, '_>),
    ) {
        self.react_once(cx, input);
        if self.gateways.is_some() {
            self.gateways_work(cx);
        }
    }

    /// Gives the fabric an input, without what gateways do then.
    #[inline]
    fn react_once(
        &mut self,
        cx: &mut Context<'_>,
        input: impl FnOnce(&mut sansim_fabric::Fabric, Time, &mut Around<'_, '_>),
    ) {
        let now = cx.now;
        let Self { fabric, balance, crossings, journeys, ways, gateways, .. } = self;
        input(fabric, now, &mut Around { cx, balance, crossings, journeys, ways, gateways });
    }
}

impl Component for FabricNetwork {
    type Parameters = FabricParameters;
    type Role = NetworkRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    const PLACE_METERS: &'static [PlaceMeter] = PLACE_METERS;

    fn demand(parameters: &FabricParameters, class: &RequestClass, around: &Needed<'_>) -> Option<Demand> {
        Some(demand::of(parameters, class, around))
    }

    fn build(parameters: &FabricParameters, cx: &BuildContext<'_, NetworkRole>) -> Self {
        let nodes = specs(&cx.nodes);
        // An impossible layout was reported when the scenario was read.
        let mut layout = FabricLayout::distribute_nodes(parameters, &nodes).unwrap_or_default();
        let links = layout.links.len();
        let gateways = layout.add_gateways(parameters);
        let fabric = sansim_fabric::Fabric::new(layout, &parameters.switch, parameters.paths())
            .with_times(parameters.link_times());
        let fabric = match parameters.class {
            ServiceClass::Class3 => fabric,
            ServiceClass::Class2 => fabric.with_class_2(&parameters.class_2),
        };
        let fabric = fabric.with_own_routing(&parameters.routing);
        let fabric = if cx.is_acted_on { fabric.with_failures() } else { fabric };
        let fabric = fabric.with_losses(cx.seed, cx.name).with_multicast_groups(groups(&cx.nodes));
        let fabric = if gateways.is_some() { fabric.with_hidden_nodes(nodes.len(), links) } else { fabric };
        let crossings = cx.nodes.iter().map(|node| node.side == NetworkPortRole::Crossing).collect();
        let stations = cx.nodes.iter().map(|node| node.listed.clone()).collect();
        Self {
            gateways: gateways.map(|layout| Box::new(WriteGateways::new(layout, &fabric))),
            fabric,
            balance: Balance::default(),
            crossings,
            attached: cx.nodes.iter().map(AttachedPort::of).collect(),
            journeys: FrameJourneys::default(),
            stations,
            ways: Ways::default(),
        }
    }

    #[inline]
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        self.react(cx, |fabric, now, around| fabric.handle_event(now, event_of(timer), around));
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Send(frame) if self.gateways.is_some() => self.send_by_gateways(cx, port, frame.into()),
            Message::Send(frame) => self.react(cx, |fabric, now, around| {
                fabric.enqueue_frame(now, port, frame.into(), around);
            }),
            Message::BufferFreed => self.react(cx, |fabric, now, around| {
                fabric.buffer_freed(now, port, around);
            }),
            _ => {}
        }
    }

    /// All switches of the fabric fail, or are repaired; or a node is taken out or put in.
    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        let works = match action {
            Action::Fail => false,
            Action::Repair => true,
            Action::Network(change) => return self.nodes_change(cx, change),
            _ => return,
        };
        self.react(cx, |fabric, now, around| {
            (0..fabric.fabric_layout().switches.len())
                .for_each(|switch| fabric.set_switch_state(now, switch, works, around));
        });
    }

    /// The lengths or speeds of links change.
    fn change(&mut self, cx: &mut Context<'_>, parameters: &FabricParameters, around: &KeysAround<'_>) {
        self.links_change(cx, parameters, around.ports);
    }

    /// A part of the fabric fails or is repaired, by its number: the switches, then the links in the order of
    /// the layout.
    fn act_on(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        self.react(cx, |fabric, now, around| {
            let switches = fabric.fabric_layout().switches.len();
            if thing < switches {
                fabric.set_switch_state(now, thing, works, around);
            } else {
                fabric.set_link_state(now, thing - switches, works, around);
            }
        });
    }

    fn places(&self) -> u16 {
        self.fabric.place_count()
    }

    fn gauge(&self, now: Time, gauge: usize, place: u16) -> u32 {
        match gauge {
            gauge::PORT_QUEUE => self.fabric.queued_frames(place) as u32,
            gauge::BUFFERS => self.fabric.occupied_buffers(now, place),
            gauge::CREDIT => self.fabric.port_credit(now, place),
            _ => 0,
        }
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.fabric.time_on_links(now)
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let counts = self.fabric.frame_counts();
        match meter {
            meter::FRAMES => Total(counts.sent.into()),
            meter::HOPS => Total(counts.hops.into()),
            meter::SENDING => self.fabric.sending_time(now),
            meter::STALLED => self.fabric.stalled_time(now),
            meter::DISCARDED => Total(counts.discarded.into()),
            meter::RESETS => Total(counts.resets.into()),
            meter::CONTROL_IN => Total(self.ways.frames[0].into()),
            meter::DATA_IN => Total(self.ways.frames[1].into()),
            meter::CONTROL_LASTED => self.ways.lasted[0],
            meter::DATA_LASTED => self.ways.lasted[1],
            meter::ACCELERATED => Total(self.gateways.as_ref().map_or(0, |of| of.accelerated).into()),
            meter::NOTICES => Total(counts.notices.into()),
            meter::PASSED_ON => Total(self.gateways.as_ref().map_or(0, |of| of.passed_on).into()),
            _ => Total(counts.lost.into()),
        }
    }

    fn place_meter(&self, now: Time, meter: usize, place: u16) -> Total {
        match meter {
            place_meter::SENDING => self.fabric.port_sending_time(now, place),
            _ => self.fabric.port_stalled_time(now, place),
        }
    }

    fn capacity(&self, meter: usize) -> u64 {
        match meter {
            meter::SENDING | meter::STALLED => 2 * self.fabric.shown_link_count().max(1) as u64,
            _ => 1,
        }
    }

    fn constant(&self, constant: usize) -> f64 {
        let layout = self.fabric.fabric_layout();
        match constant {
            figure::SWITCHES => layout.switches.len() as f64,
            figure::LINKS => self.fabric.shown_link_count() as f64,
            _ => 0.0,
        }
    }

    fn remarks(&self) -> Vec<String> {
        distance::credit_shortage_remarks(&self.fabric, &self.stations)
    }

    fn culprits(&self, now: Time) -> Vec<sansim_component::culprits::CongestionCulprit> {
        culprits::reported_culprits(&self.fabric, &self.stations, now)
    }

    fn fault(&self) -> Option<String> {
        let found = self.fabric.found_deadlock().cloned();
        found.or_else(|| self.fabric.deadlock(Time::NEVER)).map(|deadlock| deadlock.to_string())
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        let Balance { sent, received, lost, data } = &self.balance;
        for (kind, name) in FRAME_KINDS.iter().enumerate() {
            leftovers.check_equal(
                name,
                ("sent", sent[kind]),
                ("received or lost", received[kind] + lost[kind]),
            );
        }
        leftovers.check_equal("bytes of data", ("sent", data[0]), ("received or lost", data[1]));
        leftovers.check_zero("frames left in the fabric", self.fabric.in_flight() as u64);
        if let Some(gateways) = &self.gateways {
            leftovers.check_zero("bytes of data left in gateways", gateways.held_bytes());
            leftovers.check_zero("bytes of room left reserved at gateways", gateways.reserved_bytes());
        }
        leftovers.check_zero("buffers of switches left taken", self.fabric.occupied_switch_buffers());
        let missing = ("missing", self.fabric.end_to_end_missing());
        let lost = ("of frames whose answers were lost", self.fabric.end_to_end_lost());
        leftovers.check_equal("end-to-end credits that have not come back", missing, lost);
        let missing = ("missing", self.fabric.credit_missing());
        let away = self.fabric.credit_lost() + self.fabric.credit_withheld();
        leftovers.check_equal(
            "credits that have not come back",
            missing,
            ("lost on links, or kept by slow receivers", away),
        );
    }
}
