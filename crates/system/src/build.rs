//! From the graph of a scenario to a plan: every port, adapter, driver, drive and workload with its numbers.
//!
//! The scenario has been validated, so nothing can fail here that [`not_built`] does not refuse.

use crate::plan::{LoopPlan, NodeKind, NodePlan, Plan, WorkloadPlan};
use sansim_describe::codes;
use sansim_describe::fault::NOT_MODELLED;
use sansim_describe::report::Report;
use sansim_fc::arbitrated_loop::{LoopModel, LoopParameters, Station};
use sansim_scenario::graph::{GraphStation, Route};
use sansim_scenario::{Graph, Part, Scenario};

/// What of a scenario this engine cannot simulate, if there is something.
pub fn not_built(scenario: &Scenario) -> Option<Report> {
    let graph = &scenario.graph;
    let several = |part: usize| {
        let asks = graph.links.iter().filter(|link| link.asker.part == part).count();
        let serves = graph.links.iter().filter(|link| link.server.part == part).count();
        match graph.parts[part].part {
            Part::Host(..) => asks != 1,
            Part::Drive(_) => serves != 1,
            _ => false,
        }
    };
    let strange = |part: &Part| matches!(part, Part::Controller(..) | Part::Mirror(_));
    let what = if graph.loops.len() != 1 {
        "a system that has not exactly one loop"
    } else if graph.parts.iter().any(|part| strange(&part.part)) {
        "a storage controller or a mirror"
    } else if (0..graph.parts.len()).any(several) {
        "a host or a drive with several adapters, or with none"
    } else if !graph.events.is_empty() {
        "an event"
    } else {
        return None;
    };
    let message = format!("this version describes {what}, but cannot simulate it yet");
    let help = Some(format!("{NOT_MODELLED} lists what is left out"));
    Some(Report::of_file(&scenario.title, codes::NOT_BUILT, message, help))
}

/// The plan of a scenario that [`not_built`] does not refuse. `seed` replaces the scenario's own.
pub fn plan(scenario: &Scenario, seed: Option<u64>, model: LoopModel) -> Plan {
    let graph = &scenario.graph;
    let stations = graph.loops.first().map_or(&[][..], |on_loop| &on_loop.stations);
    // Results list workloads in the order of the file, the graph has them by name.
    let component = |part: usize| graph.places[graph.parts[part].place].component;
    let mut routes: Vec<(usize, &Route)> = graph.routes.iter().enumerate().collect();
    routes.sort_by_key(|(_, route)| component(route.workload));
    Plan {
        title: scenario.title.clone(),
        seed: seed.unwrap_or(scenario.run.seed),
        arbitrated_loop: loop_plan(graph, stations, model),
        sizes: scenario.fcp,
        nodes: stations
            .iter()
            .map(|station| NodePlan {
                name: scenario.components[station.component].name.clone(),
                kind: node_kind(graph, station),
            })
            .collect(),
        workloads: routes.iter().filter_map(|&(rank, route)| workload(graph, rank, route)).collect(),
        run: scenario.run,
    }
}

fn loop_plan(graph: &Graph, stations: &[GraphStation], model: LoopModel) -> LoopPlan {
    let parts = graph.loops.iter().map(|on_loop| &graph.parts[on_loop.part]);
    let mut loops = parts.filter_map(|part| match &part.part {
        Part::ArbitratedLoop(parameters) => Some((part.name.clone(), parameters.clone())),
        _ => None,
    });
    let (name, parameters): (String, LoopParameters) =
        loops.next().unwrap_or_else(|| unreachable!("a system without a loop is refused"));
    let station = |station: &GraphStation| Station {
        al_pa: station.al_pa,
        schedule: station.schedule,
        port: station.port.clone(),
    };
    LoopPlan { name, parameters, stations: stations.iter().map(station).collect(), model }
}

/// What stands behind a station: an adapter, and who is joined to it.
fn node_kind(graph: &Graph, station: &GraphStation) -> NodeKind {
    let Some(adapter) = station.part else { return NodeKind::Passive };
    let joined = graph.links.iter().find_map(|link| match (link.asker.part, link.server.part) {
        (other, part) | (part, other) if part == adapter => Some(&graph.parts[other].part),
        _ => None,
    });
    match (&graph.parts[adapter].part, joined) {
        (&Part::Initiator(adapter), Some(&Part::Host(driver, _))) => NodeKind::Host { adapter, driver },
        (&Part::Target(adapter), Some(&Part::Drive(drive))) => NodeKind::Drive { adapter, drive },
        _ => NodeKind::Passive,
    }
}

fn workload(graph: &Graph, rank: usize, route: &Route) -> Option<WorkloadPlan> {
    let part = &graph.parts[route.workload];
    let Part::Workload(parameters) = &part.part else { return None };
    let reach = |device: usize| {
        let found = graph
            .reaches
            .binary_search_by_key(&(route.host, device), |reach| (reach.asker, reach.device))
            .ok()?;
        graph.reaches[found].ways.first()?.address
    };
    let addresses: Vec<_> = route.devices.iter().filter_map(|&device| reach(device)).collect();
    Some(WorkloadPlan {
        name: part.name.clone(),
        rank: rank as u16,
        from: addresses.first()?.from,
        to: addresses.iter().map(|address| address.to).collect(),
        parameters: parameters.clone(),
        capacity_blocks: route.devices.iter().map(|&device| graph.devices[device].capacity_blocks).collect(),
    })
}
