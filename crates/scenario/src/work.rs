//! The amount of work of a run, as far as the scenario determines it.

use sansim_registry::OfferedLoad;

use crate::graph::Route;
use crate::run::{RunLength, WarmUp};
use crate::scenario::Scenario;

/// The work of a request that passes no network, in frames.
const WITHOUT_NETWORK: f64 = 1.0;

impl Scenario {
    /// I/Os in flight at a time, those that wait in drivers included.
    pub fn slots(&self) -> u64 {
        self.loads().map(|(route, load)| slots(route, load)).sum()
    }

    /// Whether requests of some workload come whether or not earlier ones are done.
    pub fn has_open_loads(&self) -> bool {
        self.loads().any(|(_, load)| load.is_open)
    }

    /// The load of each workload, with its route.
    fn loads(&self) -> impl Iterator<Item = (&Route, OfferedLoad)> {
        self.graph.routes.iter().filter_map(|route| {
            let place = self.graph.parts[route.workload].place;
            let component = self.graph.places[place].component;
            Some((route, self.components[component].compound().load()?))
        })
    }

    /// About how many frames a run sends, what is left out included: a measure of how long it takes, to compare runs by.
    /// None if a simulated time decides. With a precision it is what the run sends at least.
    pub fn frames(&self) -> Option<f64> {
        let RunLength::Ios(measured) = self.run.length() else { return None };
        let (slots_in_all, measured) = (self.slots() as f64, measured as f64);
        let ios = match self.run.warm_up {
            WarmUp::IosPerSlot(count) => measured + 2.0 * count as f64 * slots_in_all,
            // Twice as many are run as are measured at least.
            WarmUp::Auto => 2.0 * measured + slots_in_all,
            WarmUp::Until(_) => return None,
        };
        let weighted: f64 = self
            .loads()
            .map(|(route, load)| {
                let device = route.devices.first();
                let frames = device.map_or(0.0, |&device| self.frames_to(route.host, device, load));
                slots(route, load) as f64 * frames
            })
            .sum();
        Some(ios * weighted / slots_in_all.max(1.0))
    }

    /// Frames of a request from a part to a device, and from there on to the first of those behind.
    fn frames_to(&self, asker: usize, device: usize, load: OfferedLoad) -> f64 {
        let graph = &self.graph;
        let (mut asker, mut device, mut frames) = (asker, device, 0.0);
        loop {
            let at = graph.reaches.partition_point(|reach| (reach.asker, reach.device) < (asker, device));
            let way = graph.reaches.get(at).and_then(|reach| reach.ways.first());
            let address = way.and_then(|way| way.address);
            let adapter =
                address.and_then(|found| graph.loops[found.arbitrated_loop].stations[found.from].part);
            frames += match adapter.and_then(|part| graph.parts[part].part.max_payload()) {
                Some(max_payload) => {
                    let data = load.size.div_ceil(max_payload) as f64;
                    // Command and response; a write is asked for its data.
                    2.0 + (1.0 - load.read_fraction) + data
                }
                None => WITHOUT_NETWORK,
            };
            asker = graph.devices[device].part;
            let behind = graph.reaches.partition_point(|reach| reach.asker < asker);
            match graph.reaches.get(behind) {
                Some(reach) if reach.asker == asker => device = reach.device,
                _ => return frames,
            }
        }
    }
}

/// I/Os of a workload in flight at a time.
fn slots(route: &Route, load: OfferedLoad) -> u64 {
    load.slots_in_all + load.slots_per_device * route.devices.len() as u64
}
