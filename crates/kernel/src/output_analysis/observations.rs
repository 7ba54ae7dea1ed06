//! Observations of a run are collected as they come and folded into parts, so that memory stays bounded
//! however long the run is.

use super::ends::{Edges, Ends, Kept, cut};
use super::interval::{Interval, PARTS, ratio_interval};
use super::percentile::{Counts, percentile_interval};
use crate::statistics::Histogram;
use crate::time::{Span, TICKS_PER_NS, Time};

/// Durations of several kinds (reads and writes) that are observed one after the other, each with an amount (bytes).
///
/// The observations are folded into parts of equally many observations, a power of two, whatever their kinds: there are 64 to 127 parts,
/// whose size doubles when there would be more. The result therefore depends on the observations alone, and not on the number that was
/// expected: a run that is stopped is judged like a run that was meant to be so short. Each part keeps the time of its end, and the number,
/// sum and distribution of the durations of each kind: at most 1 MB for each power of two over which the durations spread. The first and
/// the last 16,384 observations are kept in full.
#[derive(Clone, Debug)]
pub struct Observations<const KINDS: usize> {
    /// The number of observations in a part.
    size: u64,
    /// The number of observations in the part that is still open.
    filled: u64,
    open: [Sums; KINDS],
    /// The distribution in the part that is open, and in all closed parts.
    spread: [Histogram; KINDS],
    closed_spread: [Histogram; KINDS],
    closed: Vec<Part<KINDS>>,
    /// The counts to which [`Part::counts`] refers.
    counts: Vec<(u32, u32)>,
    /// A buffer for the next fold.
    room: Vec<(u32, u32)>,
    ends: Ends,
}

/// The sums over observations of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: u64,
    ticks: u128,
    amount: u64,
}

impl Sums {
    fn add(&mut self, other: Sums) {
        self.count += other.count;
        self.ticks += other.ticks;
        self.amount += other.amount;
    }
}

/// A part of the run: consecutive observations.
#[derive(Clone, Copy, Debug)]
struct Part<const KINDS: usize> {
    /// The time of the part's last observation.
    ended: Time,
    sums: [Sums; KINDS],
    /// For each kind, the beginning and the end of the part's distribution in the list of counts.
    counts: [(usize, usize); KINDS],
}

/// The statistics of the observations of some kinds.
#[derive(Clone, Debug)]
pub struct Series {
    /// The number of observations.
    pub count: u64,
    /// The sum of the amounts of the observations.
    pub amount: u64,
    /// The mean duration in ns with its interval, by batch means.
    pub mean_ns: Interval,
    /// The distribution of the durations in whole ns.
    pub histogram: Histogram,
    /// The 95 % confidence intervals, in ns, of the requested percentiles; none where there are too few observations.
    pub percentiles: Vec<Option<(u64, u64)>>,
}

impl<const KINDS: usize> Observations<KINDS> {
    /// The state before the first observation. No memory is allocated while at most the expected number of
    /// observations is added, up to a million.
    pub fn new(expected: u64) -> Self {
        Self {
            size: 1,
            filled: 0,
            open: [Sums::default(); KINDS],
            spread: std::array::from_fn(|_| Histogram::new()),
            closed_spread: std::array::from_fn(|_| Histogram::new()),
            closed: Vec::with_capacity(2 * PARTS),
            counts: Vec::with_capacity(expected.min(1 << 20) as usize),
            room: Vec::with_capacity(expected.min(1 << 20) as usize),
            ends: Ends::new(expected),
        }
    }

    /// A duration of the given kind was observed, together with an amount. Times must not decrease from call to call.
    pub fn add(&mut self, now: Time, kind: usize, duration: Span, amount: u64) {
        self.spread[kind].record(duration.ticks() / TICKS_PER_NS);
        self.ends.add(Kept { at: now, kind, duration, amount });
        let sums = &mut self.open[kind];
        sums.count += 1;
        sums.ticks += u128::from(duration.ticks());
        sums.amount += amount;
        self.filled += 1;
        if self.filled == self.size {
            self.close(now);
        }
    }

