//! The switches and links of the file.

use super::{Edge, Skeleton};
use crate::parameters::FabricParameters;

/// Draws them. Links whose switches are not there have been told of.
pub fn draw(parameters: &FabricParameters) -> Skeleton {
    let mut skeleton = Skeleton::default();
    for switch in &parameters.switches {
        skeleton.edge_switch(switch.name.clone());
    }
    let find = |name: &str| parameters.switches.iter().position(|switch| switch.name == name);
    for link in &parameters.links {
        let link = &link.described;
        let (Some(from), Some(to)) = (find(&link.from), find(&link.to)) else { continue };
        let (from, to) = (from as u16, to as u16);
        skeleton.edges.push(Edge {
            from,
            to,
            count: link.count,
            cable: Some(link.cable),
            speed: link.speed.own(),
        });
    }
    skeleton
}
