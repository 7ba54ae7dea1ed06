//! Where each component stands: what it is told when it is built.

use crate::build::{Ports, routes};
use crate::plan::Plan;
use sansim_component::limits::LimitParameters;
use sansim_component::network::{Pace, Sequences};
use sansim_component::policy::Way;
use sansim_component::{AtProcessors, Setting, Standing};
use sansim_describe::context::Context as Facts;
use sansim_fc::address::Address;
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::{LoopModel, Station};
use sansim_kernel::Span;
use sansim_kinds::{AnyComponent, Half, Part, Side};
use sansim_request::BLOCK_BYTES;
use sansim_scenario::Graph;
use sansim_scenario::graph::{self, GraphStation};

/// Every component of a plan, by number, with its loops of this model.
pub(super) fn build(plan: &Plan, model: LoopModel) -> Vec<AnyComponent> {
    build_some(plan, model, |_| true).into_iter().flatten().collect()
}

/// The same of those parts that are wanted.
pub(super) fn build_some(
    plan: &Plan,
    model: LoopModel,
    wanted: impl Fn(usize) -> bool,
) -> Vec<Option<AnyComponent>> {
    let graph = &plan.graph;
    let facts = Facts::default().with(plan.sizes);
    let ports = Ports::of(graph);
    let addresses = Addresses::of(graph);
    let ways = ways(graph, &ports);
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
    let asks = |reach: &&graph::Reach| !reach.ways.is_empty();
    graph.reaches.iter().filter(asks).for_each(|reach| askers[reach.device] += 1);
    let shares: Vec<Option<u64>> =
        graph.devices.iter().zip(askers).map(|(device, askers)| device.announced.share(askers)).collect();
    let mut limits: Vec<Vec<LimitParameters>> = vec![Vec::new(); graph.parts.len()];
    let mut sources = vec![None; graph.parts.len()];
    for (number, route) in routes(graph).into_iter().enumerate() {
        let capacities = route.devices.iter().map(|&device| graph.devices[device].capacity_blocks).collect();
        behind[route.workload] = route.devices.iter().map(|&device| device as u32).collect();
        sources[route.workload] = Some((number as u32, capacities));
        for link in graph.links.iter().filter(|link| link.asker.part == route.workload) {
            let (of, port) = (&mut limits[route.host], link.server.number as usize);
            of.resize(of.len().max(port + 1), LimitParameters::NONE);
            of[port] = route.limits;
        }
    }
    let bytes_of = |&device: &u32| graph.devices[device as usize].capacity_blocks * BLOCK_BYTES;
    let mut halves = halves(graph);
    let mut components = Vec::with_capacity(graph.parts.len());
    for (part, described) in graph.parts.iter().enumerate() {
        let setting = Setting {
            name: &plan.names.components[part].name,
            group: &plan.components[graph.places[described.place].component],
            member: described.member,
            seed: plan.seed,
            networks: ports.networks[part],
            serves: ports.serves[part],
            users: ports.users(part),
            uses: ports.uses(part),
            halves: std::mem::take(&mut halves[part]),
            address: addresses.own[part],
            addresses: addresses.of_devices(part),
            ways: ways[part].clone(),
            shares: if ways[part].is_empty() { Vec::new() } else { shares.clone() },
            limits: std::mem::take(&mut limits[part]),
            presents: std::mem::take(&mut presents[part]),
            behind_bytes: behind[part].iter().map(bytes_of).collect(),
            behind: std::mem::take(&mut behind[part]),
            by_leave: by_leave[part].iter().map(|device| (*device, bytes_of(device))).collect(),
            source: sources[part].take(),
            peers: peers(graph, part),
            stations: stations(graph, part),
            standing: standing(graph, part),
            model,
            nodes: nodes(graph, part),
            whole_sequences: word_of_sequences(graph, part),
            facts: &facts,
        };
        components.push(wanted(part).then(|| described.part.build(&setting)));
    }
    components
}

/// The half of a pair of controllers that asks each part by each of the ports by which it serves. Where there is only the first, nobody has to know.
fn halves(graph: &Graph) -> Vec<Vec<Half>> {
    let mut halves = vec![Vec::new(); graph.parts.len()];
    let links = || graph.links.iter().chain(&graph.shared);
    if links().any(|link| link.half != Half::A) {
        links().for_each(|link| halves[link.server.part].push(link.half));
    }
    halves
}

/// The stations of a loop, or of a loop switch, at which those in one enclosure share a port.
pub(crate) fn stations(graph: &Graph, part: usize) -> Vec<Station> {
    let Some(on_loop) = graph.loops.iter().find(|on_loop| on_loop.part == part) else { return Vec::new() };
    let network = &graph.parts[part].part;
    let mut before = None;
    let mut station = |station: &GraphStation| {
        let shares_port = station.enclosure.is_some() && station.enclosure == before;
        before = station.enclosure;
        Station {
            al_pa: AlPa::of(station.address),
            schedule: station.schedule,
            port: station.port.clone(),
            initiates: station.side == Side::Initiator,
            hears_ends: station.part.is_some_and(|part| graph.parts[part].part.hears_ends()),
            shares_port,
            switch: network.switch_of(&station.listed),
        }
    };
    on_loop.stations.iter().map(&mut station).collect()
}

