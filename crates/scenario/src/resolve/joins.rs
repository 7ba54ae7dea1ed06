//! Links between components and the devices behind them: checks that the numbers of members fit and that no device has two owners, and
//! makes the links between block ports.

use std::collections::BTreeMap;

use sansim_registry::{ComponentCategory, ControllerSide, ReferenceRelation, bus_port_count};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;

use super::groups::{home_of, host_of};
use super::names::{Join, Names};
use super::parts::Numbers;
use super::stations::Stations;
use super::{Components, dotted, software};
use crate::codes::{ROUND_IN_A_RING, TOO_MANY_PARTS, TWO_OWNERS};
use crate::graph::{BlockPort, Graph, GraphLink};

/// Most parts that are attached without a network.
const MOST_MEMBERS: u64 = 100_000;

/// Reports components that cannot be joined.
pub(super) fn check(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    names: &Names,
    stations: &Stations,
) {
    let mut owners: BTreeMap<usize, &Join> = BTreeMap::new();
    for join in names.joins.iter().filter(|join| join.is_request_join()) {
        if let Some(first) = owners.get(&join.to) {
            two_owners(sink, components, first, join);
            continue;
        }
        owners.insert(join.to, join);
        if join.how == ReferenceRelation::Attached && stations.is_reachable_by_loop(components, join.to) {
            attached_on_a_loop(sink, components, join);
        } else {
            as_many_for_each(sink, components, join, (join.from, join.to));
        }
    }
    for join in names.joins.iter().filter(|join| join.how == ReferenceRelation::Inside) {
        inside_nothing(sink, components, join);
        if components.members[join.to].resources.is_some() {
            as_many_for_each(sink, components, join, (join.to, join.from));
        }
    }
    for join in &names.joins {
        leave(sink, components, names, join);
    }
    cards_of_modules(sink, components, names);
    rings(sink, components, &owners);
    shared_rings(sink, components, names);
    count_members(sink, components);
}

/// The module and its part that are named by a card of a bus of its controller, as `COMPONENT.PATH`.
fn card_of_module(
    components: &Components<'_>,
    names: &Names,
    controller: usize,
    card: &str,
) -> Option<(usize, usize)> {
    let modules =
        names.joins.iter().filter(|join| join.how == ReferenceRelation::Inside && join.to == controller);
    modules.map(|join| join.from).find_map(|module| {
        let path = card.strip_prefix(components.name(module))?.strip_prefix('.')?;
        let parts = &components.members[module].parts;
        let part = parts.iter().position(|inside| inside.path == path && bus_port_count(&inside.part) > 0)?;
        Some((module, part))
    })
}

/// Checks that adapters of modules on buses of the controller exist, and are on no other bus.
fn cards_of_modules(sink: &mut ProblemSink<'_>, components: &Components<'_>, names: &Names) {
    for component in components.numbers() {
        let inside = &components.members[component];
        for (place, (bus, card)) in inside.cards_of_modules.iter().enumerate() {
            let key = dotted(components.name(component), &format!("{}.cards", inside.parts[*bus].path));
            let found = card_of_module(components, names, component, card);
            let again = inside.cards_of_modules[..place].iter().any(|(_, other)| other == card);
            let fault = match found {
                None => {
                    let message =
                        format!("`{}` has no module with the adapter `{card}`", components.name(component));
                    Diagnostic::new(codes::UNKNOWN_NAME, components.places.value_position(&key), message)
                        .with_label("not an adapter of a module")
                        .with_help("name the component that is `inside`, and its adapter: \"backend.back\"")
                }
                Some((module, part))
                    if again
                        || components.members[module].shared.iter().any(|&(adapter, _)| adapter == part) =>
                {
                    Diagnostic::new(
                        codes::NAMED_TWICE,
                        components.places.value_position(&key),
                        format!("`{card}` is on a bus already"),
                    )
                    .with_label("a card has one slot")
                    .with_help("take it out of one of the lists")
                }
                Some(_) => continue,
            };
            sink.report(&key, fault);
        }
    }
}

/// Whether the naming component uses the named one without a network.
fn is_direct(components: &Components<'_>, join: &Join, stations: &Stations) -> bool {
    join.how == ReferenceRelation::Attached
        || (join.how == ReferenceRelation::Behind && !stations.is_reachable_by_loop(components, join.to))
}

