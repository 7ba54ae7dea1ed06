//! Who has waited longest.

use super::{Candidate, Policy, least};

/// See the module text.
pub struct Fair;

impl Policy for Fair {
    fn choose(candidates: &[Candidate]) -> usize {
        least(candidates, |one| one.since)
    }
}
