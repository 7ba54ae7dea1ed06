//! The description of a parallel SCSI bus as a network.

use crate::contract::{AddressFault, AttachedNode, Network, NetworkPortRole};
use sansim_component::UnitTransport;
use sansim_fc::delay::WordTime;
use sansim_kernel::Span;
use sansim_pdu::Address;
use sansim_schema::context::Facts;
use sansim_scsi::{ScsiBusParameters, ids};

impl Network for ScsiBusParameters {
    fn stations(&self) -> &[String] {
        &self.stations
    }

    fn facts(&self) -> Facts {
        Facts::default().with_fact(WordTime(self.word_time()))
    }

    fn word_time(&self) -> Span {
        ScsiBusParameters::word_time(self)
    }

    fn transport(&self) -> UnitTransport {
        UnitTransport::Sequences(Network::word_time(self))
    }

    fn addresses(&self, nodes: &[AttachedNode<'_>]) -> Result<Vec<Address>, Vec<AddressFault>> {
        let initiates: Vec<bool> = nodes.iter().map(|node| node.side == NetworkPortRole::Initiator).collect();
        ids::assign_addresses(self, &initiates).map_err(|why| vec![AddressFault::Nodes(why)])
    }
}
