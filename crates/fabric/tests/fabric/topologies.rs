//! The drawings of topologies are tested: sizes by hand, and that every node reaches every other node.

use crate::common::fabric;
use sansim_fabric::layout::topology::{TopologyName, TopologyParameters};
use sansim_fabric::layout::trunks;
use sansim_fabric::routing::RouteTable;
use sansim_fabric::{FabricLayout, FabricParameters, NodeSpec};
use sansim_fc::cable::CableLength;
use sansim_schema::words::Word;

fn nodes(hosts: usize, drives: usize) -> Vec<NodeSpec<'static>> {
    let node = |number| NodeSpec {
        station: if number < hosts { "host" } else { "drives" },
        buffers: 4,
        cable: CableLength::default(),
    };
    (0..hosts + drives).map(node).collect()
}

fn layout(topology: TopologyName, hosts: usize, drives: usize) -> FabricLayout {
    FabricLayout::distribute_nodes(&fabric(topology), &nodes(hosts, drives)).expect("a layout")
}

/// The number of switches, of links between switches, and the most links at any switch, including links to
/// nodes.
fn sizes(layout: &FabricLayout) -> (usize, usize, usize) {
    let ports = |switch: usize| {
        let at = sansim_fabric::layout::LinkEndDevice::Switch(switch as u16);
        layout.links.iter().flat_map(|link| link.ends).filter(|end| *end == at).count()
    };
    let most = (0..layout.switches.len()).map(ports).max().unwrap_or(0);
    (layout.switches.len(), layout.between_switches().count(), most)
}

#[test]
fn they_have_the_switches_and_links_that_they_should() {
    // Molero: five floors have two centres and four arms each; a server and five drives at each arm fill its eight ports, and so do the
    // links of a centre.
    assert_eq!(sizes(&layout(TopologyName::Floors, 20, 100)), (30, 40 + 16, 8));
    // The tree has ten leaves, two joints and a root.
    assert_eq!(sizes(&layout(TopologyName::Tree, 10, 50)), (13, 12, 7));
    assert_eq!(sizes(&layout(TopologyName::SingleSwitch, 2, 8)), (1, 0, 10));
    assert_eq!(sizes(&layout(TopologyName::CoreEdge, 0, 0)), (6, 8, 4));
    assert_eq!(sizes(&layout(TopologyName::Mesh, 0, 0)), (9, 12, 4));
    // The fat tree has four pods of two lower and two upper switches, and four cores; every switch has four
    // ports, with two nodes at each lower switch.
    assert_eq!(sizes(&layout(TopologyName::FatTree, 0, 16)), (20, 32, 4));
}

#[test]
fn a_tree_may_have_several_ways_up() {
    let tree = |leaves, fan_out, uplinks, roots| {
        let mut plan = fabric(TopologyName::Tree);
        plan.size = TopologyParameters { leaves, fan_out, uplinks, roots, ..plan.size };
        FabricLayout::distribute_nodes(&plan, &nodes(leaves as usize, 5 * leaves as usize)).expect("a layout")
    };
    // Ten leaves have two links up each, to the two joints of their half, and all joints are linked to one root: with a server and
    // five drives all eight ports of a leaf are used.
    assert_eq!(sizes(&tree(10, 5, 2, 1)), (15, 2 * 10 + 4, 8));
    // Each further root is linked to all joints.
    assert_eq!(sizes(&tree(10, 5, 2, 2)), (16, 2 * 10 + 8, 8));
    // A tree of one level has roots but no joints.
    assert_eq!(sizes(&tree(4, 5, 2, 3)), (7, 12, 9));
    // Twelve leaves are joined in pairs, these pairs in pairs, and three of the results at the top: there are
    // two joints for each group, except at the top.
    assert_eq!(sizes(&tree(12, 2, 2, 1)), (12 + 12 + 6 + 4 + 1, 24 + 24 + 12 + 4, 8));
    let names = tree(4, 2, 2, 1).switches;
    assert_eq!(names[4..], ["joint1_0_0", "joint1_0_1", "joint1_1_0", "joint1_1_1", "joint2_0"]);
}

#[test]
fn nodes_are_dealt_out_one_by_one() {
    let floors = layout(TopologyName::Floors, 20, 100);
    let mut at = vec![(0, 0); 30];
    for (number, node) in floors.nodes.iter().enumerate() {
        let of = &mut at[usize::from(node.switch.expect("a switch"))];
        if number < 20 { of.0 += 1 } else { of.1 += 1 }
    }
    let arms = floors.switches.iter().zip(&at).filter(|(name, _)| name.starts_with("arm"));
    assert!(arms.clone().count() == 20 && arms.into_iter().all(|(_, at)| *at == (1, 5)), "{at:?}");
}

