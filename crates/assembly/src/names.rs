//! The names of a system for observers: its networks, stations with their peers, components, ledger lines and events.

use crate::routes::{sources, workload_routes};
use sansim_kernel::Time;
use sansim_observe::names::{
    ComponentName, DeviceName, EventName, InnerLinkName, NetworkName, PlaceName, StationName, StationRole,
    SystemNames, WorkloadName,
};
use sansim_registry::{InnerLinkEnd, InnerPort, NetworkDrawing, RingHop};
use sansim_request::LedgerLine;
use sansim_scenario::graph::{Device, GraphLoop, attached};
use sansim_scenario::{Graph, Scenario};
use sansim_schema::catalogue::Catalogue;
use sansim_schema::words::Word;

/// The system as observers name it, without gauges; and the station of each part.
pub fn system_names(scenario: &Scenario, graph: &Graph, places: &[usize]) -> (SystemNames, Vec<usize>) {
    let mut names = SystemNames { title: scenario.title.clone(), ..SystemNames::default() };
    let mut station_of: Vec<Option<usize>> = vec![None; graph.parts.len()];
    for (network, on_loop) in graph.loops.iter().enumerate() {
        let part = &graph.parts[on_loop.part];
        let Some(network_of) = part.part.network() else { continue };
        let kind = scenario.components[graph.places[part.place].component].kind_of_component();
        names.networks.push(NetworkName {
            name: part.name.clone(),
            word: network_of.word_time(),
            drawn: (kind.drawn)().map_or("box", NetworkDrawing::word),
            transport: network_of.transport(),
            catalogue: part.part.catalogue(),
        });
        let first = names.stations.len();
        station_of[on_loop.part] = Some(first);
        for station in &on_loop.stations {
            let number = names.stations.len();
            let role = match station.part.map(|part| &graph.parts[part].part) {
                None => StationRole::Passive,
                Some(part) if part.connects_two_networks() => StationRole::Passive,
                Some(part) if part.receives_commands() => StationRole::Target,
                Some(_) => StationRole::Initiator,
            };
            let port = Some((network, station.address));
            let stream_format =
                station.part.and_then(|part| graph.parts[part].part.stream_format(network_of.transport()));
            names.stations.push(StationName {
                name: station.name.clone(),
                port,
                address: network_of.written(station.address),
                role,
                stream_format,
                ..StationName::default()
            });
            let Some(adapter) = station.part else { continue };
            station_of[adapter] = Some(number);
            // The component behind an adapter is shown at the adapter's station, if both have the same name.
            let behind = graph.links.iter().filter_map(|link| match (link.asker.part, link.server.part) {
                (other, part) | (part, other) if part == adapter => Some(other),
                _ => None,
            });
            for other in behind.filter(|&other| graph.parts[other].name == station.name) {
                station_of[other] = Some(number);
            }
        }
        // Ports inside the network follow those of its nodes, as the places of the network do.
        names.stations.extend(on_loop.inner.iter().map(|port| StationName {
            name: format!("{}.{}[{}]", part.name, port.place, port.number),
            port: Some((network, port.address)),
            address: network_of.written(port.address),
            role: StationRole::Inner,
            inner: Some(InnerLinkName {
                link:
                    port.link.as_ref().filter(|_| port.first_end).map(|link| format!("{}.{link}", part.name)),
                place: port.place.clone(),
                rules: port.rules,
            }),
            ..StationName::default()
        }));
        join_peers(
            &mut names.stations[first..],
            first,
            on_loop,
            &network_of.ring(&attached(&on_loop.stations)),
        );
    }
    let sources = sources(graph);
    for (number, part) in graph.parts.iter().enumerate() {
        if station_of[number].is_none() && !sources[number] {
            station_of[number] = Some(names.stations.len());
            let asks = graph.links.iter().any(|link| link.asker.part == number);
            let role = if asks { StationRole::Initiator } else { StationRole::Target };
            names.stations.push(StationName { name: part.name.clone(), role, ..StationName::default() });
        }
    }
    for route in workload_routes(graph) {
        let station = station_of[route.host].unwrap_or(0);
        station_of[route.workload] = Some(station);
        let place = graph.parts[route.workload].place;
        let streams = scenario.components[graph.places[place].component].kind_behaviour().streams();
        names.workloads.push(WorkloadName {
            name: graph.parts[route.workload].name.clone(),
            host: graph.parts[route.host].name.clone(),
            station,
            streams,
        });
    }
    let mut first_line = 0;
    for &place in places {
        let part = graph.parts.iter().find(|part| part.place == place);
        let catalogue = part.map_or(&Catalogue::EMPTY, |part| part.part.catalogue());
        let name = graph.places[place].name.clone();
        names.places.push(PlaceName { name, first_line: LedgerLine(first_line), catalogue });
        first_line += catalogue.segments.len() as u32;
    }
    let stations: Vec<usize> = station_of.into_iter().map(|station| station.unwrap_or(0)).collect();
    for (part, &station) in graph.parts.iter().zip(&stations) {
        let place = places.iter().position(|&place| place == part.place).unwrap_or(0);
        let (name, catalogue) = (part.name.clone(), part.part.catalogue());
        names.components.push(ComponentName { name, station, place, catalogue });
    }
    names.events = events(scenario, graph);
    let device = |device: &Device| DeviceName { component: device.part, logical_unit: device.unit };
    names.devices = graph.devices.iter().map(device).collect();
    (names, stations)
}

/// The events of the scenario, and the failures and repairs that were drawn at random, by time.
fn events(scenario: &Scenario, graph: &Graph) -> Vec<EventName> {
    let written = scenario.events.iter();
    let mut events: Vec<EventName> =
        written.map(|event| EventName { at: Time::ZERO + event.at, text: event.in_words() }).collect();
    let drawn = graph.events.iter().filter(|event| !scenario.graph.events.contains(event));
    events.extend(drawn.filter_map(|event| {
        let part = &graph.parts[*event.parts.first()?];
        Some(EventName { at: Time::ZERO + event.at, text: format!("{} {}", event.action.word(), part.name) })
    }));
    events.sort_by_key(|event| event.at);
    events
}

/// Joins each station of a network with the station at the other end of its cable. `ring` has the hops from each node to the next, if the
/// network is a ring; else the ports inside the network know their other ends. `first` is the number of the network's first station.
fn join_peers(stations: &mut [StationName], first: usize, network: &GraphLoop, ring: &[RingHop]) {
    let nodes = network.stations.len();
    for (node, hop) in ring.iter().enumerate() {
        let peer = Some(first + (node + 1) % nodes);
        stations[node] = StationName { peer, delay: hop.delay, cable: hop.cable, ..stations[node].clone() };
    }
    for (number, port) in network.inner.iter().enumerate() {
        let other = |other: &InnerPort| other.link == port.link && other.first_end != port.first_end;
        let peer = match port.leads_to {
            InnerLinkEnd::Node(node) => Some(node),
            InnerLinkEnd::Place(_) => network.inner.iter().position(other).map(|number| nodes + number),
        };
        let delay = port.rules.latency;
        let join = |station: &mut StationName, peer| {
            (station.peer, station.delay, station.cable) = (peer, delay, delay);
        };
        join(&mut stations[nodes + number], peer.map(|peer| first + peer));
        if let InnerLinkEnd::Node(node) = port.leads_to {
            join(&mut stations[node], Some(first + nodes + number));
        }
    }
}
