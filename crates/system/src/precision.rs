//! When a run that goes on until its result is precise is precise enough.
//!
//! The rule looks at a measured run of the least length, and whenever the run has become half as long again (the checkpoints of
//! Heidelberger and Welch, "Simulation run length control in the presence of an initial transient", Operations Research 31,
//! 1983). It ends the run when the 95 % interval is narrow enough and nothing speaks against trusting it: at least 64
//! observations, and little correlation between neighbouring parts of the run (as Law and Carson ask, Operations Research 27, 1979).
//! For an error within x of the true value, the half width may be x / (1 + x) of the estimate (Law, "Simulation Modeling and
//! Analysis", 5th edition, section 9.4.1).

use crate::measure::{ALL, Counted, Measuring};

/// How precise a result has to be before the run may end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The error allowed, as a share of the true value.
    pub within: f64,
    /// Of which figure.
    pub of: PrecisionOf,
    /// The most I/Os that are measured.
    pub most_ios: u64,
}

/// A figure whose precision may end a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PrecisionOf {
    /// The mean response time of all I/Os.
    ResponseTime,
    /// I/Os per second.
    Iops,
    /// Bytes per second.
    BytesPerSecond,
    /// A percentile of the response times of all I/Os.
    Percentile(f64),
}

impl PrecisionOf {
    /// The half width of its 95 % interval as a share of the estimate, if there is an interval.
    pub fn relative(self, counted: &Counted, interval: Measuring) -> Option<f64> {
        let observations = &counted.observations;
        let rates = || observations.rates(interval.opened, interval.closed, interval.rate_edges());
        let relative = match self {
            Self::ResponseTime => observations.mean_ns(&ALL).relative(),
            Self::Iops => rates()[0].relative(),
            Self::BytesPerSecond => rates()[1].relative(),
            Self::Percentile(percent) => {
                let series = observations.series(&ALL, &[percent]);
                let (low, high) = series.percentiles[0]?;
                (high - low) as f64 / 2.0 / series.histogram.percentile(percent) as f64
            }
        };
        relative.is_finite().then_some(relative)
    }

    fn is_trusted(self, counted: &Counted, interval: Measuring) -> bool {
        let observations = &counted.observations;
        let rates = || observations.rates(interval.opened, interval.closed, interval.rate_edges());
        match self {
            Self::ResponseTime | Self::Percentile(_) => observations.mean_ns(&ALL).is_trusted(),
            Self::Iops => rates()[0].is_trusted(),
            Self::BytesPerSecond => rates()[1].is_trusted(),
        }
    }
}

impl Precision {
    /// Whether the run may end.
    pub fn is_reached(&self, counted: &Counted, interval: Measuring) -> bool {
        let narrow =
            self.of.relative(counted, interval).is_some_and(|r| r <= self.within / (1.0 + self.within));
        narrow && self.of.is_trusted(counted, interval)
    }

    /// At how many measured I/Os to look next.
    pub fn next_look(&self, ios: u64) -> u64 {
        (ios + ios.div_ceil(2)).min(self.most_ios)
    }
}
