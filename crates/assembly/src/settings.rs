//! The build context of each component: its ports, its neighbours and the fields of its role.

use crate::build::Ports;
use crate::network;
use crate::plan::SystemPlan;
use crate::routes::workload_routes;
use sansim_component::NetworkModel;
use sansim_component::build_context::RoleFacts;
use sansim_component::limits::LimitParameters;
use sansim_component::policy::{AccessState, DevicePath};
use sansim_component::{
    AdapterRole, BuildContext, ByDevice, ComponentId, DeviceBehind, DeviceRole, HostRole, NetworkNode,
    NetworkRole, ProcessorPort, SharedRole, SourceRole, TargetDevice,
};
use sansim_pdu::Address;
use sansim_registry::{AnyComponent, ControllerSide};
use sansim_request::BLOCK_BYTES;
use sansim_scenario::Graph;
use sansim_scenario::graph::{self, GraphPart, GraphStation};
use sansim_schema::context::Facts;

/// Every component of a plan, by number, with loops of this model.
pub fn build_components(plan: &SystemPlan, model: NetworkModel) -> Vec<AnyComponent> {
    build_chosen_components(plan, model, |_| true).into_iter().flatten().collect()
}

/// Builds only the wanted parts.
pub fn build_chosen_components(
    plan: &SystemPlan,
    model: NetworkModel,
    wanted: impl Fn(usize) -> bool,
) -> Vec<Option<AnyComponent>> {
    let graph = &plan.graph;
    let facts = Facts::default().with_fact(plan.sizes);
    let system = System::of(graph, model);
    let build = |(part, described): (usize, &GraphPart)| {
        let cx = BuildContext {
            name: &plan.names.components[part].name,
            group: &plan.components[graph.places[described.place].component],
            member: described.member,
            seed: plan.seed,
            uses: system.ports.shared_resource_ports(part),
            facts: &facts,
            role: (),
        };
        sansim_rules::decision_log::set_component(cx.name);
        wanted(part).then(|| described.part.build(cx, &Place { system: &system, part }))
    };
    graph.parts.iter().enumerate().map(build).collect()
}

/// The build context of a system's components. Lists are by part, unless noted otherwise.
struct System<'a> {
    graph: &'a Graph,
    model: NetworkModel,
    ports: Ports,
    addresses: Addresses,
    ways: Vec<ByDevice<Vec<DevicePath>>>,
    behind: Vec<Vec<u32>>,
    by_leave: Vec<Vec<u32>>,
    presents: Vec<Vec<u32>>,
    halves: Vec<Vec<ControllerSide>>,
    on_network: Vec<bool>,
    /// The devices that are unavailable through each adapter at first.
    unavailable: Vec<Vec<u32>>,
    limits: Vec<Vec<LimitParameters>>,
    /// The number of each workload among the workloads; none for any other part.
    workloads: Vec<Option<u32>>,
    /// The share of each device.
    shares: Vec<Option<u64>>,
    turns: Vec<bool>,
    takes: Vec<u64>,
}

impl<'a> System<'a> {
    fn of(graph: &'a Graph, model: NetworkModel) -> Self {
        let ports = Ports::of(graph);
        let mut behind: Vec<Vec<u32>> = vec![Vec::new(); graph.parts.len()];
        let mut by_leave: Vec<Vec<u32>> = vec![Vec::new(); graph.parts.len()];
        for reach in &graph.reaches {
            let of = if reach.by_leave { &mut by_leave } else { &mut behind };
            of[reach.asker].push(reach.device as u32);
        }
        let mut presents: Vec<Vec<u32>> = vec![Vec::new(); graph.parts.len()];
        for (number, device) in graph.devices.iter().enumerate() {
            presents[device.part].push(number as u32);
        }
        let mut askers = vec![0; graph.devices.len()];
        let asks = |reach: &&graph::DevicePaths| !reach.ways.is_empty();
        graph.reaches.iter().filter(asks).for_each(|reach| askers[reach.device] += 1);
        let shares: Vec<Option<u64>> = graph
            .devices
            .iter()
            .zip(askers)
            .map(|(device, askers)| device.announced.queue_depth_share(askers))
            .collect();
        let mut limits: Vec<Vec<LimitParameters>> = vec![Vec::new(); graph.parts.len()];
        let mut workloads = vec![None; graph.parts.len()];
        for (number, route) in workload_routes(graph).into_iter().enumerate() {
            behind[route.workload] = route.devices.iter().map(|&device| device as u32).collect();
            workloads[route.workload] = Some(number as u32);
            limits[route.host] = graph.limits_by_port(route.host);
        }
        Self {
            model,
            addresses: Addresses::of(graph),
            ways: paths(graph, &ports),
            ports,
            halves: halves(graph),
            on_network: on_network(graph),
            unavailable: unavailable(graph),
            turns: turns(graph, &behind),
            takes: takes(graph, &behind, &shares),
            behind,
            by_leave,
            presents,
            limits,
            workloads,
            shares,
            graph,
        }
    }