#[test]
fn single_components_are_spread_over_all_switches_that_take_nodes() {
    // Each node is a group of its own, as every table of a scenario is.
    let names = ["h0", "h1", "h2", "h3", "d0", "d1", "d2", "d3"];
    let nodes = names.map(|station| NodeSpec { station, buffers: 4, cable: CableLength::default() });
    let tree = FabricLayout::distribute_nodes(&fabric(TopologyName::FatTree), &nodes).expect("a layout");
    let mut switches: Vec<u16> = tree.nodes.iter().map(|node| node.switch.expect("a switch")).collect();
    switches.sort_unstable();
    switches.dedup();
    assert_eq!(switches.len(), 8, "eight lower switches have a node each");
    assert_eq!(sizes(&tree).2, 4, "no switch has more ports than its radix");
}

#[test]
fn whatever_the_numbers_of_nodes_switches_have_as_many_as_each_other_or_one_more() {
    for (topology, _, _) in TopologyName::ALL {
        if matches!(topology, TopologyName::PointToPoint | TopologyName::Given) {
            continue;
        }
        for (hosts, drives) in [(1, 1), (3, 5), (5, 3), (2, 13), (7, 7)] {
            let layout = layout(*topology, hosts, drives);
            let takes = fabric(*topology).switches_and_links().takes_nodes;
            let at = |switch: &u16| layout.nodes.iter().filter(|node| node.switch == Some(*switch)).count();
            let counts: Vec<usize> = takes.iter().map(at).collect();
            let (least, most) = (counts.iter().min(), counts.iter().max());
            assert!(most <= least.map(|least| least + 1).as_ref(), "{topology:?}: {counts:?}");
        }
    }
}

#[test]
fn a_fat_tree_takes_as_many_nodes_as_its_switches_have_ports_for() {
    assert_eq!(sizes(&layout(TopologyName::FatTree, 4, 12)).2, 4);
    let told =
        FabricLayout::distribute_nodes(&fabric(TopologyName::FatTree), &nodes(4, 13)).expect_err("17 nodes");
    let wanted = "a fat-tree of switches with 4 ports has ports for 16 nodes, and there are 17; with radix = 5 all have a port";
    assert_eq!(told, wanted);
    let told = FabricLayout::distribute_nodes(&fabric(TopologyName::FatTree), &nodes(1, 1000))
        .expect_err("1,001 nodes");
    assert!(told.ends_with("take a topology without a limit, or several fabrics"), "{told}");
}

#[test]
fn addresses_differ_and_name_the_switch() {
    let tree = layout(TopologyName::Tree, 10, 50);
    let mut addresses: Vec<u32> = tree.nodes.iter().map(|node| node.address.value()).collect();
    for (node, address) in tree.nodes.iter().zip(&addresses) {
        assert_eq!(u32::from(node.switch.expect("a switch")) + 1, address >> 16);
    }
    addresses.sort_unstable();
    addresses.dedup();
    assert_eq!(addresses.len(), 60);
}

#[test]
fn every_switch_gets_to_every_other_one_with_and_without_up_down() {
    for (topology, word, _) in TopologyName::ALL {
        if matches!(topology, TopologyName::PointToPoint | TopologyName::Given) {
            continue; // These topologies have no switches of their own.
        }
        let layout = layout(*topology, 0, 0);
        let works = vec![true; layout.links.len()];
        for up_down in [false, true] {
            let routes =
                RouteTable::find_paths(&layout, &works, &trunks::trunk_lead_ports(&layout, false), up_down);
            for from in 0..layout.switches.len() as u16 {
                for to in (0..layout.switches.len() as u16).filter(|&to| to != from) {
                    walk(&layout, &routes, from, to, word);
                }
            }
        }
    }
}

/// Follows every allowed port: all paths end at the destination switch, and none is longer than the number of
/// switches.
fn walk(layout: &FabricLayout, routes: &RouteTable, from: u16, to: u16, word: &str) {
    let mut open = vec![(from, None, 0)];
    while let Some((at, came, length)) = open.pop() {
        if at == to {
            continue;
        }
        assert!(length <= layout.switches.len(), "{word}: {from} to {to} goes round and round");
        let ports = routes.ports(at, came, to);
        assert!(!ports.is_empty(), "{word}: no way from {from} to {to} at {at}");
        for &port in ports {
            let sansim_fabric::layout::LinkEndDevice::Switch(next) =
                layout.links[usize::from(port) / 2].ends[1 - usize::from(port) % 2]
            else {
                panic!("to a node");
            };
            open.push((next, Some(at), length + 1));
        }
    }
}

#[test]
fn too_much_is_told() {
    let keys: FabricParameters = fabric(TopologyName::SingleSwitch);
    let told = FabricLayout::distribute_nodes(&keys, &nodes(1, 300)).expect_err("too many ports");
    assert!(told.contains("more than 256 ports"), "{told}");
    let told = FabricLayout::distribute_nodes(&fabric(TopologyName::PointToPoint), &nodes(1, 2))
        .expect_err("three ends");
    assert!(told.contains("a link has two ends"), "{told}");
}
