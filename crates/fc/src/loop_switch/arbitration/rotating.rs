//! Rotating priority: a contender that has had a turn goes to the end of the list (US 7,382,790).

use super::{ArbitrationPolicy, PortContender, least};

/// The arbitration policy of this file.
pub struct RotatingArbitration;

impl ArbitrationPolicy for RotatingArbitration {
    fn choose(candidates: &[PortContender]) -> usize {
        least(candidates, |one| (one.last_turn, one.since))
    }
}
