//! Each input in turn; of one input the frame that came first.

use super::{Arbitrates, Contender};

/// See the module text.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundRobinArbiter {
    /// The input that was last.
    last: Option<u16>,
}

impl Arbitrates for RoundRobinArbiter {
    fn choose(&mut self, contenders: &[Contender]) -> usize {
        // How far behind the last one an input is, round all ports; the last itself comes last.
        let behind = |input: u16| self.last.map_or(input, |last| input.wrapping_sub(last).wrapping_sub(1));
        let mut best = 0;
        for (place, contender) in contenders.iter().enumerate() {
            if behind(contender.input) < behind(contenders[best].input) {
                best = place;
            }
        }
        self.last = Some(contenders[best].input);
        best
    }
}
