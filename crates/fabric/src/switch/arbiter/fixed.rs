//! The arbiter that always chooses the lowest port number: frames of other ports may wait for ever.

use super::{ArbiterRule, Contender};
use sansim_kernel::Time;

/// The arbiter with fixed priorities.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedArbiter;

impl ArbiterRule for FixedArbiter {
    fn choose(&mut self, _: Time, contenders: &[Contender]) -> usize {
        let lowest =
            contenders.iter().enumerate().min_by_key(|(_, contender)| (contender.input, contender.place));
        lowest.map_or(0, |(place, _)| place)
    }

    #[inline]
    fn first_input(&self) -> Option<u16> {
        Some(0)
    }
}
