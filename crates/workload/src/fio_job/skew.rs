//! Hot and cold places as fio draws them: Zipf, Pareto and bell-shaped ranks, spread over the region by a hash.
//!
//! A rank is multiplied by a number near 2^64 / golden ratio and reduced modulo the number of places (Knuth, "The Art of Computer
//! Programming" 3, section 6.4). Where the number of places is no power of two, several ranks map to one place and some places are never
//! reached; fio has this property, and so has this model.

use sansim_kernel::RandomStream;

use sansim_kernel::functions::{natural_logarithm, power};

/// The multiplier of the hash: 2^64 (1 - 1 / golden ratio), made odd. The multiplier is the same as in fio.
const MULTIPLIER: u64 = 0x61c8_8646_80b5_83eb;

/// The most terms of the sum that normalises Zipf's law, as in fio.
const MOST_TERMS: u64 = 10_000_000;

/// The distribution of ranks.
#[derive(Clone, Debug)]
enum Law {
    /// Zipf's law, by inversion in the approximation of Gray et al., "Quickly Generating Billion-Record Synthetic Databases", SIGMOD 1994.
    Zipf { zeta: f64, second: f64, alpha: f64, eta: f64 },
    /// Pareto's law: the rank is (n - 1) u^exponent.
    Pareto { exponent: f64 },
    /// A bell shape: the mean of twelve uniform ranks, shifted by at most half of this deviation.
    Normal { deviation: u64 },
}

/// Skewed places of 0 to count - 1.
#[derive(Clone, Debug)]
pub struct SkewedLocations {
    law: Law,
    count: u64,
    shift: u64,
}

/// The position of the hottest place: at a given share, or drawn.
fn shift(count: u64, centre: Option<f64>, random: &mut RandomStream) -> u64 {
    centre.map_or_else(|| random.next_u64() >> 32, |centre| (count as f64 * centre) as u64)
}

/// The sum 1 + 2^-theta + ... + n^-theta: the first terms one by one, the others by the formula of Euler and Maclaurin up to its second
/// correction, which leaves an error below 1e-12 of the sum.
fn zeta(n: u64, theta: f64) -> f64 {
    const ONE_BY_ONE: u64 = 1_000;
    let direct: f64 = (1..=n.min(ONE_BY_ONE)).map(|k| power(k as f64, -theta)).sum();
    if n <= ONE_BY_ONE {
        return direct;
    }
    let (a, b) = (ONE_BY_ONE as f64, n as f64);
    let term = |x: f64| power(x, -theta);
    let integral = (b * term(b) - a * term(a)) / (1.0 - theta);
    direct + integral + (term(b) - term(a)) / 2.0 + theta * (term(a) / a - term(b) / b) / 12.0
}

impl SkewedLocations {
    /// Zipf's law of exponent `theta`, not 1.
    pub fn zipf(count: u64, theta: f64, centre: Option<f64>, random: &mut RandomStream) -> SkewedLocations {
        let zeta_n = zeta(count.min(MOST_TERMS), theta);
        let second = power(0.5, theta);
        let eta = (1.0 - power(2.0 / count.max(1) as f64, 1.0 - theta)) / (1.0 - (1.0 + second) / zeta_n);
        let law = Law::Zipf { zeta: zeta_n, second, alpha: 1.0 / (1.0 - theta), eta };
        SkewedLocations { law, count, shift: shift(count, centre, random) }
    }

    /// Pareto's law of input value `h`, between 0 and 1: a share of 1 - h of the draws hits a share of h of the ranks.
    pub fn pareto(count: u64, h: f64, centre: Option<f64>, random: &mut RandomStream) -> SkewedLocations {
        let exponent = natural_logarithm(h) / natural_logarithm(1.0 - h);
        SkewedLocations { law: Law::Pareto { exponent }, count, shift: shift(count, centre, random) }
    }

    /// Bell-shaped ranks, with a deviation in percent of the region. The centre moves the bell by less than half of the region.
    pub fn normal(count: u64, deviation_percent: f64, centre: Option<f64>) -> SkewedLocations {
        let deviation = ((count as f64 * deviation_percent / 100.0).ceil() as u64).min(count / 2);
        let moved = centre.map_or(0.0, |centre| count as f64 * (centre - 0.5));
        SkewedLocations { law: Law::Normal { deviation }, count, shift: moved as i64 as u64 }
    }

