//! A random order of the numbers below a bound, without a table of them.

use sansim_kernel::RandomStream;

/// The rounds of the network: four are enough for many numbers (Luby and Rackoff, SIAM Journal on Computing 17, 1988), few numbers need
/// more.
const ROUNDS: usize = 6;
/// The fewest bits of the network: with fewer bits there are too few functions from which a round can choose.
const FEWEST_BITS: u32 = 6;

/// A bijection of the numbers 0 .. `count` onto itself, drawn at random: a Feistel network over the bits of the numbers, applied again
/// until the image is below the bound (cycle walking: Black and Rogaway, CT-RSA 2002), from 32 numbers on less than twice in the mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bijection {
    count: u64,
    /// The number of bits of the lower half, and the highest values of both halves.
    lower: u32,
    most: [u64; 2],
    keys: [u64; ROUNDS],
}

impl Bijection {
    /// A permutation of the numbers below `count`, which is at least one.
    pub fn new(count: u64, random: &mut RandomStream) -> Bijection {
        let count = count.max(1);
        let bits = (u64::BITS - (count - 1).leading_zeros()).max(FEWEST_BITS);
        let lower = bits / 2;
        let most = [(1 << lower) - 1, (1 << (bits - lower)) - 1];
        Bijection { count, lower, most, keys: [0; ROUNDS].map(|_| random.next_u64()) }
    }

    /// The image of a number below the bound.
    pub fn permuted_number(&self, number: u64) -> u64 {
        let mut image = self.once(number);
        while image >= self.count {
            image = self.once(image);
        }
        image
    }

    fn once(&self, number: u64) -> u64 {
        // Each half in turn is changed by a function of the other half.
        let mut halves = [number & self.most[0], number >> self.lower];
        for (round, key) in self.keys.iter().enumerate() {
            let (one, other) = (round % 2, 1 - round % 2);
            // A multiplication affects every bit of the upper half, which the round uses.
            let mixed = (halves[other] ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
            halves[one] ^= (mixed >> 32) & self.most[one];
        }
        (halves[1] << self.lower) | halves[0]
    }
}
