//! The stations of the loop: that there are such components, and their addresses.

use std::collections::BTreeMap;

use sansim_describe::codes;
use sansim_describe::fault::Fault;
use sansim_describe::places::Places;
use sansim_describe::sink::Sink;
use sansim_describe::source::Place;
use sansim_describe::suggest::printable;
use sansim_fc::al_pa::{AlPa, AlPaChoice};

use super::names::{is_unread, unknown_name};
use crate::codes::{DUPLICATE_AL_PA, ON_NO_LOOP, TOO_MANY_PORTS};
use crate::component::Component;
use crate::scenario::{GroupRef, OnLoop, Scenario};

/// Gives every group its place on the loop, and every station its address.
pub(super) fn place(
    sink: &mut Sink<'_>,
    places: Places<'_>,
    components: &[Component<'_>],
    scenario: &mut Scenario,
) {
    stations(sink, places, components, scenario);
    if count_ports(sink, places, scenario) {
        addresses(sink, places, scenario);
    }
}

/// The group with this name.
fn find_group(scenario: &Scenario, name: &str) -> Option<GroupRef> {
    let host = scenario.hosts.iter().position(|host| host.name == name);
    let drives = scenario.drives.iter().position(|group| group.name == name);
    let passive = scenario.passives.iter().position(|group| group.name == name);
    host.map(GroupRef::Host).or(drives.map(GroupRef::Drives)).or(passive.map(GroupRef::Passive))
}

/// Finds the groups on the loop among the components.
fn stations(sink: &mut Sink<'_>, places: Places<'_>, components: &[Component<'_>], scenario: &mut Scenario) {
    let key = format!("{}.stations", scenario.arbitrated_loop.name);
    if !sink.are_sound(&[&key]) {
        return;
    }
    let names = scenario.arbitrated_loop.stations.clone();
    let mut order = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let place = places.item(&key, index);
        if let Some(first) = names[..index].iter().position(|other| other == name) {
            let fault =
                Fault::new(codes::NAMED_TWICE, place, format!("`{}` is on the loop twice", printable(name)))
                    .label("named again");
            sink.report_with(&key, fault, Some((places.item(&key, first), "first named here")));
        } else if let Some(group) = find_group(scenario, name) {
            order.push(OnLoop { group, al_pas: Vec::new() });
        } else if !is_unread(components, name) {
            let fitting = ["host", "drives", "passive"];
            sink.report(&key, unknown_name(place, name, components, &fitting, "a component with ports"));
        }
    }
    // With a name that nobody has, whoever is missing here is most likely the one that was meant.
    let all_known = sink.are_sound(&[&key]);
    for component in components {
        let on_loop = names.iter().any(|name| name == component.name());
        if find_group(scenario, component.name()).is_some() && !on_loop && all_known {
            let fault = Fault::new(
                ON_NO_LOOP,
                component.entry.key_place,
                format!("`{}` is on no loop", component.name()),
            )
            .label("has ports, but no place on a loop")
            .help(format!("add \"{}\" to {key}", component.name()));
            sink.report_with(component.name(), fault, Some((places.value(&key), "the stations of the loop")));
        }
    }
    scenario.on_loop = order;
}

/// Whether there are few enough ports for a loop.
fn count_ports(sink: &mut Sink<'_>, places: Places<'_>, scenario: &Scenario) -> bool {
    let order: Vec<GroupRef> = scenario.on_loop.iter().map(|on_loop| on_loop.group).collect();
    let ports: u64 = order.iter().map(|&group| scenario.port_count(group)).sum();
    let largest = order.iter().copied().max_by_key(|&group| scenario.port_count(group));
    let (true, Some(largest)) = (ports > AlPa::COUNT as u64, largest) else { return true };
    let key = format!("{}.count", scenario.group_name(largest));
    let stations = format!("{}.stations", scenario.arbitrated_loop.name);
    let terms: Vec<String> = order
        .iter()
        .map(|&group| format!("{} in `{}`", scenario.port_count(group), scenario.group_name(group)))
        .collect();
    let terms = if terms.len() > 6 { String::new() } else { format!(": {}", terms.join(", ")) };
    let fault = Fault::new(
        TOO_MANY_PORTS,
        places.value(&key),
        format!("{ports} ports on a loop that has room for 127"),
    )
    .label("too many")
    .help(format!("leave out {}{terms}", ports - AlPa::COUNT as u64));
    sink.report_with(&key, fault, Some((places.value(&stations), "the stations of the loop")));
    false
}

/// Gives an address to every port.
fn addresses(sink: &mut Sink<'_>, places: Places<'_>, scenario: &mut Scenario) {
    let mut on_loop = std::mem::take(&mut scenario.on_loop);
    let ports: u64 = on_loop.iter().map(|on_loop| scenario.port_count(on_loop.group)).sum();
    let mut taken: BTreeMap<AlPa, Place> = BTreeMap::new();
    for OnLoop { group, al_pas } in &mut on_loop {
        let group = *group;
        let AlPaChoice::These(given) = scenario.al_pa_choice(group) else { continue };
        let key = format!("{}.port.al_pa", scenario.group_name(group));
        let count = scenario.port_count(group);
        if given.len() as u64 != count {
            let name = scenario.group_name(group);
            let fault = Fault::new(
                codes::CONTRADICTION,
                places.value(&key),
                format!("{} for the {count} ports of `{name}`", counted(given.len())),
            )
            .label("one AL_PA is needed for each port")
            .help("give a list of as many, or \"auto\"");
            sink.report(&key, fault);
        }
        for (index, &address) in given.iter().enumerate() {
            let place = places.item(&key, index);
            if let Some(&first) = taken.get(&address) {
                let fault =
                    Fault::new(DUPLICATE_AL_PA, place, format!("AL_PA {address} is given to two ports"))
                        .label("given again")
                        .help("every port of a loop needs an address of its own; \"auto\" finds free ones");
                sink.report_with(&key, fault, Some((first, "first given here")));
            } else {
                taken.insert(address, place);
            }
        }
        al_pas.clone_from(given);
    }
    let from = if ports == AlPa::COUNT as u64 { 0 } else { 1 };
    let mut free = AlPa::all().filter(|address| address.value() >= from && !taken.contains_key(address));
    let rank = |on_loop: &&mut OnLoop| match on_loop.group {
        GroupRef::Host(_) => 0,
        GroupRef::Drives(_) => 1,
        GroupRef::Passive(_) => 2,
    };
    let mut by_rank: Vec<&mut OnLoop> = on_loop.iter_mut().collect();
    by_rank.sort_by_key(rank);
    for OnLoop { group, al_pas } in by_rank {
        if *scenario.al_pa_choice(*group) == AlPaChoice::Auto {
            let count = scenario.port_count(*group) as usize;
            *al_pas = free.by_ref().take(count).collect();
        }
    }
    scenario.on_loop = on_loop;
}

/// `1 AL_PA` or `3 AL_PAs`.
fn counted(addresses: usize) -> String {
    if addresses == 1 { "1 AL_PA".to_owned() } else { format!("{addresses} AL_PAs") }
}
