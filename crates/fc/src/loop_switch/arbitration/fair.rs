//! The policy that serves the contender that has waited longest.

use super::{ArbitrationPolicy, PortContender, least};

/// The arbitration policy of this file.
pub struct FairArbitration;

impl ArbitrationPolicy for FairArbitration {
    fn choose(candidates: &[PortContender]) -> usize {
        least(candidates, |one| one.since)
    }
}
