//! A random order of the numbers below a bound, without a table of them.

use sansim_kernel::RandomStream;

/// Rounds of the network: with four it is as good as random (Luby and Rackoff, SIAM Journal on Computing 17, 1988).
const ROUNDS: usize = 4;

/// A bijection of 0 .. `count` onto itself, drawn at random: a Feistel network over the next even number of bits, gone through again
/// until the image is below the bound (cycle walking: Black and Rogaway, CT-RSA 2002), less than four times on the average.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bijection {
    count: u64,
    half: u32,
    keys: [u64; ROUNDS],
}

impl Bijection {
    /// Of the numbers below `count`, which is 2^62 at most.
    pub fn new(count: u64, random: &mut RandomStream) -> Bijection {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        Bijection { count, half: bits.div_ceil(2).max(1), keys: [0; ROUNDS].map(|_| random.next_u64()) }
    }

    /// The image of a number below the bound.
    pub fn image(&self, number: u64) -> u64 {
        let mut image = number;
        loop {
            image = self.once(image);
            if image < self.count || self.count <= 1 {
                return image.min(self.count.saturating_sub(1));
            }
        }
    }

    fn once(&self, number: u64) -> u64 {
        let mask = (1_u64 << self.half) - 1;
        let (mut left, mut right) = (number >> self.half, number & mask);
        for key in self.keys {
            // A multiplication brings every bit to the upper half, from which the round takes.
            let mixed = (right ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
            (left, right) = (right, left ^ (mixed >> 32 & mask));
        }
        left << self.half | right
    }
}
