//! A tree of switches: the leaves have the nodes, the others only join them (Molero et al. 2001, section 4: departments). How many
//! switches are below each the source does not say.

use super::{Drawing, Skeleton};

/// Draws it, from the leaves to the root.
pub fn draw(parameters: &Drawing<'_>) -> Skeleton {
    let size = parameters.size;
    let mut skeleton = Skeleton::default();
    let mut layer: Vec<u16> =
        (0..size.leaves).map(|leaf| skeleton.edge_switch(format!("leaf{leaf}"))).collect();
    let mut height = 1;
    while layer.len() > 1 {
        let mut above = Vec::new();
        for (number, below) in layer.chunks(size.fan_out as usize).enumerate() {
            let parent = skeleton.switch(format!("joint{height}_{number}"));
            below.iter().for_each(|&child| skeleton.link(parent, child));
            above.push(parent);
        }
        layer = above;
        height += 1;
    }
    skeleton
}
