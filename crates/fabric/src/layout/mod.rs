//! The layout of a fabric: switches, links, nodes, addresses.

pub mod controllers;
pub mod gateways;
pub mod losses;
pub mod ports;
pub mod switched_network;
pub mod topology;
pub mod trunks;

use crate::congestion::CreditReturn;
use sansim_fc::cable::CableLength;
use sansim_fc::link::LinkRules;
use sansim_pdu::Address;
use sansim_schema::words::Word;
pub use switched_network::SwitchedNetwork;
use topology::{TopologyDrawing, TopologyName};

/// A node to be attached to a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeSpec<'a> {
    /// The station as `stations` names it: `drives`, `host.adapters.a`. The nodes of a group have one name.
    pub station: &'a str,
    /// The number of frames that the node can hold, which is the credit of the other end of its link.
    pub buffers: u32,
    /// The cable from the node to the fabric.
    pub cable: CableLength,
}

/// The device at an end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEndDevice {
    /// A switch, by its number.
    Switch(u16),
    /// A node, by its number.
    Node(u16),
}

/// A link of the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkPlan {
    /// The two ends of the link.
    pub ends: [LinkEndDevice; 2],
    /// The rules of the link, for both directions.
    pub rules: LinkRules,
}

/// A node that is attached to the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePlan {
    /// The switch of the node; none on a link between two nodes.
    pub switch: Option<u16>,
    /// The address of the node: domain (the switch, from 1), area (its port at the switch), port.
    pub address: Address,
    /// The number of buffers of the node.
    pub buffers: u32,
    /// The behaviour with which the node returns credit.
    pub drain: CreditReturn,
    /// The most bytes per second that its switch accepts from the node.
    pub limit: Option<u64>,
}

impl NodePlan {
    /// A node that is neither slow nor limited.
    pub fn new(switch: Option<u16>, address: Address, buffers: u32) -> Self {
        Self { switch, address, buffers, drain: CreditReturn::default(), limit: None }
    }
}

/// The layout of a fabric.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FabricLayout {
    /// The names of the switches.
    pub switches: Vec<String>,
    /// The links: first the links between switches, then the links to nodes in the order of the nodes.
    pub links: Vec<LinkPlan>,
    /// The nodes, in the order in which they were given.
    pub nodes: Vec<NodePlan>,
}

/// The parts of a network of switches that can fail by themselves: `switches.NAME`, then `links.NAME` for each link between switches in the
/// order of the layout.
///
/// A link that is drawn is named by its switches, `links.arm0_1-centre0_0`, and each of several parallel links has a
/// number.
pub fn failable_parts(parameters: &impl SwitchedNetwork) -> Vec<String> {
    let skeleton = parameters.drawing_of_size(parameters.size());
    let mut things: Vec<String> = skeleton.switches.iter().map(|name| format!("switches.{name}")).collect();
    for (number, edge) in skeleton.edges.iter().enumerate() {
        let [from, to] = [edge.from, edge.to].map(|switch| &skeleton.switches[usize::from(switch)]);
        let name = match parameters.given_links().get(number) {
            Some(given) if parameters.topology() == TopologyName::Given => given.name.to_owned(),
            _ => format!("{from}-{to}"),
        };
        match edge.count {
            1 => things.push(format!("links.{name}")),
            several => things.extend((0..several).map(|link| format!("links.{name}[{link}]"))),
        }
    }
    things
}

/// The number of areas of a domain, which are the ports of a switch.
const AREAS: u32 = 256;
/// The number of domains of a fabric (FC-SW: 1 to 239).
const DOMAINS: usize = 239;

impl FabricLayout {
    /// Whether the links have different times for a byte.
    pub fn has_different_rates(&self) -> bool {
        let mut rates = self.links.iter().map(|link| (link.rules.word.ticks(), link.rules.word_bytes));
        let Some((word, bytes)) = rates.next() else { return false };
        rates.any(|(other_word, other_bytes)| word * other_bytes != other_word * bytes)
    }