    fn close(&mut self, now: Time) {
        let mut counts = [(0, 0); KINDS];
        for (kind, place) in counts.iter_mut().enumerate() {
            let from = self.counts.len();
            self.spread[kind].drain_into(&mut self.closed_spread[kind], &mut self.counts);
            *place = (from, self.counts.len());
        }
        self.closed.push(Part { ended: now, sums: self.open, counts });
        (self.open, self.filled) = ([Sums::default(); KINDS], 0);
        if self.closed.len() == 2 * PARTS {
            self.fold();
        }
    }

    /// Merges every two parts into one part.
    fn fold(&mut self) {
        for place in 0..self.closed.len() / 2 {
            let pair = [self.closed[2 * place], self.closed[2 * place + 1]];
            let mut part = pair[1];
            for kind in 0..KINDS {
                part.sums[kind].add(pair[0].sums[kind]);
                let from = self.room.len();
                let [first, second] = [0, 1].map(|of| {
                    let (from, to) = pair[of].counts[kind];
                    &self.counts[from..to]
                });
                merge(first, second, &mut self.room);
                part.counts[kind] = (from, self.room.len());
            }
            self.closed[place] = part;
        }
        self.closed.truncate(self.closed.len() / 2);
        std::mem::swap(&mut self.counts, &mut self.room);
        self.room.clear();
        self.size *= 2;
    }

    /// The number of observations of a part.
    pub fn part_size(&self) -> u64 {
        self.size
    }

    /// The number of observations.
    pub fn count(&self) -> u64 {
        self.closed.len() as u64 * self.size + self.filled
    }

    fn sums(&self, kinds: &[usize]) -> Sums {
        let mut sums = Sums::default();
        for &kind in kinds {
            self.closed.iter().for_each(|part| sums.add(part.sums[kind]));
            sums.add(self.open[kind]);
        }
        sums
    }

    /// The mean, distribution and percentiles of the durations of some kinds together.
    pub fn series(&self, kinds: &[usize], percents: &[f64]) -> Series {
        let mut histogram = Histogram::new();
        for &kind in kinds {
            histogram.merge(&self.closed_spread[kind]);
            histogram.merge(&self.spread[kind]);
        }
        let parts: Vec<Counts<'_>> = self
            .closed
            .iter()
            .map(|part| Counts {
                kinds: kinds
                    .iter()
                    .map(|&kind| &self.counts[part.counts[kind].0..part.counts[kind].1])
                    .collect(),
                count: kinds.iter().map(|&kind| part.sums[kind].count).sum(),
            })
            .collect();
        let sums = self.sums(kinds);
        Series {
            count: sums.count,
            amount: sums.amount,
            mean_ns: self.mean_ns(kinds),
            percentiles: percents
                .iter()
                .map(|&percent| {
                    percentile_interval(&histogram, percent, &parts, |each, counts, whole| {
                        self.cut_of_kinds(kinds, each, whole, |kept| f64::from(counts(kept.duration)))
                    })
                })
                .collect(),
            histogram,
        }
    }

    /// The mean duration in ns of some kinds together.
    pub fn mean_ns(&self, kinds: &[usize]) -> Interval {
        let pair = |sums: Sums| (sums.ticks as f64 / TICKS_PER_NS as f64, sums.count as f64);
        let sum = |part: &Part<KINDS>| {
            let mut sums = Sums::default();
            kinds.iter().for_each(|&kind| sums.add(part.sums[kind]));
            pair(sums)
        };
        let parts: Vec<_> = self.closed.iter().map(sum).collect();
        let whole = self.sums(kinds);
        let interval = ratio_interval(&parts, pair(whole));
        if whole.count < interval.batches as u64 {
            // The kind is rare: most batches contain none of its observations.
            return Interval { half_width_95: f64::INFINITY, ..interval };
        }
        let ns = |kept: &Kept| kept.duration.ticks() as f64 / TICKS_PER_NS as f64;
        interval.with_cut(self.cut_of_kinds(kinds, interval.parts_per_batch, pair(whole), ns))
    }

