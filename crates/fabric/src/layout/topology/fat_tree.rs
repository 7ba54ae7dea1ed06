//! A fat tree of three layers (Al-Fares et al. 2008): switches with k ports form k pods, each with k/2 lower and k/2 upper switches,
//! all lower linked to all upper switches of the pod, and (k/2)^2 core switches, each linked to one upper switch of every pod. The
//! nodes are attached to the lower switches.

use super::{Drawing, Skeleton};

/// Draws a fat tree; an odd number of ports leaves one port of each switch free.
pub fn draw(parameters: &Drawing<'_>) -> Skeleton {
    let (pods, half) = (parameters.size.radix, parameters.size.radix / 2);
    let mut skeleton = Skeleton { ports: Some(parameters.size.radix), ..Skeleton::default() };
    let cores: Vec<u16> = (0..half * half).map(|core| skeleton.switch(format!("core{core}"))).collect();
    for pod in 0..pods {
        let uppers: Vec<u16> =
            (0..half).map(|upper| skeleton.switch(format!("upper{pod}_{upper}"))).collect();
        for (group, &upper) in uppers.iter().enumerate() {
            let of_group = &cores[group * half as usize..][..half as usize];
            of_group.iter().for_each(|&core| skeleton.link(core, upper));
        }
        for lower in 0..half {
            let lower = skeleton.edge_switch(format!("lower{pod}_{lower}"));
            uppers.iter().for_each(|&upper| skeleton.link(upper, lower));
        }
    }
    skeleton
}
