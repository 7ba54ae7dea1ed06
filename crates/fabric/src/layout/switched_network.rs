//! The parameters from which the layout of a network of switches follows. Fabrics and Ethernet have them in keys of their own.

use super::topology::{
    GivenSwitch, SwitchLinks, TopologyDrawing, TopologyInput, TopologyName, TopologyParameters,
};
use super::{NodePlan, NodeSpec};
use crate::congestion::CreditReturn;
use crate::layout::losses::LinkLosses;
use crate::parameters::{FabricParameters, NodeLinks};
use sansim_fc::link::LinkRules;
use sansim_schema::table::NamedValue;

/// A network of switches, with the keys from which its layout follows.
pub trait SwitchedNetwork {
    /// The topology of the network.
    fn topology(&self) -> TopologyName;

    /// The sizes of the topology.
    fn size(&self) -> TopologyParameters;

    /// The switches that the scenario file lists.
    fn given_switches(&self) -> &[NamedValue<GivenSwitch>];

    /// The name of a link that the scenario file lists, by its number.
    fn given_link_name(&self, number: usize) -> Option<&str>;

    /// The switches and links that the topology draws with these sizes.
    fn drawing_of_size(&self, size: TopologyParameters) -> TopologyDrawing;

    /// The rules of a link between switches.
    fn rules_between_switches(&self, edge: &SwitchLinks) -> LinkRules;

    /// The rules of the link to a node.
    fn rules_to_node(&self, node: &NodeSpec<'_>) -> LinkRules;

    /// Adds the parameters that a node, by its number, has for itself.
    fn with_own_parameters(&self, plan: NodePlan, _nodes: &[NodeSpec<'_>], _number: usize) -> NodePlan {
        plan
    }
}

impl SwitchedNetwork for FabricParameters {
    fn topology(&self) -> TopologyName {
        self.topology
    }

    fn size(&self) -> TopologyParameters {
        self.size
    }

    fn given_switches(&self) -> &[NamedValue<GivenSwitch>] {
        &self.switches
    }

    fn given_link_name(&self, number: usize) -> Option<&str> {
        self.links.get(number).map(|link| link.name.as_str())
    }

    fn drawing_of_size(&self, size: TopologyParameters) -> TopologyDrawing {
        let input = TopologyInput { size, switches: &self.switches, links: &self.links };
        self.topology.draw_topology(&input)
    }

    fn rules_between_switches(&self, edge: &SwitchLinks) -> LinkRules {
        self.link_rules(edge.cable.unwrap_or(self.backbone_cable), edge.speed, &edge.losses)
    }

    fn rules_to_node(&self, node: &NodeSpec<'_>) -> LinkRules {
        let names = |one: &&NamedValue<NodeLinks>| {
            one.described.stations.iter().any(|station| station == node.station)
        };
        let own = self.node_links.iter().find(names).map(|one| &one.described);
        let losses = own.map_or(LinkLosses::OF_FABRIC, |own| own.losses);
        self.link_rules(node.cable, own.and_then(|own| own.speed), &losses)
    }

    /// The rate at which a node gives credit back, and the rate that its switch accepts from it, by the name of the node.
    fn with_own_parameters(&self, plan: NodePlan, nodes: &[NodeSpec<'_>], number: usize) -> NodePlan {
        if self.slow.is_empty() && self.limits.is_empty() {
            return NodePlan { drain: CreditReturn::default(), limit: None, ..plan };
        }
        let station = nodes[number].station;
        let member = nodes[..number].iter().filter(|other| other.station == station).count();
        let one = format!("{station}[{member}]");
        let is_among = |members: &[String]| members.iter().any(|name| name == station || *name == one);
        let slow = self.slow.iter().find(|slow| is_among(&slow.described.members));
        let limit = self.limits.iter().find(|limit| is_among(&limit.described.members));
        NodePlan {
            drain: slow.map(|slow| slow.described.credit_return()).unwrap_or_default(),
            limit: limit.map(|limit| limit.described.rate),
            ..plan
        }
    }
}
