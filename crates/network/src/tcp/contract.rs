//! The description of a network with TCP as a network.

use super::node_address;
use crate::contract::{AddressFault, AttachedNode, Network, NodeSoftware};
use crate::ethernet::MOST_NODES;
use sansim_component::UnitTransport;
use sansim_fc::delay::WordTime;
use sansim_kernel::Span;
use sansim_pdu::Address;
use sansim_schema::context::Facts;
use sansim_schema::table::NamedValue;
use sansim_tcp::{SoftwareCostKeys, TcpParameters};

impl Network for TcpParameters {
    fn stations(&self) -> &[String] {
        &self.stations
    }

    fn facts(&self) -> Facts {
        Facts::default().with_fact(WordTime(self.word_time()))
    }

    fn transport(&self) -> UnitTransport {
        UnitTransport::Stream
    }

    fn unit_header_key(&self) -> Option<&'static str> {
        (self.connections.message_header > 0).then_some("message_header")
    }

    fn word_time(&self) -> Span {
        TcpParameters::word_time(self)
    }

    fn most_ports(&self) -> Option<usize> {
        Some(MOST_NODES)
    }

    fn software(&self, listed: &str) -> Option<NodeSoftware> {
        software_of(&self.stacks, listed)
    }

    fn zoned(&self) -> Vec<(String, &[String])> {
        let stacks = self.stacks.iter();
        stacks.map(|stack| (format!("stacks.{}.members", stack.name), &stack.described.members[..])).collect()
    }

    fn addresses(&self, nodes: &[AttachedNode<'_>]) -> Result<Vec<Address>, Vec<AddressFault>> {
        Ok((0..nodes.len()).map(node_address).collect())
    }
}

/// The work of TCP at a node, by its name in `stations`; none if its software takes no time.
pub(crate) fn software_of(stacks: &[NamedValue<SoftwareCostKeys>], listed: &str) -> Option<NodeSoftware> {
    let of_node =
        |stack: &&NamedValue<SoftwareCostKeys>| stack.described.members.iter().any(|member| member == listed);
    let stack = stacks.iter().find(of_node).filter(|stack| stack.described.takes_processor_time())?;
    let key = |key: &str| format!("stacks.{}.{key}", stack.name);
    Some(NodeSoftware {
        speed_mhz: stack.described.speed_mhz,
        speed_key: key("speed_mhz"),
        interrupts: stack.described.interrupt_key().map(key),
    })
}
