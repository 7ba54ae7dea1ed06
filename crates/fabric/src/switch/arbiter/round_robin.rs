//! The arbiter that serves each input in turn; of one input, the frame that came first.

use super::{ArbiterRule, Contender};

/// The round-robin arbiter.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundRobinArbiter {
    /// The input that was served last.
    last: Option<u16>,
}

impl ArbiterRule for RoundRobinArbiter {
    fn choose(&mut self, contenders: &[Contender]) -> usize {
        // The distance of an input behind the last served input, round all ports; the last served input
        // itself comes last.
        let behind = |input: u16| self.last.map_or(input, |last| input.wrapping_sub(last).wrapping_sub(1));
        let mut best = 0;
        for (number, contender) in contenders.iter().enumerate() {
            let place = |of: &Contender| (behind(of.input), of.place);
            if place(contender) < place(&contenders[best]) {
                best = number;
            }
        }
        self.last = Some(contenders[best].input);
        best
    }
}
