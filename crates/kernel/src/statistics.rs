//! Accumulators to which a model adds values while it runs: a time-weighted average and a histogram.
//!
//! All accumulators add whole numbers, so their results do not depend on the order of additions or on how an
//! interval of time was cut into pieces.

use crate::time::{Time, Total};

/// A whole-numbered quantity over time (the length of a queue, or busy = 1 and idle = 0) with its
/// time-weighted mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeWeighted {
    value: u64,
    max: u64,
    start: Time,
    changed: Time,
    /// The integral of the value from `start` to `changed`, in units times ticks.
    area: u128,
}

impl TimeWeighted {
    /// A quantity that is zero from [`Time::ZERO`] on.
    pub const fn new() -> TimeWeighted {
        TimeWeighted { value: 0, max: 0, start: Time::ZERO, changed: Time::ZERO, area: 0 }
    }

    fn area_until(&self, now: Time) -> u128 {
        self.area + u128::from(self.value) * u128::from(now.since(self.changed).ticks())
    }

    /// From `now` on the quantity is `value`. Instants must not decrease from call to call.
    pub fn set(&mut self, now: Time, value: u64) {
        self.area = self.area_until(now);
        self.changed = now;
        self.value = value;
        self.max = self.max.max(value);
    }

    /// From `now` on the quantity is larger by `amount`.
    pub fn increase(&mut self, now: Time, amount: u64) {
        self.set(now, self.value + amount);
    }

    /// From `now` on the quantity is smaller by `amount`, which must not exceed it.
    pub fn decrease(&mut self, now: Time, amount: u64) {
        self.set(now, self.value - amount);
    }

    /// The present value.
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// The largest value since the start or the last reset.
    pub const fn max(&self) -> u64 {
        self.max
    }

    /// The time-weighted mean from the start or the last reset to `now`; the present value if no time has passed.
    pub fn mean(&self, now: Time) -> f64 {
        let elapsed = now.since(self.start);
        if elapsed.is_zero() {
            return self.value as f64;
        }
        self.area_until(now) as f64 / elapsed.ticks() as f64
    }

    /// The integral of a busy/idle quantity from the start or the last reset to `now`: the busy time, or for a
    /// quantity of n units the sum over the units.
    pub fn total(&self, now: Time) -> Total {
        Total(self.area_until(now))
    }

    /// Forgets the time before `now` but keeps the present value, for the end of the warm-up.
    pub fn reset(&mut self, now: Time) {
        *self = TimeWeighted { value: self.value, max: self.value, start: now, changed: now, area: 0 };
    }
}

/// Values below this number are counted exactly; above it, each power of two is divided into half as many
/// buckets.
const EXACT: u64 = 2_048;
const EXACT_BITS: u32 = EXACT.trailing_zeros();
const PER_OCTAVE: usize = EXACT as usize / 2;

/// A distribution of whole numbers (response times in nanoseconds or ticks) with percentiles to three significant
/// digits: a percentile is off by at most 0.05 % (1/2048); minimum, maximum, count and mean are exact.
///
/// Buckets are linear up to 2,048 and logarithmic-linear above, 1,024 to each power of two, over the whole range of
/// `u64`. Memory grows with the largest value: 8 KiB for each power of two above 1,024, 432 KiB at most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    buckets: Vec<u64>,
    len: u64,
    sum: u128,
    min: u64,
    max: u64,
}

/// The number of buckets that are checked together, since most are empty.
const TOGETHER: usize = 32;

/// Whether all of these buckets are empty.
fn is_empty(buckets: &[u64]) -> bool {
    buckets.iter().fold(0, |any, count| any | count) == 0
}

/// The bucket that counts `value`.
pub(crate) fn bucket_of(value: u64) -> usize {
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(EXACT_BITS);
    shift as usize * PER_OCTAVE + (value >> shift) as usize
}

/// The middle of the values that `bucket` counts.
fn middle_of(bucket: usize) -> u64 {
    if bucket < EXACT as usize {
        return bucket as u64;
    }
    let shift = bucket / PER_OCTAVE - 1;
    let low = ((bucket - shift * PER_OCTAVE) as u64) << shift;
    low + (1_u64 << shift) / 2
}

impl Histogram {
    /// An empty histogram. A histogram allocates memory when a value larger than all values before needs a
    /// bucket.
    pub fn new() -> Histogram {
        Histogram::default()
    }

    /// An empty histogram with room for values up to `largest`: recording such values never allocates memory.
    pub fn with_largest(largest: u64) -> Histogram {
        Histogram { buckets: vec![0; bucket_of(largest) + 1], ..Histogram::default() }
    }

    /// Counts `value`.
    pub fn record(&mut self, value: u64) {
        let bucket = bucket_of(value);
        if bucket >= self.buckets.len() {
            // The buckets are extended to the end of the power of two, so that a slowly growing maximum does
            // not allocate every time.
            self.buckets.resize((bucket / PER_OCTAVE + 1) * PER_OCTAVE, 0);
        }
        self.buckets[bucket] += 1;
        self.min = if self.len == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.len += 1;
        self.sum += u128::from(value);
    }