/// The addresses to which an IP port sends.
fn peers(graph: &Graph, part: usize) -> Vec<Address> {
    let Part::IpPort(parameters) = &graph.parts[part].part else { return Vec::new() };
    let stations = graph.loops.iter().flat_map(|on_loop| &on_loop.stations);
    let address = |name: &String| {
        stations.clone().find(|station| station.listed == *name).map(|station| station.address)
    };
    parameters.to.iter().filter_map(address).collect()
}

/// Who stands at the stations of a network.
pub(crate) fn standing(graph: &Graph, part: usize) -> Vec<Standing> {
    let on_loop = graph.loops.iter().find(|on_loop| on_loop.part == part);
    let stations = on_loop.map_or(&[][..], |on_loop| &on_loop.stations);
    // Behind the ports of the stations are those at the processors of some of them, in the same order.
    let mut ports = stations.len() as u16..;
    let mut standing = |station: &GraphStation| Standing {
        listed: station.listed.clone(),
        side: station.side,
        address: station.address,
        processors: station.processors.and_then(|processors| {
            let poll = graph.parts[processors].part.polls();
            Some(AtProcessors { port: ports.next()?, card: card(graph, station, processors), poll })
        }),
    };
    stations.iter().map(&mut standing).collect()
}

/// The number of an adapter among those that processors look at, if it serves the one for whom they work.
fn card(graph: &Graph, station: &GraphStation, processors: usize) -> Option<u16> {
    let link = graph.links.iter().find(|link| Some(link.asker.part) == station.part)?;
    let is_his =
        |shared: &graph::Link| shared.asker.part == link.server.part && shared.server.part == processors;
    graph.shared.iter().any(is_his).then_some(link.server.number as u16)
}

/// The pace of the node at each station of a loop.
fn nodes(graph: &Graph, part: usize) -> Vec<Pace> {
    let pace = |station: &GraphStation| graph.parts[station.part?].part.pace();
    let on_loop = graph.loops.iter().find(|on_loop| on_loop.part == part);
    let stations = on_loop.map_or(&[][..], |on_loop| &on_loop.stations);
    stations.iter().map(|station| pace(station).unwrap_or_default()).collect()
}

/// Of an adapter on a loop that takes whole sequences the time of a word there.
fn word_of_sequences(graph: &Graph, part: usize) -> Option<(Span, Sequences)> {
    let mut loops = graph.loops.iter();
    let on_loop = loops.find(|on_loop| on_loop.stations.iter().any(|station| station.part == Some(part)))?;
    let carrier = graph.parts[on_loop.part].part.network()?;
    carrier.whole_sequences.map(|sequences| (carrier.word, sequences))
}

/// The ways by which each part can ask each device; nothing for one that asks none.
fn ways(graph: &Graph, ports: &Ports) -> Vec<Vec<Vec<Way>>> {
    let mut ways: Vec<Vec<Vec<Way>>> = vec![Vec::new(); graph.parts.len()];
    for reach in &graph.reaches {
        let of = &mut ways[reach.asker];
        if of.is_empty() {
            of.resize(graph.devices.len(), Vec::new());
        }
        let way = |way: &graph::Way| {
            let end = |address: graph::Address| graph.loops[address.network].stations[address.to].part;
            Way {
                port: ports.ask(reach.asker, way.port),
                adapter: ports.ask(reach.asker, way.adapter),
                server: way.address.and_then(end).unwrap_or(0) as u32,
                from: way.from,
                to: way.to,
            }
        };
        of[reach.device] = reach.ways.iter().map(way).collect();
    }
    ways
}

/// Addresses on networks.
struct Addresses {
    /// Of each part.
    own: Vec<Option<Address>>,
    /// For each part what it asks there: the number of the port by which it serves, device and address.
    asked: Vec<Vec<(u32, usize, Address)>>,
    devices: usize,
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
            // By a way that is refused nobody has an address.
            for address in reach.ways.iter().filter(|way| !way.refused).filter_map(|way| way.address) {
                let from = graph.loops[address.arbitrated_loop].stations[address.from].part;
                if let Some(adapter) = from {
                    asked[adapter].push((address.by, reach.device, address.at));
                }
            }
        }
        Self { own, asked, devices: graph.devices.len() }
    }

    fn of_devices(&self, part: usize) -> Vec<Vec<Option<Address>>> {
        let mut addresses: Vec<Vec<Option<Address>>> = Vec::new();
        for &(by, device, address) in &self.asked[part] {
            addresses.resize(addresses.len().max(by as usize + 1), vec![None; self.devices]);
            addresses[by as usize][device] = Some(address);
        }
        addresses
    }
}
