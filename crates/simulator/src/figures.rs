//! The elements of results: response times, directions, values by name.

use serde::{Serialize, Serializer};
use std::ops::Deref;

/// Response times in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct ResponseTime {
    /// Mean.
    pub mean: f64,
    /// Half width of the 95 % confidence interval of the mean; null when there are too few I/Os to tell.
    pub ci95: Option<f64>,
    /// Least.
    pub min: u64,
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p99_9: u64,
    /// Greatest.
    pub max: u64,
    /// The 95 % confidence intervals of the percentiles.
    pub ci95_percentiles: PercentileIntervals,
}

/// From where to where the 95 % confidence intervals of percentiles go, in nanoseconds; null where there are too few I/Os to
/// tell. A percentile is not in the middle of its interval.
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

/// A figure that means something only where all that comes is served; null where more comes, as it would grow with the length of
/// the run. The figure itself is there all the same.
#[derive(Clone, Debug)]
pub struct Settled<T> {
    /// The figure.
    pub figure: T,
    /// Whether it means something.
    pub holds: bool,
}

impl<T> Deref for Settled<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.figure
    }
}

impl<T: Serialize> Serialize for Settled<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.holds.then_some(&self.figure).serialize(serializer)
    }
}

/// One direction of transfer.
#[derive(Clone, Debug, Serialize)]
pub struct DirectionFigures {
    /// I/Os.
    pub ios: u64,
    /// Data bytes of these I/Os.
    pub bytes: u64,
    /// Response times of these I/Os; null if there are none.
    pub response_time_ns: Option<ResponseTime>,
}