    fn bytes_of(&self, device: u32) -> u64 {
        self.graph.devices[device as usize].capacity_blocks * BLOCK_BYTES
    }
}

/// The place of a part in a system.
struct Place<'a> {
    system: &'a System<'a>,
    part: usize,
}

impl RoleFacts for Place<'_> {
    fn network(&self) -> NetworkRole {
        let Self { system: System { graph, model, .. }, part } = *self;
        let mut events = graph.events.iter();
        let is_acted_on = events.any(|event| {
            event.parts.contains(&part) || event.nodes.iter().any(|&(network, _)| network == part)
        });
        NetworkRole { nodes: network_nodes(graph, part), model: *model, is_acted_on }
    }

    fn adapter(&self) -> AdapterRole {
        let Self { system, part } = *self;
        AdapterRole {
            address: system.addresses.own[part],
            addresses: system.addresses.of_devices(part),
            unavailable: system.unavailable[part].clone(),
            peers: group_of(system.graph, part)
                .map_or_else(|| peers(system.graph, part), |group| vec![group]),
            transport: network::of_part(system.graph, part)
                .map(|network| network.transport())
                .unwrap_or_default(),
        }
    }

    fn device(&self) -> DeviceRole {
        let Self { system, part } = *self;
        let behind = |&device: &u32| DeviceBehind {
            device,
            bytes: system.bytes_of(device),
            takes: system.takes[device as usize],
            turns: system.turns[device as usize],
        };
        DeviceRole {
            presents: system.presents[part].clone(),
            on_network: system.on_network[part],
            halves: system.halves[part].clone(),
            behind: system.behind[part].iter().map(behind).collect(),
            by_leave: system.by_leave[part].iter().map(|&device| (device, system.bytes_of(device))).collect(),
            paths: system.ways[part].clone(),
        }
    }

    fn host(&self) -> HostRole {
        let Self { system, part } = *self;
        let paths = system.ways[part].clone();
        let shares = paths.iter().map(|(device, _)| (device, system.shares[device as usize])).collect();
        HostRole { paths, shares, limits: system.limits[part].clone() }
    }

    fn source(&self) -> SourceRole {
        let Self { system, part } = *self;
        let target = |&device: &u32| {
            let of = &system.graph.devices[device as usize];
            TargetDevice { device, name: of.name.clone(), blocks: of.capacity_blocks }
        };
        SourceRole {
            number: system.workloads[part].unwrap_or_default(),
            targets: system.behind[part].iter().map(target).collect(),
        }
    }

    fn shared(&self) -> SharedRole {
        let Self { system, part } = *self;
        SharedRole { users: system.ports.shared_user_ports(part), halves: system.halves[part].clone() }
    }
}

/// The components that may send requests to each device.
pub fn initiators_by_device(graph: &Graph) -> Vec<Vec<ComponentId>> {
    let mut askers = vec![Vec::new(); graph.devices.len()];
    for reach in graph.reaches.iter().filter(|reach| !reach.ways.is_empty()) {
        askers[reach.device].push(ComponentId(reach.asker as u32));
    }
    askers
}

/// Whether requests reach each part through an adapter on a network.
fn on_network(graph: &Graph) -> Vec<bool> {
    let mut stands = vec![false; graph.parts.len()];
    let stations = graph.loops.iter().flat_map(|on_loop| &on_loop.stations);
    stations.filter_map(|station| station.part).for_each(|part| stands[part] = true);
    let mut asked = vec![false; graph.parts.len()];
    graph.links.iter().filter(|link| stands[link.asker.part]).for_each(|link| asked[link.server.part] = true);
    asked
}

/// The number of requests that a drive without an announced queue depth accepts at once: an assumption.
const TAKES: u64 = 8;

