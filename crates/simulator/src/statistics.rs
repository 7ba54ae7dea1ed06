//! The origin of the intervals of a result, and whether they can be trusted.

use crate::counted::ALL;
use crate::measure::{MeasurementResult, is_long_warm_up};
use crate::precision::relative_half_width;
use sansim_assembly::plan::SystemPlan;
use sansim_kernel::Interval;
use sansim_scenario::{PrecisionFigure, WarmUp};
use serde::Serialize;

/// The methods of the intervals, and the reasons for or against trusting them.
#[derive(Clone, Debug, Serialize)]
pub struct Statistics {
    /// The probability with which an interval should contain the true value.
    pub confidence: f64,
    /// The method of the intervals of mean response times.
    pub mean_method: String,
    /// The method of the intervals of `iops` and `bytes_per_second`.
    pub rate_method: String,
    /// The method of the intervals of percentiles.
    pub percentile_method: String,
    /// The batches behind the interval of the mean response time.
    pub response_time_ns: IntervalBatches,
    /// The batches behind the interval of `iops`.
    pub iops: IntervalBatches,
    /// The I/Os left out as warm-up.
    pub warm_up: LeftOutIos,
    /// Whether the intervals can be trusted, because there are no doubts.
    pub trusted: bool,
    /// The reasons not to trust the intervals. If a workload is unstable the first reason names it, with a
    /// remedy.
    pub doubts: Vec<String>,
    /// The required precision and whether it was reached; null if the scenario gives the length of the run.
    pub precision: Option<PrecisionOutcome>,
}

/// The batches of an interval.
#[derive(Clone, Debug, Serialize)]
pub struct IntervalBatches {
    /// The number of batches.
    pub batches: usize,
    /// The number of I/Os of a batch.
    pub ios_per_batch: u64,
    /// The correlation of neighbouring batches.
    pub lag1: f64,
    /// The number of parts of which batches are made.
    pub parts: usize,
    /// The correlation of neighbouring parts, by which the batches are judged, because it is estimated more reliably
    /// than the correlation of the batches.
    pub parts_lag1: f64,
}

impl IntervalBatches {
    fn new(interval: &Interval, part_size: u64) -> Self {
        let Interval { batches, lag1, parts_per_batch, parts, parts_lag1, .. } = *interval;
        Self { batches, ios_per_batch: parts_per_batch as u64 * part_size, lag1, parts, parts_lag1 }
    }
}

/// The I/Os that were left out.
#[derive(Clone, Debug, Serialize)]
pub struct LeftOutIos {
    /// The rule of the warm-up.
    pub rule: String,
    /// The number of I/Os before the measured ones.
    pub ios: u64,
    /// The simulated seconds before the measured I/Os.
    pub simulated_s: f64,
}

/// The outcome of a requested precision.
#[derive(Clone, Debug, Serialize)]
pub struct PrecisionOutcome {
    /// The figure, by its place in the summary.
    pub of: &'static str,
    /// The allowed error, as a share of the true value.
    pub within: f64,
    /// The half width of the 95 % interval as a share of the estimate; null without an interval, and for response times of an
    /// unstable run.
    pub relative_half_width: Option<f64>,
    /// Whether the precision was reached. If not, the figure is less precise than requested, although its interval is valid.
    pub reached: bool,
    /// The reason for the end of the run.
    pub ended_by: &'static str,
}

