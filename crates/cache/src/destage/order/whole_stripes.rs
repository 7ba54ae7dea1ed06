//! Stripes of which every block is dirty are destaged first, as a RAID writes them without reading.

use super::{DestageCandidate, DestageOrderRule, StripeRank};
use sansim_schema::table;

table! {
    /// Stripes of which every block is dirty, then others; of equals the one that has been dirty for longest.
    #[derive(Copy, Eq)]
    pub struct WholeStripes {}
}

impl DestageOrderRule for WholeStripes {
    fn rank(&mut self, candidate: DestageCandidate) -> StripeRank {
        let since = candidate.before.map_or(candidate.now, |(_, since)| since);
        (u64::from(candidate.ready < candidate.blocks), since)
    }
}
