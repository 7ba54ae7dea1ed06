//! The floors of a building (Molero et al. 2001, section 4): on each floor centre switches and arm switches, every arm linked to
//! every centre of its floor. Nodes are at the arms.
//!
//! How floors are linked the source does not say. Here every centre is linked to every centre of the floor above: with two centres and
//! four arms that fills the eight ports which the source gives a switch (four arms, two up, two down; an arm has a server, five
//! drives and two centres). That is an assumption.

use super::{Drawing, Skeleton};

/// Draws it.
pub fn draw(parameters: &Drawing<'_>) -> Skeleton {
    let size = parameters.size;
    let mut skeleton = Skeleton::default();
    let mut below: Vec<u16> = Vec::new();
    for floor in 0..size.floors {
        let centres: Vec<u16> =
            (0..size.centres).map(|centre| skeleton.switch(format!("centre{floor}_{centre}"))).collect();
        for &lower in &below {
            centres.iter().for_each(|&centre| skeleton.link(lower, centre));
        }
        for arm in 0..size.arms {
            let arm = skeleton.edge_switch(format!("arm{floor}_{arm}"));
            centres.iter().for_each(|&centre| skeleton.link(centre, arm));
        }
        below = centres;
    }
    skeleton
}
