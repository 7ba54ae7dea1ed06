//! Fixed read-ahead: after a read that misses, a fixed number of bytes after it is fetched, whichever stream issued the read.
//!
//! Source: Gill, Bathen: AMP: adaptive multi-stream prefetching in a shared cache, FAST 2007, where it is called fixed synchronous
//! prefetching.

use super::{ReadAheadRule, blocks};
use sansim_schema::quantities::Size;
use sansim_schema::table;
use std::ops::Range;

table! {
    /// After a read that misses, a fixed number of bytes behind it.
    #[derive(Copy, Eq)]
    pub struct FixedReadAheadParameters {
        /// Bytes that are fetched beyond the read, in whole blocks.
        amount: u64 = Size::between(1, 1 << 30), default r#""64 KiB""#, source "ours: sixteen blocks of the default size";
    }
}

/// The read-ahead policy that fetches a fixed number of bytes after each read that misses.
#[derive(Clone, Copy, Debug)]
pub struct FixedReadAhead {
    amount: u64,
}

impl FixedReadAhead {
    pub(super) fn new(parameters: &FixedReadAheadParameters, block_bytes: u64) -> Self {
        Self { amount: blocks(parameters.amount, block_bytes) }
    }
}

impl ReadAheadRule for FixedReadAhead {
    fn read(&mut self, asked: Range<u64>, missed: bool) -> Range<u64> {
        if missed { asked.end..asked.end.saturating_add(self.amount) } else { 0..0 }
    }
}
