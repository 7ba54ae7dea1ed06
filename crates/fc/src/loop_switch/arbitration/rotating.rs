//! Rotating priority: who has had a turn goes to the end of the list (US 7,382,790).

use super::{Candidate, Policy, least};

/// See the module text.
pub struct Rotating;

impl Policy for Rotating {
    fn choose(candidates: &[Candidate]) -> usize {
        least(candidates, |one| (one.last_turn, one.since))
    }
}
