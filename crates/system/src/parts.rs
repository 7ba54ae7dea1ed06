//! What each workload, host and device got of the whole.

use crate::build::routes;
use crate::counted::{READS, WRITES};
use crate::figures::{Direction, Named, PercentileIntervals, ResponseTime};
use crate::plan::Plan;
use crate::tally::{Tallies, Tally, fairness_index, sum};
use crate::trend::Trend;
use sansim_scenario::graph::Route;
use serde::Serialize;
use std::ops::Deref;

/// A device that gets less than this part of its even share is warned of.
const STARVED: f64 = 0.1;

/// So many of them are named in a warning.
const NAMED: usize = 3;

/// A workload, a host or a device in results. Rates are over the measured interval of the run; of response times the distribution
/// is told to within 0.8 %, and no intervals.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// I/Os measured.
    pub ios: u64,
    /// Their share of all that were.
    pub share: f64,
    /// I/Os per second.
    pub iops: f64,
    /// Data bytes per second.
    pub bytes_per_second: f64,
    /// Response times; null when there are none, and when I/Os of an unstable workload are among them.
    pub response_time_ns: Option<ResponseTime>,
    /// Reads alone.
    pub reads: Direction,
    /// Writes alone.
    pub writes: Direction,
}

impl Part {
    /// With response times only if they mean something.
    fn told_if(mut self, holds: bool) -> Self {
        for times in
            [&mut self.response_time_ns, &mut self.reads.response_time_ns, &mut self.writes.response_time_ns]
        {
            *times = times.take().filter(|_| holds);
        }
        self
    }
}

/// How evenly I/Os are shared out, by the index of Jain, Chiu and Hawe: 1 if all have equally many, 1/n if one of n has all; null
/// without any.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Fairness {
    /// Among the workloads.
    pub workloads: Option<f64>,
    /// Among the hosts.
    pub hosts: Option<f64>,
    /// Among the devices that workloads ask.
    pub devices: Option<f64>,
}

/// All of them.
pub(crate) struct Parts {
    pub workloads: Named<Loaded>,
    pub hosts: Named<Part>,
    pub devices: Named<Part>,
    pub fairness: Fairness,
    pub warnings: Vec<String>,
}

impl Parts {
    /// What was counted in an interval of so many seconds.
    pub fn new(plan: &Plan, tallies: &Tallies, seconds: f64) -> Self {
        let routes = routes(&plan.graph);
        let all: u64 = tallies.devices.iter().flatten().map(|tally| tally.count).sum();
        let part = |of: [Tally; 2]| part(&of, all, seconds);
        let name = |component: usize| plan.names.components[component].name.clone();
        let workloads = routes
            .iter()
            .enumerate()
            .map(|(number, route)| (name(route.workload), workload(plan, tallies, number, all, seconds)))
            .collect();
        let grows = |number: usize| {
            tallies.streams_of(number).any(|stream| tallies.trends[stream].as_ref().is_some_and(Trend::grows))
        };
        let unstable: Vec<&Route> = (0..routes.len()).filter(|&n| grows(n)).map(|n| routes[n]).collect();
        let hosts = hosts(&routes)
            .into_iter()
            .map(|host| {
                let numbers = (0..routes.len()).filter(|&number| routes[number].host == host);
                let streams = numbers.flat_map(|number| tallies.streams_of(number));
                let holds = unstable.iter().all(|route| route.host != host);
                (name(host), part(sum(&tallies.streams, streams)).told_if(holds))
            })
            .collect();
        let devices = devices(&routes)
            .into_iter()
            .map(|device| {
                let name = plan.graph.devices[device].name.clone();
                let holds = unstable.iter().all(|route| !route.devices.contains(&device));
                (name, part(sum(&tallies.devices, [device].into_iter())).told_if(holds))
            })
            .collect();
        let (workloads, hosts, devices) = (Named(workloads), Named(hosts), Named(devices));
        let index = |parts: &Named<Part>| fairness_index(parts.0.iter().map(|(_, part)| part.ios as f64));
        let by_workload = workloads.0.iter().map(|(_, loaded): &(String, Loaded)| loaded.part.ios as f64);
        let fairness = Fairness {
            workloads: fairness_index(by_workload),
            hosts: index(&hosts),
            devices: index(&devices),
        };
        let warnings = starved(&devices, all).into_iter().collect();
        Self { workloads, hosts, devices, fairness, warnings }
    }
}