/// Checks that the controller of a module has resources.
fn inside_nothing(sink: &mut ProblemSink<'_>, components: &Components<'_>, join: &Join) {
    let resources = dotted(components.name(join.to), "resources");
    let are_there = components.members[join.to].resources.is_some() || !sink.all_readable(&[&resources]);
    if are_there && join.index == 0 {
        return;
    }
    let (name, noun) = (components.name(join.to), components.kind(join.to).noun);
    let (message, help) = if join.index > 0 {
        (format!("`{}` is a module of one controller", components.name(join.from)), "name one".to_owned())
    } else if components.kind(join.to).word == "controller" {
        let help = format!("say in [{name}.resources] what something costs there, or leave `inside` out");
        (format!("`{name}` has no resources that another component could use"), help)
    } else {
        (format!("`{name}` is {noun}, which has no modules"), "name a controller".to_owned())
    };
    let fault = Diagnostic::new(codes::CONTRADICTION, join.name_position(components), message)
        .with_label("nothing to be inside of")
        .with_help(help);
    sink.report(&join.key_path(components), fault);
}

fn two_owners(sink: &mut ProblemSink<'_>, components: &Components<'_>, first: &Join, again: &Join) {
    let (device, one, other) =
        (components.name(again.to), components.name(first.from), components.name(again.from));
    let message = if one == other {
        format!("`{device}` belongs to `{one}` already")
    } else {
        format!("`{device}` belongs to `{one}`, so `{other}` cannot have it, too")
    };
    let fault = Diagnostic::new(TWO_OWNERS, again.name_position(components), message)
        .with_label("a second owner")
        .with_help(if components.kind(first.from).category == ComponentCategory::Device && one != other {
            format!("give each a group of its own, or let `{other}` ask `{one}` for it")
        } else {
            format!("give each a group of its own, or take it out of {}", first.key_path(components))
        });
    let related = (first.name_position(components), "the first owner");
    sink.report_with(&again.key_path(components), fault, Some(related));
}

fn attached_on_a_loop(sink: &mut ProblemSink<'_>, components: &Components<'_>, join: &Join) {
    let (device, owner) = (components.name(join.to), components.name(join.from));
    let message = format!("`{device}` is attached to a loop, but `{owner}` uses it without a network");
    let help = if components.kind(join.from).category == ComponentCategory::Host {
        format!("leave it out here, as `{owner}` reaches it by the loop; or take it out of the stations")
    } else {
        format!("take `{device}` out of the stations, or let a controller ask it by the loop")
    };
    let fault = Diagnostic::new(codes::CONTRADICTION, join.name_position(components), message)
        .with_label("on a loop")
        .with_help(help);
    sink.report(&join.key_path(components), fault);
}

/// Checks that the members can be paired: a single member is joined to all, and equal numbers are joined one to one.
fn as_many_for_each(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    join: &Join,
    (owner, owned): (usize, usize),
) {
    let (from, to) = (components.count(owner), components.count(owned));
    let keys = [owner, owned].map(|component| dotted(components.name(component), "count"));
    if from == 0 || to.is_multiple_of(from) || !sink.all_readable(&[&keys[0], &keys[1]]) {
        return;
    }
    let (owner, owned) = (components.name(owner), components.name(owned));
    let message = format!("`{owner}` has {from} members, `{owned}` {to}: not as many for each");
    let fault = Diagnostic::new(codes::CONTRADICTION, join.name_position(components), message)
        .with_label(format!("needs {from} members, or a multiple of that"))
        .with_help(format!(
            "give `{owned}` a count of {}",
            u64::from(to.max(1)).next_multiple_of(u64::from(from))
        ));
    sink.report(&join.key_path(components), fault);
}

