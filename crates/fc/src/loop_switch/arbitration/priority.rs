//! The policy that serves the lowest address first, as on a loop without fairness. Stations with higher
//! addresses may wait for ever.

use super::{ArbitrationPolicy, PortContender, least};

/// The arbitration policy of this file.
pub struct PriorityArbitration;

impl ArbitrationPolicy for PriorityArbitration {
    fn choose(candidates: &[PortContender]) -> usize {
        least(candidates, |one| one.al_pa)
    }
}
