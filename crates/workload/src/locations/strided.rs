//! Places at a fixed distance from each other.

use super::grid::{ALIGN, PART, SECTOR, last, part};
use sansim_kernel::RandomStream;
use sansim_schema::quantities::Share;
use sansim_schema::table;

table! {
    /// Each request at a fixed distance from the one before, as of a column of a table; at the end of the region it begins again where it
    /// began.
    #[derive(Copy, Eq)]
    pub struct StridedParameters {
        /// Distance from the beginning of one request to the beginning of the next.
        stride: u64 = ALIGN, required r#""1 MiB""#, source "";
        /// Position of the first request, as a share of the region.
        start: Share = PART, default r#""0 %""#, source "ours: at the beginning";
    }
}

/// The generator of places at a fixed distance.
#[derive(Clone, Debug)]
pub struct StridedLocations {
    region: u64,
    stride: u64,
    first: u64,
    next: u64,
}

impl StridedLocations {
    /// The generator for a region of this many bytes.
    pub fn new(parameters: &StridedParameters, region: u64, _: &mut RandomStream) -> StridedLocations {
        let first = part(region, parameters.start) / SECTOR * SECTOR;
        StridedLocations { region, stride: parameters.stride, first, next: first }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, _: bool, _: &mut RandomStream) -> u64 {
        let last = last(self.region, bytes);
        let offset = if self.next > last { self.first.min(last) } else { self.next };
        self.next = offset + self.stride;
        offset
    }
}
