//! The description of a fabric as a network.

use super::spec;
use crate::contract::{
    AddressFault, AttachedNode, CrossingPortEnd, InnerLinkEnd, InnerPort, Network, NetworkDrawing,
    NetworkPortRole,
};
use sansim_component::component_kind::EventAction;
use sansim_fabric::class_2::ServiceClass;
use sansim_fabric::layout::{LinkEndDevice, failable_parts, ports::SwitchPort, trunks::trunk_lead_ports};
use sansim_fabric::{FabricLayout, FabricParameters, zone};
use sansim_fc::address::F_PORT;
use sansim_fc::cable::CableMedium;
use sansim_fc::loop_port::PortParameters;
use sansim_fc::speed::Speed;
use sansim_kernel::Span;
use sansim_pdu::Address;
use sansim_schema::context::Facts;

impl Network for FabricParameters {
    fn stations(&self) -> &[String] {
        &self.stations
    }

    fn facts(&self) -> Facts {
        self.facts()
    }

    fn word_time(&self) -> Span {
        FabricParameters::word_time(self)
    }

    fn largest_units(&self) -> Option<[u64; 2]> {
        let data = self.switch.buffer_size;
        Some([data, self.switch.control.control_buffer_bytes(data)])
    }

    fn carries_ip(&self) -> bool {
        true
    }

    /// A stopped message is in words that a copy would not know.
    fn carries_multicast(&self) -> bool {
        !self.switch.control.control_preempts()
    }

    fn crossing(&self) -> Option<CrossingPortEnd> {
        Some(CrossingPortEnd::OnFabric)
    }

    fn cables(&self) -> Option<(CableMedium, Speed)> {
        Some((self.medium, self.speed))
    }

    fn port_keys(&self) -> Vec<&'static str> {
        PortParameters::OF_FABRICS.to_vec()
    }

    fn addresses(&self, nodes: &[AttachedNode<'_>]) -> Result<Vec<Address>, Vec<AddressFault>> {
        let crossing = nodes.iter().find(|node| node.side == NetworkPortRole::Crossing);
        if let (ServiceClass::Class2, Some(crossing)) = (self.class, crossing) {
            return Err(vec![AddressFault::Nodes(format!(
                "in class 2 the ports of a loop would acknowledge frames, and those behind `{}` do not; use class = \"class-3\"",
                crossing.listed
            ))]);
        }
        let layout = layout(self, nodes).map_err(|why| vec![AddressFault::Nodes(why)])?;
        Ok(layout.nodes.iter().map(|node| node.address).collect())
    }

    fn may_talk(&self, one: &[&str; 2], other: &[&str; 2]) -> bool {
        zone::share_a_zone(&self.zones, one, other)
    }

    fn zoned(&self) -> Vec<(String, &[String])> {
        let zones = self.zones.iter().map(|zone| ("zones", &zone.name, &zone.described.members));
        let slow = self.slow.iter().map(|slow| ("slow", &slow.name, &slow.described.members));
        let limits = self.limits.iter().map(|limit| ("limits", &limit.name, &limit.described.members));
        let all = zones.chain(slow).chain(limits);
        all.map(|(table, name, members)| (format!("{table}.{name}.members"), &members[..])).collect()
    }

    fn inner_ports(&self, nodes: &[AttachedNode<'_>]) -> Vec<InnerPort> {
        // An impossible layout was already reported with the addresses.
        inner_ports_of(&layout(self, nodes).unwrap_or_default(), &failable_parts(self), F_PORT)
    }

    /// An action on the whole fabric is for all its switches at once.
    fn actions(&self) -> &'static [EventAction] {
        &[EventAction::Fail, EventAction::Repair]
    }

    fn nodes_change() -> bool {
        true
    }

    fn changing_port_keys(&self) -> &'static [&'static str] {
        &["cable"]
    }

    fn link_groups(&self, nodes: &[AttachedNode<'_>]) -> Vec<u32> {
        // An impossible layout was already reported with the addresses.
        trunk_lead_ports(&layout(self, nodes).unwrap_or_default(), self.switch.trunks)
    }

    fn change_fault(
        &self,
        nodes: &[AttachedNode<'_>],
        before: (&dyn Network, &[AttachedNode<'_>]),
    ) -> Option<&'static str> {
        if self.switch.control.control_preempts() {
            return Some("the words of a stopped message would come in at two lengths of a cable");
        }
        (self.link_groups(nodes) != before.0.link_groups(before.1))
            .then_some("the links of a trunk would no longer have one speed and one length")
    }

    /// The names of the parts that can fail: the switches, then the links between them, in the order of their numbers.
    fn fallible(&self) -> Vec<String> {
        failable_parts(self)
    }

    /// The domain of an address is the number of its switch, from 1. Links between switches, and switches without an end of a path, are not
    /// counted among the parts that a path needs: a fabric finds another path by itself, or loses the frames.
    fn at(&self, address: Address) -> Option<usize> {
        (address.value() as usize >> 16).checked_sub(1)
    }

    fn drawn() -> NetworkDrawing {
        NetworkDrawing::Places
    }

    fn second() -> Option<&'static str> {
        Some("fabric")
    }
}

fn layout(parameters: &FabricParameters, nodes: &[AttachedNode<'_>]) -> Result<FabricLayout, String> {
    let specs: Vec<_> = nodes.iter().map(|node| spec(node.listed, node.port)).collect();
    FabricLayout::distribute_nodes(parameters, &specs)
}

/// The ports of the switches of a layout, whose switches and links have these names, and which have this address.
pub(crate) fn inner_ports_of(layout: &FabricLayout, things: &[String], address: Address) -> Vec<InnerPort> {
    let switch = |number: u16| things[usize::from(number)].clone();
    let port = |port: SwitchPort| InnerPort {
        place: switch(port.switch),
        number: port.number,
        link: things.get(layout.switches.len() + port.link).cloned(),
        first_end: port.first_end,
        address,
        leads_to: match port.to {
            LinkEndDevice::Switch(other) => InnerLinkEnd::Place(switch(other)),
            LinkEndDevice::Node(node) => InnerLinkEnd::Node(node.into()),
        },
        rules: port.rules,
    };
    layout.switch_ports().into_iter().map(port).collect()
}
