//! The policy that uses the paths to a device, or the copies, in turn.

use super::{ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_request::Request;

/// The policy that uses the paths to a device, or the copies, in turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundRobinPaths {
    /// The number of the last chosen candidate.
    last: Option<u16>,
}

impl ChoicePolicy for RoundRobinPaths {
    /// The next candidate in turn; a path that is missing for a while does not change the turns of the others.
    fn choose(&mut self, _: &ChoiceContext, _: &Request, candidates: &[ChoiceCandidate]) -> usize {
        let next =
            candidates.iter().position(|candidate| self.last.is_none_or(|last| candidate.number > last));
        let place = next.unwrap_or(0);
        self.last = Some(candidates[place].number);
        place
    }
}
