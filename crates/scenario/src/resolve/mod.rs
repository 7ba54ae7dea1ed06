//! From components to their graph: names become components, ports get stations and addresses, members become parts, and contradictions are
//! reported.

mod addresses;
mod buffer_sizes;
mod chosen;
mod complete;
mod crossings;
mod enclosures;
mod events;
mod groups;
mod ip;
mod joins;
mod key_events;
mod names;
mod node_events;
mod parts;
mod protocols;
mod requests;
mod routes;
mod software;
mod stations;
mod vain_events;
mod way_events;
mod zones;

pub(crate) use addresses::of_fibre_channel;
use std::collections::{BTreeMap, BTreeSet};

use sansim_registry::{Kind, KindMember, KindParameters, Network};
use sansim_schema::keys::Keys;
use sansim_schema::places::KeyPositions;
use sansim_schema::sink::ProblemSink;
use sansim_schema::table::{NamedValue, Tabular};
use sansim_schema::tree::Table;

use crate::component::Component;
use crate::event::ScenarioEvent;
use crate::graph::Graph;
use crate::scenario::Scenario;

pub(crate) use complete::completeness;
pub(crate) use events::carry_out;

/// The components of a scenario, with their places in the file for messages.
struct Components<'a> {
    /// The descriptions, in the order of [`Scenario::components`].
    described: &'a [NamedValue<KindParameters>],
    /// A member of each component.
    members: Vec<KindMember>,
    /// The number of members of each group; none for a single component.
    counts: Vec<Option<u32>>,
    by_name: BTreeMap<&'a str, usize>,
    /// The names of tables whose kind is not known.
    unread: BTreeSet<&'a str>,
    places: KeyPositions<'a>,
}

impl<'a> Components<'a> {
    fn name(&self, component: usize) -> &'a str {
        &self.described[component].name
    }

    fn kind(&self, component: usize) -> &'static Kind {
        self.described[component].kind_of_component()
    }

    /// The network of a component, if it is one.
    fn network(&self, component: usize) -> Option<&'a dyn Network> {
        self.described[component].network_interface()
    }

    /// The noun of a component, without the article: "fabric", "SCSI bus".
    fn noun(&self, component: usize) -> &'static str {
        self.kind(component).noun.trim_start_matches("a ")
    }

    /// The number of members of a component.
    fn count(&self, component: usize) -> u32 {
        self.counts[component].unwrap_or(1)
    }

    /// Whether a component is a group, so that its members have numbers.
    fn is_group(&self, component: usize) -> bool {
        self.counts[component].is_some()
    }

    /// The name of a member.
    fn member_name(&self, component: usize, member: u32) -> String {
        let name = self.name(component);
        match self.counts[component] {
            Some(_) => format!("{name}[{member}]"),
            None => name.to_owned(),
        }
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    fn numbers(&self) -> std::ops::Range<usize> {
        0..self.described.len()
    }
}

/// The name of a component with the path of a part: `drives.adapter`, or `drives` for an empty path.
fn dotted(name: &str, path: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{name}.{path}") }
}

/// Makes the graph; reports every contradiction, within components and between them. The events are those of the file in its order.
pub(crate) fn resolve(
    sink: &mut ProblemSink<'_>,
    root: &Table,
    tables: &[Component<'_>],
    scenario: &Scenario,
    file_events: &[ScenarioEvent],
) -> Graph {
    let places = KeyPositions::new(root);
    scenario.run.check(&mut Keys::new(sink, places, "run"));
    scenario.fcp.check(&mut Keys::new(sink, places, "fcp"));
    let described = &scenario.components;
    let by_name: BTreeMap<&str, usize> =
        described.iter().enumerate().map(|(number, one)| (one.name.as_str(), number)).collect();
    let components = Components {
        described,
        members: described.iter().map(|component| component.kind_behaviour().member()).collect(),
        counts: groups::counts(described, &by_name),
        by_name,
        unread: tables.iter().filter(|table| table.kind.is_none()).map(Component::name).collect(),
        places,
    };
    for component in described {
        component.check_keys(&mut Keys::new(sink, places, &component.name));
    }
    stations::unused_keys(sink, &components);
    let told = sink.problem_count();
    groups::check(sink, &components);
    let names = names::resolve(sink, &components);
    let stations = stations::place(sink, &components, &names);
    crossings::check(sink, &components, &stations);
    ip::check(sink, &components, &names, &stations);
    let addresses = addresses::give(sink, &components, &stations);
    protocols::check(sink, &components, &stations);
    buffer_sizes::check(sink, &components, &stations, &scenario.fcp);
    joins::check(sink, &components, &names, &stations);
    software::check(sink, &components, &names, &stations);
    let goes_together = sink.problem_count() == told;
    requests::check(sink, &components, &names);
    let events = events::check(sink, &components, &stations, file_events);
    events::check_outages(sink, &components, &scenario.run);
    if !goes_together || !is_known(sink, &components) {
        return Graph::default();
    }
    let (mut graph, numbers) = parts::build(&components, &stations, addresses);
    joins::link(&components, &names, &stations, &numbers, &mut graph);
    routes::find(sink, &components, &names, &numbers, &mut graph);
    events::of_parts(&events, file_events, &components, &names, &numbers, &mut graph);
    graph
}

/// Whether all keys that determine the graph could be read. If a key could not be read, that has been reported, and its consequences are
/// not reported.
fn is_known(sink: &ProblemSink<'_>, components: &Components<'_>) -> bool {
    let keys = |component: usize| {
        let name = components.name(component);
        let own = ["count"].iter().chain(components.kind(component).names_in);
        own.map(move |key| format!("{name}.{key}")).collect::<Vec<String>>()
    };
    components.unread.is_empty()
        && components.numbers().all(|component| {
            let keys = keys(component);
            sink.all_readable(&keys.iter().map(String::as_str).collect::<Vec<&str>>())
        })
}
