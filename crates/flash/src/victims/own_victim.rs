//! The victim is chosen by a rule of the user, among the full blocks that have an invalid unit.

use super::{FullBlock, VictimPolicy};
use sansim_kernel::RandomStream;
use sansim_rules::rules_of_run::now_ns;
use sansim_rules::{Decider, OwnRule};
use sansim_schema::decision;
use sansim_schema::decision::{Decision, as_feature};

decision! {
    /// The choice of the block of a plane that garbage collection takes next.
    pub static VICTIM = "victim";
    /// The plane.
    common VictimCircumstances {
        /// Blocks of the plane that have been filled up to now.
        filled: "",
        /// Number of units of a block.
        units: "",
    }
    /// A full block with an invalid unit; blocks are in the order in which they were filled.
    each VictimFeatures {
        /// Number of the block within the plane.
        block: "",
        /// Units that are valid, which have to be copied.
        valid: "",
        /// Units that are invalid, whose space is gained.
        invalid: "",
        /// Blocks of the plane that have been filled since this one.
        age: "",
        /// Times that the block was erased.
        erases: "",
    }
    window Decision::ALL_CANDIDATES, order "those that were filled longest ago", source "ours: the fewest valid units may be in any block";
}

/// The victim policy of a rule of the user.
#[derive(Clone, Debug)]
pub struct OwnVictim {
    decider: Decider,
    units: u32,
    /// The full blocks in the order in which they were filled, each with the blocks that had been filled before.
    full: Vec<(u32, u64)>,
    filled: u64,
    /// The places in `full` of the candidates.
    places: Vec<usize>,
}

impl OwnVictim {
    /// The policy for a plane of `blocks` blocks with `units` units each.
    pub fn new(rule: &OwnRule, blocks: u32, units: u32) -> Self {
        Self {
            decider: Decider::from(rule.clone()),
            units,
            full: Vec::with_capacity(blocks as usize),
            filled: 0,
            places: Vec::with_capacity(blocks as usize),
        }
    }
}

impl VictimPolicy for OwnVictim {
    fn filled(&mut self, block: u32, _: u32) {
        self.full.push((block, self.filled));
        self.filled += 1;
    }

    fn invalidated(&mut self, _: u32, _: u32) {}

    fn take(&mut self, of: impl Fn(u32) -> FullBlock, _: &mut RandomStream) -> Option<u32> {
        let circumstances = VictimCircumstances { filled: as_feature(self.filled), units: self.units.into() };
        let window = self.decider.window();
        let view = self.decider.view();
        view.begin(&circumstances.values());
        self.places.clear();
        for (place, &(block, before)) in self.full.iter().enumerate() {
            let FullBlock { valid, erases } = of(block);
            if valid == self.units {
                continue;
            }
            if self.places.len() == window {
                break;
            }
            self.places.push(place);
            let features = VictimFeatures {
                block: block.into(),
                valid: valid.into(),
                invalid: (self.units - valid).into(),
                age: as_feature(self.filled - 1 - before),
                erases: erases.into(),
            };
            view.add_candidate(&features.values());
        }
        if self.places.is_empty() {
            return None;
        }
        let place = self.decider.choose(now_ns());
        Some(self.full.remove(self.places[place]).0)
    }
}
