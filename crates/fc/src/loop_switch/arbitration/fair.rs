//! The contender that has waited longest.

use super::{ArbitrationPolicy, PortContender, least};

/// See the module text.
pub struct Fair;

impl ArbitrationPolicy for Fair {
    fn choose(candidates: &[PortContender]) -> usize {
        least(candidates, |one| one.since)
    }
}
