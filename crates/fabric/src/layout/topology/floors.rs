//! The floors of a building (Molero et al. 2001, section 4): on each floor centre switches and arm switches, every arm linked to
//! every centre of its floor. Nodes are attached to the arm switches.
//!
//! The source does not say how floors are linked. In this drawing every centre is linked to every centre of the floor above: with two
//! centres and four arms this fills the eight ports which the source gives a switch (a centre has four arms, two centres above and two
//! below; an arm has a server, five drives and two centres). The links between floors are an assumption.

use super::{TopologyDrawing, TopologyInput};

/// Draws the floors of a building.
pub fn draw_topology(parameters: &TopologyInput<'_>) -> TopologyDrawing {
    let size = parameters.size;
    let mut skeleton = TopologyDrawing::default();
    let mut below: Vec<u16> = Vec::new();
    for floor in 0..size.floors {
        let centres: Vec<u16> =
            (0..size.centres).map(|centre| skeleton.add_switch(format!("centre{floor}_{centre}"))).collect();
        for &lower in &below {
            centres.iter().for_each(|&centre| skeleton.add_link(lower, centre));
        }
        for arm in 0..size.arms {
            let arm = skeleton.add_edge_switch(format!("arm{floor}_{arm}"));
            centres.iter().for_each(|&centre| skeleton.add_link(centre, arm));
        }
        below = centres;
    }
    skeleton
}
