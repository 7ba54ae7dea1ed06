//! The policy that chooses the candidate with the least work.

use super::{ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_request::Request;

/// The policy that chooses the candidate with the least work.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeastOutstanding;

impl ChoicePolicy for LeastOutstanding {
    fn choose(&mut self, _: &ChoiceContext, _: &Request, candidates: &[ChoiceCandidate]) -> usize {
        let least = candidates.iter().enumerate().min_by_key(|(_, candidate)| candidate.outstanding);
        least.map_or(0, |(place, _)| place)
    }
}
