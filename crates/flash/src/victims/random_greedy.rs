//! Of `choices` full blocks drawn at random, with replacement, the one with the fewest valid pages.
//!
//! Source: Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state drives", SIGMETRICS
//! 2013 (d-choices); MQSim calls it RGA.

use super::VictimPolicy;
use sansim_describe::quantities::Count;
use sansim_describe::table;
use sansim_kernel::RandomStream;

table! {
    /// Of some drawn at random the one with the fewest valid pages.
    #[derive(Copy, Eq)]
    pub struct RandomGreedyParameters {
        /// How many are drawn.
        choices: u32 = Count::<u32>::between(1, 10_000), default "10", source "Van Houdt 2013: close to greedy from 10 on";
    }
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct RandomGreedy {
    choices: u32,
    full: Vec<u32>,
}

impl RandomGreedy {
    /// For a plane of so many blocks.
    pub fn new(parameters: &RandomGreedyParameters, blocks: u32, _: u32) -> Self {
        Self { choices: parameters.choices, full: Vec::with_capacity(blocks as usize) }
    }
}

impl VictimPolicy for RandomGreedy {
    fn filled(&mut self, block: u32, _: u32) {
        self.full.push(block);
    }

    fn invalidated(&mut self, _: u32, _: u32) {}

    fn take(&mut self, valid: impl Fn(u32) -> u32, random: &mut RandomStream) -> Option<u32> {
        if self.full.is_empty() {
            return None;
        }
        let draws = (0..self.choices).map(|_| random.below(self.full.len() as u64) as usize);
        let place = draws.min_by_key(|place| valid(self.full[*place]))?;
        Some(self.full.swap_remove(place))
    }
}
