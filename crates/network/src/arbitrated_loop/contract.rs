//! The description of a loop, and the AL_PAs of its ports.
//!
//! Addresses that are not given are assigned in this order: AL_PA 01 to EF to the initiators, then to the targets, then to the passive
//! ports, each in the order of the loop, leaving out addresses that are given. Address 00, the address of a fabric's port, is assigned
//! first if the loop has 127 ports, and is otherwise used only by an FL_Port.

use crate::contract::{
    AddressFault, AttachedNode, CrossingPortEnd, Network, NetworkDrawing, NetworkPortRole, RingHop,
};
use crate::stations::fc_port_keys;
use sansim_component::component_kind::EventAction;
use sansim_component::{NetworkNode, PortKeys};
use sansim_fc::address::FcAddress;
use sansim_fc::al_pa::{AlPa, AlPaChoice};
use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_fc::cable::CableMedium;
use sansim_fc::class_2::ServiceClass;
use sansim_fc::enclosure::EnclosureParameters;
use sansim_fc::loop_port::{LoopSharing, PortParameters};
use sansim_fc::speed::Speed;
use sansim_kernel::Span;
use sansim_pdu::Address;
use sansim_schema::context::Facts;
use sansim_schema::table::{NamedValue, Tabular};
use std::collections::BTreeMap;

impl Network for LoopParameters {
    fn stations(&self) -> &[String] {
        &self.stations
    }

    fn facts(&self) -> Facts {
        self.facts()
    }

    fn word_time(&self) -> Span {
        LoopParameters::word_time(self)
    }

    fn carries_ip(&self) -> bool {
        true
    }

    fn crossing(&self) -> Option<CrossingPortEnd> {
        Some(CrossingPortEnd::OnLoop)
    }

    fn cables(&self) -> Option<(CableMedium, Speed)> {
        Some((self.medium, self.speed))
    }

    fn port_keys(&self) -> Vec<&'static str> {
        PortParameters::keys()
    }

    fn arbitrates(&self) -> bool {
        true
    }

    fn is_fair_to(&self, nodes: &[NetworkNode]) -> bool {
        let is_fair = |node: &NetworkNode| {
            node.side == NetworkPortRole::Initiator
                && fc_port_keys(&node.port).schedule.schedule == LoopSharing::Fair
        };
        nodes.iter().any(is_fair)
    }

    fn has_own_rules(&self, port: &PortKeys) -> bool {
        fc_port_keys(port).schedule.has_own_rules()
    }

    fn has_repeaters(&self) -> bool {
        true
    }

    fn actions(&self) -> &'static [EventAction] {
        &[EventAction::Initialise]
    }

    fn nodes_change() -> bool {
        true
    }

    fn changing_port_keys(&self) -> &'static [&'static str] {
        &[
            "cable",
            "schedule",
            "command_first_queue",
            "command_first_arbitration",
            "command_first_preemption",
            "command_first_closes_opened",
        ]
    }

    fn most_ports(&self) -> Option<usize> {
        Some(AlPa::COUNT)
    }

    fn addresses(&self, nodes: &[AttachedNode<'_>]) -> Result<Vec<Address>, Vec<AddressFault>> {
        if self.class == ServiceClass::Class2 {
            class_2_fault(nodes).map_or(Ok(()), |why| Err(vec![AddressFault::Nodes(why)]))?;
        }
        al_pas(nodes)
    }

    fn below(&self, own: Address, above: Address) -> Option<Address> {
        // The port of a switch has a domain and an area; a port of a link without switches has none.
        (above.area() != 0).then(|| above.on_loop(own.port()))
    }

    fn written(&self, address: Address) -> String {
        // An address of a loop at a fabric has the address of the loop's switch port before the AL_PA.
        if address.area() == 0 {
            AlPa::from_network_address(address).to_string()
        } else {
            address.to_string()
        }
    }

    fn order(&self) -> &'static str {
        "loop"
    }

    fn enclosures(&self) -> &[NamedValue<EnclosureParameters>] {
        &self.enclosures
    }

    fn ring(&self, nodes: &[AttachedNode<'_>]) -> Vec<RingHop> {
        fn port<'a>(node: &AttachedNode<'a>) -> &'a PortParameters {
            &fc_port_keys(node.port).port
        }
        let next = nodes.iter().cycle().skip(1);
        let hop = |(one, next)| {
            let cable = self.propagation.propagation_time(port(one).cable);
            RingHop { cable, delay: cable + port(next).delay.span }
        };
        nodes.iter().zip(next).map(hop).collect()
    }

    fn drawn() -> NetworkDrawing {
        NetworkDrawing::Ring
    }

    fn second() -> Option<&'static str> {
        Some("loop")
    }
}

/// Why these ports cannot send in class 2, if they cannot.
fn class_2_fault(nodes: &[AttachedNode<'_>]) -> Option<String> {
    nodes.iter().find_map(|node| {
        if node.side == NetworkPortRole::Crossing {
            return Some(format!(
                "in class 2 the nodes of the fabric would acknowledge frames, and those behind `{}` do not; use class = \"class-3\"",
                node.listed
            ));
        }
        fc_port_keys(node.port).port.dynamic_half_duplex.then(|| {
            format!(
                "in class 2 `{}` cannot have dynamic_half_duplex: behind DHD the opener sends no frame more, and so no ACK; use class = \"class-3\"",
                node.listed
            )
        })
    })
}

/// The addresses of the nodes of a loop.
fn al_pas(nodes: &[AttachedNode<'_>]) -> Result<Vec<Address>, Vec<AddressFault>> {
    let mut faults = Vec::new();
    let mut given: BTreeMap<AlPa, (usize, usize)> = BTreeMap::new();
    let mut addresses: Vec<Option<AlPa>> = Vec::with_capacity(nodes.len());
    for members in nodes.chunk_by(|one, other| one.station == other.station) {
        let AttachedNode { station, side, port, .. } = members[0];
        let fl_port = [AlPa::FABRIC];
        let these = match (side, &fc_port_keys(port).port.al_pa) {
            (NetworkPortRole::Crossing, _) => &fl_port[..],
            (_, AlPaChoice::These(these)) => these,
            (_, AlPaChoice::Auto) => {
                addresses.extend(members.iter().map(|_| None));
                continue;
            }
        };
        if these.len() != members.len() {
            faults.push(AddressFault::Number { station, given: these.len(), needed: members.len() });
        }
        for (number, &address) in these.iter().enumerate() {
            let first = *given.entry(address).or_insert((station, number));
            if first != (station, number) {
                let address = address.to_string();
                faults.push(AddressFault::Twice { address, again: (station, number), first });
            }
        }
        addresses.extend((0..members.len()).map(|number| these.get(number).copied()));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let from = if nodes.len() == AlPa::COUNT { 0 } else { 1 };
    let mut free = AlPa::all_addresses()
        .filter(|address| address.address_byte() >= from && !given.contains_key(address));
    let mut by_side: Vec<usize> = (0..nodes.len()).collect();
    by_side.sort_by_key(|&node| nodes[node].side);
    for node in by_side {
        addresses[node] = addresses[node].or_else(|| free.next());
    }
    Ok(addresses.into_iter().flatten().map(AlPa::address).collect())
}