/// Reports components that send requests to themselves, directly or through others.
fn rings(sink: &mut ProblemSink<'_>, components: &Components<'_>, owners: &BTreeMap<usize, &Join>) {
    let mut seen = vec![false; components.described.len()];
    for &start in owners.keys() {
        let mut way = Vec::new();
        let mut at = start;
        while let (false, Some(join)) = (seen[at], owners.get(&at)) {
            seen[at] = true;
            way.push(at);
            at = join.from;
        }
        // A component that was met before on this walk closes a cycle.
        let (Some(begin), Some(join)) = (way.iter().position(|&other| other == at), owners.get(&at)) else {
            continue;
        };
        let mut ring: Vec<String> =
            way[begin..].iter().rev().map(|&other| format!("`{}`", components.name(other))).collect();
        ring.insert(0, format!("`{}`", components.name(at)));
        let fault = Diagnostic::new(
            ROUND_IN_A_RING,
            join.name_position(components),
            format!("{} ask each other in a ring", ring.join(", ")),
        )
        .with_label("closes the ring")
        .with_help("requests have to come to drives in the end");
        sink.report(&join.key_path(components), fault);
    }
}

/// Checks that metadata controllers are used for leases only by metadata clients.
fn leave(sink: &mut ProblemSink<'_>, components: &Components<'_>, names: &Names, join: &Join) {
    let gives_leave = names.joins_with_relation(join.to, ReferenceRelation::Manages).next().is_some();
    let (from, to) = (components.name(join.from), components.name(join.to));
    let place = join.name_position(components);
    let fault = match join.how {
        ReferenceRelation::Shares if !gives_leave && sink.all_readable(&[&dotted(to, "to")]) => {
            let message = format!("`{to}` is {}, which grants no leases", components.kind(join.to).noun);
            Diagnostic::new(codes::CONTRADICTION, place, message)
                .with_label("needs the name of a metadata controller")
                .with_help("add a component with kind = \"metadata-controller\" whose `to` names the devices")
        }
        ReferenceRelation::Devices
        | ReferenceRelation::Attached
        | ReferenceRelation::Behind
        | ReferenceRelation::Manages
            if gives_leave =>
        {
            let message = format!("`{from}` asks `{to}` for data, and that only says where they are");
            Diagnostic::new(codes::CONTRADICTION, place, message).with_label("has no data").with_help(
                format!("name a component with kind = \"metadata-client\" here, whose `to` names `{to}`"),
            )
        }
        _ => return,
    };
    sink.report(&join.key_path(components), fault);
}

/// Reports components that use themselves through a metadata controller.
fn shared_rings(sink: &mut ProblemSink<'_>, components: &Components<'_>, names: &Names) {
    for join in names.joins.iter().filter(|join| join.how == ReferenceRelation::Shares) {
        let mut above = vec![false; components.described.len()];
        let mut next = vec![join.from];
        while let Some(at) = next.pop() {
            if !std::mem::replace(&mut above[at], true) {
                next.extend(names.joins.iter().filter(|o| o.to == at && o.is_device_join()).map(|o| o.from));
            }
        }
        if above[join.to] {
            let (from, to) = (components.name(join.from), components.name(join.to));
            let message = format!("`{to}` has `{from}` behind it, which asks it");
            let fault = Diagnostic::new(ROUND_IN_A_RING, join.name_position(components), message)
                .with_label("closes the ring")
                .with_help("requests have to come to drives in the end");
            sink.report(&join.key_path(components), fault);
            return;
        }
    }
}

/// Limits the number of members that are attached without a network; on loops there are few.
fn count_members(sink: &mut ProblemSink<'_>, components: &Components<'_>) {
    let count = |component: &usize| u64::from(components.count(*component));
    let all: u64 = components.numbers().map(|component| count(&component)).sum();
    let Some(largest) = components.numbers().max_by_key(count) else { return };
    let category = components.kind(largest).category;
    if all <= MOST_MEMBERS || category == ComponentCategory::Workload {
        return;
    }
    let key = dotted(components.name(largest), "count");
    // A loop that is too long has been reported.
    if sink.all_readable(&[&key]) {
        let fault = Diagnostic::new(
            TOO_MANY_PARTS,
            components.places.value_position(&key),
            format!("{all} members of groups, but {MOST_MEMBERS} are the most"),
        )
        .with_label("the largest group")
        .with_help("give it a smaller count");
        sink.report(&key, fault);
    }
}

