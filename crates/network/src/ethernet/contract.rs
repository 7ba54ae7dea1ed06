//! The description of an Ethernet as a network.

use super::{EthernetParameters, EthernetTransport, MOST_NODES};
use crate::contract::{AddressFault, AttachedNode, InnerPort, Network, NetworkDrawing, NodeSoftware};
use crate::fabric::contract::inner_ports_of;
use crate::tcp::{node_address, software_of};
use sansim_component::UnitTransport;
use sansim_component::component_kind::EventAction;
use sansim_fabric::ethernet::EthernetSwitches;
use sansim_fabric::layout::failable_parts;
use sansim_fc::delay::WordTime;
use sansim_kernel::Span;
use sansim_pdu::Address;
use sansim_schema::context::Facts;

impl Network for EthernetParameters {
    fn stations(&self) -> &[String] {
        &self.stations
    }

    fn facts(&self) -> Facts {
        Facts::default().with_fact(WordTime(self.word_time()))
    }

    fn transport(&self) -> UnitTransport {
        match self.transport {
            EthernetTransport::Tcp => UnitTransport::Stream,
            EthernetTransport::Rdma => UnitTransport::Rdma,
        }
    }

    fn unit_header_key(&self) -> Option<&'static str> {
        (self.transport == EthernetTransport::Tcp && self.tcp.message_header > 0)
            .then_some("tcp.message_header")
    }

    fn word_time(&self) -> Span {
        Span::to_move(4, self.speed.bytes_per_second())
    }

    fn most_ports(&self) -> Option<usize> {
        Some(MOST_NODES)
    }

    fn software(&self, listed: &str) -> Option<NodeSoftware> {
        if self.transport == EthernetTransport::Rdma {
            return None;
        }
        software_of(&self.stacks, listed)
    }

    fn zoned(&self) -> Vec<(String, &[String])> {
        let stacks = self.stacks.iter().map(|one| ("stacks", &one.name, &one.described.members));
        let classes = self.classes.iter().map(|one| ("classes", &one.name, &one.described.members));
        let slow = self.slow.iter().map(|one| ("slow", &one.name, &one.described.members));
        let all = stacks.chain(classes).chain(slow);
        all.map(|(table, name, members)| (format!("{table}.{name}.members"), &members[..])).collect()
    }

    fn inner_ports(&self, nodes: &[AttachedNode<'_>]) -> Vec<InnerPort> {
        let stations: Vec<&str> = nodes.iter().map(|node| node.listed).collect();
        // An impossible layout was already reported with the addresses.
        let (layout, _) = self.layout(&stations).unwrap_or_default();
        inner_ports_of(&layout, &failable_parts(self), node_address(nodes.len()))
    }

    /// An action on the whole network is for all its switches at once.
    fn actions(&self) -> &'static [EventAction] {
        &[EventAction::Fail, EventAction::Repair]
    }

    /// The names of the parts that can fail: the switches, then the links between them, in the order of their numbers.
    fn fallible(&self) -> Vec<String> {
        failable_parts(self)
    }

    fn drawn() -> NetworkDrawing {
        NetworkDrawing::Places
    }

    fn addresses(&self, nodes: &[AttachedNode<'_>]) -> Result<Vec<Address>, Vec<AddressFault>> {
        let stations: Vec<&str> = nodes.iter().map(|node| node.listed).collect();
        let fault = |why| vec![AddressFault::Nodes(why)];
        self.layout(&stations).map_err(fault)?;
        if let Some(buffer) = self.switch.buffer {
            let set_aside = EthernetSwitches::set_aside_bytes(&self.plan_of(&stations));
            let most = buffer.saturating_sub(self.mtu + self.frame_overhead);
            if set_aside > most {
                return Err(fault(format!(
                    "lossless classes need {set_aside} bytes of the memory of a switch, which has {buffer}: at each port `pause_above` and `headroom` for each of \
                     them; write a larger switch.buffer, or a smaller pause_above"
                )));
            }
        }
        Ok((0..nodes.len()).map(node_address).collect())
    }
}