/// The hosts that requests go through, as parts.
pub(crate) fn hosts(routes: &[&Route]) -> Vec<usize> {
    once(routes.iter().map(|route| route.host).collect())
}

/// The devices that workloads ask.
pub(crate) fn devices(routes: &[&Route]) -> Vec<usize> {
    once(routes.iter().flat_map(|route| route.devices.iter().copied()).collect())
}

fn once(mut numbers: Vec<usize>) -> Vec<usize> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Warns of devices that got less than a tenth of an even share.
fn starved(devices: &Named<Part>, all: u64) -> Option<String> {
    let even = 1.0 / devices.0.len() as f64;
    let starved: Vec<&str> = devices
        .0
        .iter()
        .filter(|(_, part)| all > 0 && part.share < STARVED * even)
        .map(|(name, _)| name.as_str())
        .collect();
    if starved.is_empty() {
        return None;
    }
    let named = starved.iter().take(NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = starved.len().saturating_sub(NAMED);
    let and = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!(
        "{named}{and} got less than a tenth of an even share of the {all} I/Os, which is {:.0} for each of {} devices",
        all as f64 * even,
        devices.0.len()
    ))
}

/// A workload or a stream of one, in results.
#[derive(Clone, Debug, Serialize)]
pub struct Loaded {
    /// What it got.
    #[serde(flatten)]
    pub part: Part,
    /// Whether more comes of it than is served, so that response times would grow with the length of the run and none are told;
    /// null if it is closed.
    pub unstable: Option<bool>,
    /// The streams of a workload that has several.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub streams: Named<Loaded>,
}

impl Deref for Loaded {
    type Target = Part;

    fn deref(&self) -> &Part {
        &self.part
    }
}

impl Loaded {
    fn new(part: Part, unstable: Option<bool>, streams: Named<Loaded>) -> Self {
        Self { part: part.told_if(unstable != Some(true)), unstable, streams }
    }
}

/// A workload with its streams.
fn workload(plan: &Plan, tallies: &Tallies, number: usize, all: u64, seconds: f64) -> Loaded {
    let numbers = tallies.streams_of(number);
    let whole = part(&sum(&tallies.streams, numbers.clone()), all, seconds);
    let stream = |number: usize| {
        let unstable = tallies.trends[number].as_ref().map(Trend::grows);
        Loaded::new(part(&tallies.streams[number], all, seconds), unstable, Named(Vec::new()))
    };
    let streams: Vec<Loaded> = numbers.map(stream).collect();
    let unstable = streams.iter().filter_map(|stream| stream.unstable).reduce(|one, other| one || other);
    let names = plan.names.workloads[number].streams.iter().map(|stream| stream.name.clone());
    let several = streams.len() > 1;
    let streams = if several { names.zip(streams).collect() } else { Vec::new() };
    Loaded::new(whole, unstable, Named(streams))
}

fn part(of: &[Tally; 2], all: u64, seconds: f64) -> Part {
    let together = of[READS].with(&of[WRITES]);
    let per_second = |amount: u64| if seconds > 0.0 { amount as f64 / seconds } else { 0.0 };
    Part {
        ios: together.count,
        share: together.count as f64 / all.max(1) as f64,
        iops: per_second(together.count),
        bytes_per_second: per_second(together.bytes),
        response_time_ns: response_time(&together),
        reads: direction(&of[READS]),
        writes: direction(&of[WRITES]),
    }
}

fn direction(tally: &Tally) -> Direction {
    Direction { ios: tally.count, bytes: tally.bytes, response_time_ns: response_time(tally) }
}

fn response_time(tally: &Tally) -> Option<ResponseTime> {
    (tally.count > 0).then(|| ResponseTime {
        mean: tally.mean_ns(),
        ci95: None,
        min: tally.min_ns,
        p50: tally.percentile_ns(50.0),
        p90: tally.percentile_ns(90.0),
        p99: tally.percentile_ns(99.0),
        p99_9: tally.percentile_ns(99.9),
        max: tally.max_ns,
        ci95_percentiles: PercentileIntervals { p50: None, p90: None, p99: None, p99_9: None },
    })
}
