//! Topologies: the switches, the links between them, and the switches to which nodes are attached. Each topology that draws anything
//! has a file, and a line in [`topologies!`] below.

mod core_edge;
mod fat_tree;
mod floors;
mod given;
mod mesh;
mod single_switch;
mod tree;

use super::losses::LinkLosses;
pub use given::{GivenLink, GivenSwitch, OWN_SPEED, SOME_STATIONS, STATIONS};
use sansim_fc::cable::CableLength;
use sansim_fc::speed::Speed;
use sansim_schema::quantities::Count;
use sansim_schema::table;
use sansim_schema::table::NamedValue;

/// Links between two switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwitchLinks {
    /// The switch at one end of the links.
    pub from: u16,
    /// The switch at the other end of the links.
    pub to: u16,
    /// The number of parallel links.
    pub count: u32,
    /// The cable of each link, if it differs from the cable of the backbone.
    pub cable: Option<CableLength>,
    /// The speed of the links, if it differs from the speed of the fabric.
    pub speed: Option<Speed>,
    /// The losses on the links.
    pub losses: LinkLosses,
}

/// The input of a topology.
#[derive(Clone, Copy, Debug)]
pub struct TopologyInput<'a> {
    /// The sizes of the topology.
    pub size: TopologyParameters,
    /// The switches that the scenario file lists.
    pub switches: &'a [NamedValue<GivenSwitch>],
    /// The links that the scenario file lists.
    pub links: &'a [NamedValue<GivenLink>],
}

/// The drawing of a topology.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopologyDrawing {
    /// The names of the switches.
    pub switches: Vec<String>,
    /// The links between the switches.
    pub edges: Vec<SwitchLinks>,
    /// The switches that accept nodes, in the order in which they get them.
    pub takes_nodes: Vec<u16>,
    /// The number of ports of each switch, if the topology limits it.
    pub ports: Option<u32>,
}

impl TopologyDrawing {
    /// Adds a switch. Returns the number of the switch.
    pub fn add_switch(&mut self, name: String) -> u16 {
        self.switches.push(name);
        (self.switches.len() - 1) as u16
    }

    /// Adds a switch that accepts nodes.
    pub fn add_edge_switch(&mut self, name: String) -> u16 {
        let number = self.add_switch(name);
        self.takes_nodes.push(number);
        number
    }

    /// The number of nodes for which the switches have ports, if the topology limits the ports of a switch.
    pub fn node_port_count(&self) -> Option<u64> {
        let ports = u64::from(self.ports?);
        let taken = |switch: &u16| {
            let linked = self.edges.iter().filter(|edge| edge.from == *switch || edge.to == *switch);
            linked.map(|edge| u64::from(edge.count)).sum::<u64>()
        };
        Some(self.takes_nodes.iter().map(|switch| ports.saturating_sub(taken(switch))).sum())
    }

    /// Links two switches.
    pub fn add_link(&mut self, from: u16, to: u16) {
        self.edges.push(SwitchLinks {
            from,
            to,
            count: 1,
            cable: None,
            speed: None,
            losses: LinkLosses::OF_FABRIC,
        });
    }
}

const SOME: Count<u32> = Count::between(1, 64);

/// The most ports of the switches of a fat tree: with more ports the tree has more switches than a fabric
/// can.
const MOST_PORTS: u64 = 12;

table! {
    /// The size of a topology, as numbers of switches and ports. Each topology reads some of these keys.
    #[derive(Copy, Eq)]
    pub struct TopologyParameters {
        /// Floors of `"floors+"`.
        floors: u32 = SOME, default "5", source "Molero 2001, 4";
        /// Centre switches on each floor of `"floors+"`.
        centres: u32 = SOME, default "2", source "Molero 2001, 4";
        /// Arm switches on each floor of `"floors+"`.
        arms: u32 = SOME, default "4", source "Molero 2001, 4";
        /// Leaf switches of `"tree"`.
        leaves: u32 = SOME, default "10", source "assumption: a server to each leaf (Molero 2001, 4: 10 servers)";
        /// Switches below each switch of `"tree"`.
        fan_out: u32 = Count::<u32>::between(2, 64), default "5", source "assumption: Molero 2001 does not say";
        /// Switches of `"tree"` that are above the same ones and below the top: to so many each of those is linked.
        uplinks: u32 = Count::<u32>::between(1, 8), default "1", source "assumption: Molero 2001 does not say";
        /// Switches at the top of `"tree"`, each above all of the level below.
        roots: u32 = Count::<u32>::between(1, 8), default "1", source "assumption: Molero 2001 does not say";
        /// Core switches of `"core-edge"`.
        cores: u32 = SOME, default "2", source "ours: the fewest that leave a second way";
        /// Edge switches of `"core-edge"`.
        edges: u32 = SOME, default "4", source "ours: a small example";
        /// Switches in each row of `"mesh"`.
        width: u32 = Count::<u32>::between(1, 15), default "3", source "ours: the smallest mesh with a switch that is at no edge";
        /// Rows of `"mesh"`.
        height: u32 = Count::<u32>::between(1, 15), default "3", source "ours: the smallest mesh with a switch that is at no edge";
        /// Ports of each switch of `"fat-tree"`: so many pods, each with half as many edge and as many upper switches.
        radix: u32 = Count::<u32>::between(2, MOST_PORTS), default "4", source "Al-Fares 2008";
    }
}

impl TopologyParameters {
    /// The smallest number of ports of a switch above the present number with which a topology is large
    /// enough.
    pub fn smallest_sufficient_port_count(self, is_enough: impl Fn(Self) -> bool) -> Option<u32> {
        (self.radix + 1..=MOST_PORTS as u32).find(|&radix| is_enough(Self { radix, ..self }))
    }
}

/// Declares the topologies: the word in scenarios and the function that draws the topology.
macro_rules! topologies {
    ($($(#[doc = $doc:literal])+ $word:literal => $name:ident($draw:path);)+) => {
        sansim_schema::words! {
            /// The switches of a fabric and their links.
            pub enum TopologyName {
                $($(#[doc = $doc])+ $name = $word,)+
            }
        }

        impl TopologyName {
            /// Draws the topology.
            pub fn draw_topology(self, parameters: &TopologyInput<'_>) -> TopologyDrawing {
                match self {
                    $(Self::$name => $draw(parameters),)+
                }
            }
        }
    };
}

/// Two nodes and a link have no switches to draw.
fn nothing(_: &TopologyInput<'_>) -> TopologyDrawing {
    TopologyDrawing::default()
}

topologies! {
    /// One switch.
    "single-switch" => SingleSwitch(single_switch::draw_topology);
    /// Two nodes with a link between them and no switch.
    "point-to-point" => PointToPoint(nothing);
    /// Those of `switches` and `links`.
    "given" => Given(given::draw_topology);
    /// The floors of a building, each with centre switches and arm switches, which have the nodes (Molero 2001).
    "floors+" => Floors(floors::draw_topology);
    /// A tree of switches whose leaves have the nodes (Molero 2001: departments).
    "tree" => Tree(tree::draw_topology);
    /// Core switches, each linked to every edge switch; these have the nodes.
    "core-edge" => CoreEdge(core_edge::draw_topology);
    /// A grid, each switch linked to those beside it; all have nodes.
    "mesh" => Mesh(mesh::draw_topology);
    /// A fat tree of three layers; the lowest has the nodes.
    "fat-tree" => FatTree(fat_tree::draw_topology);
}
