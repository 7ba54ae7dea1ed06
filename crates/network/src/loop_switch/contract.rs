//! The description of a loop switch: it is the description of a loop, except that a loop switch has no memory for frames and joins
//! two ports at a time.

use crate::contract::{AddressFault, AttachedNode, Network, NetworkDrawing};
use sansim_component::{NetworkNode, PortKeys};
use sansim_fc::cable::CableMedium;
use sansim_fc::enclosure::EnclosureParameters;
use sansim_fc::loop_switch::LoopSwitchParameters;
use sansim_fc::speed::Speed;
use sansim_kernel::Span;
use sansim_pdu::Address;
use sansim_schema::context::Facts;
use sansim_schema::table::NamedValue;

impl Network for LoopSwitchParameters {
    fn stations(&self) -> &[String] {
        self.on.stations()
    }

    fn facts(&self) -> Facts {
        self.on.facts()
    }

    fn word_time(&self) -> Span {
        self.on.word_time()
    }

    fn keeps_frames(&self) -> bool {
        false
    }

    fn carries_ip(&self) -> bool {
        self.on.carries_ip()
    }

    fn cables(&self) -> Option<(CableMedium, Speed)> {
        self.on.cables()
    }

    fn port_keys(&self) -> Vec<&'static str> {
        self.on.port_keys()
    }

    fn arbitrates(&self) -> bool {
        true
    }

    fn has_own_rules(&self, port: &PortKeys) -> bool {
        self.on.has_own_rules(port)
    }

    fn is_fair_to(&self, nodes: &[NetworkNode]) -> bool {
        self.on.is_fair_to(nodes)
    }

    fn has_repeaters(&self) -> bool {
        true
    }

    fn most_ports(&self) -> Option<usize> {
        self.on.most_ports()
    }

    fn addresses(&self, nodes: &[AttachedNode<'_>]) -> Result<Vec<Address>, Vec<AddressFault>> {
        self.on.addresses(nodes)
    }

    fn written(&self, address: Address) -> String {
        self.on.written(address)
    }

    fn order(&self) -> &'static str {
        self.on.order()
    }

    fn enclosures(&self) -> &[NamedValue<EnclosureParameters>] {
        &self.on.enclosures
    }

    fn switch_of(&self, station: &str) -> usize {
        LoopSwitchParameters::switch_of(self, station)
    }

    fn cascaded(&self, name: &str) -> Option<usize> {
        self.cascaded.iter().position(|switch| switch.name == name).map(|place| place + 1)
    }

    fn interruption(&self) -> Span {
        self.interruption
    }

    fn drawn() -> NetworkDrawing {
        NetworkDrawing::Ring
    }

    fn second() -> Option<&'static str> {
        Some("loop switch")
    }
}
