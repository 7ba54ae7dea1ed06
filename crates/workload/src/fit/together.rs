//! The comparison of volumes that are busy at the same times with independent streams.

use super::compare::width;
use sansim_schema::{Json, json};

/// The most volumes that get a stream each; more volumes are fitted as one, because a scenario with more streams would not be readable.
pub const MOST_VOLUMES: usize = 8;

/// The widths of bins in nanoseconds: those at which a trace has its index of dispersion.
const WIDTHS_NS: [u64; 4] = [10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000];
/// The fewest whole bins from which the variance is estimated.
const FEWEST_BINS: u64 = 10;
/// A difference is reported if it exceeds this number of standard errors, and this share.
const ERRORS: f64 = 4.0;
const PART: f64 = 0.1;

/// The counts of bins of one width.
#[derive(Clone, Debug)]
struct Bins {
    width_ns: u64,
    bin: u64,
    /// The counts of the present bin, by volume.
    counts: [u64; MOST_VOLUMES],
    /// The sums of the past bins, by volume.
    sums: [u64; MOST_VOLUMES],
    /// The sums of squares over the past bins: of the counts of volumes, and of the counts of all volumes as one.
    squares_apart: u128,
    squares: u128,
}

impl Bins {
    fn add(&mut self, at_ns: u64, volume: usize) {
        let bin = at_ns / self.width_ns;
        if bin != self.bin {
            let square = |count: u64| u128::from(count) * u128::from(count);
            self.squares += square(self.counts.iter().sum());
            self.squares_apart += self.counts.iter().map(|&count| square(count)).sum::<u128>();
            self.sums.iter_mut().zip(&self.counts).for_each(|(sum, count)| *sum += count);
            (self.bin, self.counts) = (bin, [0; MOST_VOLUMES]);
        }
        self.counts[volume] += 1;
    }

    fn told(&self) -> Option<VolumeBurstiness> {
        let (n, sum) = (self.bin as f64, self.sums.iter().sum::<u64>() as f64);
        if self.bin < FEWEST_BINS || sum == 0.0 {
            return None;
        }
        // The variance of a sum of independent counts is the sum of the variances.
        let index = |squares: u128, squared: f64| (squares as f64 - squared / n) / (n - 1.0) / (sum / n);
        let squared = self.sums.iter().map(|&sum| sum as f64 * sum as f64).sum();
        Some(VolumeBurstiness {
            scale_s: self.width_ns as f64 / 1e9,
            bins: self.bin,
            index: index(self.squares, sum * sum),
            apart: index(self.squares_apart, squared),
        })
    }
}

/// The requests of a trace, counted in bins of several widths.
#[derive(Clone, Debug)]
pub(super) struct Counted([Bins; WIDTHS_NS.len()]);

impl Counted {
    pub(super) fn new() -> Self {
        let (counts, sums) = ([0; MOST_VOLUMES], [0; MOST_VOLUMES]);
        Self(WIDTHS_NS.map(|width_ns| Bins { width_ns, bin: 0, counts, sums, squares_apart: 0, squares: 0 }))
    }

    /// Counts a request of a volume below [`MOST_VOLUMES`].
    pub(super) fn add(&mut self, at_ns: u64, volume: usize) {
        self.0.iter_mut().for_each(|bins| bins.add(at_ns, volume));
    }

    /// The results, at each width with enough bins.
    pub(super) fn told(&self) -> Vec<VolumeBurstiness> {
        self.0.iter().filter_map(Bins::told).collect()
    }
}

/// The burstiness of a trace, and the burstiness that it would have if its volumes were independent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeBurstiness {
    /// The width of the bins in seconds.
    pub scale_s: f64,
    /// The number of bins.
    pub bins: u64,
    /// The index of dispersion of all volumes together.
    pub index: f64,
    /// The value for independent counts of volumes.
    pub apart: f64,
}

impl VolumeBurstiness {
    /// The results as JSON.
    pub(super) fn json(&self) -> Json {
        let VolumeBurstiness { scale_s, bins, index, apart } = self;
        json!({ "scale_s": scale_s, "bins": bins, "index": index, "apart": apart })
    }

    /// The ratio of the larger of both indices to the smaller.
    fn ratio(&self) -> f64 {
        (self.index / self.apart).max(self.apart / self.index)
    }

    /// Whether both indices differ by more than chance.
    fn is_told(&self) -> bool {
        let error = (2.0 / self.bins as f64).sqrt();
        self.apart > 0.0 && self.index > 0.0 && self.ratio() - 1.0 > (ERRORS * error).max(PART)
    }
}

/// A sentence about what is lost by a fit with a stream for each volume, at the width with the largest loss; none if no loss is
/// significant.
pub(super) fn sentence(told: &[VolumeBurstiness]) -> Option<String> {
    let found = told.iter().filter(|one| one.is_told()).max_by(|a, b| a.ratio().total_cmp(&b.ratio()))?;
    let VolumeBurstiness { scale_s, index, apart, .. } = found;
    let how = if index > apart { "are busy together" } else { "take turns" };
    let scale = width(*scale_s);
    Some(format!(
        "volumes {how}: the index of dispersion at {scale} is {index:.1}, and {apart:.1} if each comes by itself, as here; `--as-one` fits them together"
    ))
}
