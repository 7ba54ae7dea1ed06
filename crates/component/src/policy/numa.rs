//! The path policy that takes the nearest path and stays with it as long as it works.
//!
//! As NVMe multipath does in Linux (`drivers/nvme/host/multipath.c`), where it is the default: each node remembers its way and
//! looks for another only when that one is gone, or no longer among the best. Hosts of this model have one node, from which all
//! adapters are equally far; there the nearest is the one that is named first.

use super::{Candidate, ChoicePolicy};
use sansim_request::Request;

/// See the text at the top of this file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numa {
    /// The number of the nearest candidate.
    remembered: Option<u16>,
}

impl ChoicePolicy for Numa {
    fn choose(&mut self, _: &Request, candidates: &[Candidate]) -> usize {
        let same = candidates.iter().position(|candidate| Some(candidate.number) == self.remembered);
        let place = same.unwrap_or(0);
        self.remembered = Some(candidates[place].number);
        place
    }
}
