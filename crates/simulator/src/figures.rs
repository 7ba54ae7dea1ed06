//! The elements of results: response times, directions, values by name.

use serde::{Serialize, Serializer};
use std::ops::Deref;

/// The response times in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct ResponseTime {
    /// The mean response time.
    pub mean: f64,
    /// The half width of the 95 % confidence interval of the mean; null when there are too few I/Os for an
    /// interval.
    pub ci95: Option<f64>,
    /// The least response time.
    pub min: u64,
    /// The median response time.
    pub p50: u64,
    /// The 90th percentile of response times.
    pub p90: u64,
    /// The 99th percentile of response times.
    pub p99: u64,
    /// The 99.9th percentile of response times.
    pub p99_9: u64,
    /// The greatest response time.
    pub max: u64,
    /// The 95 % confidence intervals of the percentiles.
    pub ci95_percentiles: PercentileIntervals,
}

/// The lower and upper ends of the 95 % confidence intervals of percentiles, in nanoseconds; null where there are too few
/// I/Os for an interval. A percentile is not in the middle of its interval.
#[derive(Clone, Debug, Serialize)]
pub struct PercentileIntervals {
    /// The interval of the median.
    pub p50: Option<(u64, u64)>,
    /// The interval of the 90th percentile.
    pub p90: Option<(u64, u64)>,
    /// The interval of the 99th percentile.
    pub p99: Option<(u64, u64)>,
    /// The interval of the 99.9th percentile.
    pub p99_9: Option<(u64, u64)>,
}

/// A figure that is meaningful only if all arriving I/Os are served; it is null where more arrive, because it would grow with
/// the length of the run. The figure itself is computed in any case.
#[derive(Clone, Debug)]
pub struct SteadyOnlyFigure<T> {
    /// The figure, whether meaningful or not.
    pub figure: T,
    /// Whether the figure is meaningful.
    pub holds: bool,
}

impl<T> Deref for SteadyOnlyFigure<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.figure
    }
}

impl<T: Serialize> Serialize for SteadyOnlyFigure<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.holds.then_some(&self.figure).serialize(serializer)
    }
}

/// The figures of one operation: reads, writes, flushes or deallocations.
#[derive(Clone, Debug, Serialize)]
pub struct DirectionFigures {
    /// The number of I/Os.
    pub ios: u64,
    /// The data bytes of these I/Os.
    pub bytes: u64,
    /// The response times of these I/Os; null if there are none.
    pub response_time_ns: Option<ResponseTime>,
}

impl DirectionFigures {
    /// Whether there are no such I/Os.
    pub(crate) fn is_none(&self) -> bool {
        self.ios == 0
    }
}
