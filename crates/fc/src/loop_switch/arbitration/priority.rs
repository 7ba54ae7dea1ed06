//! The lowest address first, as on a loop without fairness. Others may wait for ever.

use super::{Candidate, Policy, least};

/// See the module text.
pub struct Priority;

impl Policy for Priority {
    fn choose(candidates: &[Candidate]) -> usize {
        least(candidates, |one| one.al_pa)
    }
}
