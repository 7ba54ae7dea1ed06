//! The parts of the graph, in their order.

use sansim_fc::loop_port::FcPort;
use sansim_registry::PortKeys;
use std::collections::BTreeMap;

use super::addresses::OfNetwork;
use super::node_events;
use super::stations::Stations;
use super::{Components, dotted};
use crate::graph::{Graph, GraphLoop, GraphPart, GraphStation, PartGroup, attached};
use sansim_fc::enclosure::{EnclosureParameters, enclosure_of_station};
use sansim_registry::{ComponentCategory, InnerPort};
use sansim_schema::table::NamedValue;

/// The number of a part, by component, member and part of the member.
pub(super) type Numbers = BTreeMap<(usize, u32, usize), usize>;

/// The builder adds parts, each when it is first met.
struct Builder<'a> {
    components: &'a Components<'a>,
    graph: Graph,
    numbers: Numbers,
    /// The group of each part of a member, by component and part.
    places: BTreeMap<(usize, usize), usize>,
}

impl Builder<'_> {
    fn add(&mut self, component: usize, member: u32, inside: usize) -> usize {
        if let Some(&number) = self.numbers.get(&(component, member, inside)) {
            return number;
        }
        let part = &self.components.members[component].parts[inside];
        let place = *self.places.entry((component, inside)).or_insert_with(|| {
            let name = dotted(self.components.name(component), &part.path);
            self.graph.places.push(PartGroup { name, component, members: self.components.count(component) });
            self.graph.places.len() - 1
        });
        let name = dotted(&self.components.member_name(component, member), &part.path);
        let number = self.graph.parts.len();
        self.graph.parts.push(GraphPart { name, place, member, part: part.part.clone() });
        self.numbers.insert((component, member, inside), number);
        number
    }
}

/// The ports inside a network.
fn inner_ports(components: &Components<'_>, network: usize, row: &[GraphStation]) -> Vec<InnerPort> {
    components.network(network).map_or_else(Vec::new, |network| network.inner_ports(&attached(row)))
}

/// Builds all parts, groups and loops. An adapter on no loop is not built.
pub(super) fn build(
    components: &Components<'_>,
    stations: &Stations,
    addresses: Vec<OfNetwork>,
) -> (Graph, Numbers) {
    let mut builder =
        Builder { components, graph: Graph::default(), numbers: Numbers::new(), places: BTreeMap::new() };
    for (on_loop, addresses) in stations.loops.iter().zip(addresses) {
        let mut row = Vec::new();
        for (&(component, port), addresses) in on_loop.ports.iter().zip(addresses) {
            let inside = &components.members[component];
            let said = &inside.ports[port];
            for (member, address) in (0..components.count(component)).zip(addresses) {
                // The adapter and the parts joined to it, in the order of the member.
                let beside = |other: usize| {
                    said.part.is_some_and(|adapter| {
                        other == adapter
                            || inside.joins.contains(&(adapter, other))
                            || inside.joins.contains(&(other, adapter))
                    })
                };
                for other in (0..inside.parts.len()).filter(|&other| beside(other)) {
                    builder.add(component, member, other);
                }
                row.push(GraphStation {
                    name: dotted(&components.member_name(component, member), &said.path),
                    component,
                    member,
                    listed: dotted(components.name(component), &said.path),
                    path: node_events::port_path(components, component, said.part, &said.path).to_owned(),
                    side: said.side,
                    address,
                    port: said.keys.clone(),
                    enclosure: enclosure_of(components, on_loop.network, component, &said.path),
                    from: said.from,
                    to: said.to,
                    part: said.part.map(|adapter| builder.add(component, member, adapter)),
                    processors: None,
                    number: inside.ports[..port].iter().filter(|other| other.part == said.part).count()
                        as u16,
                });
            }
        }
        let inner = inner_ports(components, on_loop.network, &row);
        if let Some(network) = components.network(on_loop.network) {
            put_into_enclosures(network.enclosures(), &mut row);
        }
        builder.graph.loops.push(GraphLoop { part: 0, stations: row, inner });
    }
    for component in components.numbers() {
        if matches!(
            components.kind(component).category,
            ComponentCategory::Network | ComponentCategory::Workload
        ) {
            continue;
        }
        for member in 0..components.count(component) {
            for inside in 0..components.members[component].parts.len() {
                if is_built(components, stations, component, inside) {
                    builder.add(component, member, inside);
                }
            }
        }
    }
    for (number, on_loop) in stations.loops.iter().enumerate() {
        builder.graph.loops[number].part = builder.add(on_loop.network, 0, 0);
    }
    let mut workloads: Vec<usize> = components
        .numbers()
        .filter(|&component| components.kind(component).category == ComponentCategory::Workload)
        .collect();
    workloads.sort_by_key(|&component| components.name(component));
    for component in workloads {
        for member in 0..components.count(component) {
            for inside in 0..components.members[component].parts.len() {
                builder.add(component, member, inside);
            }
        }
    }
    (builder.graph, builder.numbers)
}

/// The enclosure of a network that holds a port.
fn enclosure_of(components: &Components<'_>, network: usize, component: usize, path: &str) -> Option<usize> {
    let network = components.network(network)?;
    enclosure_of_station(network.enclosures(), &dotted(components.name(component), path))
}

/// Adds the delays of the slots to the stations in an enclosure.
fn put_into_enclosures(enclosures: &[NamedValue<EnclosureParameters>], stations: &mut [GraphStation]) {
    for (number, enclosure) in enclosures.iter().enumerate() {
        let inside = |station: &GraphStation| station.enclosure == Some(number);
        let held = stations.iter().filter(|station| inside(station)).count() as u64;
        for (slot, station) in stations.iter_mut().filter(|station| inside(station)).enumerate() {
            if let Some(FcPort { port, schedule }) = station.port.keys_of_protocol() {
                let port = enclosure.described.drive_port(port, (slot as u64, held));
                station.port = PortKeys::new(FcPort { port, schedule: schedule.clone() });
            }
        }
    }
}

/// Whether a part is built: adapters are on a loop, or they are not there.
fn is_built(components: &Components<'_>, stations: &Stations, component: usize, inside: usize) -> bool {
    let mut ports = components.members[component].ports.iter().enumerate();
    let port = ports.find(|(_, port)| port.part == Some(inside));
    port.is_none_or(|(port, _)| stations.of_port.contains_key(&(component, port)))
}
