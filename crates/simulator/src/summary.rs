//! The result of a run, in the form in which it is printed and stored. The names of figures contain their
//! units; times are in nanoseconds.

use crate::components::{ComponentSummary, Constants, components};
use crate::counted::{ALL, DEALLOCATIONS, FLUSHES, KINDS, MeasuredInterval, READS, Records, WRITES};
use crate::culprits::ReportedCulprit;
use crate::errors::ErrorSummary;
pub use crate::figures::{DirectionFigures, PercentileIntervals, ResponseTime, SteadyOnlyFigure};
use crate::fullest_link::{self, BusiestLink};
use crate::incidents::{self, ReportedIncident};
use crate::instability;
use crate::measure::MeasurementResult;
use crate::parts::{DeviceGroup, FairnessIndex, HostResult, Parts, ResultPart, WorkloadResult};
use crate::passes::{PassSummary, summarise_passes};
use crate::samples::Samples;
use crate::simulation::Simulation;
use crate::statistics::Statistics;
use crate::steady::{self, SteadyState};
use sansim_analytic::bounds::{self, CheckedBound};
pub use sansim_assembly::named::NamedValues;
use sansim_assembly::plan::SystemPlan;
use sansim_kernel::{Interval, Observations, Series, TICKS_PER_NS};
use sansim_observe::names::SystemNames;
use sansim_request::LedgerLine;
use sansim_rules::RuleUse;
use sansim_workload::closed::Workload;
use serde::Serialize;

/// The summary of a run's result. The summary is deterministic: the same scenario and seed give the same
/// bytes.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The name of the scenario.
    pub title: String,
    /// The seed of all random streams.
    pub seed: u64,
    /// The number of measured I/Os.
    pub ios: u64,
    /// The number of I/Os that failed because a device had failed.
    pub failed_ios: u64,
    /// The number of I/Os left out before the measured ones.
    pub warm_up_ios: u64,
    /// Whether the run was ended before all I/Os were done.
    pub stopped_early: bool,
    /// The length of the measured interval in seconds.
    pub simulated_s: f64,
    /// The measured I/Os per second.
    pub iops: f64,
    /// The half width of the 95 % confidence interval of `iops`; null when there are too few I/Os for an
    /// interval.
    pub iops_ci95: Option<f64>,
    /// The data bytes per second.
    pub bytes_per_second: f64,
    /// The half width of the 95 % confidence interval of `bytes_per_second`.
    pub bytes_per_second_ci95: Option<f64>,
    /// The average number of measured I/Os in flight, by Little's law; null where response times are.
    pub under_way: SteadyOnlyFigure<f64>,
    /// The response times of all measured I/Os; null if a workload is unstable.
    pub response_time_ns: SteadyOnlyFigure<ResponseTime>,
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
    /// The results of each workload.
    pub workloads: NamedValues<WorkloadResult>,
    /// The results of each host.
    pub hosts: NamedValues<HostResult>,
    /// The devices that workloads use, by the components that have them: a group of drives is one entry.
    pub device_groups: NamedValues<DeviceGroup>,
    /// The results of each device that workloads use.
    pub devices: NamedValues<ResultPart>,
    /// The fairness of the shares of workloads, hosts and devices in the I/Os.
    pub fairness: FairnessIndex,
    /// Background requests of components, which no figure includes.
    pub background: BackgroundCounts,
    /// Settings that are allowed but probably not intended.
    pub warnings: Vec<String>,
    /// The congestion culprits of networks and their victims, up to the end of the run; empty where this was not recorded, or where
    /// there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub culprits: Vec<ReportedCulprit>,
    /// The open workloads with more arrivals than completions.
    pub unstable: Vec<String>,
    /// Whether the state of the system was steady while it was measured, and the stocks that drifted.
    pub steady: SteadyState,
    /// The errors of the whole run; empty without errors.
    #[serde(skip_serializing_if = "ErrorSummary::is_empty")]
    pub errors: ErrorSummary,
    /// The incidents of the whole run, in order; empty without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<ReportedIncident>,
    /// The results of components, by name.
    pub components: NamedValues<ComponentSummary>,
    /// The fullest link of each network that has several links; empty if no network has.
    #[serde(skip_serializing_if = "NamedValues::is_empty")]
    pub fullest_links: NamedValues<BusiestLink>,
    /// The mean time in each ledger line; null if a workload is unstable, like the response times to which it
    /// adds up.
    pub ledger_ns: SteadyOnlyFigure<LedgerSummary>,
    /// The upper bounds of the rates, and the least time of an I/O, together with the simulated values.
    pub bounds: NamedValues<CheckedBound>,
    /// The method of the intervals, and doubts about them.
    pub statistics: Statistics,
    /// The results of workloads that run in passes.
    #[serde(skip_serializing_if = "NamedValues::is_empty")]
    pub passes: NamedValues<PassSummary>,
}

