//! The path policy that takes the path to the controller with the fewest requests.
//!
//! As NVMe multipath does in Linux (`drivers/nvme/host/multipath.c`): what counts are all requests between an adapter of the host
//! and an adapter of the storage, whichever device they are for; of several with as few it is the first.

use super::{Candidate, ChoicePolicy};
use sansim_request::Request;

/// See the text at the top of this file.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueDepth;

impl ChoicePolicy for QueueDepth {
    fn choose(&mut self, _: &Request, candidates: &[Candidate]) -> usize {
        let least = candidates.iter().enumerate().min_by_key(|(_, candidate)| candidate.at_server);
        least.map_or(0, |(place, _)| place)
    }
}
