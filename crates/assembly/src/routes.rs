//! The workloads of a graph with the hosts and devices of their requests.

use sansim_scenario::Graph;
use sansim_scenario::graph::WorkloadRoute;

/// The routes of the workloads in the order of the file, which results follow; parts are in the order of names.
pub fn workload_routes(graph: &Graph) -> Vec<&WorkloadRoute> {
    let mut routes: Vec<&WorkloadRoute> = graph.routes.iter().collect();
    routes.sort_by_key(|route| graph.places[graph.parts[route.workload].place].component);
    routes
}

/// Whether each part is a source of requests: a workload of any kind.
pub(crate) fn sources(graph: &Graph) -> Vec<bool> {
    let mut sources = vec![false; graph.parts.len()];
    graph.routes.iter().for_each(|route| sources[route.workload] = true);
    sources
}
