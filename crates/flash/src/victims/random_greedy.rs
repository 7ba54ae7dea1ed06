//! The victim is the block with the fewest valid pages among `choices` full blocks drawn at random, with replacement. Only blocks with
//! invalid pages are drawn.
//!
//! Source: Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state drives", SIGMETRICS 2013
//! (d-choices); MQSim calls it RGA. Van Houdt's model draws from all blocks, as MQSim does, and collects nothing if the best of them has no
//! invalid page, until the next block is opened; here only blocks with an invalid page are drawn, so a victim is always found if there is
//! one. Under uniform writes hardly any block has no invalid page, so both rules are the same.

use super::{FullBlock, VictimPolicy};
use sansim_kernel::RandomStream;
use sansim_schema::quantities::Count;
use sansim_schema::table;

table! {
    /// The block with the fewest valid pages of some drawn at random.
    #[derive(Copy, Eq)]
    pub struct RandomGreedyParameters {
        /// How many are drawn.
        choices: u32 = Count::<u32>::between(1, 10_000), default "10", source "Van Houdt 2013: close to greedy from 10 on";
    }
}

/// The victim policy that collects the block with the fewest valid pages among some blocks drawn at random.
#[derive(Clone, Debug)]
pub struct RandomGreedy {
    choices: u32,
    units: u32,
    /// The full blocks that have an invalid unit.
    candidates: Vec<u32>,
}

impl RandomGreedy {
    /// The policy for a plane of `blocks` blocks with `units` units each.
    pub fn new(parameters: &RandomGreedyParameters, blocks: u32, units: u32) -> Self {
        Self { choices: parameters.choices, units, candidates: Vec::with_capacity(blocks as usize) }
    }
}

impl VictimPolicy for RandomGreedy {
    fn filled(&mut self, block: u32, valid: u32) {
        if valid < self.units {
            self.candidates.push(block);
        }
    }

    fn invalidated(&mut self, block: u32, valid: u32) {
        // The unit is the first of the block that became invalid.
        if valid + 1 == self.units {
            self.candidates.push(block);
        }
    }

    fn take(&mut self, of: impl Fn(u32) -> FullBlock, random: &mut RandomStream) -> Option<u32> {
        if self.candidates.is_empty() {
            return None;
        }
        let draws = (0..self.choices).map(|_| random.draw_below(self.candidates.len() as u64) as usize);
        let place = draws.min_by_key(|place| of(self.candidates[*place]).valid)?;
        Some(self.candidates.swap_remove(place))
    }
}
