//! The description of PCI Express as a network.

use super::PcieParameters;
use crate::contract::{AddressFault, AttachedNode, Network, NetworkPortRole};
use sansim_component::UnitTransport;
use sansim_fc::delay::WordTime;
use sansim_kernel::Span;
use sansim_pdu::Address;
use sansim_schema::context::Facts;

/// The most ports of the network: as many devices as there are bus numbers. Source: PCI Express Base 1.0a.
const MOST_PORTS: usize = 256;

impl Network for PcieParameters {
    fn stations(&self) -> &[String] {
        &self.stations
    }

    fn facts(&self) -> Facts {
        Facts::default().with_fact(WordTime(Network::word_time(self)))
    }

    /// The time of four bytes on a link.
    fn word_time(&self) -> Span {
        Span::to_move(4, self.link_rate())
    }

    fn transport(&self) -> UnitTransport {
        UnitTransport::Transactions(Network::word_time(self))
    }

    fn most_ports(&self) -> Option<usize> {
        Some(MOST_PORTS)
    }

    /// A tree of links has one root.
    fn addresses(&self, nodes: &[AttachedNode<'_>]) -> Result<Vec<Address>, Vec<AddressFault>> {
        let roots = nodes.iter().filter(|node| node.side == NetworkPortRole::Initiator).count();
        if roots > 1 {
            let why = format!("one host is at the root of PCI Express, and here are {roots}");
            return Err(vec![AddressFault::Nodes(why)]);
        }
        Ok((1..).map(Address::new).take(nodes.len()).collect())
    }
}
