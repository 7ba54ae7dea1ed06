//! A fabric. Its keys are those of the fabric itself.

use sansim_component::compound::{
    Action, Compound, InnerPort, Joins, LeadsTo, NetworkKeys, Reference, Side, StandsAt,
};
use sansim_component::network::Carrier;
use sansim_fabric::class_2::Class;
use sansim_fabric::layout::At;
use sansim_fabric::{FabricParameters, Layout};
use sansim_fc::address::Address;
use sansim_network::Fabric;
use sansim_network::fabric::spec;

use crate::{Member, Part};

impl Compound<Part> for FabricParameters {
    fn member(&self) -> Member {
        Member::of::<Fabric>(self.clone())
    }

    fn references(&self) -> Vec<Reference<'_>> {
        vec![Reference { key: "stations", names: &self.stations, joins: Joins::Stations }]
    }

    fn network(&self) -> Option<NetworkKeys<'_>> {
        let stations = &self.stations;
        Some(NetworkKeys { carrier: carrier(self), stations, context: self.context(), enclosures: &[] })
    }

    fn may_talk(&self, one: &[&str; 2], other: &[&str; 2]) -> bool {
        sansim_fabric::zone::may_talk(&self.zones, one, other)
    }

    fn zoned(&self) -> Vec<(String, &[String])> {
        let zones = self.zones.iter().map(|zone| ("zones", &zone.name, &zone.described.members));
        let slow = self.slow.iter().map(|slow| ("slow", &slow.name, &slow.described.members));
        let limits = self.limits.iter().map(|limit| ("limits", &limit.name, &limit.described.members));
        let all = zones.chain(slow).chain(limits);
        all.map(|(table, name, members)| (format!("{table}.{name}.members"), &members[..])).collect()
    }

    /// All its switches at once.
    fn actions(&self) -> &'static [Action] {
        &[Action::Fail, Action::Repair]
    }

    /// Its switches, then the links between them, as its component numbers them.
    fn fallible(&self) -> Vec<String> {
        sansim_fabric::layout::things(self)
    }

    fn addresses(&self, nodes: &[StandsAt<'_>]) -> Result<Vec<Address>, String> {
        if let (Class::Class2, Some(crossing)) =
            (self.class, nodes.iter().find(|node| node.side == Side::Crossing))
        {
            return Err(format!(
                "in class 2 the ports of a loop would acknowledge frames, and those behind `{}` do not; use class = \"class-3\"",
                crossing.listed
            ));
        }
        let specs: Vec<_> = nodes.iter().map(spec).collect();
        Ok(Layout::of(self, &specs)?.nodes.iter().map(|node| node.address).collect())
    }

    fn inner_ports(&self, nodes: &[StandsAt<'_>]) -> Vec<InnerPort> {
        let specs: Vec<_> = nodes.iter().map(spec).collect();
        // Why it cannot be was told with the addresses.
        let layout = Layout::of(self, &specs).unwrap_or_default();
        let things = sansim_fabric::layout::things(self);
        let switch = |number: u16| things[usize::from(number)].clone();
        let port = |port: sansim_fabric::layout::ports::SwitchPort| InnerPort {
            place: switch(port.switch),
            number: port.number,
            link: things.get(layout.switches.len() + port.link).cloned(),
            first_end: port.first_end,
            leads_to: match port.to {
                At::Switch(other) => LeadsTo::Place(switch(other)),
                At::Node(node) => LeadsTo::Node(node.into()),
            },
            word: port.word,
        };
        layout.switch_ports().into_iter().map(port).collect()
    }
}

/// What others ask about a fabric.
pub(crate) fn carrier(parameters: &FabricParameters) -> Carrier {
    Carrier {
        word: parameters.word_time(),
        speed: parameters.speed,
        medium: parameters.medium,
        whole_sequences: false,
        buffer_sizes: Some([
            parameters.switch.buffer_size,
            parameters.switch.control.for_control(parameters.switch.buffer_size),
        ]),
        keeps_frames: true,
        one_circuit: false,
        is_fabric: true,
        is_loop: false,
    }
}
