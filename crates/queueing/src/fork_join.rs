//! The mean time of the slowest of several parallel requests that are all waited for.
//!
//! Sources: Nelson and Tantawi, Approximate Analysis of Fork/Join Synchronization in Parallel Queues, IEEE Transactions on Computers 37(6),
//! 1988; for two servers it is exact by Flatto and Hahn, SIAM Journal on Applied Mathematics 44, 1984. The formula for other distributions
//! is our own: the difference between the slowest and the mean is proportional to the standard deviation, as it is exactly for an
//! exponential time with a fixed part.

/// The harmonic number 1 + 1/2 + ... + 1/k, linearly interpolated between whole numbers.
pub fn harmonic_number(k: f64) -> f64 {
    let whole = k.floor().max(1.0);
    let sum: f64 = (1..=whole as u32).map(|i| 1.0 / f64::from(i)).sum();
    sum + (k - whole).max(0.0) / (whole + 1.0)
}

/// The factor by which the mean response of one of `k` M/M/1 queues is multiplied, at this utilisation of each, if all queues get a part of
/// each request at once.
pub fn nelson_tantawi_factor(k: f64, utilisation: f64) -> f64 {
    if k <= 1.0 {
        return 1.0;
    }
    let two = (12.0 - utilisation) / 8.0;
    if k < 2.0 {
        return 1.0 + (k - 1.0) * (two - 1.0);
    }
    let ratio = harmonic_number(k) / 1.5;
    (ratio + 4.0 / 11.0 * (1.0 - ratio) * utilisation) * two
}

/// The mean time of the slowest of `k` requests, each with this mean and squared coefficient of variation, at stations
/// of this utilisation.
pub fn mean_of_slowest(k: f64, mean: f64, scv: f64, utilisation: f64) -> f64 {
    mean * (1.0 + scv.max(0.0).sqrt() * (nelson_tantawi_factor(k, utilisation.clamp(0.0, 1.0)) - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_of_exponential_ones_has_the_harmonic_mean() {
        assert!((mean_of_slowest(3.0, 4.0, 1.0, 0.0) - 4.0 * (1.0 + 0.5 + 1.0 / 3.0)).abs() < 1e-12);
        assert!(
            (mean_of_slowest(5.0, 4.0, 0.0, 0.7) - 4.0).abs() < 1e-12,
            "what is always the same has no slowest"
        );
        assert!((nelson_tantawi_factor(2.0, 0.8) - 11.2 / 8.0).abs() < 1e-12, "Flatto and Hahn");
    }

    #[test]
    fn more_parts_never_take_less() {
        for load in [0.0, 0.5, 0.99] {
            let factors: Vec<f64> =
                (4..80).map(|k| nelson_tantawi_factor(f64::from(k) / 4.0, load)).collect();
            assert!(factors.windows(2).all(|two| two[0] <= two[1] + 1e-12), "{load}: {factors:?}");
        }
    }
}
