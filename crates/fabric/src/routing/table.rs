//! The table of ports on allowed paths, by switch and destination.

use super::dijkstra::{RoutingHop, distances, link_cost};
use super::up_down::{is_up_step, switch_depths};
use crate::layout::{FabricLayout, LinkEndDevice};

/// The table of allowed paths. A switch that is reached after going down is another
/// place than the same switch before.
#[derive(Clone, Debug, Default)]
pub struct RouteTable {
    switches: usize,
    /// For each place and destination, the position of its ports in the list, and their number.
    ranges: Vec<(u32, u32)>,
    ports: Vec<u16>,
    depths: Vec<u32>,
    up_down: bool,
}

impl RouteTable {
    /// The paths over working links. `leads` has, for each port, the port by which a switch sends the frames of that port
    /// (`layout::trunks`).
    pub fn find_paths(layout: &FabricLayout, works: &[bool], leads: &[u32], up_down: bool) -> Self {
        let switches = layout.switches.len();
        let depths = switch_depths(switches, &layout.links, works);
        let places = if up_down { 2 * switches } else { switches };
        let mut steps = Vec::new();
        for (number, link) in layout.links.iter().enumerate() {
            let [LinkEndDevice::Switch(one), LinkEndDevice::Switch(other)] = link.ends else { continue };
            if !works[number] {
                continue;
            }
            for (end, from, to) in [(0, usize::from(one), usize::from(other)), (1, other.into(), one.into())]
            {
                let (cost, port) = (link_cost(&link.rules), leads[2 * number + end] as u16);
                let mut add = |from, to| {
                    let step = RoutingHop { from, to, cost, port };
                    // A trunk is one step, whichever of its links work.
                    if usize::from(port) == 2 * number + end || !steps.contains(&step) {
                        steps.push(step);
                    }
                };
                match (up_down, is_up_step(&depths, from, to)) {
                    (false, _) | (true, true) => add(from, to),
                    (true, false) => {
                        add(from, to + switches);
                        add(from + switches, to + switches);
                    }
                }
            }
        }
        let mut routes = Self { switches, depths, up_down, ..Self::default() };
        routes.ranges = vec![(0, 0); places * switches];
        for target in 0..switches {
            routes.to(target, places, &steps);
        }
        routes
    }

    /// The ports towards one destination: the ports on paths with the least cost.
    fn to(&mut self, target: usize, places: usize, steps: &[RoutingHop]) {
        let mut near = distances(places, steps, target);
        if self.up_down {
            // A frame may arrive at the destination having gone down or not.
            let far = distances(places, steps, target + self.switches);
            near = near.into_iter().zip(far).map(|(one, other)| one.into_iter().chain(other).min()).collect();
        }
        for place in (0..places).filter(|&place| place % self.switches != target) {
            let begin = self.ports.len();
            for step in steps.iter().filter(|step| step.from == place) {
                if let (Some(here), Some(there)) = (near[place], near[step.to])
                    && here == there + step.cost
                {
                    self.ports.push(step.port);
                }
            }
            self.ranges[place * self.switches + target] = (begin as u32, (self.ports.len() - begin) as u32);
        }
    }

    /// The ports of a switch on allowed paths to another switch, for a frame that came from the switch `from` (none: from a node). The list
    /// is empty if there is no path.
    pub fn ports(&self, at: u16, from: Option<u16>, target: u16) -> &[u16] {
        let at = usize::from(at);
        let went_down = self.up_down && from.is_some_and(|from| !is_up_step(&self.depths, from.into(), at));
        let place = if went_down { at + self.switches } else { at };
        let (begin, count) = self.ranges[place * self.switches + usize::from(target)];
        &self.ports[begin as usize..][..count as usize]
    }
}
