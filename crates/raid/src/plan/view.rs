//! The queries of a planner to its context: caches, and the choice of a copy.

use crate::layout::StripeUnit;

/// The queries of a planner to its context: caches, and the choice of a copy. The context `()` has no cache and always chooses the first
/// copy.
pub trait PlanContext {
    /// Whether a cache has the present content of a logical range of the array.
    fn cached(&self, _offset: u64, _bytes: u64) -> bool {
        false
    }

    /// Whether a cache has the present content of the bytes `from..upto` of a check.
    fn cached_check(&self, _check: StripeUnit, _from: u64, _upto: u64) -> bool {
        false
    }

    /// The index of the member to read among those that have a copy; called once in a plan for the same members. The first byte wanted is
    /// at byte `at` of the first member; on the other members it is at the same offset, or in an adjacent row.
    fn copy(&mut self, _members: &[u32], _at: u64) -> usize {
        0
    }
}

impl PlanContext for () {}
