//! The graph that a scenario describes: the parts of the simulation, and how they are joined. The graph is complete and checked.
//!
//! Parts are numbered in one order, whatever the order of tables in the file: for each loop its stations in the order of words on the loop,
//! for each station the parts next to it, each part when it is first met; then the parts on no loop; then the loops; then the workloads by
//! name. Parts, devices and loops are referred to by their numbers. A fabric is in the list of loops: its stations are the nodes at its
//! ports, in the order of the file.

mod outages;

pub use outages::RandomOutages;
use std::collections::BTreeMap;

use sansim_kernel::Span;
use sansim_registry::{
    AccessState, AnnouncedProperties, AttachedNode, ControllerSide, EventAction, InitiatorPathKeys,
    InnerPort, LimitParameters, NetworkPortRole, Part, PolicyName, PortKeys, TargetPathKeys,
};
use sansim_rules::RuleName;

/// The graph from which a simulation is built.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The parts, in the order of their numbers.
    pub parts: Vec<GraphPart>,
    /// The groups of equal parts: parts that are the same part of the members of a component.
    pub places: Vec<PartGroup>,
    /// The loops and other networks, in the order of the file.
    pub loops: Vec<GraphLoop>,
    /// The links from initiating parts to serving parts, by block ports.
    pub links: Vec<GraphLink>,
    /// The links of adapters to buses and of parts to processors: the bus and the processors serve. Links of networks to processors come
    /// last, for each network in the order of its stations.
    pub shared: Vec<GraphLink>,
    /// The devices, in the order of the parts that serve them.
    pub devices: Vec<Device>,
    /// The devices of each workload, in the order of the workloads among the parts.
    pub routes: Vec<WorkloadRoute>,
    /// The paths of parts to each of their devices: by part, then by device.
    pub reaches: Vec<DevicePaths>,
    /// The events that act on parts from outside, by time.
    pub events: Vec<GraphEvent>,
    /// The keys that events change, by the number of the event in the file.
    pub changes: BTreeMap<usize, Vec<ChangedPart>>,
    /// The random failures, except those of drives.
    pub outages: Vec<RandomOutages>,
    /// The events as the file has them, before failures of other parts are derived from them.
    pub written_events: Vec<GraphEvent>,
    /// Events of the file that have no effect, with the reason, a sentence each.
    pub vain_events: Vec<String>,
}

impl Graph {
    /// Whether requests reach a part through an adapter on a network, and not directly.
    pub fn is_on_network(&self, part: usize) -> bool {
        let stations = || self.loops.iter().flat_map(|on_loop| &on_loop.stations);
        let askers = self.links.iter().filter(|link| link.server.part == part).map(|link| link.asker.part);
        askers.into_iter().any(|asker| stations().any(|station| station.part == Some(asker)))
    }

    /// The limits of the workload at each port of a part by which it serves; empty for a part that is no host.
    pub fn limits_by_port(&self, host: usize) -> Vec<LimitParameters> {
        let mut limits = Vec::new();
        for route in self.routes.iter().filter(|route| route.host == host) {
            let joins = |link: &&GraphLink| (link.asker.part, link.server.part) == (route.workload, host);
            for link in self.links.iter().filter(joins) {
                let port = link.server.number as usize;
                limits.resize(limits.len().max(port + 1), LimitParameters::NONE);
                limits[port] = route.limits;
            }
        }
        limits
    }

    /// The access states of devices by the paths of a part, in the order of their numbers.
    pub fn access_by_path(&self, part: usize) -> impl Iterator<Item = AccessState> + '_ {
        let of_part = self.reaches.iter().filter(move |reach| reach.asker == part);
        of_part.flat_map(|reach| &reach.ways).map(|way| way.to.access)
    }

    /// The adapter at which a path ends, as a part; none for a device without a network.
    pub fn serving_part(&self, way: &GraphPath) -> Option<usize> {
        way.address.and_then(|address| self.loops[address.network].stations[address.to].part)
    }

    /// The device to which the path of a part with this number among all of its paths leads, and the adapter at which the path ends.
    pub fn end_of_path(&self, part: usize, number: u32) -> Option<(u32, usize)> {
        let of_part = self.reaches.iter().filter(|reach| reach.asker == part);
        let mut ways = of_part.flat_map(|reach| reach.ways.iter().map(|way| (reach.device as u32, way)));
        let (device, way) = ways.nth(number as usize)?;
        Some((device, self.serving_part(way)?))
    }

    /// The devices to which a part sends data requests; with a metadata controller, the devices that it manages.
    pub fn data_devices_of(&self, part: usize) -> impl Iterator<Item = usize> + '_ {
        let of = move || self.reaches.iter().filter(move |reach| reach.asker == part);
        let leave = of().any(|reach| reach.by_leave);
        of().filter(move |reach| reach.by_leave == leave).map(|reach| reach.device)
    }
}

