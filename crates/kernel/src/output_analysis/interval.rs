//! Intervals of means and rates by batch means.

use super::ends;

/// The least number of batches from which an interval is formed, if there are as many parts.
const BATCHES: usize = 20;

/// The least number of parts into which a long series is cut; see [`part_size`].
pub(super) const PARTS: usize = 64;

/// An estimate with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean or rate over the whole run; 0 without observations.
    pub estimate: f64,
    /// Half the width of the 95 % confidence interval: the truth is within `estimate` +- `half_width_95` in 95 of 100 runs.
    /// The half width is infinite with fewer than two batches.
    pub half_width_95: f64,
    /// The part of the half width that comes from the cycles that the ends of the run cut, if the system repeats itself;
    /// see [`Self::with_cut`].
    pub cut: f64,
    /// The number of batches of the interval.
    pub batches: usize,
    /// The correlation of neighbouring batches; 0 with fewer than three.
    pub lag1: f64,
    /// The number of consecutive parts of a batch.
    pub parts_per_batch: usize,
    /// The number of parts.
    pub parts: usize,
    /// The correlation of neighbouring parts; 0 with fewer than three.
    pub parts_lag1: f64,
}

impl Interval {
    /// The largest correlation of neighbouring parts at which the interval can be trusted. A batch has at least three parts;
    /// in a process whose memory decays exponentially, with 0.3 between parts, batches correlate by less than 0.14. Law and
    /// Carson ("A sequential procedure for determining the length of a steady-state simulation", Operations Research 27,
    /// 1979) accept 0.4 for parts of which ten make a batch.
    const MOST_LAG1: f64 = 0.3;

    /// The half width, as a share of the estimate, below which an error of the half width does not matter.
    const NEGLIGIBLE: f64 = 1e-4;

    const NOTHING: Self = Self {
        estimate: 0.0,
        half_width_95: f64::INFINITY,
        cut: 0.0,
        batches: 0,
        lag1: 0.0,
        parts_per_batch: 1,
        parts: 0,
        parts_lag1: 0.0,
    };

    /// The half width as a share of the estimate; infinite if the estimate is 0 and the half width is not.
    pub fn relative_half_width(&self) -> f64 {
        if self.half_width_95 == 0.0 { 0.0 } else { self.half_width_95 / self.estimate.abs() }
    }

    /// Adds the largest error that cut cycles may cause to the interval. The error does not depend on chance in the batches, so the
    /// two are combined like independent errors; where one of them is zero, the other is the whole error.
    pub(super) fn with_cut(self, cut: f64) -> Self {
        Self { half_width_95: self.half_width_95.hypot(cut), cut, ..self }
    }

    /// Whether there are enough observations for batches of three parts or more.
    pub fn has_enough_observations(&self) -> bool {
        self.parts >= PARTS
    }

    /// Whether the parts show so little correlation that the batches can be regarded as independent, or vary so little that
    /// correlation does not matter.
    pub fn looks_independent(&self) -> bool {
        self.parts_lag1 <= Self::MOST_LAG1 || self.relative_half_width() <= Self::NEGLIGIBLE
    }

    /// Whether no test speaks against the interval.
    pub fn is_trusted(&self) -> bool {
        self.has_enough_observations() && self.looks_independent()
    }
}

/// The number of observations in a part for a series of `count`: a power of two that gives [`PARTS`] to 2 x [`PARTS`] - 1
/// parts; 1 for a shorter series.
fn part_size(count: u64) -> u64 {
    (count / PARTS as u64).checked_ilog2().map_or(1, |exponent| 1 << exponent)
}

/// The mean of `values` (in the order they were observed, warm-up removed) with its 95 % confidence interval.
pub fn mean_interval(values: &[f64]) -> Interval {
    let size = part_size(values.len() as u64) as usize;
    let sum = |values: &[f64]| (values.iter().sum::<f64>(), values.len() as f64);
    let parts: Vec<(f64, f64)> = values.chunks_exact(size).map(sum).collect();
    let (interval, whole) = (ratio_interval(&parts, sum(values)), sum(values));
    let batch = (interval.parts_per_batch * size).min(values.len());
    if batch < 2 {
        return interval;
    }
    let ways = [&values[..batch], &values[values.len() - batch..]].map(|stretch| {
        let mut sum = 0.0;
        let so_far = stretch.iter().enumerate().map(|(number, value)| {
            sum += value;
            (sum, (number + 1) as f64)
        });
        std::iter::once((0.0, 0.0)).chain(so_far).collect()
    });
    interval.with_cut(ends::cut(&ways, whole))
}

