//! Policies: decisions that users may want to make otherwise. A policy has neither ports nor timers. It is shown the candidates
//! by a view that is used again, and says which one by its place.

use sansim_request::RequestId;

/// What a policy may know of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The candidate, by the number that the asker gives it: a port, a member.
    pub number: u32,
    /// Requests that it has and has not answered.
    pub outstanding: u32,
}

/// Chooses one of several.
pub trait Policy {
    /// The place of the one that is chosen. There is at least one.
    fn choose(&mut self, request: RequestId, candidates: &[Candidate]) -> usize;
}