/// A part.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphPart {
    /// The name of the part: `host`, `drives[3]`, `drives[3].adapter`.
    pub name: String,
    /// The index of the part's group in [`Graph::places`].
    pub place: usize,
    /// The number of the member in its group.
    pub member: u32,
    /// The part.
    pub part: Part,
}

/// A group of equal parts: the drives of a group form one, and the adapters of its members another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartGroup {
    /// The name of the group: `host`, `drives`, `drives.adapter`.
    pub name: String,
    /// The component to which the group belongs, as an index in `Scenario::components`.
    pub component: usize,
    /// The number of parts of the group.
    pub members: u32,
}

/// A loop, or another network, with its stations.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphLoop {
    /// The loop itself, as a part.
    pub part: usize,
    /// The stations of the network, in the order in which words pass them.
    pub stations: Vec<GraphStation>,
    /// The ports inside the network, for example of switches.
    pub inner: Vec<InnerPort>,
}

/// The stations of a network as the network sees them.
pub fn attached(row: &[GraphStation]) -> Vec<AttachedNode<'_>> {
    let mut at = 0;
    row.iter()
        .enumerate()
        .map(|(number, GraphStation { listed, side, port, .. })| {
            at += usize::from(number > 0 && row[number - 1].listed != *listed);
            AttachedNode { listed, station: at, side: *side, port }
        })
        .collect()
}

/// A station of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphStation {
    /// The name of the station: `host`, `drives[3]`, `bridge.front`.
    pub name: String,
    /// The component to which the station belongs, as an index in `Scenario::components`.
    pub component: usize,
    /// The number of the member of the component.
    pub member: u32,
    /// The name of the station in the list `stations` of the network: `drives`, `host.adapters.a`.
    pub listed: String,
    /// The path by which events name the port within its component: that of its adapter, or its own.
    pub path: String,
    /// The side of the station's port.
    pub side: NetworkPortRole,
    /// The address of the station on this network, given in the file or assigned.
    pub address: sansim_pdu::Address,
    /// The keys of the station's port.
    pub port: PortKeys,
    /// The number of the enclosure of the loop that contains the station.
    pub enclosure: Option<usize>,
    /// The adapter behind the port, as a part; none behind a port that only repeats.
    pub part: Option<usize>,
    /// The number of the network port of the part.
    pub number: u16,
    /// The processors that execute what the network leaves to software there, as a part; none if there is no such work or it has a
    /// processor of its own.
    pub processors: Option<usize>,
    /// The keys of the paths that begin at the station.
    pub from: InitiatorPathKeys,
    /// The keys of the paths that end at the station; see [`GraphStation::from`].
    pub to: TargetPathKeys,
}

/// Two block ports that are joined, or two at a bus or at processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphLink {
    /// The port that sends requests.
    pub asker: BlockPort,
    /// The port that serves the requests.
    pub server: BlockPort,
    /// At the resources of a pair of controllers, the controller side that uses them.
    pub half: ControllerSide,
}

/// A port of a part, of one role. Ports by which a part sends requests have numbers from 0, and so have those by which it serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPort {
    /// The part.
    pub part: usize,
    /// The number of the port.
    pub number: u32,
}

/// A device: the target of requests. A part may present several devices: a controller presents one for each device behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The name of the device's part; with a number if the part presents several: `drives[3]`, `bridge`, `bridge[2]`.
    pub name: String,
    /// The part that presents the device.
    pub part: usize,
    /// The number of the device among those of its part: its logical unit.
    pub unit: u32,
    /// The capacity of the device in logical blocks.
    pub capacity_blocks: u64,
    /// The queue depth that the device announces to its initiators.
    pub announced: AnnouncedProperties,
}

/// The host and the devices of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadRoute {
    /// The workload, as a part.
    pub workload: usize,
    /// The host through which the requests go, as a part.
    pub host: usize,
    /// The devices to which the requests go.
    pub devices: Vec<usize>,
    /// The limits of rate and bandwidth that the host applies to the workload.
    pub limits: LimitParameters,
}

/// All paths from a part to a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DevicePaths {
    /// The initiating part: a host, a controller, a mirror.
    pub asker: usize,
    /// The device.
    pub device: usize,
    /// The paths: from each adapter of the initiating part, in their order, to each adapter of the device, in theirs; at least one, and
    /// each with a block port of its own. The list is empty for a part that only grants leases for the device.
    pub ways: Vec<GraphPath>,
    /// Whether the access needs a lease: true for the metadata controller that grants it, and for its clients.
    pub by_leave: bool,
    /// The policy by which the part chooses among the paths.
    pub policy: RuleName<PolicyName>,
    /// The NUMA nodes of the part.
    pub nodes: u32,
}