/// The ratio of two sums (response times and their number: a mean; completions and time: a rate) with its 95 % confidence interval.
///
/// `parts` are the two sums over consecutive stretches of the run, `whole` is for the whole run, which may be a little more. Up to 19 parts
/// are batches themselves; more parts are formed into 20 to 39 batches of equally many parts, and the surplus parts are left out at the
/// beginning. The variance is computed from the batches' deviations from the ratio (the classical ratio estimator; with equal second sums
/// it is the variance of the batch means). The interval does not include the effect of the ends of the run: [`Interval::with_cut`].
pub(super) fn ratio_interval(parts: &[(f64, f64)], whole: (f64, f64)) -> Interval {
    if whole.1 <= 0.0 {
        return Interval::NOTHING;
    }
    let estimate = whole.0 / whole.1;
    let each = (parts.len() / BATCHES).max(1);
    let batches = parts.len() / each;
    let used = &parts[parts.len() - batches * each..];
    let sums = used.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    if batches < 2 || sums.1 <= 0.0 {
        return Interval { estimate, batches, parts: parts.len(), ..Interval::NOTHING };
    }
    let ratio = sums.0 / sums.1;
    // Smaller deviations come from rounding.
    let noise = 1e-12 * sums.0.abs() / used.len() as f64;
    let fine: Vec<f64> = used.iter().map(|part| part.0 - ratio * part.1).collect();
    let coarse: Vec<f64> = fine.chunks_exact(each).map(|parts| parts.iter().sum()).collect();
    let (squares, lag1) = correlation(&coarse, noise);
    let (_, parts_lag1) = correlation(&fine, noise);
    // A handful of parts is too few to estimate their correlation.
    let wider = if fine.len() < BATCHES { 1.0 } else { left_over(parts_lag1, fine.len(), each) };
    let variance = squares / (batches - 1) as f64 * wider;
    let mean_size = sums.1 / batches as f64;
    Interval {
        estimate,
        half_width_95: student_t_975(batches - 1) * (variance / batches as f64).sqrt() / mean_size,
        cut: 0.0,
        batches,
        lag1,
        parts_per_batch: each,
        parts: parts.len(),
        parts_lag1,
    }
}

/// The sum of the squares of deviations from a mean, and the correlation of neighbouring deviations.
fn correlation(deviations: &[f64], noise: f64) -> (f64, f64) {
    if deviations.iter().all(|d| d.abs() <= noise) {
        return (0.0, 0.0);
    }
    let squares: f64 = deviations.iter().map(|d| d * d).sum();
    let products: f64 = deviations.windows(2).map(|pair| pair[0] * pair[1]).sum();
    (squares, if deviations.len() < 3 { 0.0 } else { products / squares })
}

/// The factor by which the variance of a mean is larger than with independent batches of `each` parts, if parts are a first-order
/// autoregressive process with the correlation `lag1` of neighbours.
///
/// N-Skart assumes the same process for the batches. Parts are a larger sample from which to estimate the coefficient, and an error matters
/// less: the batches contain most of the correlation.
pub(super) fn left_over(lag1: f64, parts: usize, each: usize) -> f64 {
    // The estimated correlation of n independent values is -1 / n in the mean. Above 0.9 the correlation
    // cannot be estimated.
    let keep = (lag1 + 1.0 / parts as f64).clamp(0.0, 0.9);
    let power = (0..each).fold(1.0, |power, _| power * keep);
    1.0 / (1.0 - 2.0 * keep * (1.0 - power) / (each as f64 * (1.0 - keep * keep)))
}

/// The 97.5 % point of Student's t distribution with 1 to 38 degrees of freedom (standard tables).
fn student_t_975(degrees: usize) -> f64 {
    const TABLE: [f64; 2 * BATCHES - 2] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004, 2.262_157,
        2.228_139, 2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905, 2.109_816, 2.100_922,
        2.093_024, 2.085_963, 2.079_614, 2.073_873, 2.068_658, 2.063_899, 2.059_539, 2.055_529, 2.051_831,
        2.048_407, 2.045_230, 2.042_272, 2.039_513, 2.036_933, 2.034_515, 2.032_245, 2.030_108, 2.028_094,
        2.026_192, 2.024_394,
    ];
    TABLE[degrees - 1]
}
