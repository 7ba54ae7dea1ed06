//! The bounds that a system and its load put on the results of a run: docs/model/bounds.md lists each bound with its source. The bounds
//! check the simulator, as the bounds of Storlite checked its own simulator, and show how far a system is from its limits.
//!
//! Each component gives the least demand of a request on it (`Component::demand`); `bounds/needs.rs` adds the demands up along the paths of
//! the graph. This module therefore depends on no kind of component.
//!
//! Bounds of rates hold in the long run, bounds of times hold for means. Times that a drive draws at random count with their mean, so a
//! short run may exceed a bound by chance. I/Os in flight when the measured interval began had been partly served before it.

mod needs;

use needs::Needs;
use sansim_assembly::named::NamedValues;
use sansim_assembly::plan::SystemPlan;
use sansim_component::demand::RequestClass;
use serde::Serialize;

/// A bound with the simulated value.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckedBound {
    /// The bound; null if it does not apply.
    pub bound: Option<f64>,
    /// The simulated value; null where there is nothing to compare.
    pub simulated: Option<f64>,
    /// The reason why the bound does not apply; null if it applies.
    pub not_applicable: Option<&'static str>,
}

/// The measurements of reads, or of writes, as far as bounds depend on them.
#[derive(Clone, Copy, Default)]
pub struct MeasuredRequests {
    /// The number of I/Os that were measured.
    pub ios: f64,
    /// The data bytes of these I/Os.
    pub bytes: f64,
    /// Whether all these I/Os had the same size.
    pub are_of_one_size: bool,
}

/// The measurements of a run, as far as bounds depend on them.
pub struct MeasuredRun {
    /// The measurements of reads.
    pub reads: MeasuredRequests,
    /// The measurements of writes.
    pub writes: MeasuredRequests,
    /// The number of flushes and deallocations.
    pub others: u64,
    /// The number of reads and writes that failed.
    pub failed: u64,
    /// The length of the measured interval in seconds.
    pub seconds: f64,
    /// The mean response time in nanoseconds, if it is meaningful.
    pub response_ns: Option<f64>,
}

/// The reason why a bound does not apply.
type WhyNot = &'static str;

/// A rate per second, or a time in nanoseconds.
type Limit = Result<f64, WhyNot>;

impl MeasuredRun {
    /// The classes of the run's I/Os, each with its share.
    fn classes(&self) -> Vec<(f64, RequestClass)> {
        let ios = self.reads.ios + self.writes.ios;
        let both = [(false, self.reads), (true, self.writes)].into_iter();
        both.filter(|(_, requests)| requests.ios > 0.0)
            .map(|(write, requests)| {
                let class = RequestClass {
                    write,
                    bytes: requests.bytes / requests.ios,
                    is_of_one_size: requests.are_of_one_size,
                    sequential: false,
                    hit_ratio: None,
                    within: None,
                };
                (requests.ios / ios, class)
            })
            .collect()
    }
}

/// All bounds of a run.
pub fn bounds_of_run(plan: &SystemPlan, measured: &MeasuredRun) -> NamedValues<CheckedBound> {
    let ios = measured.reads.ios + measured.writes.ios;
    let fails = if ios == 0.0 || measured.seconds == 0.0 {
        Some("the run measured no I/O")
    } else if measured.failed > 0 || !plan.graph.events.is_empty() {
        Some("the run has failures")
    } else if measured.others > 0 {
        Some("the run has flushes or deallocations, which have no bounds")
    } else {
        None
    };
    let needs = Needs::demand_per_io(plan, &measured.classes());
    let limit = |limit: &Limit| fails.map_or(*limit, Err);
    let times = [
        ("wire_time", limit(&needs.wire_ns)),
        ("arbitration_time", limit(&needs.arbitration_ns)),
        ("adapter_time", limit(&needs.adapter_ns)),
        ("drive_time", limit(&needs.drive_ns)),
        ("fork_join_time", limit(&needs.joined_ns)),
        ("controller_time", limit(&needs.controller_ns)),
    ];
    let longest = times.iter().filter_map(|(_, time)| time.ok()).fold(0.0, f64::max);
    let population = match fails.or(needs.mostly_left_out) {
        Some(why) => Err(why),
        None if plan.has_open_loads => Err("the load is open: I/Os arrive whatever is in flight"),
        None if longest == 0.0 => Err("no part of the response time has a lower bound"),
        None => Ok(plan.slots as f64 / longest * 1e9),
    };
    let iops = ios / measured.seconds;
    // The two directions of a loop count separately.
    let one_way = measured.reads.bytes.max(measured.writes.bytes);
    let rates = [
        ("host_rate", limit(&needs.host_rate), iops),
        ("wire_rate", limit(&needs.wire_rate).map(|rate| rate * one_way / ios), one_way / measured.seconds),
        ("adapter_rate", limit(&needs.adapter_rate), iops),
        ("wire_behind_rate", limit(&needs.wire_behind_rate), iops),
        ("drive_rate", limit(&needs.drive_rate), iops),
        ("controller_rate", limit(&needs.controller_rate), iops),
        ("processors_rate", limit(&needs.resource_capacity_per_s("controller_processors")), iops),
        ("bridge_rate", limit(&needs.resource_capacity_per_s("bridge")), iops),
        ("system_bus_rate", limit(&needs.resource_capacity_per_s("system_bus")), iops),
        ("memory_rate", limit(&needs.resource_capacity_per_s("controller_memory")), iops),
        ("population_rate", population, iops),
    ];
    let rates = rates.map(|(name, limit, simulated)| (name.to_owned(), bound(limit, Some(simulated))));
    let times = times.map(|(name, limit)| (name.to_owned(), bound(limit, measured.response_ns)));
    NamedValues(rates.into_iter().chain(times).collect())
}

fn bound(bound: Limit, simulated: Option<f64>) -> CheckedBound {
    match (bound, simulated) {
        (Ok(bound), Some(_)) => CheckedBound { bound: Some(bound), simulated, not_applicable: None },
        (Ok(_), None) => CheckedBound {
            not_applicable: Some("the response times of an overload have no mean"),
            ..CheckedBound::default()
        },
        (Err(why), _) => CheckedBound { simulated, not_applicable: Some(why), bound: None },
    }
}
