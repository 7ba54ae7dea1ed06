//! The queries of a planner to its context.

use crate::layout::StripeUnit;

/// The queries of a planner to its context. `()` has no cache and always takes the first copy.
pub trait PlanContext {
    /// Whether a cache has the present content of a logical range of the array.
    fn cached(&self, _offset: u64, _bytes: u64) -> bool {
        false
    }

    /// Whether a cache has the present content of the bytes `from..upto` of a check.
    fn cached_check(&self, _check: StripeUnit, _from: u64, _upto: u64) -> bool {
        false
    }

    /// The place of the member to read among those that have a copy; called once in a plan for the same members. The first byte wanted is at byte
    /// `at` of the first member; on the others it is at the same place, or in a row next to it.
    fn copy(&mut self, _members: &[u32], _at: u64) -> usize {
        0
    }
}

impl PlanContext for () {}
