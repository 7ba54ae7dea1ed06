//! The stripe that was written least recently is destaged first: a stripe that is overwritten again and again stays.
//!
//! Source: Gill, Modha: WOW: wise ordering for writes, FAST 2005, where it is called LRW.

use super::{DestageCandidate, DestageOrderRule, StripeRank};
use sansim_schema::table;

table! {
    /// The stripe that was written least recently.
    #[derive(Copy, Eq)]
    pub struct LeastRecentlyWritten {}
}

impl DestageOrderRule for LeastRecentlyWritten {
    fn rank(&mut self, candidate: DestageCandidate) -> StripeRank {
        (0, candidate.now)
    }
}
