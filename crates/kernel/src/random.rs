//! Random numbers come from independent streams, one for each seed and path.
//!
//! Every component and purpose draws from a stream of its own, named by a path such as `drives.3.access`. Adding
//! a component therefore leaves the numbers of all other components as they were, and two designs can be compared
//! on common random numbers.
//!
//! - Generator: xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS
//!   47(4), 2021), period 2^256 - 1.
//! - Seeding: the path is hashed with 64-bit FNV-1a, combined with the mixed seed, and four steps of SplitMix64
//!   (Steele, Lea and Flood, OOPSLA 2014) fill the state. All pairs of a seed and a path share one huge cycle; the
//!   probability that two of a million streams overlap within 2^64 draws is below 2^-100.
//! - Distributions are drawn by inversion of the distribution function, with one 64-bit draw per value, so that
//!   streams stay in step whatever the parameters. The logarithm is written out in this crate: a system's
//!   mathematical library may differ in the last bit between machines.
//!
//! The values are frozen: the tests hold the first values of a stream, and changing them changes every stored
//! result.

use crate::functions::{natural_logarithm, normal_quantile};

/// A stream of random numbers that depends only on its seed and path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomStream {
    state: [u64; 4],
}

/// The increment of SplitMix64, which is 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64: every input bit affects every output bit.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The 64-bit FNV-1a hash of a path.
fn hash(path: &str) -> u64 {
    path.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

impl RandomStream {
    /// The stream of `path` in the experiment `seed`. Equal arguments give equal streams, on every machine.
    pub fn new(seed: u64, path: &str) -> RandomStream {
        let mut z = mix(seed.wrapping_add(GOLDEN)) ^ mix(hash(path));
        let mut state = [0; 4];
        for word in &mut state {
            z = z.wrapping_add(GOLDEN);
            // The states are four different values of a bijection: never all zero, which is the only state
            // that the generator cannot leave.
            *word = mix(z);
        }
        RandomStream { state }
    }

    /// Draws 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c2, d2) = (c ^ a, d ^ b);
        self.state = [a ^ d2, b ^ c2, c2 ^ (b << 17), d2.rotate_left(45)];
        result
    }

    /// Draws a value of \[0, 1): a whole multiple of 2^-53.
    pub fn unit_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Draws a value strictly between 0 and 1: an odd multiple of 2^-54.
    pub fn open_unit_f64(&mut self) -> f64 {
        ((self.next_u64() >> 11) as f64 + 0.5) * (1.0 / (1_u64 << 53) as f64)
    }

    /// Draws a whole number of 0 ..= `n - 1`, each with exactly the same probability. The function uses one draw,
    /// and another draw with probability below `n` / 2^64 (Lemire, "Fast random integer generation in an
    /// interval", 2019).
    ///
    /// # Panics
    /// Panics if `n` is zero.
    pub fn draw_below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "there is no number below zero");
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            let low = product as u64;
            // Only a low half below `n` can belong to the surplus that would favour some numbers.
            if low >= n || low >= n.wrapping_neg() % n {
                return (product >> 64) as u64;
            }
        }
    }

    /// Returns true with probability `p`. The function always uses one draw.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit_f64() < p
    }

    /// Draws a value of \[`low`, `high`).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit_f64()
    }

    /// Draws an exponentially distributed value with the given mean; it is always positive for a positive
    /// mean, and at most 37.5 means.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * natural_logarithm(self.open_unit_f64())
    }

    /// Draws a normally distributed value with the given mean and standard deviation.
    pub fn normal(&mut self, mean: f64, standard_deviation: f64) -> f64 {
        mean + standard_deviation * normal_quantile(self.open_unit_f64())
    }
}

#[cfg(test)]
mod tests;
