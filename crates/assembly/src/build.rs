//! Makes the plan of a simulation from the graph of a scenario.
//!
//! The scenario has been validated, so nothing can fail while the plan is made.

use crate::board::{MeasurementBoard, PlacedGauge, SampledMeter, SampledPlaceMeter};
use crate::names::system_names;
use crate::plan::{ResultComponent, SystemPlan};
use crate::routes::sources;
use sansim_component::NetworkModel;
use sansim_component::{ComponentId, ComponentSite, PortKeys, PortRef};
use sansim_observe::names::{GaugeName, StationName, SystemNames};
use sansim_scenario::graph::BlockPort;
use sansim_scenario::{Graph, Part, Scenario};
use std::collections::VecDeque;

/// The plan of a scenario. `seed` replaces the seed of the scenario.
pub fn plan_system(scenario: &Scenario, seed: Option<u64>, model: NetworkModel) -> SystemPlan {
    let seed = seed.unwrap_or(scenario.run.seed);
    let mut graph = scenario.graph.clone();
    graph.draw_outages(seed, scenario.run.end_time().unwrap_or_default());
    let ports = Ports::of(&graph);
    let steps = model == NetworkModel::Fast && has_own_rules_at_ports(&graph);
    let model = if steps { NetworkModel::Stepped } else { model };
    let places = reading_order(&graph);
    let (mut names, stations) = system_names(scenario, &graph, &places);
    let board = board(&graph, &mut names, &stations);
    let sites = sites(&graph, &ports, &names);
    SystemPlan {
        title: scenario.title.clone(),
        seed,
        model,
        sizes: scenario.fcp,
        run: scenario.run,
        components: scenario.components.iter().map(|component| component.name.clone()).collect(),
        groups: groups(scenario),
        peers: peers(&graph, &ports, &sites),
        sites,
        slots: scenario.ios_in_flight(),
        has_open_loads: scenario.has_open_loads(),
        board,
        names,
        graph,
    }
}

/// Whether a rule of the user decides at a port of a loop, now or after a change: no shortcut follows such a rule.
fn has_own_rules_at_ports(graph: &Graph) -> bool {
    let is_own = |part: usize, ports: &[PortKeys]| {
        let network = graph.parts[part].part.network();
        network.is_some_and(|network| ports.iter().any(|keys| network.has_own_rules(keys)))
    };
    let mut changed = graph.changes.values().flatten();
    changed.any(|change| is_own(change.part, &change.ports))
        || graph.loops.iter().any(|on_loop| {
            on_loop.stations.iter().any(|station| is_own(on_loop.part, std::slice::from_ref(&station.port)))
        })
}

/// The number of ports of each part, by their purpose. Ports are numbered in the order of these purposes.
pub(crate) struct Ports {
    pub networks: Vec<u16>,
    pub serves: Vec<u16>,
    pub asks: Vec<u16>,
    /// For buses, processors and resources: the number of ports for their users.
    pub users: Vec<u16>,
    /// The number of ports of a part at buses, processors and resources.
    pub uses: Vec<u16>,
}

impl Ports {
    pub fn of(graph: &Graph) -> Self {
        let none = || vec![0; graph.parts.len()];
        let mut ports = Self { networks: none(), serves: none(), asks: none(), users: none(), uses: none() };
        for on_loop in &graph.loops {
            ports.networks[on_loop.part] = on_loop.stations.len() as u16;
            on_loop
                .stations
                .iter()
                .filter_map(|station| station.part)
                .for_each(|part| ports.networks[part] += 1);
        }
        for link in &graph.links {
            let serves = &mut ports.serves[link.server.part];
            *serves = (*serves).max(link.server.number as u16 + 1);
            let asks = &mut ports.asks[link.asker.part];
            *asks = (*asks).max(link.asker.number as u16 + 1);
        }
        for link in &graph.shared {
            ports.uses[link.asker.part] += 1;
            ports.users[link.server.part] += 1;
        }
        ports
    }

    fn count(&self, part: usize) -> u16 {
        self.first_use(part) + self.uses[part]
    }

    /// The port by which a part serves, by its number among the serving ports.
    fn serve(&self, part: usize, number: u32) -> u16 {
        self.networks[part] + number as u16
    }

    /// The ports of buses, processors or resources for their users.
    pub fn shared_user_ports(&self, part: usize) -> std::ops::Range<u16> {
        let first = self.first_use(part);
        first - self.users[part]..first
    }

    /// The ports of a part at buses, processors and resources.
    pub fn shared_resource_ports(&self, part: usize) -> std::ops::Range<u16> {
        let first = self.first_use(part);
        first..first + self.uses[part]
    }

    /// The number of the first port at shared resources. These ports follow the ports of users, as shared processors may use buses.
    fn first_use(&self, part: usize) -> u16 {
        self.networks[part] + self.serves[part] + self.asks[part] + self.users[part]
    }

