//! Sequential places, each behind the last.

use super::grid::{PART, SECTOR, last, part};
use sansim_kernel::RandomStream;
use sansim_schema::quantities::Share;
use sansim_schema::table;

table! {
    /// Each request behind the one before; at the end of the region it begins again at the begin.
    #[derive(Copy, Eq)]
    pub struct SequentialParameters {
        /// Position of the first request, as a share of the region.
        start: Share = PART, default r#""0 %""#, source "ours: at the beginning";
    }
}

/// The generator of sequential places.
#[derive(Clone, Debug)]
pub struct SequentialLocations {
    region: u64,
    next: u64,
}

impl SequentialLocations {
    /// The generator for a region of this many bytes.
    pub fn new(parameters: &SequentialParameters, region: u64, _: &mut RandomStream) -> SequentialLocations {
        SequentialLocations { region, next: part(region, parameters.start) / SECTOR * SECTOR }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, _: bool, _: &mut RandomStream) -> u64 {
        let offset = if self.next > last(self.region, bytes) { 0 } else { self.next };
        self.next = offset + bytes.next_multiple_of(SECTOR);
        offset
    }
}
