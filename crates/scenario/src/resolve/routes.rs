//! Devices, the routes of each workload, and all paths.

use std::collections::{BTreeMap, BTreeSet};

use sansim_registry::{ComponentCategory, InitiatorPathKeys, PolicyName, ReferenceRelation, TargetPathKeys};
use sansim_request::BLOCK_BYTES;
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::write_size;
use sansim_schema::sink::ProblemSink;

use super::crossings;
use super::groups::host_of;
use super::joins::partners;
use super::names::{Join, Names};
use super::parts::Numbers;
use super::{Components, dotted, zones};
use crate::codes::{NO_WAY, TOO_MANY_PARTS};
use crate::graph::{
    BlockPort, Device, DeviceAddress, DevicePaths, Graph, GraphLink, GraphPath, GraphStation, WorkloadRoute,
};

/// The most routes: devices of all workloads together, each counted for every workload.
const MOST_ROUTES: usize = 5_000_000;

/// The devices that each member of each component presents, by their numbers.
type Presented = BTreeMap<(usize, u32), std::ops::Range<usize>>;

/// Finds devices, routes and paths; reports components without a path to a device.
pub(super) fn find(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    names: &Names,
    numbers: &Numbers,
    graph: &mut Graph,
) {
    let presented = devices(sink, components, names, numbers, graph);
    let mut asked: BTreeMap<(usize, usize), Asked<'_>> = BTreeMap::new();
    for component in components.numbers() {
        let inside = &components.members[component];
        for member in 0..components.count(component) {
            let Some(asker) = inside.asks.and_then(|asks| numbers.get(&(component, member, asks))) else {
                continue;
            };
            for join in names.request_joins(component) {
                for device in
                    partners(components, join, member).flat_map(|other| of(&presented, join.to, other))
                {
                    asked.entry((*asker, device)).or_insert(Asked::by(join));
                }
            }
            by_leave(components, names, &presented, (component, *asker), &mut asked);
        }
    }
    let mut workloads: Vec<(usize, usize, u32)> = components
        .numbers()
        .filter(|&component| components.kind(component).category == ComponentCategory::Workload)
        .flat_map(|component| (0..components.count(component)).map(move |member| (component, member)))
        .filter_map(|(component, member)| {
            let asks = components.members[component].asks?;
            Some((*numbers.get(&(component, member, asks))?, component, member))
        })
        .collect();
    workloads.sort_unstable();
    let mut in_all = 0;
    let mut faulty: BTreeSet<usize> = BTreeSet::new();
    for (workload, component, member) in workloads {
        let host = host_of(components, names, component, member).and_then(|(host, of_host)| {
            numbers.get(&(host, of_host, components.members[host].serves?)).copied()
        });
        let Some(host) = host else { continue };
        let compound = components.described[component].kind_behaviour();
        let named: Vec<(usize, &Join)> = names
            .joins_with_relation(component, ReferenceRelation::Devices)
            .flat_map(|join| join.named_members(components).map(move |member| (join, member)))
            .flat_map(|(join, member)| of(&presented, join.to, member).map(move |device| (device, join)))
            .collect();
        let own = compound.division().devices_of_member(member, components.count(component), named.len());
        let devices: Vec<usize> = own.iter().map(|&number| named[number].0).collect();
        for &number in &own {
            let (device, join) = named[number];
            asked.entry((host, device)).or_insert(Asked::by(join));
        }
        let route = WorkloadRoute { workload, host, devices, limits: compound.limits() };
        // The other members of the group would report the same errors.
        if !faulty.contains(&component) {
            let told = sink.problem_count();
            if route.devices.is_empty() {
                nothing_to_ask(sink, components, names, component);
            }
            stripes(sink, components, component, &route, graph);
            let names: Vec<&str> =
                route.devices.iter().map(|&device| graph.devices[device].name.as_str()).collect();
            let mut keys = Keys::new(sink, components.places, components.name(component));
            compound.check_devices(&names, &mut keys);
            faulty.extend((sink.problem_count() > told).then_some(component));
        }
        in_all += route.devices.len();
        if in_all > MOST_ROUTES {
            too_many_routes(sink, components, component);
            return;
        }
        graph.routes.push(route);
    }
    paths(sink, components, names, &asked, graph);
}

/// The reason why a component sends requests to a device.
#[derive(Clone, Copy)]
struct Asked<'a> {
    join: &'a Join,
    /// Whether the access needs a lease of a metadata controller.
    by_leave: bool,
    /// Whether the component never accesses the devices, as it only grants leases for them.
    never: bool,
}

