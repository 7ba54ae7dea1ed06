//! The stripe goes first that has been dirty for longest.

use super::{Candidate, Order, Rank};
use sansim_describe::table;

table! {
    /// The stripe that has been dirty for longest.
    #[derive(Copy, Eq)]
    pub struct Oldest {}
}

impl Order for Oldest {
    fn rank(&mut self, candidate: Candidate) -> Rank {
        candidate.before.unwrap_or((0, candidate.now))
    }
}
