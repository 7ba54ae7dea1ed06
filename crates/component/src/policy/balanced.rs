//! Copies are read by distance or by load; a stream stays on the copy that it is read from.
//!
//! Source: Linux md, `read_balance` of `drivers/md/raid1.c` and `raid10.c`: a read that follows the last one of a member goes to that; if
//! one of the members does not turn, to the one with the fewest requests; if some have none, to one of those; else to the nearest. Where md
//! takes the first of several equals, this policy decides by the distance, or by turns.

use super::rotation::TurnRotation;
use super::{Candidate, ChoicePolicy};
use sansim_request::Request;

/// See the text at the top of this file.
#[derive(Clone, Debug, Default)]
pub struct Balanced {
    rotation: TurnRotation,
}

impl ChoicePolicy for Balanced {
    fn choose(&mut self, _: &Request, candidates: &[Candidate]) -> usize {
        if let Some(place) = candidates.iter().position(|candidate| candidate.follows) {
            return place;
        }
        if candidates.iter().any(|candidate| candidate.distance.is_none()) {
            return self.rotation.choose(candidates, |one, other| one.by_way < other.by_way);
        }
        let rank = |candidate: &Candidate| (candidate.outstanding > 0, candidate.distance);
        self.rotation.choose(candidates, |one, other| rank(one) < rank(other))
    }
}
