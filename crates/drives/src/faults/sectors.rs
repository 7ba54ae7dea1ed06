//! Sectors become unreadable by events of the scenario, and at random as they are read. A write makes a sector readable again.
//!
//! Bits fail independently, so the number of bits read until the next failure is exponential, and a random number is drawn for each failure
//! and not for each command. The requested bytes count as read, even where a buffer has them.

use sansim_kernel::{RandomStream, Ranges};
use sansim_request::BLOCK_BYTES;
use std::ops::Range;

/// The sectors of a drive, some of which are unreadable until they are written again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sectors {
    /// The unreadable sectors, by their numbers.
    unreadable: Ranges,
    /// For a drive with failing sectors, the mean number of bits between failures, and the number of bits left until the next failure.
    fails: Option<(RandomStream, f64, f64)>,
}

impl Sectors {
    /// The sectors of a drive of which each bit fails with this probability when it is read.
    pub fn new(rate: f64, seed: u64, stream: &str) -> Self {
        let fails = (rate > 0.0).then(|| {
            let mut random = RandomStream::new(seed, stream);
            let left = random.exponential(1.0 / rate);
            (random, 1.0 / rate, left)
        });
        Self { unreadable: Ranges::default(), fails }
    }

    /// Makes these bytes unreadable.
    pub fn make_unreadable(&mut self, first_byte: u64, bytes: u64) {
        self.unreadable.add(sectors(first_byte, bytes));
    }

    /// Makes these bytes readable, as they have been written.
    pub fn make_readable(&mut self, first_byte: u64, bytes: u64) {
        if !self.unreadable.is_empty() {
            self.unreadable.remove(sectors(first_byte, bytes));
        }
    }

    /// Reads these bytes. Returns the number of bytes before the first unreadable sector; none if all sectors can be read.
    #[inline]
    pub fn read_sectors(&mut self, first_byte: u64, bytes: u64) -> Option<u64> {
        self.wear(first_byte, bytes);
        if self.unreadable.is_empty() {
            return None;
        }
        let at = self.unreadable.first_within(sectors(first_byte, bytes))?;
        Some((at * BLOCK_BYTES).saturating_sub(first_byte))
    }

    /// Sectors of the bytes that are read may fail.
    fn wear(&mut self, first_byte: u64, bytes: u64) {
        let Some((random, mean, left)) = &mut self.fails else { return };
        let mut passed = 0.0;
        let mut failed = Vec::new();
        while passed + *left < bytes as f64 * 8.0 {
            passed += *left;
            failed.push(first_byte + (passed / 8.0) as u64);
            *left = random.exponential(*mean);
        }
        *left -= bytes as f64 * 8.0 - passed;
        failed.into_iter().for_each(|byte| self.make_unreadable(byte, 1));
    }
}

/// The numbers of the sectors that contain these bytes.
fn sectors(first_byte: u64, bytes: u64) -> Range<u64> {
    first_byte / BLOCK_BYTES..first_byte.saturating_add(bytes).div_ceil(BLOCK_BYTES)
}
