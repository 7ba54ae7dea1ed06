//! Paths that fail with a component, and work again with it, and the initiating part that is notified of each.
//!
//! A path works while the adapters at its ends, their networks, and the parts of those networks at their addresses
//! ([`Network::at`](sansim_registry::Network::at)) work: the switches of a fabric.

use std::collections::{BTreeMap, BTreeSet};

use sansim_registry::EventAction;

use crate::graph::{DeviceAddress, Graph, GraphEvent};

/// A thing that a path needs to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Needs {
    /// A part: an adapter, or a network.
    Part(usize),
    /// A part of a network that can fail separately, by its number: a switch of a fabric.
    Thing(usize, usize),
    /// The port of an adapter on its network.
    Node(usize),
}

/// A path of a graph: its initiating part, its number among the paths of that part, and the things that it needs.
type WayOf = ((usize, u32), Vec<Needs>);

/// Finds the paths that fail and work again with the events.
pub(super) fn find(events: &mut [GraphEvent], graph: &Graph) {
    let happens: BTreeSet<Needs> = events.iter().flat_map(happens_to).collect();
    let mut ways: Vec<WayOf> = Vec::new();
    let mut count: BTreeMap<usize, u32> = BTreeMap::new();
    for reach in &graph.reaches {
        for way in &reach.ways {
            let number = count.entry(reach.asker).or_default();
            *number += 1;
            let needs = way.address.map_or(Vec::new(), |address| needs(graph, address));
            if needs.iter().any(|needed| happens.contains(needed)) {
                ways.push(((reach.asker, *number - 1), needs));
            }
        }
    }
    let mut failed: BTreeSet<Needs> = BTreeSet::new();
    for event in events.iter_mut() {
        let before = failed.clone();
        match event.action {
            EventAction::Fail | EventAction::Remove => failed.extend(happens_to(event)),
            EventAction::Repair | EventAction::Add => happens_to(event).iter().for_each(|whole| {
                failed.remove(whole);
            }),
            _ => {}
        }
        let works = |failed: &BTreeSet<Needs>, needs: &[Needs]| !needs.iter().any(|one| failed.contains(one));
        let changed = ways.iter().filter(|(_, needs)| works(&before, needs) != works(&failed, needs));
        event.ways = changed.map(|&(way, _)| way).collect();
    }
}

/// The needs of paths that an event affects. A part without an address is in no path.
fn happens_to(event: &GraphEvent) -> Vec<Needs> {
    let is_node = matches!(event.action, EventAction::Remove | EventAction::Add);
    let one = |&part: &usize| match event.thing {
        Some(thing) => Needs::Thing(part, thing),
        None if is_node => Needs::Node(part),
        None => Needs::Part(part),
    };
    event.parts.iter().map(one).collect()
}

/// The needs of a path over networks.
fn needs(graph: &Graph, address: DeviceAddress) -> Vec<Needs> {
    let mut needs = Vec::new();
    for (network, station) in [(address.arbitrated_loop, address.from), (address.network, address.to)] {
        let on = &graph.loops[network];
        let stands = &on.stations[station];
        needs.extend(stands.part.into_iter().flat_map(|part| [Needs::Part(part), Needs::Node(part)]));
        needs.push(Needs::Part(on.part));
        let at = graph.parts[on.part].part.network().and_then(|network| network.at(stands.address));
        needs.extend(at.map(|thing| Needs::Thing(on.part, thing)));
    }
    needs
}
