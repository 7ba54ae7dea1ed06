//! The path policy that chooses the nearest path and stays with it as long as the path works.
//!
//! NVMe multipath in Linux does the same (`drivers/nvme/host/multipath.c`), by default: each node remembers its path and looks for another
//! only when that path is gone, or no longer among the best. Hosts of this model have one node, from which all adapters are equally far;
//! the nearest path is then the one that is named first.

use super::{ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_request::Request;

/// The path policy that chooses the nearest path and stays with it as long as the path works.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumaPolicy {
    /// The number of the nearest candidate.
    remembered: Option<u16>,
}

impl ChoicePolicy for NumaPolicy {
    fn choose(&mut self, _: &ChoiceContext, _: &Request, candidates: &[ChoiceCandidate]) -> usize {
        let same = candidates.iter().position(|candidate| Some(candidate.number) == self.remembered);
        let place = same.unwrap_or(0);
        self.remembered = Some(candidates[place].number);
        place
    }
}
