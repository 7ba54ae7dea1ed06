//! Core and edge: every edge switch is linked to every core switch; the nodes are attached to the edge
//! switches.

use super::{Drawing, Skeleton};

/// Draws core and edge switches.
pub fn draw(parameters: &Drawing<'_>) -> Skeleton {
    let size = parameters.size;
    let mut skeleton = Skeleton::default();
    let cores: Vec<u16> = (0..size.cores).map(|core| skeleton.switch(format!("core{core}"))).collect();
    for edge in 0..size.edges {
        let edge = skeleton.edge_switch(format!("edge{edge}"));
        cores.iter().for_each(|&core| skeleton.link(core, edge));
    }
    skeleton
}
