//! Copies are read by distance or by load; a stream stays on the copy that it is read from.
//!
//! Source: Linux md, `read_balance` of `drivers/md/raid1.c` and `raid10.c`: a read that follows the last read of a member goes to that
//! member; if a member is non-rotational, the read goes to the member with the fewest requests; if some members are idle, to an idle one;
//! else to the nearest. Where md chooses the first of several equal members, this policy decides by the distance, or in turn.

use super::rotation::TurnRotation;
use super::{ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_request::Request;

/// The policy that reads the nearest or the least busy copy, and keeps a stream on its copy.
#[derive(Clone, Debug, Default)]
pub struct BalancedPolicy {
    rotation: TurnRotation,
}

impl ChoicePolicy for BalancedPolicy {
    fn choose(&mut self, _: &ChoiceContext, _: &Request, candidates: &[ChoiceCandidate]) -> usize {
        if let Some(place) = candidates.iter().position(|candidate| candidate.follows) {
            return place;
        }
        if candidates.iter().any(|candidate| candidate.distance.is_none()) {
            return self.rotation.choose_candidate(candidates, |one, other| one.by_way < other.by_way);
        }
        let rank = |candidate: &ChoiceCandidate| (candidate.outstanding > 0, candidate.distance);
        self.rotation.choose_candidate(candidates, |one, other| rank(one) < rank(other))
    }
}
