//! A random order of the numbers 0 to n - 1, each of which is visited once, in no memory.
//!
//! A Feistel network of four rounds permutes the numbers of an even count of bits; what comes out above n goes in again until
//! it is below (cycle walking: Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002). The bits are at most
//! two more than n needs, so that takes fewer than four turns on average.

use sansim_kernel::RandomStream;

/// The order.
#[derive(Clone, Debug)]
pub struct Permutation {
    count: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Permutation {
    /// An order of `count` numbers drawn from `random`.
    pub fn new(count: u64, random: &mut RandomStream) -> Permutation {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        Permutation { count, half_bits: bits.div_ceil(2).max(1), keys: [(); 4].map(|()| random.next_u64()) }
    }

    /// The number at a place of the order, `place` < count.
    pub fn at(&self, place: u64) -> u64 {
        let mut value = place;
        loop {
            value = self.turn(value);
            if value < self.count || self.count == 0 {
                return value;
            }
        }
    }

    fn turn(&self, value: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (scramble(right ^ key) & mask));
        }
        left << self.half_bits | right
    }
}

/// Every bit of the input reaches every bit of the output: the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
fn scramble(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_visited_once() {
        let mut random = RandomStream::new(1, "permutation");
        for count in [1, 2, 3, 5, 64, 100, 1_000, 4_097] {
            let order = Permutation::new(count, &mut random);
            let mut seen: Vec<u64> = (0..count).map(|place| order.at(place)).collect();
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..count), "{count}");
        }
    }
}
