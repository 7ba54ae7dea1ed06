//! The parameters from which the layout of a network of switches follows. Fabrics and Ethernet have them in keys of their own.

use super::topology::{GivenSwitch, SwitchLinks, TopologyDrawing, TopologyName, TopologyParameters};
use super::{NodePlan, NodeSpec};
use sansim_fc::link::LinkRules;
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::suggest::nearest;
use sansim_schema::table::NamedValue;
use sansim_schema::words::Word;

/// A link between switches that the scenario file lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenLinkEnds<'a> {
    /// The name of the link.
    pub name: &'a str,
    /// The switch at one end.
    pub from: &'a str,
    /// The switch at the other end.
    pub to: &'a str,
}

impl<'a> GivenLinkEnds<'a> {
    /// A link of this name between these switches.
    pub fn new(name: &'a str, from: &'a str, to: &'a str) -> Self {
        Self { name, from, to }
    }
}

/// A network of switches, with the keys from which its layout follows.
pub trait SwitchedNetwork {
    /// The topology of the network.
    fn topology(&self) -> TopologyName;

    /// The sizes of the topology.
    fn size(&self) -> TopologyParameters;

    /// The switches that the scenario file lists.
    fn given_switches(&self) -> &[NamedValue<GivenSwitch>];

    /// The links between switches that the scenario file lists.
    fn given_links(&self) -> Vec<GivenLinkEnds<'_>>;

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

/// The keys by which topologies are drawn.
const TOPOLOGY_KEYS: &[(&str, &[&str])] = &[
    ("floors+", &["floors", "centres", "arms"]),
    ("tree", &["leaves", "fan_out", "uplinks", "roots"]),
    ("core-edge", &["cores", "edges"]),
    ("mesh", &["width", "height"]),
    ("fat-tree", &["radix"]),
];

/// The keys for the drawings of other topologies have no effect, nor do the keys for links between
/// switches where there are none.
pub fn mark_other_topologies(topology: TopologyName, idle: &mut IdleKeys) {
    let word = topology.word();
    for (topology, keys) in TOPOLOGY_KEYS {
        idle.mark_idle_unless(word == *topology, keys, "this topology is not drawn by it (`topology`)");
    }
    let has_links = !matches!(word, "single-switch" | "point-to-point");
    idle.mark_idle_unless(has_links, &["backbone_cable"], "there are no links between switches (`topology`)");
}

/// Checks that switches and links are listed where the topology requires it, and nowhere else.
pub fn check_given(network: &impl SwitchedNetwork, keys: &mut Keys<'_, '_>) {
    if !keys.all_readable(&["topology"]) {
        return;
    }
    let given = network.topology() == TopologyName::Given;
    if given && network.given_switches().is_empty() {
        let fault =
            Diagnostic::new(codes::CONTRADICTION, keys.value_position("topology"), "no switch is given")
                .with_label("takes the switches of the file")
                .with_help(format!(
                    "add a table [{}], or name a topology that draws them",
                    keys.full_path("switches.one")
                ));
        keys.report("topology", fault);
    }
    for table in ["switches", "links"] {
        if !given && let Some(place) = keys.written_position(table) {
            let message =
                format!("topology = \"{}\" draws its switches and links itself", network.topology());
            let fault = Diagnostic::new(codes::CONTRADICTION, place, message)
                .with_label("given beside it")
                .with_help(format!("{} = \"given\" takes those of the file", keys.full_path("topology")));
            keys.report(table, fault);
        }
    }
}

/// Checks that links name existing switches, and that switches and other tables name existing stations: each with the name of its table, its own name, and the stations
/// that it names.
pub fn check_names(
    network: &impl SwitchedNetwork,
    stations: &[String],
    others: Vec<(&str, &str, &[String])>,
    keys: &mut Keys<'_, '_>,
) {
    let switches: Vec<&str> = network.given_switches().iter().map(|switch| switch.name.as_str()).collect();
    for link in network.given_links() {
        for (end, name) in [("from", link.from), ("to", link.to)] {
            let key = format!("links.{}.{end}", link.name);
            if !switches.contains(&name) {
                unknown(keys, &key, name, "switch", &switches);
            }
        }
        if link.from == link.to {
            let key = format!("links.{}.to", link.name);
            let fault = Diagnostic::new(
                codes::CONTRADICTION,
                keys.value_position(&key),
                "a link from a switch to itself",
            )
            .with_label("the same as `from`");
            keys.report(&key, fault);
        }
    }
    let stations: Vec<&str> = stations.iter().map(String::as_str).collect();
    let listed = network.given_switches().iter();
    let listed = listed.map(|one| ("switches", &one.name[..], &one.described.stations[..]));
    for (table, name, named) in listed.chain(others) {
        let key = format!("{table}.{name}.stations");
        for station in named {
            if !stations.contains(&station.as_str()) {
                unknown(keys, &key, station, "station", &stations);
            }
        }
    }
}

/// Reports an unknown name.
fn unknown(keys: &mut Keys<'_, '_>, key: &str, name: &str, what: &str, known: &[&str]) {
    if !keys.all_readable(&[key]) {
        return;
    }
    let fault = Diagnostic::new(
        codes::UNKNOWN_WORD,
        keys.value_position(key),
        format!("the fabric has no {what} `{name}`"),
    )
    .with_label(format!("needs one of: {}", known.join(", ")))
    .with_help_if_given(nearest(name, known.iter().copied()).map(|near| format!("did you mean \"{near}\"?")));
    keys.report(key, fault);
}
