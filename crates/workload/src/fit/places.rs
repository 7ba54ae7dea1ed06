//! The fit of the skew of places: as many blocks are to be revisited as in a trace.

use sansim_kernel::functions::{exponential, power};

/// The largest skew that is fitted: then hardly more than one place is accessed.
const MOST_SKEWED: f64 = 3.0;
/// Ranks up to this are summed one by one; later ranks in steps of a fraction of the rank.
const ONE_BY_ONE: u64 = 1_000;
const STEP: u64 = 40;

/// Groups of ranks by Zipf's law: the number of ranks of each, and the weight of a rank in its middle.
fn ranks(count: u64, theta: f64) -> Vec<(f64, f64)> {
    let mut groups = Vec::new();
    let mut first = 1;
    while first <= count {
        let width = if first <= ONE_BY_ONE { 1 } else { first / STEP };
        let last = first.saturating_add(width - 1).min(count);
        let middle = (first as f64 + last as f64) / 2.0;
        groups.push(((last - first + 1) as f64, power(middle, -theta)));
        first = last + 1;
    }
    groups
}

/// The mean number of different places, out of `count`, that `draws` draws hit.
fn different(count: u64, theta: f64, draws: f64) -> f64 {
    let groups = ranks(count, theta);
    let weights: f64 = groups.iter().map(|(ranks, weight)| ranks * weight).sum();
    groups.iter().map(|(ranks, weight)| ranks * (1.0 - exponential(-draws * weight / weights))).sum()
}

/// The theta with which `draws` requests to `count` places hit `wanted` different ones; `None` if even equally likely places give no more
/// than that.
pub(super) fn theta_for(count: u64, draws: f64, wanted: f64) -> Option<f64> {
    // A difference below this is within the error of the estimate of different blocks.
    if different(count, 0.0, draws) <= wanted * (1.0 + 2.0 * sansim_trace::UNIQUE_ERROR) {
        return None;
    }
    let (mut low, mut high) = (0.0, MOST_SKEWED);
    for _ in 0..30 {
        let middle = (low + high) / 2.0;
        if different(count, middle, draws) > wanted { low = middle } else { high = middle }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locations::zipf::ZipfRanks;
    use sansim_kernel::RandomStream;
    use std::collections::HashSet;

    #[test]
    fn the_number_of_different_places_is_that_of_the_generator() {
        for (count, theta, draws) in [(10_000, 0.0, 10_000), (100_000, 0.9, 30_000), (5_000, 1.3, 50_000)] {
            let (ranks, mut random) = (ZipfRanks::new(count, theta), RandomStream::new(7, "places"));
            let met: HashSet<u64> = (0..draws).map(|_| ranks.draw(&mut random)).collect();
            let found = different(count, theta, draws as f64);
            assert!((found / met.len() as f64 - 1.0).abs() < 0.02, "{theta}: {found} for {}", met.len());
        }
    }

    #[test]
    fn theta_is_found_again_and_even_places_have_none() {
        for theta in [0.4, 0.9, 1.2] {
            let wanted = different(1 << 20, theta, 200_000.0);
            let found = theta_for(1 << 20, 200_000.0, wanted).unwrap();
            assert!((found - theta).abs() < 0.001, "{theta}: {found}");
        }
        assert_eq!(theta_for(1_000, 500.0, 400.0), None);
    }
}
