//! A fabric as a component: its switches, its links, and a port for every node. Frames travel inside the component; the rules of a
//! port are in `sansim_fc::link`, the rules of a switch in `sansim_fabric`.

mod around;
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

use crate::frames::FRAME_KINDS;
use crate::stations::{AttachedPort, fc_port_keys};
use around::{Around, Balance, Ways, event_of};
use catalogue::{CATALOGUE, PLACE_METERS, figure, gauge, meter, place_meter};
use gateways::WriteGateways;
use journeys::FrameJourneys;
use sansim_component::component_kind::NetworkPortRole;
use sansim_component::demand::{Demand, DemandContext as Needed, RequestClass};
use sansim_component::{
    Action, BuildContext, Component, Context, KeysAround, LeftoverFindings, Message, NetworkNode,
    NetworkRole, PortKeys, Timer,
};
use sansim_fabric::class_2::ServiceClass;
use sansim_fabric::{FabricLayout, FabricParameters, NodeSpec};
use sansim_kernel::{Time, Total};
use sansim_pdu::Address;
use sansim_schema::catalogue::{Catalogue, PlaceMeter};

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