impl<'a> Asked<'a> {
    fn by(join: &'a Join) -> Self {
        Self { join, by_leave: false, never: false }
    }
}

/// The devices that a component accesses with leases of a metadata controller, or for which it grants leases to others.
fn by_leave<'a>(
    components: &Components<'_>,
    names: &'a Names,
    presented: &Presented,
    (component, asker): (usize, usize),
    asked: &mut BTreeMap<(usize, usize), Asked<'a>>,
) {
    let mut add = |manager: usize, never: bool| {
        for join in names.joins_with_relation(manager, ReferenceRelation::Manages) {
            for device in (0..components.count(join.to)).flat_map(|member| of(presented, join.to, member)) {
                asked.entry((asker, device)).or_insert(Asked { join, by_leave: true, never });
            }
        }
    };
    names.joins_with_relation(component, ReferenceRelation::Shares).for_each(|join| add(join.to, false));
    add(component, true);
}

/// The devices that a member presents.
fn of(presented: &Presented, component: usize, member: u32) -> std::ops::Range<usize> {
    presented.get(&(component, member)).cloned().unwrap_or(0..0)
}

/// Reports a workload all of whose devices have a count of 0.
fn nothing_to_ask(sink: &mut ProblemSink<'_>, components: &Components<'_>, names: &Names, workload: usize) {
    let Some(join) = names.joins_with_relation(workload, ReferenceRelation::Devices).next() else { return };
    let key = join.key_path(components);
    let fault = Diagnostic::new(
        codes::CONTRADICTION,
        components.places.value_position(&key),
        format!("`{}` has no drive to go to", components.name(workload)),
    )
    .with_label("these groups have no drives")
    .with_help("set their count, or name another group");
    sink.report(&key, fault);
}

/// Checks that a stripe unit fits on each device.
fn stripes(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    workload: usize,
    route: &WorkloadRoute,
    graph: &Graph,
) {
    let Some(smallest) =
        route.devices.iter().map(|&device| &graph.devices[device]).min_by_key(|d| d.capacity_blocks)
    else {
        return;
    };
    let (name, bytes) = (components.name(workload), smallest.capacity_blocks.saturating_mul(BLOCK_BYTES));
    for (stream, unit) in components.described[workload].kind_behaviour().stripes() {
        let of_stream = dotted(name, &format!("streams.{stream}.stripe_unit"));
        let key = if components.places.written_position(&of_stream).is_some() {
            of_stream
        } else {
            dotted(name, "stripe_unit")
        };
        if unit <= bytes || !sink.all_readable(&[&key]) {
            continue;
        }
        let message = format!("a stripe unit of {} does not fit on `{}`", write_size(unit), smallest.name);
        let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
            .with_label("larger than the smallest device")
            .with_help(format!("at most {}, what that device holds", write_size(bytes)));
        sink.report(&key, fault);
    }
}

/// Reports a scenario with too many routes: many workloads that all go to many devices.
fn too_many_routes(sink: &mut ProblemSink<'_>, components: &Components<'_>, workload: usize) {
    let name = components.name(workload);
    let message = format!("the workloads go to more than {MOST_ROUTES} devices together");
    let fault = Diagnostic::new(TOO_MANY_PARTS, components.places.header_position(name), message)
        .with_label("the first that is too many")
        .with_help("let fewer workloads go to fewer devices each");
    sink.report(name, fault);
}

/// The depth of each component, counted from a component without an owner: a device comes after the component in front of it.
fn depths(components: &Components<'_>, names: &Names) -> Vec<usize> {
    let mut depths = vec![1; components.described.len()];
    // Cycles have been reported: the limit prevents an endless loop.
    for _ in 0..components.described.len() {
        let mut changed = false;
        for join in names.joins.iter().filter(|join| join.is_device_join()) {
            let depth = depths[join.from] + 1;
            changed |= depths[join.to] < depth;
            depths[join.to] = depths[join.to].max(depth);
        }
        if !changed {
            break;
        }
    }
    depths
}

