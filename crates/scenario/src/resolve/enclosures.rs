//! The effect of a port failure in an enclosure on the other ports of its network.
//!
//! In a JBOD, a daisy chain, the failure takes the whole loop down until it is repaired. A hub (MBOD) or a loop switch bypasses the port;
//! the other ports are interrupted while the loop is initialised anew, and again when the port is repaired. No adapter on a network that is
//! down or interrupted can be reached through it: all its paths fail and, later, work again.

use std::collections::{BTreeMap, BTreeSet};

use sansim_fc::enclosure::EnclosureKind;
use sansim_kernel::Span;
use sansim_registry::EventAction;

use super::Components;
use crate::graph::{Graph, GraphEvent, GraphLoop, GraphStation};

/// A change of an adapter: it stops, or continues, for one of several possible reasons.
struct Change {
    at: Span,
    fails: bool,
    part: usize,
    cause: Cause,
}

/// The adapter and the reason: its own failure, a failure of its network, or an interruption of the network.
type Cause = (usize, Why);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    Itself,
    Down,
    /// The network is interrupted before or after a repair.
    Interrupted(bool),
}

/// The effect of a failure at a station on the other stations.
enum Spread {
    Nothing,
    Down,
    Interrupts(Span),
}

/// A cable that joins a part of a network to the others, as events name it.
pub(super) enum JoinedBy {
    /// `enclosures.NAME`: the failure of an enclosure.
    Enclosure(usize),
    /// `cascaded.NAME`: the trunk to a switch, with its number.
    Trunk(usize),
}

/// The cable of a network that a path means.
pub(super) fn cable(components: &Components<'_>, component: usize, path: &str) -> Option<JoinedBy> {
    let network = components.network(component)?;
    if let Some(name) = path.strip_prefix("enclosures.") {
        let number = network.enclosures().iter().position(|enclosure| enclosure.name == name)?;
        return Some(JoinedBy::Enclosure(number));
    }
    network.cascaded(path.strip_prefix("cascaded.")?).map(JoinedBy::Trunk)
}

impl JoinedBy {
    /// The adapters that the other parts of the network reach only through the cable: those in an enclosure, or those at a switch and at
    /// the switches after it.
    pub(super) fn leads_to(&self, graph: &Graph, network: &str) -> Vec<usize> {
        let Some(on_loop) = graph.loops.iter().find(|on_loop| graph.parts[on_loop.part].name == network)
        else {
            return Vec::new();
        };
        let stations = on_loop.stations.iter();
        let network = graph.parts[on_loop.part].part.network();
        let switch_of =
            |station: &GraphStation| network.map_or(0, |network| network.switch_of(&station.listed));
        let inside: Vec<&GraphStation> = match *self {
            Self::Enclosure(number) => stations.filter(|station| station.enclosure == Some(number)).collect(),
            Self::Trunk(switch) => {
                // Switches are in the order of their stations.
                let first = on_loop.stations.iter().position(|station| switch_of(station) == switch);
                let before: BTreeSet<usize> =
                    on_loop.stations[..first.unwrap_or(0)].iter().map(switch_of).chain([0]).collect();
                stations.filter(|station| !before.contains(&switch_of(station))).collect()
            }
        };
        inside.into_iter().filter_map(|station| station.part).collect()
    }
}

/// The events with their effects on others on the network.
pub(super) fn spread(events: Vec<GraphEvent>, graph: &Graph) -> Vec<GraphEvent> {
    let is_of_ways = |event: &GraphEvent| {
        event.thing.is_none() && matches!(event.action, EventAction::Fail | EventAction::Repair)
    };
    let spreads = |event: &GraphEvent| {
        event.parts.iter().any(|&part| !matches!(at_station(graph, part).1, Spread::Nothing))
    };
    if !events.iter().any(|event| is_of_ways(event) && spreads(event)) {
        return events;
    }
    let is_station = |part: &usize| at_station(graph, *part).0.is_some();
    let (mut rest, mut changes) = (Vec::new(), Vec::new());
    for event in events {
        if !is_of_ways(&event) || !event.parts.iter().all(is_station) {
            rest.push(event);
            continue;
        }
        let fails = event.action == EventAction::Fail;
        for &part in &event.parts {
            add(&mut changes, graph, (event.at, fails), part);
        }
    }
    rest.extend(carried_out(changes));
    rest.sort_by_key(|event| event.at);
    rest
}

