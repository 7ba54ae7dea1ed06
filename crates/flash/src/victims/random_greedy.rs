//! The block with the fewest valid pages among `choices` full blocks drawn at random, with replacement. Only blocks with invalid pages are drawn.
//!
//! Source: Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state drives", SIGMETRICS
//! 2013 (d-choices); MQSim calls it RGA. Van Houdt's model draws of all blocks, MQSim too, and collects nothing then if the best of them has
//! nothing invalid, until the next block is opened; here it draws of those with something invalid, so it always finds a victim if there is
//! one. Under uniform writes hardly any block has nothing invalid, and the two are the same.

use super::VictimPolicy;
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

/// See the text at the top of this file.
#[derive(Clone, Debug)]
pub struct RandomGreedy {
    choices: u32,
    units: u32,
    /// Full blocks in which something is invalid.
    candidates: Vec<u32>,
}

impl RandomGreedy {
    /// For a plane of so many blocks of so many units.
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
        // The first unit of it that holds nothing any more.
        if valid + 1 == self.units {
            self.candidates.push(block);
        }
    }

    fn take(&mut self, valid: impl Fn(u32) -> u32, random: &mut RandomStream) -> Option<u32> {
        if self.candidates.is_empty() {
            return None;
        }
        let draws = (0..self.choices).map(|_| random.below(self.candidates.len() as u64) as usize);
        let place = draws.min_by_key(|place| valid(self.candidates[*place]))?;
        Some(self.candidates.swap_remove(place))
    }
}
