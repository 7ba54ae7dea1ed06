//! The burstiness of arrivals, by the counts of requests in bins.

use super::bins::joined;
use crate::logarithm::log2;

/// The counts of bins of a width; only sums are kept of past bins.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    width_ns: u64,
    bin: u64,
    count: u64,
    /// The sum over the past bins.
    sum: u64,
    squares: u128,
    most: u64,
}

/// The fewest whole bins from which the variance is estimated.
const FEWEST_BINS: u64 = 10;

impl Counts {
    pub(super) fn new(width_ns: u64) -> Counts {
        Counts { width_ns, bin: 0, count: 0, sum: 0, squares: 0, most: 0 }
    }

    #[inline]
    pub(super) fn add(&mut self, at_ns: u64) {
        let bin = at_ns / self.width_ns;
        if bin != self.bin {
            self.sum += self.count;
            self.squares += u128::from(self.count) * u128::from(self.count);
            (self.bin, self.count) = (bin, 0);
        }
        self.count += 1;
        self.most = self.most.max(self.count);
    }

    /// The most requests in one bin.
    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// The index of dispersion for counts: variance by mean of the counts of whole bins, 1 for Poisson arrivals.
    pub(super) fn dispersion(&self) -> Option<f64> {
        let bins = self.bin;
        if bins < FEWEST_BINS || self.sum == 0 {
            return None;
        }
        let (n, sum) = (bins as f64, self.sum as f64);
        let variance = (self.squares as f64 - sum * sum / n) / (n - 1.0);
        Some(variance / (sum / n))
    }
}

/// The slope of a straight line through points, by least squares; `None` for fewer than three.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < 3 {
        return None;
    }
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let (xy, xx) = points.iter().fold((0.0, 0.0), |(xy, xx), point| {
        (xy + (point.0 - x) * (point.1 - y), xx + (point.0 - x) * (point.0 - x))
    });
    Some(xy / xx)
}

/// The Hurst parameter by the variance-time plot: the variance of the mean of m bins falls as m^(2H - 2). It is 0.5 for Poisson arrivals.
/// The last bin is not used, because the trace may end in it.
pub(super) fn hurst(bins: &[u64]) -> Option<f64> {
    let mut bins = bins.split_last()?.1.to_vec();
    let mut points = Vec::new();
    let mut m = 1.0;
    while bins.len() >= 32 {
        let n = bins.len() as f64;
        let mean = bins.iter().map(|count| *count as f64).sum::<f64>() / n;
        let variance =
            bins.iter().map(|count| (*count as f64 - mean) * (*count as f64 - mean)).sum::<f64>() / n;
        if variance > 0.0 {
            points.push((log2(m), log2(variance / (m * m))));
        }
        let whole = bins.len() / 2 * 2;
        bins = joined(&bins[..whole]);
        m *= 2.0;
    }
    slope(&points).map(|slope| (1.0 + slope / 2.0).clamp(0.0, 1.0))
}

/// The mean number of requests in a bin below which the entropy measures chance and not the trace.
const FEWEST_PER_BIN: f64 = 30.0;

/// The b of the b-model (Wang and others, ICDE 2002): when an interval is halved, one half has the share b of its requests. It is 0.5 for
/// even arrivals. The entropy of the shares of bins grows by the entropy of (b, 1 - b) when bins are halved.
pub(super) fn b_model(bins: &[u64]) -> Option<f64> {
    let total: f64 = bins.iter().map(|count| *count as f64).sum();
    let mut bins = bins.to_vec();
    let mut points = Vec::new();
    let mut level = 0.0;
    while bins.len() >= 8 {
        if total / bins.len() as f64 >= FEWEST_PER_BIN {
            let sum: f64 = bins.iter().filter(|count| **count > 0).map(|c| *c as f64 * log2(*c as f64)).sum();
            points.push((level, log2(total) - sum / total));
        }
        bins = joined(&bins);
        level -= 1.0;
    }
    let grows = slope(&points)?;
    let entropy = |b: f64| -b * log2(b) - (1.0 - b) * log2(1.0 - b);
    let (mut low, mut high) = (0.5, 1.0 - 1e-9);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if entropy(middle) > grows { low = middle } else { high = middle }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lcg(u64);

    impl Lcg {
        fn unit(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        }
    }

    /// Counts of Poisson arrivals in 4,096 bins.
    fn poisson(mean: f64, random: &mut Lcg) -> Vec<u64> {
        let mut bins = vec![0; 4_096];
        let mut at = 0.0;
        loop {
            at -= log2(random.unit()) / std::f64::consts::LOG2_E / mean;
            if at >= 4_096.0 {
                return bins;
            }
            bins[at as usize] += 1;
        }
    }

    #[test]
    fn poisson_arrivals_are_not_bursty() {
        let mut random = Lcg(1);
        let bins = poisson(100.0, &mut random);
        let h = hurst(&bins).unwrap();
        assert!((h - 0.5).abs() < 0.06, "{h}");
        let b = b_model(&bins).unwrap();
        assert!((0.5..0.52).contains(&b), "{b}");
        let mut counts = Counts::new(10);
        for (bin, count) in bins.iter().enumerate() {
            (0..*count).for_each(|_| counts.add(bin as u64 * 10));
        }
        let dispersion = counts.dispersion().unwrap();
        // The standard error of the dispersion is sqrt(2 / 4,095) = 0.022.
        assert!((dispersion - 1.0).abs() < 0.09, "{dispersion}");
    }

    #[test]
    fn the_b_of_a_b_model_is_found_again() {
        for b in [0.6, 0.7, 0.8] {
            let mut random = Lcg(7);
            let mut shares = vec![1.0];
            for _ in 0..12 {
                shares = shares
                    .iter()
                    .flat_map(|share| {
                        let left = if random.unit() < 0.5 { b } else { 1.0 - b };
                        [share * left, share * (1.0 - left)]
                    })
                    .collect();
            }
            let bins: Vec<u64> = shares.iter().map(|share| (share * 1e7) as u64).collect();
            let found = b_model(&bins).unwrap();
            assert!((found - b).abs() < 0.01, "{b}: {found}");
            assert!(hurst(&bins).unwrap() > 0.6);
        }
    }

    #[test]
    fn too_little_gives_nothing() {
        assert_eq!(hurst(&[]), None);
        assert_eq!(hurst(&[5; 100]), None, "without variance there is no slope");
        assert_eq!(b_model(&[1; 64]), None);
        assert_eq!(Counts::new(1).dispersion(), None);
    }
}
