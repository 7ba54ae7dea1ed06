//! The amount of work of a run, as far as the scenario determines it.

use sansim_registry::OfferedLoad;

use crate::graph::WorkloadRoute;
use crate::run::{RunLength, WarmUp};
use crate::scenario::Scenario;

/// The work of a request that passes no network, in frames.
const WITHOUT_NETWORK: f64 = 1.0;

impl Scenario {
    /// The I/Os in flight at a time, including those that wait in drivers.
    pub fn ios_in_flight(&self) -> u64 {
        self.loads().map(|(route, load)| slots(route, load)).sum()
    }

    /// Whether requests of any workload come whether or not earlier requests are done.
    pub fn has_open_loads(&self) -> bool {
        self.loads().any(|(_, load)| load.is_open)
    }

    /// The load of each workload, with its route.
    fn loads(&self) -> impl Iterator<Item = (&WorkloadRoute, OfferedLoad)> {
        self.graph.routes.iter().filter_map(|route| {
            let place = self.graph.parts[route.workload].place;
            let component = self.graph.places[place].component;
            Some((route, self.components[component].kind_behaviour().load()?))
        })
    }

    /// The approximate number of frames that a run sends, including the parts left out of the figures: a measure of the run's wall time, to
    /// compare runs by. None if a simulated time determines the length of the run. With a precision the number is the least that the run
    /// sends.
    pub fn estimated_frame_count(&self) -> Option<f64> {
        let RunLength::Ios(measured) = self.run.measured_length() else { return None };
        let (slots_in_all, measured) = (self.ios_in_flight() as f64, measured as f64);
        let ios = match self.run.warm_up {
            WarmUp::IosPerSlot(count) => measured + 2.0 * count as f64 * slots_in_all,
            // At least twice as many I/Os are run as are measured.
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

    /// The frames of a request from a part to a device, and from there on to the first of the devices behind it.
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
                    // An I/O has a command and a response; a write also has a request for its data.
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

/// The I/Os of a workload in flight at a time.
fn slots(route: &WorkloadRoute, load: OfferedLoad) -> u64 {
    load.slots_in_all + load.slots_per_device * route.devices.len() as u64
}
