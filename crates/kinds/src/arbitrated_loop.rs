//! A loop. Its keys are those of the loop itself.

use sansim_component::compound::{Compound, Joins, NetworkKeys, Reference};
use sansim_component::network::Carrier;
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

    fn network(&self) -> Option<NetworkKeys<'_>> {
        Some(keys(self, carrier(self)))
    }
}

/// What a loop, or what is described like one, was told of itself.
pub(crate) fn keys(parameters: &LoopParameters, carrier: Carrier) -> NetworkKeys<'_> {
    NetworkKeys {
        carrier,
        stations: &parameters.stations,
        context: parameters.context(),
        enclosures: &parameters.enclosures,
    }
}

/// What others ask about a loop.
pub(crate) fn carrier(parameters: &LoopParameters) -> Carrier {
    Carrier {
        word: parameters.word_time(),
        speed: parameters.speed,
        medium: parameters.medium,
        buffer_sizes: None,
        whole_sequences: false,
        keeps_frames: true,
        one_circuit: true,
        is_fabric: false,
        is_loop: true,
    }
}
