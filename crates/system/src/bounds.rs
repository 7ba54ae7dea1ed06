//! Bounds that a system and its load put on what can come out of a run, worked out from what was described and from the mean size of the
//! I/Os that were measured: docs/model/bounds.md has each with its source. They check the simulator, as those of Storlite did its own, and say
//! how far a system is from its limits.
//!
//! Those of rates are of what is done in the long run, those of times of means. What a drive draws at random counts with its mean, so a short
//! run may come out above by chance. Of I/Os that were under way when the measured interval began a part had been done before it.

use crate::build::routes;
use crate::figures::Named;
use crate::plan::Plan;
use sansim_component::Module;
use sansim_kernel::Span;
use sansim_scenario::Part;
use sansim_scenario::graph::Reach;
use sansim_storage::drive::DriveModel;
use sansim_storage::resources::{ResourceParameters, Resources};
use serde::Serialize;
use std::collections::BTreeSet;

/// Words of a frame beside its payload: SOF, six of the header, CRC, EOF.
const WORDS_BESIDE: f64 = 9.0;
/// Bytes of a word.
const WORD: f64 = 4.0;

/// A bound beside what was simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bound {
    /// The bound; null if it does not apply.
    pub bound: Option<f64>,
    /// What was simulated; null where there is nothing to compare.
    pub simulated: Option<f64>,
    /// Why it does not apply; null if it does.
    pub not_applicable: Option<&'static str>,
}

/// What was measured, as far as bounds depend on it.
pub(crate) struct Measured {
    pub ios: f64,
    pub failed: u64,
    pub read_bytes: f64,
    pub write_bytes: f64,
    pub seconds: f64,
    /// Mean response time in nanoseconds, if it means something.
    pub response_ns: Option<f64>,
}

/// Why a bound does not apply.
type WhyNot = &'static str;

/// What limits a rate, and how long it takes at least.
#[derive(Clone, Copy)]
struct Limit {
    /// I/Os per second, or bytes per second.
    rate: f64,
    /// Nanoseconds of a mean I/O.
    time_ns: f64,
}

struct Found<'a> {
    plan: &'a Plan,
    /// All ways of hosts to what they ask.
    reaches: Vec<&'a Reach>,
    /// Mean bytes of an I/O.
    bytes: f64,
}

/// All bounds of a run.
pub(crate) fn of(plan: &Plan, measured: &Measured) -> Named<Bound> {
    let hosts: BTreeSet<usize> = routes(&plan.graph).iter().map(|route| route.host).collect();
    let devices: BTreeSet<usize> =
        plan.graph.routes.iter().flat_map(|route| &route.devices).copied().collect();
    let reaches = plan.graph.reaches.iter();
    let reaches = reaches.filter(|reach| hosts.contains(&reach.asker) && devices.contains(&reach.device));
    let bytes = (measured.read_bytes + measured.write_bytes) / measured.ios.max(1.0);
    let found = Found { plan, reaches: reaches.collect(), bytes };
    let fails = if measured.ios == 0.0 || measured.seconds == 0.0 {
        Some("nothing was measured")
    } else if measured.failed > 0 || !plan.graph.events.is_empty() {
        Some("something fails in this run")
    } else {
        None
    };
    let limits = [found.wire(), found.drives(), found.controllers()].map(|limit| fails.map_or(limit, Err));
    let iops = measured.ios / measured.seconds;
    // Each direction of a loop is used by itself.
    let one_way = measured.read_bytes.max(measured.write_bytes) / measured.seconds;
    let [wire, drive, controller] = limits;
    let longest = limits.iter().flatten().map(|limit| limit.time_ns).fold(0.0, f64::max);
    let population = match fails {
        Some(why) => Err(why),
        None if plan.has_open_loads => Err("I/Os come whether or not others are done"),
        None if longest == 0.0 => Err("no time of an I/O is bounded"),
        None => Ok(plan.slots as f64 / longest * 1e9),
    };
    let rate = |limit: Result<Limit, WhyNot>| limit.map(|limit| limit.rate);
    let time = |limit: Result<Limit, WhyNot>| limit.map(|limit| limit.time_ns);
    Named(vec![
        ("wire_rate".to_owned(), bound(rate(wire), Some(one_way))),
        ("drive_rate".to_owned(), bound(rate(drive), Some(iops))),
        ("controller_rate".to_owned(), bound(rate(controller), Some(iops))),
        ("population_rate".to_owned(), bound(population, Some(iops))),
        ("wire_time".to_owned(), bound(time(wire), measured.response_ns)),
        ("drive_time".to_owned(), bound(time(drive), measured.response_ns)),
        ("controller_time".to_owned(), bound(time(controller), measured.response_ns)),
    ])
}

fn bound(bound: Result<f64, WhyNot>, simulated: Option<f64>) -> Bound {
    match (bound, simulated) {
        (Ok(bound), Some(_)) => Bound { bound: Some(bound), simulated, not_applicable: None },
        (Ok(_), None) => Bound { not_applicable: Some("response times do not settle"), ..Bound::default() },
        (Err(why), _) => Bound { simulated, not_applicable: Some(why), bound: None },
    }
}

