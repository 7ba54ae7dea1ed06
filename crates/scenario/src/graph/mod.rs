//! The graph that a scenario describes: the parts that a simulation is built of, and how they are joined. Complete and checked.
//!
//! Parts are numbered in one order, whatever the order of tables in the file: for each loop its stations as words pass them, of
//! each station the parts next to it, each part when it is first met; then those that are on no loop; then the loops; then the
//! workloads by name. Everything here names parts, devices and loops by their numbers. A fabric stands among the loops: its stations
//! are the nodes at its ports, in the order of the file.

mod outages;

pub use outages::RandomOutages;

use sansim_kernel::Span;
use sansim_registry::{
    Announced, AskingEnd, ControllerSide, EventAction, InnerPort, LimitParameters, Part, PortKeys,
    ServingEnd, Side,
};

/// What a simulation is built from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// What is built, in the order of their numbers.
    pub parts: Vec<GraphPart>,
    /// Parts that are equal and have the same part in the scenario.
    pub places: Vec<PartGroup>,
    /// The loops and other networks, in the order of the file.
    pub loops: Vec<GraphLoop>,
    /// Who asks whom, by block ports.
    pub links: Vec<GraphLink>,
    /// Which adapters are on which buses, and for whom which processors work: the bus and the processors serve. Those for which processors work at networks are
    /// told last, of each network in the order of its stations.
    pub shared: Vec<GraphLink>,
    /// What serves requests, in the order of its parts.
    pub devices: Vec<Device>,
    /// Where the requests of each workload go, in the order of the workloads among the parts.
    pub routes: Vec<Route>,
    /// How those who choose among devices get to each of them: by asker, then by device.
    pub reaches: Vec<Reach>,
    /// What happens to parts from outside, by time.
    pub events: Vec<GraphEvent>,
    /// What fails at random, beside drives.
    pub outages: Vec<RandomOutages>,
    /// Where something does: the events of the file, of which nothing else has come yet.
    pub written_events: Vec<GraphEvent>,
    /// Events of the file that do nothing, and why, a sentence each.
    pub vain_events: Vec<String>,
}

impl Graph {
    /// Whether a part is asked through an adapter on a network, and not straight.
    pub fn is_on_network(&self, part: usize) -> bool {
        let stations = || self.loops.iter().flat_map(|on_loop| &on_loop.stations);
        let askers = self.links.iter().filter(|link| link.server.part == part).map(|link| link.asker.part);
        askers.into_iter().any(|asker| stations().any(|station| station.part == Some(asker)))
    }

    /// The devices to which the data of requests go that a part asks for; where a metadata controller gives leave, those that it manages.
    pub fn asked_for_data(&self, part: usize) -> impl Iterator<Item = usize> + '_ {
        let of = move || self.reaches.iter().filter(move |reach| reach.asker == part);
        let leave = of().any(|reach| reach.by_leave);
        of().filter(move |reach| reach.by_leave == leave).map(|reach| reach.device)
    }
}

/// A part.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphPart {
    /// Its name: `host`, `drives[3]`, `drives[3].adapter`.
    pub name: String,
    /// Its place, as a number.
    pub place: usize,
    /// Which of the members of the place it is.
    pub member: u32,
    /// What it is.
    pub part: Part,
}

/// Parts that are equal: a group is one place, and the adapters of its members are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartGroup {
    /// Its name: `host`, `drives`, `drives.adapter`.
    pub name: String,
    /// The component that it belongs to, as an index in `Scenario::components`.
    pub component: usize,
    /// How many parts it has.
    pub members: u32,
}

/// A loop, or another network, and what stands on it.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphLoop {
    /// The loop itself, as a part.
    pub part: usize,
    /// Its stations in the order in which words pass them.
    pub stations: Vec<GraphStation>,
    /// The ports inside it, of switches say.
    pub inner: Vec<InnerPort>,
}