/// The number of writes that each device accepts at once: its announced queue depth, or the sum over the devices behind it divided by the
/// number of devices that a write occupies, as an array has copies and checks.
fn takes(graph: &Graph, behind: &[Vec<u32>], shares: &[Option<u64>]) -> Vec<u64> {
    let mut presented = vec![0_usize; graph.parts.len()];
    graph.devices.iter().for_each(|device| presented[device.part] += 1);
    let mut known = vec![None; graph.devices.len()];
    let sees = Sees { graph, behind, shares, presented };
    (0..graph.devices.len()).map(|device| sees.takes(device, &mut known)).collect()
}

/// The input for the number of writes that devices accept.
struct Sees<'a> {
    graph: &'a Graph,
    behind: &'a [Vec<u32>],
    shares: &'a [Option<u64>],
    presented: Vec<usize>,
}

impl Sees<'_> {
    fn takes(&self, device: usize, known: &mut [Option<u64>]) -> u64 {
        if let Some(takes) = known[device] {
            return takes;
        }
        let graph::Device { part, unit, .. } = self.graph.devices[device];
        let behind = &self.behind[part];
        let takes = match self.shares[device] {
            Some(announced) => announced,
            None if behind.is_empty() => TAKES,
            // If a part presents several devices, each corresponds to the device behind at the same index.
            None if self.presented[part] == behind.len() => {
                self.takes(behind[unit as usize % behind.len()] as usize, known)
            }
            None => {
                let all = behind.iter().map(|&one| self.takes(one as usize, known));
                let all = all.fold(0, u64::saturating_add);
                all / self.graph.parts[part].part.devices_per_write(behind.len()).max(1)
            }
        };
        known[device] = Some(takes.max(1));
        takes.max(1)
    }
}

/// Whether each device has a position: it is a disk, or a device in front of disks.
fn turns(graph: &Graph, behind: &[Vec<u32>]) -> Vec<bool> {
    let mut turns: Vec<bool> =
        graph.devices.iter().map(|device| graph.parts[device.part].part.has_moving_heads()).collect();
    // Devices in front of others may have a lower number than those.
    loop {
        let before = turns.clone();
        for (number, device) in graph.devices.iter().enumerate() {
            turns[number] |= behind[device.part].iter().any(|&device| before[device as usize]);
        }
        if turns == before {
            return turns;
        }
    }
}

/// The controller side of a pair that sends requests to each part, for each of the ports by which the part serves. If there is only the
/// first side, the list is empty.
fn halves(graph: &Graph) -> Vec<Vec<ControllerSide>> {
    let mut halves = vec![Vec::new(); graph.parts.len()];
    let links = || graph.links.iter().chain(&graph.shared);
    if links().any(|link| link.half != ControllerSide::A) {
        links().for_each(|link| halves[link.server.part].push(link.half));
    }
    halves
}

/// The addresses to which a part sends messages that belong to no request.
fn peers(graph: &Graph, part: usize) -> Vec<Address> {
    let stations = graph.loops.iter().flat_map(|on_loop| &on_loop.stations);
    let address = |name: &String| {
        stations.clone().find(|station| station.listed == *name).map(|station| station.address)
    };
    graph.parts[part].part.background_destinations().iter().filter_map(address).collect()
}

/// The address of the first group of a network (assumption: FC-FS has the alias server give the address of a group, and no source says
/// which).
const FIRST_GROUP: u32 = 0xFF_FB00;

/// The address of the group to which a part sends: the groups of a network are numbered by their senders.
fn group_of(graph: &Graph, part: usize) -> Option<Address> {
    let on = graph.loops.iter().find(|on| on.stations.iter().any(|station| station.part == Some(part)))?;
    let mut senders = on
        .stations
        .iter()
        .filter_map(|station| station.part)
        .filter(|&part| graph.parts[part].part.sends_to_a_group());
    senders.position(|other| other == part).map(|number| Address::new(FIRST_GROUP + number as u32))
}

/// The nodes at the stations of a network.
pub fn network_nodes(graph: &Graph, part: usize) -> Vec<NetworkNode> {
    let on_loop = graph.loops.iter().find(|on_loop| on_loop.part == part);
    let stations = on_loop.map_or(&[][..], |on_loop| &on_loop.stations);
    // The ports for the stations are followed by those at the processors of some stations, in the same order.
    let mut ports = stations.len() as u16..;
    let pace = |station: &GraphStation| graph.parts[station.part?].part.frame_pace();
    let mut node = |station: &GraphStation| NetworkNode {
        listed: station.listed.clone(),
        side: station.side,
        address: station.address,
        port: station.port.clone(),
        enclosure: station.enclosure,
        hears_ends: station.part.is_some_and(|part| graph.parts[part].part.awaits_circuit_end()),
        pace: pace(station).unwrap_or_default(),
        group: station.part.and_then(|part| Some((group_of(graph, part)?, peers(graph, part)))),
        processors: station.processors.and_then(|processors| {
            let poll = graph.parts[processors].part.polls_for_work();
            Some(ProcessorPort { port: ports.next()?, card: card(graph, station, processors), poll })
        }),
    };
    stations.iter().map(&mut node).collect()
}

