//! A loop. Its keys are those of the loop itself.

use sansim_component::compound::{Compound, Joins, Reference};
use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_network::Loop;

use crate::{Member, Part};

impl Compound<Part> for LoopParameters {
    fn member(&self) -> Member {
        Member::of::<Loop>(self.clone())
    }

    fn references(&self) -> Vec<Reference<'_>> {
        vec![Reference { key: "stations", names: &self.stations, joins: Joins::Stations }]
    }

    fn network(&self) -> Option<&LoopParameters> {
        Some(self)
    }
}