    /// Draws the next place.
    pub fn next(&self, random: &mut RandomStream) -> u64 {
        let rank = match self.law {
            Law::Zipf { zeta, second, alpha, eta } => {
                let u = random.unit_f64();
                let z = u * zeta;
                if z < 1.0 {
                    0
                } else if z < 1.0 + second {
                    1
                } else {
                    let x = (eta * u - eta + 1.0).max(f64::MIN_POSITIVE);
                    (self.count as f64 * power(x, alpha)) as u64
                }
            }
            Law::Pareto { exponent } => {
                let u = random.unit_f64().max(f64::MIN_POSITIVE);
                ((self.count.saturating_sub(1)) as f64 * power(u, exponent)) as u64
            }
            Law::Normal { deviation } => self.bell(deviation, random),
        };
        rank.wrapping_mul(MULTIPLIER).wrapping_add(self.shift) % self.count.max(1)
    }

    fn bell(&self, deviation: u64, random: &mut RandomStream) -> u64 {
        let sum: u128 = (0..12).map(|_| u128::from(random.draw_below(self.count.saturating_add(1)))).sum();
        let mean = sum.div_ceil(12) as u64;
        if deviation == 0 {
            return mean;
        }
        let mut by = random.draw_below(deviation) as i128 - i128::from(deviation / 2);
        while by != 0 && !(0..i128::from(self.count)).contains(&(i128::from(mean) + by)) {
            by /= 2;
        }
        (i128::from(mean) + by) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_powers_is_what_its_terms_add_up_to() {
        for theta in [0.5, 0.9, 1.1, 2.0] {
            let plain: f64 = (1..=50_000_u32).map(|k| f64::from(k).powf(-theta)).sum();
            assert!((zeta(50_000, theta) / plain - 1.0).abs() < 1e-10, "{theta}");
        }
    }

    #[test]
    fn the_most_popular_places_of_zipf_have_their_share() {
        let mut random = RandomStream::new(3, "zipf");
        let skew = SkewedLocations::zipf(4096, 1.2, None, &mut random);
        let mut hits = vec![0_u32; 4096];
        (0..200_000).for_each(|_| hits[skew.next(&mut random) as usize] += 1);
        hits.sort_unstable_by(|a, b| b.cmp(a));
        let sum = zeta(4096, 1.2);
        // The tolerance is four standard deviations of a binomial count; from the third rank on Gray's formula is approximate.
        for (rank, expected) in [(0, 1.0 / sum), (1, power(2.0, -1.2) / sum)] {
            let wanted = 200_000.0 * expected;
            assert!(
                (f64::from(hits[rank]) - wanted).abs() < 4.0 * (wanted * (1.0 - expected)).sqrt(),
                "{rank}"
            );
        }
    }

    #[test]
    fn a_fifth_of_the_ranks_of_pareto_has_four_fifths_of_the_draws() {
        let mut random = RandomStream::new(4, "pareto");
        let skew = SkewedLocations::pareto(1 << 10, 0.2, None, &mut random);
        let mut hits = vec![0_u32; 1 << 10];
        (0..400_000).for_each(|_| hits[skew.next(&mut random) as usize] += 1);
        hits.sort_unstable_by(|a, b| b.cmp(a));
        let hot: u32 = hits.iter().take((1 << 10) / 5).sum();
        assert!((f64::from(hot) / 400_000.0 - 0.8).abs() < 0.01, "{hot}");
    }

    #[test]
    fn every_place_is_one_of_the_region() {
        let mut random = RandomStream::new(5, "all");
        for count in [1, 2, 3, 1_000, u64::MAX] {
            for skew in [
                SkewedLocations::zipf(count, 1.1, None, &mut random),
                SkewedLocations::zipf(count, 0.5, Some(1.0), &mut random),
                SkewedLocations::pareto(count, 0.9, None, &mut random),
                SkewedLocations::normal(count, 100.0, Some(0.0)),
                SkewedLocations::normal(count, 0.0, None),
            ] {
                assert!((0..1_000).all(|_| skew.next(&mut random) < count), "{count}");
            }
        }
    }
}
