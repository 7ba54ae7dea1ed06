//! The share of each workload, host and device in the results.

use crate::counted::{DEALLOCATIONS, FLUSHES, KINDS, READS, WRITES};
use crate::extent::{device_groups, devices, hosts};
use crate::figures::{DirectionFigures, PercentileIntervals, ResponseTime};
use crate::tally::{DirectionSums, Tallies, Tally, fairness_index, sum_tallies};
use crate::trend::GrowthTests;
use sansim_assembly::named::NamedValues;
use sansim_assembly::plan::SystemPlan;
use sansim_assembly::routes::workload_routes;
use sansim_scenario::graph::WorkloadRoute;
use serde::Serialize;
use std::ops::Deref;

/// A device that gets less than this part of its even share causes a warning.
const STARVED: f64 = 0.1;

/// The number of unstable streams that a warning names.
const NAMED: usize = 3;

/// A workload, a host, a device or a group of devices in results. Rates are over the measured interval of the run; the distribution of
/// response times is accurate to within 0.8 %; workloads and hosts also have the interval of the mean.
#[derive(Clone, Debug, Serialize)]
pub struct ResultPart {
    /// The number of measured I/Os.
    pub ios: u64,
    /// The number of these I/Os that failed.
    pub failed_ios: u64,
    /// The share of these I/Os in all measured I/Os.
    pub share: f64,
    /// The I/Os per second.
    pub iops: f64,
    /// The data bytes per second.
    pub bytes_per_second: f64,
    /// The average number of I/Os in flight, including I/Os that wait in hosts: by Little's law the sum of their response times over the
    /// length of the interval. The number is null where response times are.
    pub under_way: Option<f64>,
    /// The response times; null when there are none, and when I/Os of an unstable workload are among them.
    pub response_time_ns: Option<ResponseTime>,
    /// The figures of reads alone.
    pub reads: DirectionFigures,
    /// The figures of writes alone.
    pub writes: DirectionFigures,
    /// The figures of flushes alone, if there are any.
    #[serde(skip_serializing_if = "DirectionFigures::is_none")]
    pub flushes: DirectionFigures,
    /// The figures of deallocations alone, if there are any. Their bytes are those that are deallocated.
    #[serde(skip_serializing_if = "DirectionFigures::is_none")]
    pub deallocations: DirectionFigures,
}

impl ResultPart {
    /// The same result, with response times only if `holds` is true.
    fn told_if(mut self, holds: bool) -> Self {
        self.response_time_ns = self.response_time_ns.filter(|_| holds);
        for of in [&mut self.reads, &mut self.writes, &mut self.flushes, &mut self.deallocations] {
            of.response_time_ns = of.response_time_ns.take().filter(|_| holds);
        }
        self.under_way = self.under_way.filter(|_| holds);
        self
    }

    /// The same result with half the width of the interval of its mean response time.
    fn with_interval(mut self, ci95: Option<f64>) -> Self {
        if let Some(times) = &mut self.response_time_ns {
            times.ci95 = ci95;
        }
        self
    }
}

/// A host in results.
#[derive(Clone, Debug, Serialize)]
pub struct HostResult {
    /// The results of the host.
    #[serde(flatten)]
    pub part: ResultPart,
    /// The results of the host at each device of its workloads, if there are several hosts.
    #[serde(skip_serializing_if = "NamedValues::is_empty")]
    pub devices: NamedValues<HostDeviceResult>,
}

impl Deref for HostResult {
    type Target = ResultPart;

    fn deref(&self) -> &ResultPart {
        &self.part
    }
}

/// A host at a device, in results: the same figures as [`ResultPart`], but without a distribution of response
/// times.
#[derive(Clone, Debug, Serialize)]
pub struct HostDeviceResult {
    /// The number of measured I/Os.
    pub ios: u64,
    /// The number of these I/Os that failed.
    pub failed_ios: u64,
    /// The share of these I/Os in all measured I/Os.
    pub share: f64,
    /// The I/Os per second.
    pub iops: f64,
    /// The data bytes per second.
    pub bytes_per_second: f64,
    /// The average number of I/Os in flight.
    pub under_way: Option<f64>,
    /// The response times; null when there are none.
    pub response_time_ns: Option<ResponseTimeRange>,
    /// The amount of reads alone.
    pub reads: TransferAmount,
    /// The amount of writes alone.
    pub writes: TransferAmount,
    /// The amount of flushes alone, if there are any.
    #[serde(skip_serializing_if = "TransferAmount::is_none")]
    pub flushes: TransferAmount,
    /// The amount of deallocations alone, if there are any.
    #[serde(skip_serializing_if = "TransferAmount::is_none")]
    pub deallocations: TransferAmount,
}

/// The mean, the least and the greatest response time in nanoseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ResponseTimeRange {
    /// The mean response time.
    pub mean: f64,
    /// The least response time.
    pub min: u64,
    /// The greatest response time.
    pub max: u64,
}