/// A station of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphStation {
    /// Its name: `host`, `drives[3]`, `bridge.front`.
    pub name: String,
    /// The component that it belongs to, as an index in `Scenario::components`.
    pub component: usize,
    /// Which of the members of the component it is.
    pub member: u32,
    /// As `stations` of the network has it: `drives`, `host.adapters.a`.
    pub listed: String,
    /// What stands behind its port.
    pub side: Side,
    /// Its address on this network, whether it was given or found.
    pub address: sansim_pdu::Address,
    /// The keys of its port.
    pub port: PortKeys,
    /// The enclosure of the loop that it is in, as a number.
    pub enclosure: Option<usize>,
    /// The adapter behind the port, as a part; none behind one that only repeats.
    pub part: Option<usize>,
    /// Which of the network ports of that it is.
    pub number: u16,
    /// The processors that do there what the network leaves to software, as a part; none if nobody does or it has one of its own for that.
    pub processors: Option<usize>,
    /// What was said of the ways that begin or end there.
    pub from: AskingEnd,
    /// See [`GraphStation::from`].
    pub to: ServingEnd,
}

/// Two block ports that are joined, or two at a bus or at processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphLink {
    /// Who sends requests.
    pub asker: BlockPort,
    /// Who serves them.
    pub server: BlockPort,
    /// At the resources of a pair of controllers: the half that asks.
    pub half: ControllerSide,
}

/// A port of a part, of one sort. Those by which a part asks have numbers from 0, and so have those by which it serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPort {
    /// The part.
    pub part: usize,
    /// Which of its ports.
    pub number: u32,
}

/// Something that requests can be for. A part may present several: a controller has one for each device behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The name of its part; with a number if that presents several: `drives[3]`, `bridge`, `bridge[2]`.
    pub name: String,
    /// The part.
    pub part: usize,
    /// Which of those that the part presents: its logical unit.
    pub unit: u32,
    /// Its capacity in logical blocks.
    pub capacity_blocks: u64,
    /// What it tells those who ask it.
    pub announced: Announced,
}

/// Where the requests of a workload go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The workload, as a part.
    pub workload: usize,
    /// The host that they go through, as a part.
    pub host: usize,
    /// The devices that they are for.
    pub devices: Vec<usize>,
    /// How much of them the host lets begin in a time.
    pub limits: LimitParameters,
}

/// All ways from a part to a device that it asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The part: a host, a controller, a mirror.
    pub asker: usize,
    /// The device.
    pub device: usize,
    /// The ways: from each adapter of the asker, in their order, to each adapter of the device, in theirs; at least one, and each by a block port of
    /// its own. None of who only gives others leave to ask.
    pub ways: Vec<GraphPath>,
    /// A metadata controller gives leave: of who only gives it, and of who asks by it.
    pub by_leave: bool,
}

/// A way from a part to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphPath {
    /// The number of the block port by which the part asks: no two ways to a device have the same.
    pub port: u32,
    /// The number of the first of its block ports at the same adapter; of a device that is asked straight, the same.
    pub adapter: u32,
    /// Where the device is on a network; none if the port is joined to the device itself.
    pub address: Option<DeviceAddress>,
    /// Nobody may go by it: its ends are in no zone together, or the device is not shown to the one who asks. There are none beside it.
    pub refused: bool,
    /// What was said of its beginning.
    pub from: AskingEnd,
    /// What was said of its end.
    pub to: ServingEnd,
}

/// Where a device is on a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceAddress {
    /// The network of the adapter that asks, as an index in [`Graph::loops`].
    pub arbitrated_loop: usize,
    /// The network of the adapter that serves: another one where frames cross.
    pub network: usize,
    /// The station of the adapter that asks.
    pub from: usize,
    /// The station of the adapter that serves.
    pub to: usize,
    /// The address of that one.
    pub at: sansim_pdu::Address,
    /// The number of the port by which the adapter that asks serves whoever goes this way.
    pub by: u32,
}

/// Something that happens to parts from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphEvent {
    /// When.
    pub at: Span,
    /// To which parts.
    pub parts: Vec<usize>,
    /// What.
    pub action: EventAction,
    /// Of those that are slow from then on: how many thousandths of its time everything takes.
    pub thousandths: u32,
    /// The bytes that cannot be read any more, if there are such: the first, and how many.
    pub unreadable: (u64, u64),
    /// To which of the things of each part that can fail by themselves; none if to the part itself.
    pub thing: Option<usize>,
    /// Who is told that ways of his fail by that, or lead to their devices again: the part that asks, and the number of the way
    /// among all that it has, device by device.
    pub ways: Vec<(usize, u32)>,
}
