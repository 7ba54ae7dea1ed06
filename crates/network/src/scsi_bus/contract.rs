//! What a parallel SCSI bus says of itself.

use super::ids;
use super::parameters::ScsiBusParameters;
use crate::contract::{AddressFault, AttachedNode, Network};
use sansim_describe::context::Context as Facts;
use sansim_kernel::Span;
use sansim_pdu::Address;

impl Network for ScsiBusParameters {
    fn stations(&self) -> &[String] {
        &self.stations
    }

    fn facts(&self) -> Facts {
        self.context()
    }

    fn word_time(&self) -> Span {
        ScsiBusParameters::word_time(self)
    }

    fn takes_whole_sequences(&self) -> bool {
        true
    }

    fn addresses(&self, nodes: &[AttachedNode<'_>]) -> Result<Vec<Address>, Vec<AddressFault>> {
        ids::give(self, nodes).map_err(|why| vec![AddressFault::Nodes(why)])
    }
}
