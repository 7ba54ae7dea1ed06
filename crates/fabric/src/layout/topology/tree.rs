//! A tree of switches: the nodes are attached to the leaves, and the other switches only join switches (Molero et al. 2001, section 4:
//! departments). The source does not say how many switches are below each switch, nor to how many switches above it each is linked.
//!
//! Two switches that join the same switches below are interchangeable: a fat tree of the kind in which paths diverge on their
//! way up.

use super::{TopologyDrawing, TopologyInput};

/// Draws the tree, from the leaves to the roots.
pub fn draw_topology(parameters: &TopologyInput<'_>) -> TopologyDrawing {
    let size = parameters.size;
    let mut skeleton = TopologyDrawing::default();
    // Each entry is a subtree, given by the switches at its top.
    let mut layer: Vec<Vec<u16>> =
        (0..size.leaves).map(|leaf| vec![skeleton.add_edge_switch(format!("leaf{leaf}"))]).collect();
    let mut height = 1;
    while layer.len() > 1 {
        let is_top = layer.len() <= size.fan_out as usize;
        let alike = if is_top { size.roots } else { size.uplinks };
        let mut above = Vec::new();
        for (number, below) in layer.chunks(size.fan_out as usize).enumerate() {
            let name = |one: u32| {
                if alike == 1 {
                    format!("joint{height}_{number}")
                } else {
                    format!("joint{height}_{number}_{one}")
                }
            };
            let parents: Vec<u16> = (0..alike).map(|one| skeleton.add_switch(name(one))).collect();
            for &parent in &parents {
                below.iter().flatten().for_each(|&child| skeleton.add_link(parent, child));
            }
            above.push(parents);
        }
        layer = above;
        height += 1;
    }
    skeleton
}
