//! The stripe that has been dirty for longest is destaged first.

use super::{DestageCandidate, DestageOrderRule, StripeRank};
use sansim_schema::table;

table! {
    /// The stripe that has been dirty for longest.
    #[derive(Copy, Eq)]
    pub struct OldestFirst {}
}

impl DestageOrderRule for OldestFirst {
    fn rank(&mut self, candidate: DestageCandidate) -> StripeRank {
        candidate.before.unwrap_or((0, candidate.now))
    }
}