/// Finds the devices and numbers them by their parts.
fn devices(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    names: &Names,
    numbers: &Numbers,
    graph: &mut Graph,
) -> Presented {
    let depths = depths(components, names);
    let mut inner_first: Vec<usize> = components.numbers().collect();
    inner_first.sort_by_key(|&component| std::cmp::Reverse(depths[component]));
    let mut bytes: BTreeMap<(usize, u32), Vec<u64>> = BTreeMap::new();
    for component in inner_first {
        if components.kind(component).category != ComponentCategory::Device {
            continue;
        }
        let compound = components.described[component].kind_behaviour();
        for member in 0..components.count(component) {
            let members = names
                .device_joins(component)
                .flat_map(|join| partners(components, join, member).map(move |other| (join.to, other)));
            let behind: Vec<u64> =
                members.filter_map(|member| bytes.get(&member)).flatten().copied().collect();
            if member == 0 && behind.len() < compound.least_behind() {
                too_few(sink, components, names, component, behind.len(), compound.least_behind());
            }
            if member == 0 {
                let mut keys = Keys::new(sink, components.places, components.name(component));
                compound.check_behind(&behind, &mut keys);
            }
            bytes.insert((component, member), compound.presents(&behind));
        }
    }
    let mut by_part: Vec<(usize, usize, u32)> = bytes
        .keys()
        .filter_map(|&(component, member)| {
            let serves = components.members[component].serves?;
            Some((*numbers.get(&(component, member, serves))?, component, member))
        })
        .collect();
    by_part.sort_unstable();
    let mut presented = Presented::new();
    for (part, component, member) in by_part {
        let units = &bytes[&(component, member)];
        let first = graph.devices.len();
        for (unit, bytes) in (0..).zip(units) {
            let name = &graph.parts[part].name;
            let name = if units.len() > 1 { format!("{name}[{unit}]") } else { name.clone() };
            let (capacity_blocks, announced) =
                (bytes / BLOCK_BYTES, components.described[component].kind_behaviour().announces());
            graph.devices.push(Device { name, part, unit, capacity_blocks, announced });
        }
        presented.insert((component, member), first..graph.devices.len());
    }
    presented
}

/// Reports a component that has fewer devices behind it than it needs.
fn too_few(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    names: &Names,
    component: usize,
    has: usize,
    needs: usize,
) {
    let Some(join) = names.device_joins(component).next() else { return };
    let key = join.key_path(components);
    let (name, noun) = (components.name(component), components.kind(component).noun);
    let message = format!("`{name}` has {has} to ask, but {noun} needs {needs}");
    let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
        .with_label("too few devices")
        .with_help(format!("name a group with a count of {needs} or more, or several groups"));
    sink.report(&key, fault);
}

/// Finds all paths of components to their devices: from each of their adapters to each adapter of the device that its network leads to, if
/// zones and masks allow it. Each path has a block port of its own at the initiating component and at its adapter, so that a policy chooses
/// among all of them.
fn paths(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    names: &Names,
    asked: &BTreeMap<(usize, usize), Asked<'_>>,
    graph: &mut Graph,
) {
    let joined = crossings::joined(graph);
    let mut stations: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (number, on_loop) in graph.loops.iter().enumerate() {
        for (station, stands) in on_loop.stations.iter().enumerate() {
            stations.extend(stands.part.map(|part| (part, (number, station))));
        }
    }
    let mut asks: BTreeMap<usize, Vec<GraphLink>> = BTreeMap::new();
    // For each serving part: the stations of its adapters.
    let mut targets: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for link in &graph.links {
        asks.entry(link.asker.part).or_default().push(*link);
        // An adapter that sends requests by a block port sends them for the initiators on its network.
        if let Some(&station) = stations.get(&link.asker.part) {
            targets.entry(link.server.part).or_default().push(station);
        }
    }
    let mut block_ports = BlockPorts::of(graph);
    let mut told: BTreeSet<(usize, &str, usize)> = BTreeSet::new();
    for (&(asker, device), &Asked { join, by_leave, never }) in asked {
        let of_asker = graph.places[graph.parts[asker].place].component;
        let chooses = components.described[of_asker].kind_behaviour().chooses();
        let (policy, nodes) = chooses
            .map_or((PolicyName::First.into(), 1), |chooses| (chooses.path.clone(), chooses.numa_nodes));
        if never {
            graph.reaches.push(DevicePaths { asker, device, ways: Vec::new(), by_leave, policy, nodes });
            continue;
        }
        let wanted = graph.devices[device].part;
        let mut ways = Vec::new();
        for link in asks.get(&asker).into_iter().flatten() {
            let port = link.asker.number;
            let plain = GraphPath {
                port,
                adapter: port,
                address: None,
                refused: false,
                from: InitiatorPathKeys::PLAIN,
                to: TargetPathKeys::PLAIN,
            };
            if link.server.part == wanted {
                ways.push(plain);
            } else if let Some(&(on_loop, from)) = stations.get(&link.server.part) {
                let there = targets.get(&wanted).into_iter().flatten();
                let reached = there.filter(|&&(other, _)| joined[other] == joined[on_loop]);
                ways.extend(reached.map(|&(network, to)| {
                    let (asks, serves) =
                        (&graph.loops[on_loop].stations[from], &graph.loops[network].stations[to]);
                    let at = serves.address;
                    let address =
                        Some(DeviceAddress { arbitrated_loop: on_loop, network, from, to, at, by: 0 });
                    let to = serving_end(components, serves, graph.devices[device].unit);
                    GraphPath { address, from: asks.from, to, ..plain }
                }));
            }
        }
        zones::refuse(components, graph, &joined, (asker, device), &mut ways);
        block_ports.part(asker, &mut ways, graph);
        if ways.is_empty() && told.insert((join.from, join.key, join.index)) {
            no_path(sink, components, names, &graph.parts[asker].name, join);
        }
        graph.reaches.push(DevicePaths { asker, device, ways, by_leave, policy, nodes });
    }
    zones::check(sink, components, graph, &joined);
}

