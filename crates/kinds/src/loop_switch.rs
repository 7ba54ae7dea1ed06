//! A loop switch.

use sansim_component::compound::{Compound, Joins, Reference};
use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_fc::loop_switch::LoopSwitchParameters;
use sansim_network::LoopSwitch;

use crate::{Member, Part};

impl Compound<Part> for LoopSwitchParameters {
    fn member(&self) -> Member {
        Member::of::<LoopSwitch>(self.clone())
    }

    fn references(&self) -> Vec<Reference<'_>> {
        vec![Reference { key: "stations", names: &self.on.stations, joins: Joins::Stations }]
    }

    fn network(&self) -> Option<&LoopParameters> {
        Some(&self.on)
    }

    fn needs_no_login_credit(&self) -> bool {
        true
    }
}
