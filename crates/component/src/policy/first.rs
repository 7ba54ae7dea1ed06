//! The policy that always chooses the first candidate.

use super::{Candidate, ChoicePolicy};
use sansim_request::Request;

/// See the text at the top of this file.
#[derive(Clone, Copy, Debug, Default)]
pub struct First;

impl ChoicePolicy for First {
    fn choose(&mut self, _: &Request, _: &[Candidate]) -> usize {
        0
    }
}