/// The block ports that join components to their adapters: one for each port of a device that the adapter reaches.
struct BlockPorts {
    /// The links to each adapter, by the initiating part and the number of its first port there.
    at_adapters: BTreeMap<(usize, u32), Vec<GraphLink>>,
    /// For each part, the number of ports by which it sends requests, and by which it serves.
    asking: BTreeMap<usize, u32>,
    serving: BTreeMap<usize, u32>,
}

impl BlockPorts {
    fn of(graph: &Graph) -> Self {
        let mut ports =
            Self { at_adapters: BTreeMap::new(), asking: BTreeMap::new(), serving: BTreeMap::new() };
        for link in &graph.links {
            ports.at_adapters.insert((link.asker.part, link.asker.number), vec![*link]);
            *ports.asking.entry(link.asker.part).or_default() += 1;
            *ports.serving.entry(link.server.part).or_default() += 1;
        }
        ports
    }

    /// Gives each of the paths to a device a port of its own; the first path of an adapter uses the adapter's port.
    fn part(&mut self, asker: usize, ways: &mut [GraphPath], graph: &mut Graph) {
        let mut by_adapter: BTreeMap<u32, usize> = BTreeMap::new();
        for way in ways {
            let number = by_adapter.entry(way.adapter).or_default();
            let Some(links) = self.at_adapters.get_mut(&(asker, way.adapter)) else { continue };
            if *number == links.len() {
                let first = links[0];
                let next = |of: &mut BTreeMap<usize, u32>, part: usize| {
                    let count = of.entry(part).or_default();
                    *count += 1;
                    BlockPort { part, number: *count - 1 }
                };
                let asker = next(&mut self.asking, first.asker.part);
                let server = next(&mut self.serving, first.server.part);
                links.push(GraphLink { asker, server, ..first });
                graph.links.push(GraphLink { asker, server, ..first });
            }
            way.port = links[*number].asker.number;
            if let Some(address) = &mut way.address {
                address.by = links[*number].server.number;
            }
            *number += 1;
        }
    }
}

/// The keys of an adapter for the paths to a device that end at it.
fn serving_end(components: &Components<'_>, station: &GraphStation, unit: u32) -> TargetPathKeys {
    let adapter = station.name.split_once('.').map_or("", |(_, adapter)| adapter);
    let access = components.described[station.component].kind_behaviour().access(unit, adapter);
    access.map_or(station.to, |access| TargetPathKeys { access })
}

/// Reports that no path leads from one component to the other.
fn no_path(sink: &mut ProblemSink<'_>, components: &Components<'_>, names: &Names, asker: &str, join: &Join) {
    let (from, to) = (components.name(join.from), components.name(join.to));
    let owner = names.joins.iter().find(|other| other.to == join.to && other.is_request_join());
    let (message, help) = if join.how == ReferenceRelation::Devices {
        let help = match owner {
            Some(owner) => {
                format!("`{to}` is behind `{}`: name that in place of it", components.name(owner.from))
            }
            None => format!("put both on one loop, or add attached = [\"{to}\"] to {asker}"),
        };
        let message =
            format!("`{from}` goes through `{asker}` to `{to}`, but no path leads from `{asker}` to `{to}`");
        (message, help)
    } else {
        (
            format!("no path leads from `{asker}` to `{to}`"),
            format!("put `{to}` on the loop of a back adapter of `{asker}`, or take it out of all stations"),
        )
    };
    let fault = Diagnostic::new(NO_WAY, join.name_position(components), message)
        .with_label("cannot be reached")
        .with_help(help);
    sink.report(&join.key_path(components), fault);
}