    /// The port by which a part sends requests, by its number among the sending ports.
    pub fn request_port(&self, part: usize, number: u32) -> u16 {
        self.networks[part] + self.serves[part] + number as u16
    }
}

fn id(part: usize) -> ComponentId {
    ComponentId(part as u32)
}

/// The places of the ledger in the order in which a reader meets them: from the hosts on, each part is followed by the parts to which it
/// sends requests and its networks.
fn reading_order(graph: &Graph) -> Vec<usize> {
    let on_loop =
        |part: usize| graph.loops.iter().filter(move |l| l.stations.iter().any(|s| s.part == Some(part)));
    let next = |part: usize| -> Vec<usize> {
        let links = graph.shared.iter().chain(&graph.links);
        let asked = links.filter(|link| link.asker.part == part).map(|link| link.server.part);
        match &graph.parts[part].part {
            adapter if adapter.sends_commands() => asked.chain(on_loop(part).map(|l| l.part)).collect(),
            crossing if crossing.connects_two_networks() => on_loop(part).map(|l| l.part).collect(),
            network if network.network().is_some() => {
                let stations = graph.loops.iter().filter(|l| l.part == part).flat_map(|l| &l.stations);
                let parts = stations.filter_map(|station| station.part);
                let leads_on = |part: &Part| part.receives_commands() || part.connects_two_networks();
                parts.filter(|&part| leads_on(&graph.parts[part].part)).collect()
            }
            _ => asked.collect(),
        }
    };
    let mut seen = vec![false; graph.parts.len()];
    let mut places = Vec::new();
    let sources = graph.routes.iter().map(|route| route.workload);
    let hosts = graph.routes.iter().map(|route| route.host);
    let first = sources.chain(hosts).chain(0..graph.parts.len());
    for begin in first {
        let mut open = VecDeque::from([begin]);
        while let Some(part) = open.pop_front() {
            if std::mem::replace(&mut seen[part], true) {
                continue;
            }
            let place = graph.parts[part].place;
            if !places.contains(&place) {
                places.push(place);
            }
            open.extend(next(part));
        }
    }
    places
}

/// A component without the parts that results list separately, followed by these parts: its buses and processors, and its adapters where it
/// has several.
fn with_parts_apart(graph: &Graph, mut group: ResultComponent) -> Vec<ResultComponent> {
    let part = |parts: &Vec<ComponentId>| parts.first().map(|part| &graph.parts[part.index()]);
    let is_adapter = |parts: &Vec<ComponentId>| {
        part(parts).is_some_and(|p| p.part.sends_commands() || p.part.receives_commands())
    };
    let several = group.parts.iter().filter(|parts| is_adapter(parts)).count() > 1;
    let word = |parts: &Vec<ComponentId>| {
        let shared = part(parts).and_then(|part| part.part.shared_part_name());
        shared.or((several && is_adapter(parts)).then_some("adapter"))
    };
    let members = group.members;
    let apart: Vec<Vec<ComponentId>> = group.parts.extract_if(.., |parts| word(parts).is_some()).collect();
    let told = |parts: Vec<ComponentId>| {
        let name = part(&parts).map(|part| graph.places[part.place].name.clone()).unwrap_or_default();
        let kind = word(&parts).unwrap_or_default();
        ResultComponent { name, kind, members: members.filter(|_| kind == "adapter"), parts: vec![parts] }
    };
    let apart: Vec<ResultComponent> = apart.into_iter().map(told).collect();
    std::iter::once(group).chain(apart).collect()
}

/// The site of each component. Ranks follow the order of the parts; on a loop each port has a rank.
fn sites(graph: &Graph, ports: &Ports, names: &SystemNames) -> Vec<ComponentSite> {
    let (mut first_port, mut rank) = (0, 0);
    let site = |part: usize| {
        let name = &names.components[part];
        let first_line = names.places[name.place].first_line.0;
        let site = ComponentSite {
            first_port,
            rank,
            first_line,
            provides: first_line + name.catalogue.provides as u32,
        };
        first_port += u32::from(ports.count(part));
        rank += if graph.parts[part].part.network().is_some() { ports.networks[part] } else { 1 };
        site
    };
    (0..graph.parts.len()).map(site).collect()
}

/// The peer of each port.
fn peers(graph: &Graph, ports: &Ports, sites: &[ComponentSite]) -> Vec<Option<PortRef>> {
    let all: u32 = (0..graph.parts.len()).map(|part| u32::from(ports.count(part))).sum();
    let mut peers = vec![None; all as usize];
    let mut join = |one: PortRef, other: PortRef| {
        for (from, to) in [(one, other), (other, one)] {
            peers[sites[from.component.index()].first_port as usize + usize::from(from.port)] = Some(to);
        }
    };
    for on_loop in &graph.loops {
        for (port, station) in on_loop.stations.iter().enumerate() {
            if let Some(part) = station.part {
                let network = PortRef { component: id(on_loop.part), port: port as u16 };
                join(network, PortRef { component: id(part), port: station.number });
            }
        }
    }
    for link in &graph.links {
        let asker = PortRef {
            component: id(link.asker.part),
            port: ports.request_port(link.asker.part, link.asker.number),
        };
        let server = PortRef {
            component: id(link.server.part),
            port: ports.serve(link.server.part, link.server.number),
        };
        join(asker, server);
    }
    for link in &graph.shared {
        let end = |port: BlockPort, first: u16| PortRef {
            component: id(port.part),
            port: first + port.number as u16,
        };
        let (uses, users) = (
            ports.shared_resource_ports(link.asker.part).start,
            ports.shared_user_ports(link.server.part).start,
        );
        join(end(link.asker, uses), end(link.server, users));
    }
    peers
}

