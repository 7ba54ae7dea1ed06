//! The lowest address first, as on a loop without fairness. Others may wait for ever.

use super::{ArbitrationPolicy, PortContender, least};

/// See the module text.
pub struct PriorityArbitration;

impl ArbitrationPolicy for PriorityArbitration {
    fn choose(candidates: &[PortContender]) -> usize {
        least(candidates, |one| one.al_pa)
    }
}