/// The network of an adapter, and the effect of its failure there.
fn at_station(graph: &Graph, part: usize) -> (Option<&GraphLoop>, Spread) {
    let stands = graph.loops.iter().find_map(|on_loop| {
        let station = on_loop.stations.iter().find(|station| station.part == Some(part))?;
        Some((on_loop, station))
    });
    let network = |on_loop: &GraphLoop| graph.parts[on_loop.part].part.network();
    let Some((on_loop, station, network)) =
        stands.and_then(|(on_loop, station)| Some((on_loop, station, network(on_loop)?)))
    else {
        return (None, Spread::Nothing);
    };
    let interrupts = |span: Span| if span > Span::ZERO { Spread::Interrupts(span) } else { Spread::Nothing };
    let spread = match station.enclosure.and_then(|number| network.enclosures().get(number)) {
        Some(enclosure) if enclosure.described.kind == EnclosureKind::Jbod => Spread::Down,
        Some(enclosure) => interrupts(enclosure.described.interruption),
        None => interrupts(network.interruption()),
    };
    (Some(on_loop), spread)
}

fn add(changes: &mut Vec<Change>, graph: &Graph, (at, fails): (Span, bool), part: usize) {
    changes.push(Change { at, fails, part, cause: (part, Why::Itself) });
    let (Some(on_loop), spread) = at_station(graph, part) else { return };
    for other in on_loop.stations.iter().filter_map(|station| station.part).filter(|&other| other != part) {
        match spread {
            Spread::Nothing => {}
            Spread::Down => changes.push(Change { at, fails, part: other, cause: (part, Why::Down) }),
            Spread::Interrupts(span) => {
                let cause = (part, Why::Interrupted(fails));
                changes.push(Change { at, fails: true, part: other, cause });
                changes.push(Change { at: at + span, fails: false, part: other, cause });
            }
        }
    }
}

/// The events at which adapters stop and continue: an adapter works while there is no reason for it to stop.
fn carried_out(mut changes: Vec<Change>) -> Vec<GraphEvent> {
    changes.sort_by_key(|change| change.at);
    let mut causes: BTreeMap<usize, BTreeSet<Cause>> = BTreeMap::new();
    let mut events = Vec::new();
    let mut left = &changes[..];
    while let Some(first) = left.first() {
        let at = first.at;
        let (now, later) = left.split_at(left.partition_point(|change| change.at == at));
        left = later;
        let fails = |causes: &BTreeMap<usize, BTreeSet<Cause>>, part: usize| {
            causes.get(&part).is_some_and(|causes| !causes.is_empty())
        };
        let touched: BTreeSet<usize> = now.iter().map(|change| change.part).collect();
        let before: BTreeSet<usize> = touched.iter().copied().filter(|&part| fails(&causes, part)).collect();
        for change in now {
            let of_part = causes.entry(change.part).or_default();
            if change.fails {
                of_part.insert(change.cause);
            } else {
                of_part.remove(&change.cause);
            }
        }
        for (action, is_so) in [(EventAction::Fail, true), (EventAction::Repair, false)] {
            let changed = touched.iter().copied();
            let parts: Vec<usize> = changed
                .filter(|&part| fails(&causes, part) == is_so && before.contains(&part) != is_so)
                .collect();
            if !parts.is_empty() {
                let (thousandths, unreadable) = (1_000, (0, 0));
                events.push(GraphEvent {
                    at,
                    parts,
                    action,
                    thousandths,
                    delay: Span::ZERO,
                    unreadable,
                    thing: None,
                    nodes: Vec::new(),
                    initialise: false,
                    ways: Vec::new(),
                    change: None,
                });
            }
        }
    }
    events
}