    /// The most by which the mean of a value of some kinds may be wrong because the ends of the run cut
    /// cycles.
    fn cut_of_kinds(
        &self,
        kinds: &[usize],
        parts_per_batch: usize,
        whole: (f64, f64),
        value: impl Fn(&Kept) -> f64,
    ) -> f64 {
        self.cut(parts_per_batch, whole, |stretch| {
            let (mut sum, mut count) = (0.0, 0.0);
            let of_kinds = stretch.iter().filter(|kept| kinds.contains(&kept.kind)).map(|kept| {
                (sum, count) = (sum + value(kept), count + 1.0);
                (sum, count)
            });
            std::iter::once((0.0, 0.0)).chain(of_kinds).collect()
        })
    }

    /// The effect of cut cycles on a ratio of two sums, from the progress of both sums over a stretch of the run.
    fn cut(
        &self,
        parts_per_batch: usize,
        whole: (f64, f64),
        way: impl FnMut(Vec<Kept>) -> Vec<(f64, f64)>,
    ) -> f64 {
        let batch = parts_per_batch as u64 * self.size;
        if batch < 2 || whole.1 <= 0.0 {
            return 0.0;
        }
        cut(&self.ends.first_and_last_observations(batch).map(way), whole)
    }

    /// Observations per second, and amounts per second, of all kinds from `began` to `ended`. Only observations from this
    /// time may have been added.
    pub fn rates(&self, began: Time, ended: Time, edges: Edges) -> [Interval; 2] {
        let all: [usize; KINDS] = std::array::from_fn(|kind| kind);
        let sums = self.sums(&all);
        let amounts =
            [(|_| 1, sums.count), (|kept| kept.amount, sums.amount)] as [(fn(&Kept) -> u64, u64); 2];
        let of_parts = [|sums: &Sums| sums.count, |sums: &Sums| sums.amount];
        std::array::from_fn(|which| {
            let (amount, sum) = amounts[which];
            let whole = (sum as f64, (ended - began).as_s_f64());
            let mut before = began;
            let parts: Vec<_> = self
                .closed
                .iter()
                .map(|part| {
                    let took = part.ended - std::mem::replace(&mut before, part.ended);
                    (part.sums.iter().map(of_parts[which]).sum::<u64>() as f64, took.as_s_f64())
                })
                .collect();
            let interval = ratio_interval(&parts, whole);
            let seconds = |at: Time| (at - began).as_s_f64();
            interval.with_cut(self.cut(interval.parts_per_batch, whole, |stretch| {
                let mut sum = 0;
                let mut way = Vec::with_capacity(2 * stretch.len());
                for kept in &stretch {
                    if edges == Edges::Times {
                        // The sums also count for an interval that ends now, before this completion.
                        way.push((sum as f64, seconds(kept.at)));
                    }
                    sum += amount(kept);
                    way.push((sum as f64, seconds(kept.at)));
                }
                way
            }))
        })
    }
}

/// Appends the sum of two lists of buckets and counts.
fn merge(mut first: &[(u32, u32)], mut second: &[(u32, u32)], into: &mut Vec<(u32, u32)>) {
    while let ([a, after_a @ ..], [b, after_b @ ..]) = (first, second) {
        if a.0 < b.0 {
            into.push(*a);
            first = after_a;
        } else if b.0 < a.0 {
            into.push(*b);
            second = after_b;
        } else {
            into.push((a.0, a.1 + b.1));
            (first, second) = (after_a, after_b);
        }
    }
    into.extend_from_slice(first);
    into.extend_from_slice(second);
}