/// The number of I/Os and bytes in a direction.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TransferAmount {
    /// The number of I/Os.
    pub ios: u64,
    /// The data bytes of these I/Os.
    pub bytes: u64,
}

impl TransferAmount {
    fn is_none(&self) -> bool {
        self.ios == 0
    }
}

impl HostDeviceResult {
    fn new(of: &[DirectionSums; KINDS], all: u64, seconds: f64, holds: bool) -> Self {
        let together = of.iter().fold(DirectionSums::default(), |sum, one| sum.combined_with(one));
        let amount = |sums: &DirectionSums| TransferAmount { ios: sums.count, bytes: sums.bytes };
        let bounds = || ResponseTimeRange {
            mean: together.mean_response_ns(),
            min: together.min_ns,
            max: together.max_ns,
        };
        Self {
            ios: together.count,
            failed_ios: together.failed,
            share: together.count as f64 / all.max(1) as f64,
            iops: per_second(together.count, seconds),
            bytes_per_second: per_second(of[READS].bytes + of[WRITES].bytes, seconds),
            under_way: holds.then(|| together.in_flight(seconds)),
            response_time_ns: (holds && together.count > 0).then(bounds),
            reads: amount(&of[READS]),
            writes: amount(&of[WRITES]),
            flushes: amount(&of[FLUSHES]),
            deallocations: amount(&of[DEALLOCATIONS]),
        }
    }
}

/// A group of devices in results.
#[derive(Clone, Debug, Serialize)]
pub struct DeviceGroup {
    /// The results of the group.
    #[serde(flatten)]
    pub part: ResultPart,
    /// The number of members that receive requests.
    pub count: u64,
}

/// The evenness of the shares of I/Os, by the index of Jain, Chiu and Hawe: 1 if all members have equally many, 1/n if one of n
/// members has all; null without any I/O.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FairnessIndex {
    /// The fairness among the workloads.
    pub workloads: Option<f64>,
    /// The fairness among the hosts.
    pub hosts: Option<f64>,
    /// The fairness among the devices that workloads use.
    pub devices: Option<f64>,
}

/// The results of all workloads, hosts and devices.
pub(crate) struct Parts {
    pub workloads: NamedValues<WorkloadResult>,
    pub hosts: NamedValues<HostResult>,
    pub device_groups: NamedValues<DeviceGroup>,
    pub devices: NamedValues<ResultPart>,
    pub fairness: FairnessIndex,
    pub warnings: Vec<String>,
}

impl Parts {
    /// The results of an interval of `seconds`; `ci95` is half the width of the interval of the mean response time of all
    /// I/Os.
    pub fn new(plan: &SystemPlan, tallies: &Tallies, seconds: f64, ci95: Option<f64>) -> Self {
        let routes = workload_routes(&plan.graph);
        let all: u64 = tallies.devices.iter().flatten().map(|tally| tally.sums.count).sum();
        let part = |of: [Tally; KINDS]| part(&of, all, seconds);
        let name = |component: usize| plan.names.components[component].name.clone();
        let intervals = tallies.intervals();
        let workloads = routes.iter().enumerate().map(|(number, route)| {
            let mut loaded = workload(plan, tallies, number, all, seconds);
            loaded.part = loaded.part.with_interval(intervals.interval_of_workload(number, ci95));
            (name(route.workload), loaded)
        });
        let workloads: Vec<(String, WorkloadResult)> = workloads.collect();
        let grows = |number: usize| {
            tallies
                .streams_of_workload(number)
                .any(|stream| tallies.trends[stream].as_ref().is_some_and(GrowthTests::response_times_grow))
        };
        let unstable: Vec<&WorkloadRoute> =
            (0..routes.len()).filter(|&n| grows(n)).map(|n| routes[n]).collect();
        // At a device of an unstable workload no response time is meaningful.
        let settled = |device: &usize| unstable.iter().all(|route| !route.devices.contains(device));
        let device_name = |device: usize| plan.graph.devices[device].name.clone();
        let hosts = hosts(&routes).into_iter().enumerate().map(|(number, host)| {
            let of_host = || (0..routes.len()).filter(|&number| routes[number].host == host);
            let streams = of_host().flat_map(|number| tallies.streams_of_workload(number));
            let holds = unstable.iter().all(|route| route.host != host);
            let part = part(sum_tallies(&tallies.streams, streams))
                .with_interval(intervals.interval_of_host(number, ci95));
            let its: Vec<&WorkloadRoute> = of_host().map(|number| routes[number]).collect();
            let at = devices(&its).into_iter().filter_map(|device| {
                let sums = tallies.host_device_sums(number, device)?;
                Some((
                    device_name(device),
                    HostDeviceResult::new(&sums, all, seconds, holds && settled(&device)),
                ))
            });
            (name(host), HostResult { part: part.told_if(holds), devices: NamedValues(at.collect()) })
        });
        let hosts: Vec<(String, HostResult)> = hosts.collect();
        let of_devices = |numbers: &[usize]| {
            part(sum_tallies(&tallies.devices, numbers.iter().copied())).told_if(numbers.iter().all(settled))
        };
        let groups = device_groups(plan, &routes).into_iter().map(|(name, members)| {
            (name, DeviceGroup { part: of_devices(&members), count: members.len() as u64 })
        });
        let device_groups = NamedValues(groups.collect());
        let devices = devices(&routes).into_iter();
        let devices = devices.map(|device| (device_name(device), of_devices(&[device]))).collect();
        let (workloads, hosts, devices) =
            (NamedValues(workloads), NamedValues(hosts), NamedValues::<ResultPart>(devices));
        let fairness = FairnessIndex {
            workloads: fairness_index(workloads.0.iter().map(|(_, loaded)| loaded.ios as f64)),
            hosts: fairness_index(hosts.0.iter().map(|(_, host)| host.ios as f64)),
            devices: fairness_index(devices.0.iter().map(|(_, part)| part.ios as f64)),
        };
        let warnings = starved(&devices, all).into_iter().collect();
        Self { workloads, hosts, device_groups, devices, fairness, warnings }
    }
}

