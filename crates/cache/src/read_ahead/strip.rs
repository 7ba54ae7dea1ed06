//! Whole strips: a read that misses fetches all of every strip that it touches, so that the member of an array is asked once.

use super::{ReadAheadRule, blocks};
use sansim_schema::quantities::Size;
use sansim_schema::table;
use std::ops::Range;

table! {
    /// With a read that misses, the whole strips that it touches.
    #[derive(Copy, Eq)]
    pub struct StripParameters {
        /// Size of a strip, in whole blocks; strips begin at multiples of it.
        strip: u64 = Size::between(1, 1 << 30), default r#""64 KiB""#, source "ours: the default of `strip` of an array";
    }
}

/// See the module text.
#[derive(Clone, Copy, Debug)]
pub struct Strip {
    strip: u64,
}

impl Strip {
    pub(super) fn new(parameters: &StripParameters, block_bytes: u64) -> Self {
        Self { strip: blocks(parameters.strip, block_bytes) }
    }
}

impl ReadAheadRule for Strip {
    fn read(&mut self, asked: Range<u64>, missed: bool) -> Range<u64> {
        if !missed {
            return 0..0;
        }
        let end = asked.end.checked_next_multiple_of(self.strip).unwrap_or(u64::MAX);
        asked.start / self.strip * self.strip..end
    }
}
