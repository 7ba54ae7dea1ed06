//! No read-ahead: only requested blocks are fetched.

use super::ReadAheadRule;
use sansim_schema::table;
use std::ops::Range;

table! {
    /// Nothing.
    #[derive(Copy, Eq)]
    pub struct NoneParameters {}
}

/// The read-ahead policy that fetches only requested blocks.
#[derive(Clone, Copy, Debug)]
pub struct None;

impl None {
    pub(super) fn new(_: &NoneParameters, _: u64) -> Self {
        Self
    }
}

impl ReadAheadRule for None {
    fn read(&mut self, _: Range<u64>, _: bool) -> Range<u64> {
        0..0
    }
}
