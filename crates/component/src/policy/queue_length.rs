//! The way to the device that has least to do.
//!
//! As the path selector of this name does in Linux (`drivers/md/dm-ps-queue-length.c`): what counts are the requests for this
//! device; of several ways with as few it is the one that was taken longest ago.

use super::rotation::TurnRotation;
use super::{Candidate, ChoicePolicy};
use sansim_request::Request;

/// See the module text.
#[derive(Clone, Debug, Default)]
pub struct QueueLength {
    rotation: TurnRotation,
}

impl ChoicePolicy for QueueLength {
    fn choose(&mut self, _: &Request, candidates: &[Candidate]) -> usize {
        self.rotation.choose(candidates, |one, other| one.by_way < other.by_way)
    }
}
