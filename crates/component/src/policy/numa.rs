//! The path policy that chooses the nearest path and stays with it as long as the path works.
//!
//! NVMe multipath in Linux does the same (`drivers/nvme/host/multipath.c`), by default: each NUMA node of the host remembers its path and looks
//! for another only when that path is gone, or no longer among the best. Adapters at the own node are nearest; all others are equally far
//! (the default distances of Linux). Among equally near paths the one that is named first is chosen.
//!
//! Assumption: I/Os are issued on the nodes in turn, by their numbers.

use super::{ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_request::Request;

/// The path policy that chooses the nearest path and stays with it as long as the path works.
#[derive(Clone, Debug, Default)]
pub struct NumaPolicy {
    /// The number of the candidate that each node remembers.
    remembered: Vec<Option<u16>>,
}

impl ChoicePolicy for NumaPolicy {
    fn choose(
        &mut self,
        context: &ChoiceContext,
        request: &Request,
        candidates: &[ChoiceCandidate],
    ) -> usize {
        let node = (request.number % u64::from(context.nodes)) as usize;
        if self.remembered.len() <= node {
            self.remembered.resize(node + 1, None);
        }
        let remembered = &mut self.remembered[node];
        let same = candidates.iter().position(|candidate| Some(candidate.number) == *remembered);
        let nearest = || candidates.iter().position(|candidate| candidate.node as usize == node);
        let place = same.or_else(nearest).unwrap_or(0);
        *remembered = Some(candidates[place].number);
        place
    }
}
