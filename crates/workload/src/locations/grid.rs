//! The grid of a region: the offsets at which a request may begin.

use sansim_schema::quantities::{Percentage, Share, Size};

/// The granularity of offsets, in bytes.
pub(super) const SECTOR: u64 = 512;

/// An alignment: a multiple of a sector.
pub(super) const ALIGN: Size = Size { range: (SECTOR, 1 << 40), step: SECTOR };

/// A share of a region, including zero.
pub(super) const PART: Percentage = Percentage { range: (0, 1_000_000) };

/// A share of a region above zero.
pub(super) const SOME_PART: Percentage = Percentage { range: (1, 1_000_000) };

/// A share of a number, rounded down.
pub(super) fn part(of: u64, share: Share) -> u64 {
    (u128::from(of) * u128::from(share.millionths) / 1_000_000) as u64
}

/// The last offset at which a request of this many bytes still ends within the region; zero if the request is larger than the region.
pub(super) fn last(region: u64, bytes: u64) -> u64 {
    region.saturating_sub(bytes) / SECTOR * SECTOR
}

/// The places at which a request can begin: a whole number of steps from the beginning of the region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    /// The number of places; at least one.
    pub count: u64,
    /// The bytes from one place to the next.
    pub step: u64,
}

impl Slots {
    /// The places for requests of this many bytes, aligned to `align` or to their own size.
    pub fn new(region: u64, bytes: u64, align: Option<u64>) -> Slots {
        let step = align.unwrap_or(bytes).max(1).next_multiple_of(SECTOR);
        Slots { count: region.saturating_sub(bytes) / step + 1, step }
    }

    /// The number of places before a share of the region.
    pub fn places_before(&self, share: Share) -> u64 {
        part(self.count, share)
    }
}

/// Blocks of a fixed size: a popular block is the same whatever the size of the requests for it. A request for a block begins with the
/// block; a request that would end behind the region goes to the last block at which it does not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    /// The number of blocks; at least one.
    pub count: u64,
    region: u64,
    block: u64,
}

impl Blocks {
    /// The whole blocks of a region.
    pub fn new(region: u64, block: u64) -> Blocks {
        let block = block.max(1).next_multiple_of(SECTOR);
        Blocks { count: (region / block).max(1), region, block }
    }

    /// The offset of a request for a block.
    pub fn offset(&self, index: u64, bytes: u64) -> u64 {
        let offset = index * self.block;
        if offset + bytes <= self.region {
            offset
        } else {
            last(self.region, bytes) / self.block * self.block
        }
    }
}