/// A warning about devices that got less than a tenth of an even share.
fn starved(devices: &NamedValues<ResultPart>, all: u64) -> Option<String> {
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

/// A workload or one of its streams, in results.
#[derive(Clone, Debug, Serialize)]
pub struct WorkloadResult {
    /// The figures of the workload or stream.
    #[serde(flatten)]
    pub part: ResultPart,
    /// Whether arrivals exceed completions, so that response times would grow with the length of the run and are omitted; null for a
    /// closed workload.
    pub unstable: Option<bool>,
    /// The streams of a workload that has several.
    #[serde(skip_serializing_if = "NamedValues::is_empty")]
    pub streams: NamedValues<WorkloadResult>,
}

impl Deref for WorkloadResult {
    type Target = ResultPart;

    fn deref(&self) -> &ResultPart {
        &self.part
    }
}

impl WorkloadResult {
    fn new(part: ResultPart, unstable: Option<bool>, streams: NamedValues<WorkloadResult>) -> Self {
        Self { part: part.told_if(unstable != Some(true)), unstable, streams }
    }
}

/// The results of a workload with its streams.
fn workload(plan: &SystemPlan, tallies: &Tallies, number: usize, all: u64, seconds: f64) -> WorkloadResult {
    let numbers = tallies.streams_of_workload(number);
    let whole = part(&sum_tallies(&tallies.streams, numbers.clone()), all, seconds);
    let stream = |number: usize| {
        let unstable = tallies.trends[number].as_ref().map(GrowthTests::response_times_grow);
        WorkloadResult::new(part(&tallies.streams[number], all, seconds), unstable, NamedValues(Vec::new()))
    };
    let streams: Vec<WorkloadResult> = numbers.map(stream).collect();
    let unstable = streams.iter().filter_map(|stream| stream.unstable).reduce(|one, other| one || other);
    let names = plan.names.workloads[number].streams.iter().map(|stream| stream.name.clone());
    let several = streams.len() > 1;
    let streams = if several { names.zip(streams).collect() } else { Vec::new() };
    WorkloadResult::new(whole, unstable, NamedValues(streams))
}

fn per_second(amount: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { amount as f64 / seconds } else { 0.0 }
}

fn part(of: &[Tally; KINDS], all: u64, seconds: f64) -> ResultPart {
    let together = of.iter().fold(Tally::default(), |sum, one| sum.combined_with(one));
    let sums = together.sums;
    ResultPart {
        ios: sums.count,
        failed_ios: sums.failed,
        share: sums.count as f64 / all.max(1) as f64,
        iops: per_second(sums.count, seconds),
        bytes_per_second: per_second(of[READS].sums.bytes + of[WRITES].sums.bytes, seconds),
        under_way: Some(sums.in_flight(seconds)),
        response_time_ns: response_time(&together),
        reads: direction(&of[READS]),
        writes: direction(&of[WRITES]),
        flushes: direction(&of[FLUSHES]),
        deallocations: direction(&of[DEALLOCATIONS]),
    }
}

fn direction(tally: &Tally) -> DirectionFigures {
    DirectionFigures {
        ios: tally.sums.count,
        bytes: tally.sums.bytes,
        response_time_ns: response_time(tally),
    }
}

fn response_time(tally: &Tally) -> Option<ResponseTime> {
    (tally.sums.count > 0).then(|| ResponseTime {
        mean: tally.sums.mean_response_ns(),
        ci95: None,
        min: tally.sums.min_ns,
        p50: tally.percentile_ns(50.0),
        p90: tally.percentile_ns(90.0),
        p99: tally.percentile_ns(99.0),
        p99_9: tally.percentile_ns(99.9),
        max: tally.sums.max_ns,
        ci95_percentiles: PercentileIntervals { p50: None, p90: None, p99: None, p99_9: None },
    })
}
