//! A parallel SCSI bus.

use sansim_component::compound::{Compound, Joins, NetworkKeys, Reference, StandsAt};
use sansim_component::network::Carrier;
use sansim_fc::address::Address;
use sansim_fc::cable::Medium;
use sansim_fc::speed::Speed;
use sansim_network::ScsiBus;
use sansim_network::scsi_bus::{ScsiBusParameters, ids};

use crate::{Member, Part};

impl Compound<Part> for ScsiBusParameters {
    fn member(&self) -> Member {
        Member::of::<ScsiBus>(self.clone())
    }

    fn references(&self) -> Vec<Reference<'_>> {
        vec![Reference { key: "stations", names: &self.stations, joins: Joins::Stations }]
    }

    fn network(&self) -> Option<NetworkKeys<'_>> {
        Some(NetworkKeys {
            carrier: carrier(self),
            stations: &self.stations,
            context: self.context(),
            enclosures: &[],
        })
    }

    fn addresses(&self, nodes: &[StandsAt<'_>]) -> Result<Vec<Address>, String> {
        ids::give(self, nodes)
    }
}

/// What others ask about a SCSI bus. Cables have no length here, so speed and medium of a link of Fibre Channel are those that nothing is warned of.
pub(crate) fn carrier(parameters: &ScsiBusParameters) -> Carrier {
    Carrier {
        word: parameters.word_time(),
        speed: Speed::G1,
        medium: Medium::Extended,
        whole_sequences: true,
        buffer_sizes: None,
        keeps_frames: true,
        one_circuit: true,
        is_fabric: false,
        is_loop: false,
    }
}
