//! The effect of the ends of a run on a mean or a rate: the run begins at some point in a cycle of the system and ends at another.
//!
//! The variation of batches shows how far chance moves a figure. In a system that repeats itself each batch may hold whole cycles and vary
//! by nothing at all, while the run as a whole cuts a cycle at either end. The effect is bounded, and the bound needs no knowledge of the
//! cycle (the derivation is ours):
//!
//! Let `a(k)` and `b(k)` be the sums (response times and their number, completions and time) when `k` observations have been made, `r` the
//! true ratio of the two, and `d(k) = a(k) - r b(k)`. A cycle adds as much to `a` as to `r b`, so `d` repeats itself with the cycle and
//! keeps within a range `R`. The estimate from `i` to `j` is off by `(d(j) - d(i)) / (b(j) - b(i))`, at most by `R / b` with `b` the second
//! sum of the run. `R` is measured over a stretch that is at least a cycle long, with the estimate in place of `r`; this tilts `d` by at
//! most `R / b` for each unit of `b`, so a stretch whose second sum is a share `s` of the second sum of the run shows at least `R (1 - s)`.
//!
//! The stretches are the first and the last batch of the run, because there the cycles are cut. A cycle that is longer than a batch makes
//! the batches differ. In a random process, `d` wanders within a batch as well, but little against the width that the batches themselves
//! give: a hundredth or two of the width is added, since the two are combined like independent errors.

use crate::time::{Span, Time};
use std::collections::VecDeque;

/// The most observations of a stretch, which is also the longest cycle that is seen in runs whose batches are longer: a cycle in
/// which each of 126 drives completes a queue of 128 commands has 16,128 observations.
const MOST: usize = 1 << 14;

/// The edges of a measured interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edges {
    /// The interval begins and ends just after a completion.
    Completions,
    /// The interval begins and ends at times that do not depend on completions.
    Times,
}

/// An observation, as it is kept for the ends of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub at: Time,
    pub kind: usize,
    pub duration: Span,
    pub amount: u64,
}

/// The first and the last observations of a run, in order.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    first: Vec<Kept>,
    last: VecDeque<Kept>,
}

impl Ends {
    /// The state before the first observation. With the number of expected observations, no memory is allocated while
    /// they are added.
    pub fn new(expected: u64) -> Self {
        let room = expected.min(MOST as u64) as usize;
        Self { first: Vec::with_capacity(room), last: VecDeque::with_capacity(room) }
    }

    pub fn add(&mut self, kept: Kept) {
        if self.first.len() < MOST {
            self.first.push(kept);
        }
        if self.last.len() == MOST {
            self.last.pop_front();
        }
        self.last.push_back(kept);
    }

    /// The first and the last observations of the run, each as many as a batch holds.
    pub fn first_and_last_observations(&self, batch: u64) -> [Vec<Kept>; 2] {
        let length = usize::try_from(batch).map_or(MOST, |batch| batch.min(MOST));
        let first = self.first.iter().take(length);
        let last = self.last.iter().skip(self.last.len().saturating_sub(length));
        [first.copied().collect(), last.copied().collect()]
    }
}

/// The most by which the ratio of the two sums of `whole` may be wrong because the ends of the run cut cycles, from the progress of the two
/// sums through a stretch at either end: half the range of each. A stretch with one observation has no cycle.
pub(super) fn cut(ways: &[Vec<(f64, f64)>; 2], whole: (f64, f64)) -> f64 {
    ways.iter().map(|way| range(way, whole)).sum::<f64>() / 2.0 / whole.1
}

/// The range of `d` along a stretch.
fn range(way: &[(f64, f64)], whole: (f64, f64)) -> f64 {
    let (Some(first), Some(last)) = (way.first(), way.last()) else { return 0.0 };
    let ratio = whole.0 / whole.1;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (a, b) in way {
        let d = (a - first.0) - ratio * (b - first.1);
        (low, high) = (low.min(d), high.max(d));
    }
    // Smaller ranges come from rounding.
    if high - low <= 1e-12 * (last.0 - first.0).abs() {
        return 0.0;
    }
    // A stretch is a batch, and there are at least two batches.
    let share = ((last.1 - first.1) / whole.1).min(0.5);
    (high - low) / (1.0 - share)
}
