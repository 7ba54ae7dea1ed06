//! The stripe goes first that has been dirty for longest.

use super::{Candidate, Order, Rank};
use sansim_describe::table;

table! {
    /// The stripe that has been dirty for longest.
    #[derive(Copy, Eq)]
    pub struct OldestParameters {}
}

/// See the module text.
#[derive(Clone, Copy, Debug)]
pub struct Oldest;

impl From<&OldestParameters> for Oldest {
    fn from(_: &OldestParameters) -> Self {
        Self
    }
}

impl Order for Oldest {
    fn rank(&mut self, candidate: Candidate) -> Rank {
        candidate.before.unwrap_or((0, candidate.now))
    }
}
