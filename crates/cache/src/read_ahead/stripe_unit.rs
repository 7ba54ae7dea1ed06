//! Read-ahead of whole stripe units: a read that misses fetches all of every stripe unit that it touches, so that the member of an array
//! gets one command.

use super::{ReadAheadRule, blocks};
use sansim_schema::quantities::Size;
use sansim_schema::table;
use std::ops::Range;

table! {
    /// With a read that misses, the whole stripe units that it touches.
    #[derive(Copy, Eq)]
    pub struct StripeUnitParameters {
        /// Size of a stripe unit, in whole blocks; stripe units begin at multiples of this size.
        stripe_unit: u64 = Size::between(1, 1 << 30), default r#""64 KiB""#, source "ours: the default of `stripe_unit` of an array";
    }
    renamed("strip" to "stripe_unit")
}

/// The read-ahead policy that fetches every stripe unit that a missing read touches.
#[derive(Clone, Copy, Debug)]
pub struct StripeUnitReadAhead {
    strip: u64,
}

impl StripeUnitReadAhead {
    pub(super) fn new(parameters: &StripeUnitParameters, block_bytes: u64) -> Self {
        Self { strip: blocks(parameters.stripe_unit, block_bytes) }
    }
}

impl ReadAheadRule for StripeUnitReadAhead {
    fn read(&mut self, asked: Range<u64>, missed: bool) -> Range<u64> {
        if !missed {
            return 0..0;
        }
        let end = asked.end.checked_next_multiple_of(self.strip).unwrap_or(u64::MAX);
        asked.start / self.strip * self.strip..end
    }
}
