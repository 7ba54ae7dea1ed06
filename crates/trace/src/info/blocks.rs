//! The number of different blocks of 4 KiB that were accessed, in constant memory: exact up to [`MOST_EXACT`], an estimate from there on.
//!
//! Up to [`MOST_EXACT`] the hash of each block is kept; two of a million different blocks have the same hash of 64 bits with a probability of
//! 3e-8. The estimate is HyperLogLog (Flajolet, Fusy, Gandouet, Meunier, 2007) with 2^16 registers: a standard error of 1.04 / 2^8 = 0.41 %. Below 2.5 times as
//! many blocks as registers the registers that are still zero are counted (linear counting), which is more accurate.

use crate::logarithm::log2;
use crate::record::TraceRecord;
use std::collections::HashSet;

/// The bytes of a block.
pub(super) const BLOCK: u64 = 4_096;
/// The number of registers is 2 to this power.
const POWER: u32 = 16;
/// The most blocks of one request that are counted: a longer request is a broken line or a trim of a whole volume, and visiting all its
/// blocks would need too long.
const MOST: u64 = 1 << 16;
/// The most different blocks that are counted exactly; their hashes take about 20 MB.
const MOST_EXACT: usize = 1 << 20;

/// The standard error of the number of different blocks, as a share of it.
pub const UNIQUE_ERROR: f64 = 1.04 / 256.0;

#[derive(Clone, Debug)]
pub(super) struct Blocks {
    registers: Vec<u8>,
    /// The hashes of all blocks; none if there are more than [`MOST_EXACT`].
    exact: Option<HashSet<u64>>,
    touched: u64,
    /// The number of blocks of requests that were too long.
    pub(super) left_out: u64,
}

/// SplitMix64's finaliser (Steele, Lea and Flood, 2014): every bit of the input affects every bit of the output.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Blocks {
    pub(super) fn new() -> Blocks {
        Blocks { registers: vec![0; 1 << POWER], exact: Some(HashSet::new()), touched: 0, left_out: 0 }
    }

    /// Counts the blocks of a request.
    #[inline]
    pub(super) fn touch(&mut self, record: &TraceRecord) {
        if record.bytes == 0 {
            return;
        }
        let (first, last) = (record.offset / BLOCK, (record.end_byte() - 1) / BLOCK);
        let end = last.min(first.saturating_add(MOST - 1));
        self.left_out = self.left_out.saturating_add(last - end);
        self.touched += end - first + 1;
        let volume = mix(u64::from(record.volume) + 1);
        for block in first..=end {
            let hash = mix(volume ^ block.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let register = &mut self.registers[(hash >> (64 - POWER)) as usize];
            // The register gets the position of the first set bit, of the bits that do not choose the register.
            *register = (*register).max((hash << POWER | 1 << (POWER - 1)).leading_zeros() as u8 + 1);
            if let Some(exact) = &mut self.exact {
                exact.insert(hash);
            }
        }
        if self.exact.as_ref().is_some_and(|exact| exact.len() > MOST_EXACT) {
            self.exact = None;
        }
    }

    /// The number of accessed blocks, each counted as often as it was accessed.
    pub(super) fn touched(&self) -> u64 {
        self.touched
    }

    /// Whether the number of different blocks is exact.
    pub(super) fn is_exact(&self) -> bool {
        self.exact.is_some()
    }

    /// The number of different blocks, exact or estimated.
    pub(super) fn unique(&self) -> f64 {
        self.exact.as_ref().map_or_else(|| self.estimated(), |exact| exact.len() as f64)
    }

    fn estimated(&self) -> f64 {
        let m = self.registers.len() as f64;
        let zeros = self.registers.iter().filter(|register| **register == 0).count() as f64;
        let sum: f64 = self.registers.iter().map(|register| 1.0 / (1_u64 << register) as f64).sum();
        let estimate = 0.7213 / (1.0 + 1.079 / m) * m * m / sum;
        let estimate = if estimate <= 2.5 * m && zeros > 0.0 {
            m * log2(m / zeros) / std::f64::consts::LOG2_E
        } else {
            estimate
        };
        estimate.min(self.touched as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{TraceOperation, WriteFlags};

    #[test]
    fn the_number_of_different_blocks_is_exact_up_to_a_million_and_the_estimate_within_four_standard_errors()
    {
        for count in [1_u64, 100, 10_000, 150_000, 1_000_000, 2_000_000] {
            let mut blocks = Blocks::new();
            for _ in 0..2 {
                for number in 0..count / 2 + 1 {
                    let record = TraceRecord {
                        at_ns: 0,
                        volume: (number % 3) as u32,
                        operation: TraceOperation::Read,
                        offset: number * 2 * BLOCK,
                        bytes: 2 * BLOCK,
                        latency_ns: None,
                        flags: WriteFlags::NONE,
                    };
                    blocks.touch(&record);
                }
            }
            let is = (2 * (count / 2 + 1)) as f64;
            assert_eq!(blocks.touched() as f64, 2.0 * is);
            assert!(
                (blocks.estimated() - is).abs() <= (4.0 * UNIQUE_ERROR * is).max(1.0),
                "{count}: {}",
                blocks.estimated()
            );
            assert_eq!(blocks.is_exact(), count < 1_500_000, "{count}");
            assert!(!blocks.is_exact() || blocks.unique() == is, "{count}: {}", blocks.unique());
        }
    }
}