/// Joins the ports inside: those at buses, processors and resources, and the block ports: for each part that sends requests, in the order
/// of the parts, first those inside its member, then those to the components that it names.
pub(super) fn link(
    components: &Components<'_>,
    names: &Names,
    stations: &Stations,
    numbers: &Numbers,
    graph: &mut Graph,
) {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut at_shared: Vec<(usize, usize)> = Vec::new();
    let mut halves: BTreeMap<(usize, usize), ControllerSide> = BTreeMap::new();
    for component in components.numbers() {
        let inside = &components.members[component];
        for member in 0..components.count(component) {
            let part = |inside: usize| numbers.get(&(component, member, inside)).copied();
            for &(asker, server) in &inside.joins {
                let path = &inside.parts[asker].path;
                let half = components.described[component].kind_behaviour().side_of(path);
                if let (Some(asker), Some(server)) = (part(asker), part(server)) {
                    pairs.push((asker, server));
                    halves.insert((asker, server), half);
                }
            }
            // An adapter on no network is not built.
            let both = |&(asker, server): &(usize, usize)| Some((part(asker)?, part(server)?));
            at_shared.extend(inside.shared.iter().filter_map(both));
            for (bus, card) in &inside.cards_of_modules {
                let Some((module, adapter)) = card_of_module(components, names, component, card) else {
                    continue;
                };
                let ports = bus_port_count(&components.members[module].parts[adapter].part);
                let of_members = (0..components.count(module))
                    .filter(|&of_module| home_of(components, module, of_module, component) == member)
                    .filter_map(|member| Some((*numbers.get(&(module, member, adapter))?, part(*bus)?)));
                at_shared.extend(of_members.flat_map(|pair| std::iter::repeat_n(pair, ports)));
            }
            let Some(asker) = inside.asks.and_then(part) else { continue };
            for join in names.joins_with_relation(component, ReferenceRelation::Inside) {
                let resources = components.members[join.to].resources;
                let home = home_of(components, component, member, join.to);
                let resources = resources.and_then(|inside| numbers.get(&(join.to, home, inside)).copied());
                let half = components.described[component].kind_behaviour().side();
                let joined = resources.map(|resources| (asker, resources));
                halves.extend(joined.map(|pair| (pair, half)));
                at_shared.extend(joined);
            }
            let direct =
                names.joins_of_component(component).filter(|join| is_direct(components, join, stations));
            let asked = direct
                .flat_map(|join| partners(components, join, member).map(move |other| (join.to, other)))
                .chain(host_of(components, names, component, member));
            for (other, of_other) in asked {
                let server = components.members[other].serves;
                let server = server.and_then(|inside| numbers.get(&(other, of_other, inside)).copied());
                if let Some(server) = server {
                    pairs.push((asker, server));
                }
            }
        }
    }
    pairs.sort_by_key(|&(asker, _)| asker);
    let with_half = |pair: (usize, usize)| (pair, halves.get(&pair).copied().unwrap_or(ControllerSide::A));
    let at_networks = software::link(components, names, stations, numbers, graph);
    graph.links = numbered(pairs.into_iter().map(with_half));
    graph.shared = numbered(at_shared.into_iter().map(with_half).chain(at_networks));
}

/// Numbers the ports of the joined components, each with the controller side that uses it.
fn numbered(pairs: impl Iterator<Item = ((usize, usize), ControllerSide)>) -> Vec<GraphLink> {
    let (mut asking, mut serving) = (BTreeMap::new(), BTreeMap::new());
    let next = |of: &mut BTreeMap<usize, u32>, part: usize| {
        let number = of.entry(part).or_default();
        *number += 1;
        BlockPort { part, number: *number - 1 }
    };
    let joined = |((asker, server), half)| GraphLink {
        half,
        asker: next(&mut asking, asker),
        server: next(&mut serving, server),
    };
    pairs.map(joined).collect()
}

/// The members to which a member is joined: each has the same number of partners, in order. All members share a metadata controller.
pub(super) fn partners(components: &Components<'_>, join: &Join, member: u32) -> std::ops::Range<u32> {
    if join.how == ReferenceRelation::Shares {
        return 0..components.count(join.to);
    }
    let (from, to) = (components.count(join.from), components.count(join.to));
    let each = to / from.max(1);
    member * each..(member + 1) * each
}