impl DevicePaths {
    /// The paths that requests use while none has failed, each with its share by the policy alone: policies that depend on queues share
    /// evenly.
    pub fn paths_in_use(&self) -> Vec<(&GraphPath, f64)> {
        let allowed =
            self.ways.iter().filter(|way| !way.refused && way.to.access != AccessState::Unavailable);
        let is_optimised = |way: &&GraphPath| way.to.access == AccessState::Optimised;
        let optimised: Vec<&GraphPath> = allowed.clone().filter(is_optimised).collect();
        let mut used = if optimised.is_empty() { allowed.collect() } else { optimised };
        if self.policy.is(PolicyName::Numa) && self.nodes > 1 {
            // Each node has its nearest path.
            let nearest = |node: u32| used.iter().position(|way| way.from.numa_node == node).unwrap_or(0);
            let share = 1.0 / f64::from(self.nodes);
            let mut shares = vec![0.0; used.len()];
            (0..self.nodes).filter(|_| !used.is_empty()).for_each(|node| shares[nearest(node)] += share);
            return used.into_iter().zip(shares).filter(|(_, share)| *share > 0.0).collect();
        }
        if self.policy.built_in().is_some_and(PolicyName::always_same_path) {
            used.truncate(1);
        }
        let by_throughput = self.policy.is(PolicyName::ServiceTime);
        let weight =
            |way: &GraphPath| if by_throughput { f64::from(way.from.relative_throughput) } else { 1.0 };
        let all: f64 = used.iter().map(|way| weight(way)).sum();
        let even = 1.0 / used.len().max(1) as f64;
        used.into_iter().map(|way| (way, if all > 0.0 { weight(way) / all } else { even })).collect()
    }
}

/// A path from a part to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphPath {
    /// The number of the block port at which the part sends requests: no two paths to a device have the same.
    pub port: u32,
    /// The number of the first of the part's block ports at the same adapter; for a device without a network, the same number.
    pub adapter: u32,
    /// The address of the device on a network; none if the port is joined to the device itself.
    pub address: Option<DeviceAddress>,
    /// Whether the path may not be used: its ends share no zone, or the device is masked from the asker. A path is refused only if no other
    /// path exists.
    pub refused: bool,
    /// The keys of the beginning of the path.
    pub from: InitiatorPathKeys,
    /// The keys of the end of the path.
    pub to: TargetPathKeys,
}

/// The network and the address of a device on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceAddress {
    /// The network of the initiating adapter, as an index in [`Graph::loops`].
    pub arbitrated_loop: usize,
    /// The network of the serving adapter: another network where frames cross.
    pub network: usize,
    /// The station of the initiating adapter.
    pub from: usize,
    /// The station of the serving adapter.
    pub to: usize,
    /// The address of the serving adapter.
    pub at: sansim_pdu::Address,
    /// The number of the port at which the initiating adapter serves this path.
    pub by: u32,
}

/// An event of the scenario that affects parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphEvent {
    /// The time of the event.
    pub at: Span,
    /// The parts that the event affects.
    pub parts: Vec<usize>,
    /// The action.
    pub action: EventAction,
    /// The factor for slow parts: the thousandths of its time that every action lasts.
    pub thousandths: u32,
    /// The time for which commands wait in a slow adapter.
    pub delay: Span,
    /// The bytes that become unreadable, if any: the first, and their number.
    pub unreadable: (u64, u64),
    /// The number of the part inside each component that fails separately; none for the component itself.
    pub thing: Option<usize>,
    /// The nodes that leave their networks, or come back: the network as a part, and its port.
    pub nodes: Vec<(usize, u16)>,
    /// Whether the networks of these nodes are initialised.
    pub initialise: bool,
    /// The paths that fail with the event, or work again: the initiating part, and the number of the path among all of its paths, device by
    /// device.
    pub ways: Vec<(usize, u32)>,
    /// The keys that the event changes, as a key of [`Graph::changes`].
    pub change: Option<usize>,
}

/// A part whose keys, or those of its surroundings, an event changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedPart {
    /// The part.
    pub part: usize,
    /// All keys of the part from then on.
    pub keys: Part,
    /// The keys of the ports at a network from then on, in the order of its stations; empty for a part that is no network.
    pub ports: Vec<PortKeys>,
    /// The limits of the workload at each port of a host from then on; empty for a part that is no host.
    pub limits: Vec<LimitParameters>,
    /// The paths by which a device is in another access state from then on, by their numbers among all paths of the part.
    pub access: Vec<(u32, AccessState)>,
}
