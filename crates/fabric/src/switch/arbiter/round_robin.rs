//! The arbiter that serves each input in turn; of one input, the frame that came first.

use super::{ArbiterRule, Contender};
use sansim_kernel::Time;

/// The round-robin arbiter.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundRobinArbiter {
    /// The input that was served last.
    last: Option<u16>,
}

impl RoundRobinArbiter {
    /// The input behind the last served input, which itself comes last.
    #[inline]
    fn first(&self) -> u16 {
        self.last.map_or(0, |last| last.wrapping_add(1))
    }
}

impl ArbiterRule for RoundRobinArbiter {
    fn choose(&mut self, _: Time, contenders: &[Contender]) -> usize {
        let first = self.first();
        let mut best = 0;
        for (number, contender) in contenders.iter().enumerate() {
            let place = |of: &Contender| (of.input.wrapping_sub(first), of.place);
            if place(contender) < place(&contenders[best]) {
                best = number;
            }
        }
        self.last = Some(contenders[best].input);
        best
    }

    #[inline]
    fn first_input(&self) -> Option<u16> {
        Some(self.first())
    }
}
