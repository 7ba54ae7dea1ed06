//! Confidence intervals of percentiles.

use super::interval::ratio_interval;
use crate::statistics::{Histogram, bucket_of};
use crate::time::{Span, TICKS_PER_NS};

/// The least mean number of observations that must lie beyond a percentile for its interval to be given.
const BEYOND: f64 = 10.0;

/// The largest half width of the share of observations beyond a percentile, relative to that share, with which the interval
/// is given: with a larger half width, its outer end is not much better than the largest value.
const WIDEST: f64 = 0.5;

/// The buckets of a stretch of observations with their counts, in ascending order, and the sum of the counts.
pub(super) struct Counts<'a> {
    /// For each kind of observation that is included, the buckets with their counts.
    pub kinds: Vec<&'a [(u32, u32)]>,
    /// The number of observations.
    pub count: u64,
}

impl Counts<'_> {
    /// The number of observations in buckets below this bucket, and the number in it.
    fn around(&self, bucket: u32) -> (u64, u64) {
        let (mut below, mut at) = (0, 0);
        for counts in &self.kinds {
            let place = counts.partition_point(|(other, _)| *other < bucket);
            below += counts[..place].iter().map(|(_, count)| u64::from(*count)).sum::<u64>();
            at += counts
                .get(place)
                .filter(|(other, _)| *other == bucket)
                .map_or(0, |(_, count)| u64::from(*count));
        }
        (below, at)
    }
}

/// The 95 % confidence interval of a percentile of `whole`, by the variation between its `parts`. The result is none if there are too few
/// observations.
///
/// The share of observations that do not exceed the estimate is a mean, with an interval by batches. The interval of the percentile is
/// given by the values at which the observed distribution has the shares at the ends of that interval. Where many observations have the
/// same value (within the width of a bucket), the percentile is certainly that value if the shares below it and up to it are clearly on
/// either side of the wanted share.
///
/// `cut` returns the most by which the share of the observations that a rule counts may be wrong because the ends of the run cut cycles,
/// given the number of parts of a batch, the rule, and the count and the number of all observations.
pub(super) fn percentile_interval(
    whole: &Histogram,
    percent: f64,
    parts: &[Counts<'_>],
    cut: impl Fn(usize, &dyn Fn(Span) -> bool, (f64, f64)) -> f64,
) -> Option<(u64, u64)> {
    let wanted = percent / 100.0;
    let beyond = wanted.min(1.0 - wanted);
    if whole.len() as f64 * beyond < BEYOND * (1.0 - 1e-12) {
        return None;
    }
    let (bucket, below, at) = whole.percentile_bucket(percent);
    let around: Vec<(u64, u64)> = parts.iter().map(|part| part.around(bucket)).collect();
    let bucket_of = |duration: Span| bucket_of(duration.ticks() / TICKS_PER_NS) as u32;
    let interval = |counted: fn(&(u64, u64)) -> u64, all: u64, counts: &dyn Fn(Span) -> bool| {
        let shares = around.iter().zip(parts);
        let shares: Vec<_> = shares.map(|(place, part)| (counted(place) as f64, part.count as f64)).collect();
        let all = (all as f64, whole.len() as f64);
        let interval = ratio_interval(&shares, all);
        interval.with_cut(cut(interval.parts_per_batch, counts, all))
    };
    let under = interval(|(below, _)| *below, below, &|duration| bucket_of(duration) < bucket);
    let up_to = interval(|(below, at)| below + at, below + at, &|duration| bucket_of(duration) <= bucket);
    let wider = under.half_width_95.max(up_to.half_width_95);
    let end = |sure: bool, share: f64| {
        if sure {
            Some(whole.percentile(percent))
        } else {
            (wider <= WIDEST * beyond).then(|| whole.percentile(100.0 * share))
        }
    };
    let low = end(under.estimate + under.half_width_95 < wanted, wanted - wider)?;
    let high = end(up_to.estimate - up_to.half_width_95 > wanted, wanted + wider)?;
    Some((low, high))
}