    /// Distributes these nodes over the switches that the topology draws, or that are given.
    ///
    /// # Errors
    /// The error says why the fabric cannot be built, and what could be done.
    pub fn distribute_nodes(
        parameters: &impl SwitchedNetwork,
        nodes: &[NodeSpec<'_>],
    ) -> Result<Self, String> {
        if parameters.topology() == TopologyName::PointToPoint {
            return Self::point_to_point(parameters, nodes);
        }
        let skeleton = parameters.drawing_of_size(parameters.size());
        let mut layout = Self { switches: skeleton.switches.clone(), ..Self::default() };
        if skeleton.takes_nodes.is_empty() {
            return Err("it has no switch that nodes could be at".to_owned());
        }
        if layout.switches.len() > DOMAINS {
            return Err(format!(
                "a fabric has at most {DOMAINS} switches, this one {}",
                layout.switches.len()
            ));
        }
        for edge in &skeleton.edges {
            let rules = parameters.rules_between_switches(edge);
            let ends = [LinkEndDevice::Switch(edge.from), LinkEndDevice::Switch(edge.to)];
            layout.links.extend(std::iter::repeat_n(LinkPlan { ends, rules }, edge.count as usize));
        }
        layout.attach(parameters, &skeleton, nodes)?;
        Ok(layout)
    }

    /// Two nodes with a link between them, and no switch.
    fn point_to_point(parameters: &impl SwitchedNetwork, nodes: &[NodeSpec<'_>]) -> Result<Self, String> {
        let &[one, other] = nodes else {
            return Err(format!(
                "a link has two ends, and there are {} nodes; a switch joins more",
                nodes.len()
            ));
        };
        // N_Ports without a fabric agree on their addresses themselves: 1 and 2.
        let node = |number: u32, spec: NodeSpec<'_>| {
            let node = NodePlan::new(None, Address::new(number + 1), spec.buffers);
            parameters.with_own_parameters(node, nodes, number as usize)
        };
        let rules = parameters.rules_to_node(&one);
        Ok(Self {
            switches: Vec::new(),
            links: vec![LinkPlan { ends: [LinkEndDevice::Node(0), LinkEndDevice::Node(1)], rules }],
            nodes: vec![node(0, one), node(1, other)],
        })
    }

    /// Attaches the nodes: a node that a switch names to that switch, all others in turn to the switches that accept nodes, in the order of
    /// `stations`.
    fn attach(
        &mut self,
        parameters: &impl SwitchedNetwork,
        skeleton: &TopologyDrawing,
        nodes: &[NodeSpec<'_>],
    ) -> Result<(), String> {
        let mut turns = skeleton.takes_nodes.iter().cycle();
        let mut areas = vec![0; self.switches.len()];
        for edge in &skeleton.edges {
            areas[usize::from(edge.from)] += edge.count;
            areas[usize::from(edge.to)] += edge.count;
        }
        for (number, node) in nodes.iter().enumerate() {
            // Only the topology "given" uses the switches of the file; `check_given` reports switches beside any other
            // topology.
            let is_given = parameters.topology() == TopologyName::Given;
            let given = if is_given { parameters.given_switches() } else { &[] };
            let named = given
                .iter()
                .position(|one| one.described.stations.iter().any(|station| station == node.station));
            let switch = named.or_else(|| turns.next().map(|&switch| usize::from(switch))).unwrap_or(0);
            let area = areas[switch];
            areas[switch] += 1;
            if skeleton.ports.is_some_and(|ports| area >= ports) {
                return Err(Self::too_many_nodes(parameters, skeleton, nodes.len()));
            }
            if area >= AREAS {
                return Err(format!("switch `{}` has more than {AREAS} ports", self.switches[switch]));
            }
            let address = Address::new((switch as u32 + 1) << 16 | area << 8);
            let plan = NodePlan::new(Some(switch as u16), address, node.buffers);
            self.nodes.push(parameters.with_own_parameters(plan, nodes, number));
            let ends = [LinkEndDevice::Switch(switch as u16), LinkEndDevice::Node(number as u16)];
            self.links.push(LinkPlan { ends, rules: parameters.rules_to_node(node) });
        }
        Ok(())
    }

    /// The message that there are more nodes than the switches of a topology have ports for.
    fn too_many_nodes(parameters: &impl SwitchedNetwork, skeleton: &TopologyDrawing, nodes: usize) -> String {
        let (word, size) = (parameters.topology().word(), parameters.size());
        let room = skeleton.node_port_count().unwrap_or(0);
        let larger = size.smallest_sufficient_port_count(|size| {
            parameters.drawing_of_size(size).node_port_count().is_none_or(|room| room >= nodes as u64)
        });
        let help = match larger {
            Some(radix) => format!("with radix = {radix} all have a port"),
            None => "take a topology without a limit, or several fabrics".to_owned(),
        };
        format!(
            "a {word} of switches with {} ports has ports for {room} nodes, and there are {nodes}; {help}",
            skeleton.ports.unwrap_or(0)
        )
    }

    /// The links between switches, with their numbers, their two switches and their rules.
    pub fn between_switches(&self) -> impl Iterator<Item = (usize, u16, u16, &LinkRules)> {
        self.links.iter().enumerate().filter_map(|(number, link)| match link.ends {
            [LinkEndDevice::Switch(one), LinkEndDevice::Switch(other)] => {
                Some((number, one, other, &link.rules))
            }
            _ => None,
        })
    }
}
