//! The path policy that chooses the path with the fewest requests for the device.
//!
//! The policy follows the path selector with this name in Linux (`drivers/md/dm-ps-queue-length.c`): only requests for this device count;
//! among equal paths the least recently used is chosen.

use super::rotation::TurnRotation;
use super::{ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_request::Request;

/// The path policy that chooses the path with the fewest requests for the device.
#[derive(Clone, Debug, Default)]
pub struct QueueLengthPolicy {
    rotation: TurnRotation,
}

impl ChoicePolicy for QueueLengthPolicy {
    fn choose(&mut self, _: &ChoiceContext, _: &Request, candidates: &[ChoiceCandidate]) -> usize {
        self.rotation.choose_candidate(candidates, |one, other| one.by_way < other.by_way)
    }
}
