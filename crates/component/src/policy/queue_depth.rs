//! The path policy that chooses the path to the storage adapter with the fewest requests.
//!
//! NVMe multipath in Linux does the same (`drivers/nvme/host/multipath.c`): all requests between an adapter of the host and an adapter of
//! the storage count, for any device; of several paths with as few requests the first is chosen.

use super::{ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_request::Request;

/// The path policy that chooses the path to the storage adapter with the fewest requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueDepth;

impl ChoicePolicy for QueueDepth {
    fn choose(&mut self, _: &ChoiceContext, _: &Request, candidates: &[ChoiceCandidate]) -> usize {
        let least = candidates.iter().enumerate().min_by_key(|(_, candidate)| candidate.at_server);
        least.map_or(0, |(place, _)| place)
    }
}
