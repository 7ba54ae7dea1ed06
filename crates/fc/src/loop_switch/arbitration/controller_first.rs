//! Hosts and controllers first: what Storlite found a controller has to have under sequential load, for otherwise drives keep it from
//! sending commands.

use super::{Candidate, Policy, least};

/// See the module text.
pub struct ControllerFirst;

impl Policy for ControllerFirst {
    fn choose(candidates: &[Candidate]) -> usize {
        least(candidates, |one| (!one.initiates, one.since))
    }
}