    /// Adds all values that `other` has counted.
    pub fn merge(&mut self, other: &Histogram) {
        if other.len == 0 {
            return;
        }
        if self.buckets.len() < other.buckets.len() {
            self.buckets.resize(other.buckets.len(), 0);
        }
        for (own, added) in self.buckets.iter_mut().zip(&other.buckets) {
            *own += added;
        }
        self.add_moments(other);
    }

    /// Forgets all values and keeps the memory.
    pub fn reset(&mut self) {
        self.buckets.fill(0);
        (self.len, self.sum, self.min, self.max) = (0, 0, 0, 0);
    }

    /// Moves all counted values to `total`, and appends to `counts` the buckets that were not empty, in ascending order,
    /// each with its count. Only buckets between the smallest and the largest value are read.
    pub(crate) fn drain_into(&mut self, total: &mut Histogram, counts: &mut Vec<(u32, u32)>) {
        if self.len == 0 {
            return;
        }
        if total.buckets.len() < self.buckets.len() {
            total.buckets.resize(self.buckets.len(), 0);
        }
        let (first, last) = (bucket_of(self.min), bucket_of(self.max));
        let own = self.buckets[first..=last].chunks_mut(TOGETHER);
        let sums = total.buckets[first..=last].chunks_mut(TOGETHER);
        for (start, (own, sums)) in (first..).step_by(TOGETHER).zip(own.zip(sums)) {
            if is_empty(own) {
                continue;
            }
            for (bucket, (own, sum)) in (start..).zip(own.iter_mut().zip(sums)) {
                if *own > 0 {
                    *sum += *own;
                    counts.push((bucket as u32, *own as u32));
                    *own = 0;
                }
            }
        }
        total.add_moments(self);
        (self.len, self.sum, self.min, self.max) = (0, 0, 0, 0);
    }

    /// Adds the minimum, maximum, number and sum of another histogram, but not its buckets.
    fn add_moments(&mut self, other: &Histogram) {
        self.min = if self.len == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.len += other.len;
        self.sum += other.sum;
    }

    /// The number of recorded values.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether no value was recorded.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The smallest value, exact; 0 if no value was recorded.
    pub const fn min(&self) -> u64 {
        self.min
    }

    /// The largest value, exact; 0 if no value was recorded.
    pub const fn max(&self) -> u64 {
        self.max
    }

    /// The mean, from the exact sum; 0 if no value was recorded.
    pub fn mean(&self) -> f64 {
        if self.len == 0 { 0.0 } else { self.sum as f64 / self.len as f64 }
    }

    /// The smallest value that at least `percent` % of all values do not exceed (nearest rank): 50.0 is the
    /// median, 99.9 the value exceeded once in a thousand; 0 % is the minimum, 100 % the maximum, exactly. The
    /// result is within 0.05 % of the true value; 0 if no value was recorded. Values of `percent` outside 0 ..=
    /// 100 count as the nearest value within.
    pub fn percentile(&self, percent: f64) -> u64 {
        let rank = self.rank(percent);
        if rank == self.len {
            return self.max;
        }
        if rank == 1 {
            return self.min;
        }
        middle_of(self.bucket_at(rank).0).clamp(self.min, self.max)
    }

    /// The rank of the percentile in ascending order, from 1.
    fn rank(&self, percent: f64) -> u64 {
        // A percentage such as 99.9 has no exact floating-point value: the tolerance keeps "99.9 % of 1000" from
        // becoming rank 1000.
        let exact = percent.clamp(0.0, 100.0) / 100.0 * self.len as f64;
        ((exact - exact * 1e-12).ceil() as u64).clamp(1, self.len.max(1))
    }

    /// The bucket of the value with this rank, the number of values in lower buckets, and the number of
    /// values in it.
    fn bucket_at(&self, rank: u64) -> (usize, u64, u64) {
        let mut below = 0;
        for (start, together) in (0..).step_by(TOGETHER).zip(self.buckets.chunks(TOGETHER)) {
            let more: u64 = together.iter().sum();
            if below + more < rank {
                below += more;
                continue;
            }
            for (bucket, &count) in (start..).zip(together) {
                if below + count >= rank {
                    return (bucket, below, count);
                }
                below += count;
            }
        }
        (self.buckets.len(), below, 0)
    }

    /// The bucket of a percentile, the number of values in lower buckets, and the number of values in it.
    pub(crate) fn percentile_bucket(&self, percent: f64) -> (u32, u64, u64) {
        let (bucket, below, count) = self.bucket_at(self.rank(percent));
        (bucket as u32, below, count)
    }
}

#[cfg(test)]
mod tests;
