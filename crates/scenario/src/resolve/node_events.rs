//! Events that take nodes out of their networks, and put them in again.

use std::collections::BTreeSet;
use std::ops::Range;

use sansim_kernel::Span;
use sansim_registry::{ComponentCategory, EventAction, KINDS, NetworkPortRole};
use sansim_schema::fault::{Diagnostic, NOT_MODELLED};
use sansim_schema::suggest::words_in_prose;

use super::stations::Stations;
use super::vain_events::Happens;
use super::{Components, dotted};
use crate::codes::NOT_POSSIBLE;
use crate::event::ScenarioEvent;
use crate::graph::{Graph, GraphEvent};

/// Whether an action is one on the nodes of networks.
pub(super) fn is_of_nodes(action: EventAction) -> bool {
    matches!(action, EventAction::Remove | EventAction::Add)
}

/// Whether an event takes a part of a network, such as a switch or a link, out or puts it in.
pub(super) fn is_of_thing(
    components: &Components<'_>,
    component: usize,
    path: &str,
    event: &ScenarioEvent,
) -> bool {
    let has_it =
        || components.described[component].kind_behaviour().fallible().iter().any(|thing| thing == path);
    is_of_nodes(event.r#do) && (components.kind(component).nodes_change)() && has_it()
}

/// The error if a component, or the port of it with this path, is on no network that nodes can leave.
pub(super) fn impossible(
    components: &Components<'_>,
    stations: &Stations,
    event: &ScenarioEvent,
    (component, path): (usize, &str),
    index: usize,
) -> Option<Diagnostic> {
    let verb = if event.r#do == EventAction::Add { "added" } else { "removed" };
    let name = dotted(components.name(component), path);
    let fault = |message: String, label: String, help: String| {
        let place = components.places.value_position(&format!("event[{index}].do"));
        Some(Diagnostic::new(NOT_POSSIBLE, place, message).with_label(label).with_help(help))
    };
    let networks = networks_of(components, stations, component, path);
    let changing = || {
        let names = KINDS.iter().filter(|kind| kind.category == ComponentCategory::Network);
        let names = names.filter(|kind| (kind.nodes_change)());
        words_in_prose(names.map(|kind| kind.word))
    };
    if networks.is_empty() {
        let message = format!("`{name}` cannot be {verb}: it has no port on a network");
        let help = format!("ports on networks of these kinds can be removed and added: {}", changing());
        return fault(message, "is on no network".to_owned(), help);
    }
    for &network in &networks {
        let other = components.name(network);
        if !(components.kind(network).nodes_change)() {
            let message = format!("`{name}` cannot be {verb}: `{other}` does not change while it runs");
            let label = format!("`{other}` is {}", components.kind(network).noun);
            let help = format!("ports on networks of these kinds can be removed and added: {}", changing());
            return fault(message, label, help);
        }
        if crosses(components, stations, network) {
            let message = format!("`{name}` cannot be {verb}: `{other}` is attached to another network");
            let label = "only the ports of a network by itself change".to_owned();
            return fault(message, label, format!("{NOT_MODELLED} lists what is left out"));
        }
    }
    None
}

/// The networks of the ports of a component, or of the port with this path.
fn networks_of(components: &Components<'_>, stations: &Stations, component: usize, path: &str) -> Vec<usize> {
    let ports = components.members[component].ports.iter().enumerate();
    let meant = ports.filter(|(_, port)| {
        path.is_empty() || port_path(components, component, port.part, &port.path) == path
    });
    let networks = meant.filter_map(|(port, _)| stations.of_port.get(&(component, port)));
    networks.map(|&number| stations.loops[number].network).collect()
}

/// Whether a port of a network leads to another network.
fn crosses(components: &Components<'_>, stations: &Stations, network: usize) -> bool {
    let on = stations.loops.iter().filter(|on| on.network == network);
    let side = |&(component, port): &(usize, usize)| components.members[component].ports[port].side;
    on.flat_map(|on| &on.ports).any(|port| side(port) == NetworkPortRole::Crossing)
}

/// Whether the ports of a component, or the port with this path, can be removed and added.
pub(super) fn may_change(
    components: &Components<'_>,
    stations: &Stations,
    component: usize,
    path: &str,
) -> bool {
    let networks = networks_of(components, stations, component, path);
    let may = |&network: &usize| {
        (components.kind(network).nodes_change)() && !crosses(components, stations, network)
    };
    !networks.is_empty() && networks.iter().all(may)
}

/// The path by which events name a port: that of its adapter, or its own.
pub(super) fn port_path<'a>(
    components: &'a Components<'_>,
    component: usize,
    part: Option<usize>,
    own: &'a str,
) -> &'a str {
    part.map_or(own, |part| components.members[component].parts[part].path.as_str())
}

/// The event with the nodes of its target, and the adapters at them.
pub(super) fn of_target(
    event: GraphEvent,
    component: usize,
    members: &Range<u32>,
    path: &str,
    graph: &Graph,
) -> GraphEvent {
    let (mut nodes, mut parts) = (Vec::new(), Vec::new());
    for on_loop in &graph.loops {
        for (port, station) in on_loop.stations.iter().enumerate() {
            let is_meant = station.component == component && members.contains(&station.member);
            if is_meant && (path.is_empty() || station.path == path) {
                nodes.push((on_loop.part, port as u16));
                parts.extend(station.part);
            }
        }
    }
    GraphEvent { nodes, parts, ..event }
}

/// A node whose first event is that it is added is not there from the beginning.
pub(super) fn remove_those_that_come_later(events: &mut Vec<GraphEvent>) {
    let mut by_time: Vec<&GraphEvent> = events.iter().filter(|event| is_of_nodes(event.action)).collect();
    by_time.sort_by_key(|event| event.at);
    let mut seen = BTreeSet::new();
    let mut removed = Vec::new();
    for event in by_time {
        let is_first = event.nodes.iter().any(|node| !seen.contains(node));
        seen.extend(event.nodes.iter().copied());
        if event.action == EventAction::Add && is_first {
            let action = EventAction::Remove;
            removed.push(GraphEvent { at: Span::ZERO, action, initialise: false, ..event.clone() });
        }
    }
    events.splice(0..0, removed);
}

/// A part of a network whose first event puts it in is not there before.
pub(super) fn remove_things_that_come_later(all: &[Happens<'_>], events: &mut Vec<GraphEvent>) {
    let mut by_time: Vec<&Happens<'_>> =
        all.iter().filter(|happens| is_of_nodes(happens.event.r#do)).collect();
    by_time.sort_by_key(|happens| happens.event.at);
    let mut seen = BTreeSet::new();
    for happens in by_time {
        let Some(itself) = happens.itself.as_ref().filter(|itself| itself.thing.is_some()) else { continue };
        let is_first = seen.insert((itself.parts.clone(), itself.thing));
        if happens.event.r#do == EventAction::Add && is_first {
            events.insert(0, GraphEvent { at: Span::ZERO, action: EventAction::Fail, ..itself.clone() });
        }
    }
}
