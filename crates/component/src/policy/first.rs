//! Always the first.

use super::{Candidate, ChoicePolicy};
use sansim_request::Request;

/// See the module text.
#[derive(Clone, Copy, Debug, Default)]
pub struct First;

impl ChoicePolicy for First {
    fn choose(&mut self, _: &Request, _: &[Candidate]) -> usize {
        0
    }
}
