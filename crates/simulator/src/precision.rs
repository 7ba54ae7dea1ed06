//! The rule that decides when a run is precise enough that continues until its result is precise.
//!
//! The rule is applied to a measured run of the least length, and again whenever the run has become half as long again (the
//! checkpoints of Heidelberger and Welch, "Simulation run length control in the presence of an initial transient", Operations
//! Research 31, 1983). The rule ends the run when the 95 % interval is narrow enough and no test speaks against it: there are at
//! least 64 observations, and little correlation between neighbouring parts of the run (as Law and Carson ask, Operations Research
//! 27, 1979). For an error within x of the true value, the half width may be x / (1 + x) of the estimate (Law, "Simulation Modeling
//! and Analysis", 5th edition, section 9.4.1).

use crate::counted::{ALL, MeasuredInterval, MeasuredIoCounts};
use sansim_scenario::{PrecisionFigure, RunSettings};

/// The percentage of a figure that is a percentile; none for other figures.
pub fn percentile_of_figure(of: PrecisionFigure) -> Option<f64> {
    match of {
        PrecisionFigure::ResponseTime | PrecisionFigure::Iops | PrecisionFigure::BytesPerSecond => None,
        PrecisionFigure::P50 => Some(50.0),
        PrecisionFigure::P90 => Some(90.0),
        PrecisionFigure::P99 => Some(99.0),
        PrecisionFigure::P99_9 => Some(99.9),
    }
}

/// The half width of the 95 % interval of a figure as a share of the estimate, if there is an interval.
pub fn relative_half_width(
    of: PrecisionFigure,
    counted: &MeasuredIoCounts,
    interval: MeasuredInterval,
) -> Option<f64> {
    let observations = &counted.observations;
    let rates = || observations.rates(interval.opened, interval.closed, interval.rate_edges());
    let relative = match (of, percentile_of_figure(of)) {
        (PrecisionFigure::Iops, _) => rates()[0].relative_half_width(),
        (PrecisionFigure::BytesPerSecond, _) => rates()[1].relative_half_width(),
        (_, None) => observations.mean_ns(&ALL).relative_half_width(),
        (_, Some(percent)) => {
            let series = observations.series(&ALL, &[percent]);
            let (low, high) = series.percentiles[0]?;
            (high - low) as f64 / 2.0 / series.histogram.percentile(percent) as f64
        }
    };
    relative.is_finite().then_some(relative)
}

fn is_trusted(of: PrecisionFigure, counted: &MeasuredIoCounts, interval: MeasuredInterval) -> bool {
    let observations = &counted.observations;
    let rates = || observations.rates(interval.opened, interval.closed, interval.rate_edges());
    match of {
        PrecisionFigure::Iops => rates()[0].is_trusted(),
        PrecisionFigure::BytesPerSecond => rates()[1].is_trusted(),
        _ => observations.mean_ns(&ALL).is_trusted(),
    }
}

/// Whether the measured figure has reached the required precision; never if the run requires none.
pub fn has_required_precision(
    run: &RunSettings,
    counted: &MeasuredIoCounts,
    interval: MeasuredInterval,
) -> bool {
    let (Some(share), of) = (run.precision, run.precision_of) else { return false };
    let within = share.fraction();
    let narrow = relative_half_width(of, counted, interval).is_some_and(|r| r <= within / (1.0 + within));
    narrow && is_trusted(of, counted, interval)
}

/// The number of measured I/Os at which precision is checked next.
pub fn next_precision_check(run: &RunSettings, ios: u64) -> u64 {
    (ios + ios.div_ceil(2)).min(run.most_ios)
}
