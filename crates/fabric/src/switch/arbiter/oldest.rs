//! The arbiter that chooses the frame that arrived at the switch first; among equals, the frame at the lowest
//! port.

use super::{ArbiterRule, Contender};
use sansim_kernel::Time;

/// The arbiter that serves the oldest frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct OldestArbiter;

impl ArbiterRule for OldestArbiter {
    fn choose(&mut self, _: Time, contenders: &[Contender]) -> usize {
        let first = contenders
            .iter()
            .enumerate()
            .min_by_key(|(_, contender)| (contender.came, contender.input, contender.place));
        first.map_or(0, |(place, _)| place)
    }
}
