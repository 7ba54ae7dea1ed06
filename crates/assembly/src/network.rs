//! The network of a part.

use sansim_registry::Network;
use sansim_scenario::Graph;

/// The network that an adapter is attached to, if it is attached to one.
pub(crate) fn of_part(graph: &Graph, part: usize) -> Option<&dyn Network> {
    let mut loops = graph.loops.iter();
    let on_loop = loops.find(|on_loop| on_loop.stations.iter().any(|station| station.part == Some(part)))?;
    graph.parts[on_loop.part].part.network()
}
