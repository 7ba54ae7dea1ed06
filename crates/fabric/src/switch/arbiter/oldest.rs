//! The frame that came into the switch first; of several the one at the lowest port.

use super::{Arbitrates, Contender};

/// See the module text.
#[derive(Clone, Copy, Debug, Default)]
pub struct OldestArbiter;

impl Arbitrates for OldestArbiter {
    fn choose(&mut self, contenders: &[Contender]) -> usize {
        let first =
            contenders.iter().enumerate().min_by_key(|(_, contender)| (contender.came, contender.input));
        first.map_or(0, |(place, _)| place)
    }
}
