//! A fat tree of three layers (Al-Fares et al. 2008): switches with k ports form k pods, each with k/2 lower and k/2 upper switches,
//! all lower linked to all upper switches of the pod, and (k/2)^2 core switches, each linked to one upper switch of every pod. The
//! nodes are attached to the lower switches.

use super::{TopologyDrawing, TopologyInput};

/// Draws a fat tree; an odd number of ports leaves one port of each switch free.
pub fn draw_topology(parameters: &TopologyInput<'_>) -> TopologyDrawing {
    let (pods, half) = (parameters.size.radix, parameters.size.radix / 2);
    let mut skeleton = TopologyDrawing { ports: Some(parameters.size.radix), ..TopologyDrawing::default() };
    let cores: Vec<u16> = (0..half * half).map(|core| skeleton.add_switch(format!("core{core}"))).collect();
    for pod in 0..pods {
        let uppers: Vec<u16> =
            (0..half).map(|upper| skeleton.add_switch(format!("upper{pod}_{upper}"))).collect();
        for (group, &upper) in uppers.iter().enumerate() {
            let of_group = &cores[group * half as usize..][..half as usize];
            of_group.iter().for_each(|&core| skeleton.add_link(core, upper));
        }
        for lower in 0..half {
            let lower = skeleton.add_edge_switch(format!("lower{pod}_{lower}"));
            uppers.iter().for_each(|&upper| skeleton.add_link(upper, lower));
        }
    }
    skeleton
}
