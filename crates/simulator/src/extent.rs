//! The numbers of parts for which counts are separate: workloads with their streams, hosts, devices, ledger
//! lines.

use sansim_assembly::plan::SystemPlan;
use sansim_assembly::routes::workload_routes;
use sansim_scenario::graph::WorkloadRoute;

/// The extent of a system.
#[derive(Clone, Debug)]
pub struct SystemExtent {
    /// The number of ledger lines.
    pub lines: usize,
    /// The workloads; for each stream, whether it is open, and if it is, whether its reads and writes come at separate rates.
    pub workloads: Vec<Vec<Option<bool>>>,
    /// The host of each workload, by its number among the hosts.
    pub hosts: Vec<usize>,
    /// The number of devices.
    pub devices: usize,
}

impl SystemExtent {
    /// The extent of a system.
    pub fn from_scenario(plan: &SystemPlan) -> Self {
        let (names, routes) = (&plan.names, workload_routes(&plan.graph));
        let streams = names.workloads.iter().map(|of| {
            of.streams.iter().map(|stream| stream.is_open.then_some(stream.by_direction)).collect()
        });
        let all = hosts(&routes);
        let number = |route: &&WorkloadRoute| all.iter().position(|&host| host == route.host).unwrap_or(0);
        Self {
            lines: names.ledger_line_count(),
            workloads: streams.collect(),
            hosts: routes.iter().map(number).collect(),
            devices: names.devices.len(),
        }
    }
}

/// The hosts through which requests go, as parts.
pub(crate) fn hosts(routes: &[&WorkloadRoute]) -> Vec<usize> {
    once(routes.iter().map(|route| route.host).collect())
}

/// The devices that workloads use.
pub(crate) fn devices(routes: &[&WorkloadRoute]) -> Vec<usize> {
    once(routes.iter().flat_map(|route| route.devices.iter().copied()).collect())
}

/// The components of the scenario whose devices workloads use: the name of each component, and these devices.
pub(crate) fn device_groups(plan: &SystemPlan, routes: &[&WorkloadRoute]) -> Vec<(String, Vec<usize>)> {
    let graph = &plan.graph;
    let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
    for device in devices(routes) {
        let component = graph.places[graph.parts[graph.devices[device].part].place].component;
        match groups.iter_mut().find(|(known, _)| *known == component) {
            Some((_, members)) => members.push(device),
            None => groups.push((component, vec![device])),
        }
    }
    groups.into_iter().map(|(component, members)| (plan.components[component].clone(), members)).collect()
}

fn once(mut numbers: Vec<usize>) -> Vec<usize> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
