//! A loop. Its keys are those of the loop itself.

use sansim_fc::arbitrated_loop::LoopParameters;

use crate::compound::{Compound, Joins, Member, Reference};
use crate::part::Part;

impl Compound for LoopParameters {
    fn member(&self) -> Member {
        Member::of(Part::ArbitratedLoop(self.clone()))
    }

    fn references(&self) -> Vec<Reference<'_>> {
        vec![Reference { key: "stations", names: &self.stations, joins: Joins::Stations }]
    }

    fn network(&self) -> Option<&LoopParameters> {
        Some(self)
    }
}
