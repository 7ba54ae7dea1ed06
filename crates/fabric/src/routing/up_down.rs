//! up*/down*: paths that do not go up again once they have gone down, on which no cycle of waits can form.
//!
//! Source: Schroeder et al., Autonet (1991), as described by Silla and Duato (2000). A breadth-first tree gives every switch a depth; a
//! link goes up to the end nearer to the root, of equal depth to the switch with the lower number. The root is the switch with most links;
//! among equals, the first.

use crate::layout::{LinkEndDevice, LinkPlan};

/// The depth of every switch; switches that no working link joins to the root have trees of their own.
pub fn switch_depths(switches: usize, links: &[LinkPlan], works: &[bool]) -> Vec<u32> {
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); switches];
    for (link, works) in links.iter().zip(works) {
        if let ([LinkEndDevice::Switch(one), LinkEndDevice::Switch(other)], true) = (link.ends, *works) {
            near[usize::from(one)].push(usize::from(other));
            near[usize::from(other)].push(usize::from(one));
        }
    }
    let mut depth = vec![u32::MAX; switches];
    while let Some(root) = (0..switches)
        .filter(|&switch| depth[switch] == u32::MAX)
        .max_by_key(|&switch| (near[switch].len(), std::cmp::Reverse(switch)))
    {
        depth[root] = 0;
        let mut row = vec![root];
        while !row.is_empty() {
            let mut next = Vec::new();
            for &switch in &row {
                for &other in &near[switch] {
                    if depth[other] == u32::MAX {
                        depth[other] = depth[switch] + 1;
                        next.push(other);
                    }
                }
            }
            row = next;
        }
    }
    depth
}

/// Whether the step from one switch to another goes up.
pub fn is_up_step(depths: &[u32], from: usize, to: usize) -> bool {
    (depths[to], to) < (depths[from], from)
}
