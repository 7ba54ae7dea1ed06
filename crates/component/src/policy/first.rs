//! The policy that always chooses the first candidate.

use super::{ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_request::Request;

/// The policy that always chooses the first candidate.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstPathPolicy;

impl ChoicePolicy for FirstPathPolicy {
    fn choose(&mut self, _: &ChoiceContext, _: &Request, _: &[ChoiceCandidate]) -> usize {
        0
    }
}