/// Wall-clock time and events of a run. The numbers differ from run to run.
#[derive(Clone, Debug, Serialize)]
pub struct RunInfo {
    /// The version of sansim.
    pub version: &'static str,
    /// The loop model; none if no network is an arbitrated loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#loop: Option<&'static str>,
    /// The wall seconds, including the time before simulated time began: for building, filling and the functional warm-up.
    pub wall_s: f64,
    /// The number of handled events.
    pub events: u64,
    /// The events per wall second.
    pub events_per_second: f64,
    /// The simulated seconds per wall second.
    pub simulated_per_wall: f64,
    /// The rules of the user that decided, in the order of their first decisions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleCost>,
}

/// A rule of the user in a run: its decisions, and what they cost.
#[derive(Clone, Debug, Serialize)]
pub struct RuleCost {
    /// The expression, or the class with its file.
    pub rule: String,
    /// `expression` or `python`.
    pub form: &'static str,
    /// The name of the decision.
    pub decision: &'static str,
    /// The number of decisions.
    pub calls: u64,
    /// The mean wall time of a decision in nanoseconds, of those that were timed and not interrupted by other programs.
    pub ns_per_call: f64,
    /// The number of events of which a class was notified.
    #[serde(skip_serializing_if = "is_zero")]
    pub events: u64,
    /// The share of the wall time of the run that all decisions and events took.
    pub share: f64,
    /// The reports of the objects of the rule, each of itself: `state` of a class.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<serde_json::Value>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl RuleCost {
    /// The cost of a rule in a run of this many wall seconds.
    pub fn of_use(rule: &RuleUse, wall_s: f64) -> Self {
        Self {
            rule: rule.rule.name(),
            form: rule.form,
            decision: rule.rule.decision.name,
            calls: rule.calls,
            ns_per_call: rule.ns_per_call(),
            events: rule.events,
            share: rule.total_ns() / 1e9 / wall_s.max(1e-9),
            states: rule.reports.iter().filter_map(|report| serde_json::from_str(report).ok()).collect(),
        }
    }
}

/// The counts of background requests: a request that was issued is either done, or cut at the end.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BackgroundCounts {
    /// The number of background requests that were issued.
    pub issued: u64,
    /// The number of background requests that were done.
    pub done: u64,
    /// The number of background requests in flight when the last I/O was complete.
    pub cut: u64,
}

/// The percentiles in the summary.
const PERCENTS: [f64; 4] = [50.0, 90.0, 99.0, 99.9];

/// The mean time in each segment of each place, `place.segment`, in the order in which an I/O reaches the places. Segments
/// that never occurred are left out.
#[derive(Clone, Debug, Serialize)]
pub struct LedgerSummary {
    /// The means over all measured I/Os. The sum of these means is the mean response time.
    pub mean: NamedValues<f64>,
    /// The means over the slowest percent of I/Os.
    pub slowest_percent: NamedValues<f64>,
    /// Whether the slowest percent is exact; with more than a million I/Os it is found by narrow buckets of response
    /// time.
    pub slowest_percent_exact: bool,
}

fn half_width(interval: Interval) -> Option<f64> {
    interval.half_width_95.is_finite().then_some(interval.half_width_95)
}

fn response_time(series: &Series) -> ResponseTime {
    let histogram = &series.histogram;
    let [p50, p90, p99, p99_9] = PERCENTS.map(|percent| histogram.percentile(percent));
    let interval = |number: usize| series.percentiles.get(number).copied().flatten();
    ResponseTime {
        mean: series.mean_ns.estimate,
        ci95: half_width(series.mean_ns),
        min: histogram.min(),
        p50,
        p90,
        p99,
        p99_9,
        max: histogram.max(),
        ci95_percentiles: PercentileIntervals {
            p50: interval(0),
            p90: interval(1),
            p99: interval(2),
            p99_9: interval(3),
        },
    }
}

fn direction(observations: &Observations<KINDS>, kind: usize) -> DirectionFigures {
    let series = observations.series(&[kind], &PERCENTS);
    DirectionFigures {
        ios: series.count,
        bytes: series.amount,
        response_time_ns: (series.count > 0).then(|| response_time(&series)),
    }
}

fn by_line(names: &SystemNames, ticks: impl Iterator<Item = f64>) -> NamedValues<f64> {
    let ns = |ticks: f64| ticks / TICKS_PER_NS as f64;
    let named = ticks.enumerate().filter(|(_, t)| *t > 0.0);
    NamedValues(named.map(|(line, t)| (names.line_name(LedgerLine(line as u32)), ns(t))).collect())
}

