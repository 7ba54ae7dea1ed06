//! What a planner may ask of its surroundings.

use crate::layout::StripeUnit;

/// What a planner may ask of its surroundings. `()` knows nothing: no cache, always the first copy.
pub trait PlanContext {
    /// Whether a cache has the present content of a logical range of the array.
    fn cached(&self, _offset: u64, _bytes: u64) -> bool {
        false
    }

    /// Whether a cache has the present content of the bytes `from..upto` of a check.
    fn cached_check(&self, _check: StripeUnit, _from: u64, _upto: u64) -> bool {
        false
    }

    /// Which of the members that have a copy is read, by its place; asked once in a plan for the same members. What is wanted first of the
    /// first of them begins at byte `at` of it; on the others it is at the same place, or in a row next to it.
    fn copy(&mut self, _members: &[u32], _at: u64) -> usize {
        0
    }
}

impl PlanContext for () {}
