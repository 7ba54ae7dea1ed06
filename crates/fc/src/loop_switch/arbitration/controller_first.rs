//! Hosts and controllers go first: according to Storlite a controller needs this under sequential load, because otherwise drives keep
//! it from sending commands.

use super::{ArbitrationPolicy, PortContender, least};

/// The arbitration policy that serves hosts and controllers first.
pub struct ControllerFirst;

impl ArbitrationPolicy for ControllerFirst {
    fn choose(candidates: &[PortContender]) -> usize {
        least(candidates, |one| (!one.initiates, one.since))
    }
}