/// Sums up a simulation that has ended, perhaps early.
pub(crate) fn summarise(
    plan: &SystemPlan,
    mut simulation: Simulation<'_>,
    stopped_early: bool,
    keep_ios: bool,
) -> (Summary, MeasuredInterval, Records, Samples) {
    let now = simulation.now();
    simulation.open_at(simulation.measurement.interval_begin_number());
    let metered = simulation.metered();
    let passes = passes(plan, &simulation);
    let constants = Constants::of(plan, &simulation);
    let (issued, cut) = (simulation.background_counts(), simulation.cut_background_count());
    let culprits = simulation.culprits(&plan.names);
    let lines = culprits.iter().map(|(network, culprit)| format!("`{network}`: {culprit}"));
    let remarks: Vec<String> = simulation.remarks(&plan.names).into_iter().chain(lines).collect();
    let errors = ErrorSummary::new(&simulation.around.errors, &plan.names);
    let (incidents, others) = incidents::reported(&simulation.around.incidents, plan);
    let remarks: Vec<String> = remarks.into_iter().chain(others).collect();
    let watch = simulation.watch.clone();
    let (measurement, samples) = simulation.into_measurement_and_samples();
    let measured = measurement.finish(now);
    let drifts = watch.stock_drifts(measured.interval.opened, measured.interval.closed);
    let seconds = measured.interval.measured_length().as_s_f64();
    let all = measured.counted.observations.series(&ALL, &PERCENTS);
    let Parts { workloads, hosts, device_groups, devices, fairness, warnings } =
        Parts::new(plan, &measured.counted.tallies, seconds, half_width(all.mean_ns));
    let unstable = instability::names(&workloads);
    let holds = unstable.is_empty();
    let drifting = steady::told(&drifts);
    let steady = SteadyState { ok: holds && drifts.is_empty(), drifts };
    let statistics =
        Statistics::new(plan, &measured, stopped_early, (instability::told(&workloads), drifting));
    let MeasurementResult { counted, left_out, interval, records, .. } = measured;
    let per_second = |amount: u64| if seconds > 0.0 { amount as f64 / seconds } else { 0.0 };
    let rates = counted.observations.rates(interval.opened, interval.closed, interval.rate_edges());
    let count = all.count.max(1) as f64;
    let under_way = counted.tallies.sums_of_all_ios().in_flight(seconds);
    let components = components(plan, &constants, &metered, seconds);
    let of_places = plan.board.first_meter.last().copied().unwrap_or(0);
    let fullest_links = fullest_link::of(plan, &metered[of_places..], seconds);
    let direction = |kind: usize| {
        let mut direction = direction(&counted.observations, kind);
        direction.response_time_ns = direction.response_time_ns.filter(|_| holds);
        direction
    };
    let ledger = LedgerSummary {
        mean: by_line(&plan.names, counted.spent.iter().map(|&ticks| ticks as f64 / count)),
        slowest_percent: by_line(&plan.names, counted.slowest.mean_time_by_segment().into_iter()),
        slowest_percent_exact: counted.slowest.is_exact(),
    };
    let directions = ALL.map(direction);
    let requests = |kind: usize| bounds::MeasuredRequests {
        ios: directions[kind].ios as f64,
        bytes: directions[kind].bytes as f64,
        are_of_one_size: counted.sizes[kind].is_some_and(|(least, most)| least == most),
    };
    let bounds = bounds::bounds_of_run(
        plan,
        &bounds::MeasuredRun {
            reads: requests(READS),
            writes: requests(WRITES),
            others: directions[FLUSHES].ios + directions[DEALLOCATIONS].ios,
            failed: counted.failed,
            seconds,
            response_ns: (holds && all.count > 0).then_some(all.mean_ns.estimate),
        },
    );
    let [reads, writes, flushes, mut deallocations] = directions;
    let of_devices = counted.tallies.devices.iter().map(|of| of[DEALLOCATIONS].sums.bytes);
    deallocations.bytes = of_devices.sum();
    let summary = Summary {
        title: plan.title.clone(),
        seed: plan.seed,
        ios: all.count,
        failed_ios: counted.failed,
        warm_up_ios: left_out,
        stopped_early,
        simulated_s: seconds,
        iops: per_second(all.count),
        iops_ci95: half_width(rates[0]),
        bytes_per_second: per_second(all.amount),
        bytes_per_second_ci95: half_width(rates[1]),
        under_way: SteadyOnlyFigure { figure: under_way, holds },
        response_time_ns: SteadyOnlyFigure { figure: response_time(&all), holds },
        reads,
        writes,
        flushes,
        deallocations,
        workloads,
        hosts,
        device_groups,
        devices,
        fairness,
        background: BackgroundCounts { issued, done: issued - cut, cut },
        warnings: warnings.into_iter().chain(remarks).collect(),
        culprits: culprits.into_iter().map(ReportedCulprit::from).collect(),
        steady,
        unstable,
        errors,
        incidents,
        components,
        fullest_links,
        ledger_ns: SteadyOnlyFigure { figure: ledger, holds },
        bounds,
        statistics,
        passes: NamedValues(passes),
    };
    (summary, interval, if keep_ios { records } else { Records::default() }, samples)
}

/// The results of workloads that run in passes, in the order of the file.
fn passes(plan: &SystemPlan, simulation: &Simulation<'_>) -> Vec<(String, PassSummary)> {
    let mut workloads: Vec<_> = simulation.workloads().collect();
    workloads.sort_by_key(|workload| workload.aims().workload);
    let summary = |workload: &&Workload| {
        let aims = workload.aims();
        let name = plan.names.workloads[aims.workload as usize].name.clone();
        Some((name, summarise_passes(plan, workload.parameters(), &aims.devices, workload.passes())?))
    };
    workloads.iter().filter_map(summary).collect()
}
