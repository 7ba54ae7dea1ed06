//! A loop. Its keys are those of the loop itself; `fidelity` says which of two parts it becomes.

use sansim_component::compound::{Compound, Joins, Reference};
use sansim_fc::arbitrated_loop::{Fidelity, LoopParameters};
use sansim_network::{CircuitLoop, Loop};

use crate::{Member, Part};

impl Compound<Part> for LoopParameters {
    fn member(&self) -> Member {
        match self.fidelity {
            Fidelity::Words => Member::of::<Loop>(self.clone()),
            Fidelity::Circuit => Member::of::<CircuitLoop>(self.clone()),
        }
    }

    fn references(&self) -> Vec<Reference<'_>> {
        vec![Reference { key: "stations", names: &self.stations, joins: Joins::Stations }]
    }

    fn network(&self) -> Option<&LoopParameters> {
        Some(self)
    }
}
