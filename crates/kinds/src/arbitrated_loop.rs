//! A loop. Its keys are those of the loop itself; `fidelity` says which of two parts it becomes.

use sansim_component::compound::{Compound, Joins, NetworkKeys, Reference};
use sansim_component::network::{Carrier, Sequences};
use sansim_fc::arbitrated_loop::{Fidelity, LoopParameters};
use sansim_fc::frame::OVERHEAD_WORDS;
use sansim_fc::loop_port::signalling::FRAME_GAP;
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
        whole_sequences: (parameters.fidelity == Fidelity::Circuit)
            .then_some(Sequences { words_beside: OVERHEAD_WORDS + FRAME_GAP }),
        keeps_frames: true,
        one_circuit: true,
        is_fabric: false,
        is_loop: true,
    }
}
