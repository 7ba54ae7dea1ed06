//! A loop switch.

use sansim_component::compound::{Compound, Joins, NetworkKeys, Reference};
use sansim_component::network::Carrier;
use sansim_fc::loop_switch::LoopSwitchParameters;
use sansim_network::LoopSwitch;

use crate::{Member, Part, arbitrated_loop};

impl Compound<Part> for LoopSwitchParameters {
    fn member(&self) -> Member {
        Member::of::<LoopSwitch>(self.clone())
    }

    fn references(&self) -> Vec<Reference<'_>> {
        vec![Reference { key: "stations", names: &self.on.stations, joins: Joins::Stations }]
    }

    fn network(&self) -> Option<NetworkKeys<'_>> {
        Some(arbitrated_loop::keys(&self.on, carrier(self)))
    }
}

/// What others ask about a loop switch.
pub(crate) fn carrier(parameters: &LoopSwitchParameters) -> Carrier {
    Carrier { keeps_frames: false, one_circuit: false, ..arbitrated_loop::carrier(&parameters.on) }
}
