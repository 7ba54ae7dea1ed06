//! Tests whether a sample comes from a given distribution.

use crate::functions::{natural_logarithm, normal_quantile};

/// The distance of a sample from a distribution, and the largest distance that is accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoodnessOfFit {
    /// The statistic of the test.
    pub statistic: f64,
    /// The value that the statistic of a sample of the distribution exceeds with the requested probability.
    pub critical: f64,
}

impl GoodnessOfFit {
    /// Whether the sample may come from the distribution.
    pub fn is_consistent(self) -> bool {
        self.statistic <= self.critical
    }
}

/// The greatest distance between the distribution of a sample (which is sorted here) and a continuous distribution, for which
/// `probability` returns the probability of a value up to x. The critical value is the asymptotic value, sqrt(-ln(level / 2) / 2n):
/// it is good from about 100 values on (Kolmogorov 1933, Smirnov 1948).
pub fn kolmogorov_smirnov(sample: &mut [f64], level: f64, probability: impl Fn(f64) -> f64) -> GoodnessOfFit {
    sample.sort_unstable_by(f64::total_cmp);
    let n = sample.len() as f64;
    let mut statistic: f64 = 0.0;
    for (below, value) in sample.iter().enumerate() {
        let p = probability(*value);
        statistic = statistic.max(p - below as f64 / n).max((below + 1) as f64 / n - p);
    }
    GoodnessOfFit { statistic, critical: (-natural_logarithm(level / 2.0) / (2.0 * n)).sqrt() }
}

/// Pearson's chi-square of counts against weights, of which only the ratios matter. Neighbouring cells are merged until each cell
/// has an expected count of five. The critical value is computed by Wilson and Hilferty (PNAS 17, 1931), within 1.5 % from five
/// degrees of freedom on.
pub fn chi_square(counts: &[u64], weights: &[f64], level: f64) -> GoodnessOfFit {
    /// The least expected count of a cell, by the usual rule.
    const FEWEST: f64 = 5.0;
    let total: u64 = counts.iter().sum();
    let scale = total as f64 / weights.iter().sum::<f64>();
    let mut cells: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for (count, weight) in counts.iter().zip(weights) {
        open = (open.0 + *count as f64, open.1 + weight * scale);
        if open.1 >= FEWEST {
            cells.push(open);
            open = (0.0, 0.0);
        }
    }
    match cells.last_mut() {
        Some(last) => *last = (last.0 + open.0, last.1 + open.1),
        None => cells.push(open),
    }
    let statistic = cells.iter().map(|(count, expected)| (count - expected).powi(2) / expected).sum();
    let freedom = (cells.len() - 1) as f64;
    if freedom == 0.0 {
        return GoodnessOfFit { statistic, critical: 0.0 };
    }
    let spread = 2.0 / (9.0 * freedom);
    let root = 1.0 - spread + normal_quantile(1.0 - level) * spread.sqrt();
    GoodnessOfFit { statistic, critical: freedom * root * root * root }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomStream;

    #[test]
    fn a_uniform_sample_is_uniform_and_nothing_else() {
        let mut random = RandomStream::new(2, "uniform");
        let mut sample: Vec<f64> = (0..10_000).map(|_| random.unit_f64()).collect();
        assert!(kolmogorov_smirnov(&mut sample, 0.001, |x| x).is_consistent());
        assert!(!kolmogorov_smirnov(&mut sample, 0.001, |x| x * x).is_consistent());
        assert!(!kolmogorov_smirnov(&mut sample, 0.001, |x| (x * 1.05).min(1.0)).is_consistent());
        let mut counts = [0; 10];
        sample.iter().for_each(|x| counts[(x * 10.0) as usize] += 1);
        assert!(chi_square(&counts, &[1.0; 10], 0.001).is_consistent());
        let mut skewed = [1.0; 10];
        skewed[3] = 1.2;
        assert!(!chi_square(&counts, &skewed, 0.001).is_consistent());
    }

    #[test]
    fn samples_of_the_distribution_are_refused_as_often_as_the_level_says() {
        let mut refused = [0; 2];
        let mut random = RandomStream::new(3, "level");
        for _ in 0..2_000 {
            let mut sample: Vec<f64> = (0..500).map(|_| random.unit_f64()).collect();
            refused[0] += usize::from(!kolmogorov_smirnov(&mut sample, 0.05, |x| x).is_consistent());
            let mut counts = [0; 20];
            sample.iter().for_each(|x| counts[(x * 20.0) as usize] += 1);
            refused[1] += usize::from(!chi_square(&counts, &[1.0; 20], 0.05).is_consistent());
        }
        // In 2,000 samples 100 are expected; the bounds are four deviations of 9.7 to both sides.
        assert!(refused.iter().all(|count| (61..=139).contains(count)), "{refused:?}");
    }

    #[test]
    fn critical_values_are_those_of_the_tables() {
        let fit = |freedom: usize, level| {
            chi_square(&vec![100; freedom + 1], &vec![1.0; freedom + 1], level).critical
        };
        for (freedom, level, value) in [(5, 0.001, 20.515), (10, 0.05, 18.307), (99, 0.001, 148.23)] {
            let ours = fit(freedom, level);
            assert!((ours / value - 1.0).abs() < 0.015, "{freedom}: {ours} for {value}");
        }
        let ours = kolmogorov_smirnov(&mut [0.5; 10_000], 0.05, |x| x).critical;
        assert!((ours - 0.0136).abs() < 1e-4, "{ours}");
    }
}
