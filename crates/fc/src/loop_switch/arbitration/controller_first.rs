//! Hosts and controllers first: what Storlite found a controller has to have under sequential load, for otherwise drives keep it from
//! sending commands.

use super::{ArbitrationPolicy, PortContender, least};

/// See the module text.
pub struct ControllerFirst;

impl ArbitrationPolicy for ControllerFirst {
    fn choose(candidates: &[PortContender]) -> usize {
        least(candidates, |one| (!one.initiates, one.since))
    }
}
