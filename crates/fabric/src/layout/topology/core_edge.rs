//! Core and edge: every edge switch is linked to every core switch; the nodes are attached to the edge
//! switches.

use super::{TopologyDrawing, TopologyInput};

/// Draws core and edge switches.
pub fn draw_topology(parameters: &TopologyInput<'_>) -> TopologyDrawing {
    let size = parameters.size;
    let mut skeleton = TopologyDrawing::default();
    let cores: Vec<u16> = (0..size.cores).map(|core| skeleton.add_switch(format!("core{core}"))).collect();
    for edge in 0..size.edges {
        let edge = skeleton.add_edge_switch(format!("edge{edge}"));
        cores.iter().for_each(|&core| skeleton.add_link(core, edge));
    }
    skeleton
}