/// The number of an adapter among those that processors poll, if it serves the component for which they work.
fn card(graph: &Graph, station: &GraphStation, processors: usize) -> Option<u16> {
    let link = graph.links.iter().find(|link| Some(link.asker.part) == station.part)?;
    let is_his =
        |shared: &graph::GraphLink| shared.asker.part == link.server.part && shared.server.part == processors;
    graph.shared.iter().any(is_his).then_some(link.server.number as u16)
}

/// The paths by which each part can send requests to each device; empty for a part that sends none.
fn paths(graph: &Graph, ports: &Ports) -> Vec<ByDevice<Vec<DevicePath>>> {
    let mut ways: Vec<ByDevice<Vec<DevicePath>>> = vec![ByDevice::default(); graph.parts.len()];
    for reach in &graph.reaches {
        let way = |way: &graph::GraphPath| DevicePath {
            port: ports.request_port(reach.asker, way.port),
            adapter: ports.request_port(reach.asker, way.adapter),
            server: graph.serving_part(way).unwrap_or(0) as u32,
            queue_entries: queue_entries(graph, way),
            is_on_network: way.address.is_some() && !way.refused,
            from: way.from,
            to: way.to,
        };
        ways[reach.asker].set(reach.device as u32, reach.ways.iter().map(way).collect());
    }
    ways
}

/// The entries of the submission queues of NVMe over Fabrics by which commands go on a path, if their number is limited. PCI Express has queues of its own.
fn queue_entries(graph: &Graph, way: &graph::GraphPath) -> Option<u32> {
    let on = graph.loops[way.address?.network].part;
    let has_own = graph.parts[on].part.network().is_some_and(|network| network.transport().is_on_memory());
    let part = graph.serving_part(way).filter(|_| !has_own)?;
    graph.parts[part].part.queue_entries()
}

/// The devices that are unavailable through each adapter in front of them.
fn unavailable(graph: &Graph) -> Vec<Vec<u32>> {
    let mut devices: Vec<Vec<u32>> = vec![Vec::new(); graph.parts.len()];
    let learns = |reach: &&graph::DevicePaths| graph.parts[reach.asker].part.learns_access_from_answers();
    for reach in graph.reaches.iter().filter(learns) {
        for way in reach.ways.iter().filter(|way| way.to.access == AccessState::Unavailable) {
            if let Some(part) = graph.serving_part(way) {
                devices[part].push(reach.device as u32);
            }
        }
    }
    devices
}

/// Addresses on networks.
struct Addresses {
    /// The address of each part.
    own: Vec<Option<Address>>,
    /// For each part the devices that it reaches: the number of the port by which it serves, the device and its address.
    asked: Vec<Vec<(u32, usize, Address)>>,
}

impl Addresses {
    fn of(graph: &Graph) -> Self {
        let mut own = vec![None; graph.parts.len()];
        for station in graph.loops.iter().flat_map(|on_loop| &on_loop.stations) {
            if let Some(part) = station.part {
                own[part] = Some(station.address);
            }
        }
        let mut asked: Vec<Vec<(u32, usize, Address)>> = vec![Vec::new(); graph.parts.len()];
        for reach in &graph.reaches {
            // A refused path has no address.
            for address in reach.ways.iter().filter(|way| !way.refused).filter_map(|way| way.address) {
                let from = graph.loops[address.arbitrated_loop].stations[address.from].part;
                if let Some(adapter) = from {
                    asked[adapter].push((address.by, reach.device, address.at));
                }
            }
        }
        Self { own, asked }
    }

    fn of_devices(&self, part: usize) -> Vec<ByDevice<Address>> {
        let mut addresses: Vec<ByDevice<Address>> = Vec::new();
        for &(by, device, address) in &self.asked[part] {
            addresses.resize(addresses.len().max(by as usize + 1), ByDevice::default());
            addresses[by as usize].set(device as u32, address);
        }
        addresses
    }
}