impl Statistics {
    /// `instability` names the unstable workloads, if there are any, and `drift` describes the drifts of the system's
    /// state.
    pub(crate) fn new(
        plan: &SystemPlan,
        measured: &MeasurementResult,
        stopped_early: bool,
        (instability, drift): (Option<String>, Option<String>),
    ) -> Self {
        let observations = &measured.counted.observations;
        let mean = observations.mean_ns(&ALL);
        let interval = measured.interval;
        let [iops, _] = observations.rates(interval.opened, interval.closed, interval.rate_edges());
        let settles = |of: PrecisionFigure| instability.is_none() || is_rate(of);
        let precision = plan.run.precision.map(|share| {
            let of = plan.run.precision_of;
            PrecisionOutcome {
                of: place(of),
                within: share.fraction(),
                relative_half_width: relative_half_width(of, &measured.counted, interval)
                    .filter(|_| settles(of)),
                reached: measured.reached && settles(of),
                ended_by: match (stopped_early, measured.reached) {
                    (true, _) => "interruption",
                    (false, true) => "precision",
                    (false, false) => "most_ios",
                },
            }
        });
        let doubts = doubts(plan, measured, &mean, &iops, (instability, drift));
        let (count, of) = (observations.count(), observations.part_size());
        let (means, rates) = (IntervalBatches::new(&mean, of), IntervalBatches::new(&iops, of));
        Self {
            confidence: 0.95,
            mean_method: format!(
                "batch means: {} batches of {} I/Os, Student t, widened for first-order correlation and for the cycles that the ends cut",
                means.batches, means.ios_per_batch
            ),
            rate_method: format!(
                "completions over time, as a ratio, by {} batches of {} I/Os, Student t, widened for first-order correlation and for the cycles that the ends cut",
                rates.batches, rates.ios_per_batch
            ),
            percentile_method: format!(
                "share of I/Os up to the percentile by {} batch means, inverted by the distribution of {count} I/Os",
                means.batches
            ),
            response_time_ns: means,
            iops: rates,
            warm_up: LeftOutIos {
                rule: match plan.run.warm_up {
                    WarmUp::Auto => "MSER-5".to_owned(),
                    WarmUp::IosPerSlot(count) => format!("{count} I/Os per slot"),
                    WarmUp::Until(time) => format!("until {time}"),
                },
                ios: measured.left_out,
                simulated_s: interval.opened.as_s_f64(),
            },
            trusted: doubts.is_empty(),
            doubts,
            precision,
        }
    }
}

/// The place of a figure in the summary.
fn place(of: PrecisionFigure) -> &'static str {
    match of {
        PrecisionFigure::ResponseTime => "response_time_ns.mean",
        PrecisionFigure::Iops => "iops",
        PrecisionFigure::BytesPerSecond => "bytes_per_second",
        PrecisionFigure::P50 => "response_time_ns.p50",
        PrecisionFigure::P90 => "response_time_ns.p90",
        PrecisionFigure::P99 => "response_time_ns.p99",
        PrecisionFigure::P99_9 => "response_time_ns.p99_9",
    }
}

/// Whether the figure is a rate, which settles even where response times grow.
fn is_rate(of: PrecisionFigure) -> bool {
    matches!(of, PrecisionFigure::Iops | PrecisionFigure::BytesPerSecond)
}

fn doubts(
    plan: &SystemPlan,
    measured: &MeasurementResult,
    mean: &Interval,
    iops: &Interval,
    (instability, drift): (Option<String>, Option<String>),
) -> Vec<String> {
    let count = measured.counted.observations.count();
    // Growing response times are omitted, and no length of the run would be enough, so the doubts do not suggest a
    // longer run.
    let settles = instability.is_none();
    let longer = if settles { ": run longer" } else { "" };
    let mut doubts: Vec<String> = instability.into_iter().chain(drift).collect();
    if !mean.has_enough_observations() {
        doubts.push(format!("{count} I/Os are too few to judge by"));
    }
    for (what, interval, told) in [("response times", mean, settles), ("rates", iops, true)] {
        if told && !interval.looks_independent() {
            doubts.push(format!(
                "{what} of neighbouring parts of the run are correlated (lag-1 correlation {:.2}){longer}",
                interval.parts_lag1
            ));
        }
    }
    if settles
        && plan.run.warm_up == WarmUp::Auto
        && is_long_warm_up(measured.left_out, measured.left_out + count)
    {
        let share = 100.0 * measured.left_out as f64 / (measured.left_out + count) as f64;
        doubts.push(format!(
            "MSER-5 leaves out {share:.0} % of the run, which may not have settled: run longer"
        ));
    }
    doubts
}