/// The gauges and meters read at each place: at each station those of its components; the gauges of an adapter are followed by those of its
/// port.
fn board(graph: &Graph, names: &mut SystemNames, stations: &[usize]) -> MeasurementBoard {
    let mut board = MeasurementBoard { station_of: stations.to_vec(), ..MeasurementBoard::default() };
    for part in &graph.parts {
        let before = board.first_meter.last().copied().unwrap_or(0);
        if board.first_meter.is_empty() {
            board.first_meter.push(0);
        }
        board.first_meter.push(before + part.part.catalogue().meters.len());
    }
    let mut at: Vec<Vec<usize>> = vec![Vec::new(); names.stations.len()];
    let sources = sources(graph);
    for (part, &station) in stations.iter().enumerate() {
        if !sources[part] && graph.parts[part].part.network().is_none() {
            at[station].push(part);
        }
    }
    let sampled = |board: &mut MeasurementBoard, part: usize, owner: &str| {
        let first = board.first_meter[part];
        for (number, meter) in graph.parts[part].part.catalogue().meters.iter().enumerate() {
            if let Some(name) = meter.sampled {
                let owner = owner.to_owned();
                board.meters.push(SampledMeter {
                    owner,
                    name,
                    component: id(part),
                    number,
                    meter: first + number,
                });
            }
        }
    };
    graph.loops.iter().for_each(|l| sampled(&mut board, l.part, &graph.parts[l.part].name));
    for (station, name) in names.stations.iter().enumerate() {
        let Some((network, _)) = name.port else { break };
        let component = graph.loops[network].part;
        let place = (station - stations[component]) as u16;
        for (number, meter) in graph.parts[component].part.place_meters().iter().enumerate() {
            let component = id(component);
            board.place_meters.push(SampledPlaceMeter {
                station,
                name: meter.name,
                component,
                number,
                place,
            });
        }
    }
    for (station, parts) in at.iter().enumerate() {
        board.first_gauge.push(board.gauges.len());
        let mut add = |component: usize, place: u16| {
            for (gauge, described) in graph.parts[component].part.catalogue().gauges.iter().enumerate() {
                board.gauges.push(PlacedGauge { component: id(component), gauge, place });
                names.gauges.push(GaugeName { station, component, gauge: described });
            }
        };
        if let StationName { port: Some((network, _)), inner: Some(_), .. } = names.stations[station] {
            let part = graph.loops[network].part;
            add(part, (station - stations[part]) as u16);
        }
        for &part in parts {
            add(part, 0);
            if let Some((network, _)) = names.stations[station].port
                && graph.loops[network].stations.iter().any(|s| s.part == Some(part))
            {
                let first = stations[graph.loops[network].part];
                add(graph.loops[network].part, (station - first) as u16);
            }
        }
        let owner = names.stations[station].name.clone();
        parts.iter().for_each(|&part| sampled(&mut board, part, &owner));
    }
    board.first_gauge.push(board.gauges.len());
    board
}

/// The components that results report together.
fn groups(scenario: &Scenario) -> Vec<ResultComponent> {
    let graph = &scenario.graph;
    let of = |component: usize| {
        let described = &scenario.components[component];
        let mut parts: Vec<(usize, Vec<ComponentId>)> = Vec::new();
        for (number, part) in graph.parts.iter().enumerate() {
            if graph.places[part.place].component != component {
                continue;
            }
            match parts.iter_mut().find(|(place, _)| *place == part.place) {
                Some((_, members)) => members.push(id(number)),
                None => parts.push((part.place, vec![id(number)])),
            }
        }
        // The part with the component's own name comes first.
        parts.sort_by_key(|(place, _)| graph.places[*place].name != described.name);
        ResultComponent {
            name: described.name.clone(),
            kind: described.described.kind_of_component().word,
            members: described.described.kind_behaviour().members(),
            parts: parts.into_iter().map(|(_, members)| members).collect(),
        }
    };
    let is_workload =
        |component: &usize| scenario.components[*component].described.kind_behaviour().load().is_some();
    let all = (0..scenario.components.len()).filter(|component| !is_workload(component)).map(of);
    let groups: Vec<ResultComponent> = all.filter(|group| group.members != Some(0)).collect();
    groups.into_iter().flat_map(|group| with_parts_apart(graph, group)).collect()
}