impl Found<'_> {
    /// The loops by which hosts ask: each carries one frame after the other in a direction.
    fn wire(&self) -> Result<Limit, WhyNot> {
        let ways = || self.reaches.iter().flat_map(|reach| &reach.ways);
        if ways().any(|way| way.address.is_none()) {
            return Err("a host asks a device with no network between");
        }
        let loops: BTreeSet<usize> =
            ways().filter_map(|way| way.address).map(|address| address.arbitrated_loop).collect();
        let mut limit = Limit { rate: 0.0, time_ns: f64::INFINITY };
        for on_loop in loops.into_iter().map(|number| &self.plan.graph.loops[number]) {
            let parts = || on_loop.stations.iter().filter_map(|station| station.part);
            let payload =
                parts().filter_map(|part| self.plan.graph.parts[part].part.max_payload()).max().unwrap_or(0);
            let Some(network) = self.plan.graph.parts[on_loop.part].part.network() else { continue };
            if !network.one_circuit {
                return Err("a host asks over a network that carries several circuits at once");
            }
            let word_s = network.word.as_s_f64();
            let payload = payload as f64;
            limit.rate += payload / ((payload / WORD + WORDS_BESIDE) * word_s);
            let sizes = self.plan.sizes;
            let command_and_response = (sizes.command_payload + sizes.response_payload) as f64;
            let frames = 2.0 + self.bytes / payload.max(1.0);
            let words = (command_and_response + self.bytes) / WORD + frames * WORDS_BESIDE;
            limit.time_ns = limit.time_ns.min(words * word_s * 1e9);
        }
        if limit.rate > 0.0 { Ok(limit) } else { Err("no loop leads from a host to a device") }
    }

    /// Devices have one command for each I/O.
    fn nobody_merges(&self) -> Result<(), WhyNot> {
        let merges = |reach: &&Reach| match &self.plan.graph.parts[reach.asker].part {
            Part::Host((driver, _)) => driver.merge.is_some(),
            _ => false,
        };
        if self.reaches.iter().any(merges) { Err("a host merges I/Os") } else { Ok(()) }
    }

    /// Drives that hosts ask themselves, and that have nothing from which an I/O could come sooner.
    fn drives(&self) -> Result<Limit, WhyNot> {
        self.nobody_merges()?;
        let mut limit = Limit { rate: 0.0, time_ns: f64::INFINITY };
        let devices: BTreeSet<usize> = self.reaches.iter().map(|reach| reach.device).collect();
        for device in devices {
            let part = &self.plan.graph.parts[self.plan.graph.devices[device].part].part;
            let Part::Drive(drive) = part else {
                return Err("hosts ask something else than drives with an access time");
            };
            if drive.cache.is_some() {
                return Err("a drive has a cache");
            }
            let access_ns = match drive.model {
                DriveModel::Disk => drive.access_time.mean_ns(),
                DriveModel::Ram => 0.0,
            };
            let takes_ns = access_ns + self.bytes / drive.transfer_rate as f64 * 1e9;
            limit.rate += f64::from(drive.concurrency) / takes_ns * 1e9;
            limit.time_ns = limit.time_ns.min(takes_ns);
        }
        if limit.rate > 0.0 { Ok(limit) } else { Err("there are no drives") }
    }

    /// The resources of controllers, each of which has jobs for every I/O of a host.
    fn controllers(&self) -> Result<Limit, WhyNot> {
        self.nobody_merges()?;
        let parts: BTreeSet<usize> =
            self.reaches.iter().map(|reach| self.plan.graph.devices[reach.device].part).collect();
        let mut limit = Limit { rate: 0.0, time_ns: f64::INFINITY };
        for part in parts {
            let Part::Controller((parameters, _, false, pair)) = &self.plan.graph.parts[part].part else {
                return Err("hosts ask something else than controllers");
            };
            let mut takes_ns = vec![parameters.processor_time.as_ns_f64()];
            let links = self.plan.graph.shared.iter();
            let resources = links.filter(|link| link.asker.part == part).find_map(|link| {
                match &self.plan.graph.parts[link.server.part].part {
                    Part::Resources(resources) => Some(resources),
                    _ => None,
                }
            });
            takes_ns.extend(resources.into_iter().flat_map(|resources| self.of_resources(resources)));
            let all: f64 = takes_ns.iter().sum();
            if all == 0.0 {
                return Err("nothing takes time in the controller");
            }
            let processors = resources.map_or(1, |resources| resources.processors);
            // The second is that of processors.
            let each = takes_ns.iter().enumerate();
            let slowest = each.map(|(number, ns)| if number == 1 { ns / f64::from(processors) } else { *ns });
            let halves = f64::from(pair.controllers);
            limit.rate += halves * 1e9 / slowest.fold(0.0, f64::max);
            limit.time_ns = limit.time_ns.min(all);
        }
        if limit.rate > 0.0 { Ok(limit) } else { Err("there is no controller") }
    }

    /// What an I/O takes of each resource, the processors first: its command, its answer and its data.
    fn of_resources(&self, resources: &ResourceParameters) -> Vec<f64> {
        let bytes = self.bytes as u64;
        let jobs = [Module::Command, Module::Completion, Module::Data]
            .map(|module| Resources::takes(resources, module, Span::ZERO, bytes));
        (0..jobs[0].len()).map(|resource| jobs.iter().map(|job| job[resource].as_ns_f64()).sum()).collect()
    }
}
