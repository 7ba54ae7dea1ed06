//! What a series of observations from one run can say: the mean with a confidence interval that allows for
//! correlation between neighbours, and how much of the beginning is warm-up.
//!
//! - Interval: non-overlapping batch means (Law, "Simulation Modeling and Analysis", chapter 9) with 20 batches, in the
//!   range Schmeiser ("Batch size effects in the analysis of simulation output", Operations Research 30, 1982) recommends.
//! - Warm-up: MSER-5 (White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for
//!   simulation", Winter Simulation Conference 2000).

/// Batches an interval is formed from, unless there are fewer observations.
const BATCHES: usize = 20;

/// A mean with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean of all observations; 0 if there are none.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval: the true mean is within `mean` +- `half_width_95` in 95 of
    /// 100 runs. Infinite with fewer than two observations.
    pub half_width_95: f64,
    /// How many batch means it rests on.
    pub batches: usize,
    /// Correlation of neighbouring batch means. Well above 0 the batches are too short for their means to count as
    /// independent, and the interval is too narrow: run longer. 0 with fewer than three batches.
    pub lag1: f64,
}

/// The mean of `values` (in the order they were observed, warm-up removed) with its 95 % confidence interval.
///
/// All values count for the mean; for the interval up to 19 of the first are left out so that the batches are of
/// equal size.
pub fn mean_interval(values: &[f64]) -> Interval {
    if values.is_empty() {
        return Interval { mean: 0.0, half_width_95: f64::INFINITY, batches: 0, lag1: 0.0 };
    }
    let mean = average(values);
    let batches = values.len().min(BATCHES);
    let size = values.len() / batches;
    let means: Vec<f64> = values[values.len() - batches * size..].chunks_exact(size).map(average).collect();
    if batches < 2 {
        return Interval { mean, half_width_95: f64::INFINITY, batches, lag1: 0.0 };
    }
    let centre = average(&means);
    let squares: f64 = means.iter().map(|m| (m - centre) * (m - centre)).sum();
    let variance = squares / (batches - 1) as f64;
    let products: f64 = means.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre)).sum();
    Interval {
        mean,
        half_width_95: student_t_975(batches - 1) * (variance / batches as f64).sqrt(),
        batches,
        lag1: if batches < 3 || squares == 0.0 { 0.0 } else { products / squares },
    }
}

fn average(values: &[f64]) -> f64 {
    // Taking the differences to the first value keeps large, nearly equal values from losing digits in the sum.
    let first = values[0];
    first + values.iter().map(|v| v - first).sum::<f64>() / values.len() as f64
}

/// The 97.5 % point of Student's t distribution with 1 to 19 degrees of freedom (standard tables).
fn student_t_975(degrees: usize) -> f64 {
    const TABLE: [f64; BATCHES - 1] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004, 2.262_157,
        2.228_139, 2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905, 2.109_816, 2.100_922,
        2.093_024,
    ];
    TABLE[degrees - 1]
}

/// How many of the first `values` are warm-up and better left out, by the rule MSER-5.
///
/// Means of five values each are formed, and the truncation is chosen that leaves the smallest standard error
/// of the mean of the rest. The answer is a multiple of five and at most half of the values; a value near that half
/// says that the run is too short.
pub fn mser5(values: &[f64]) -> usize {
    const SIZE: usize = 5;
    let means: Vec<f64> = values.chunks_exact(SIZE).map(average).collect();
    // From the end to the front: mean and sum of squared deviations of what is left (Welford's update).
    let (mut mean, mut squares) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for start in (0..means.len()).rev() {
        let left = (means.len() - start) as f64;
        let delta = means[start] - mean;
        mean += delta / left;
        squares += delta * (means[start] - mean);
        let statistic = squares / (left * left);
        // `<=`: of equally good truncations the one that keeps more.
        if start <= means.len() / 2 && statistic <= best.0 {
            best = (statistic, start);
        }
    }
    best.1 * SIZE
}

#[cfg(test)]
mod tests;
