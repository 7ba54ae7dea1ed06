//! Each in turn.

use super::{Candidate, Policy};
use sansim_request::Request;

/// See the module text.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundRobin {
    next: usize,
}

impl Policy for RoundRobin {
    fn choose(&mut self, _: &Request, candidates: &[Candidate]) -> usize {
        let place = self.next % candidates.len();
        self.next = place + 1;
        place
    }
}
