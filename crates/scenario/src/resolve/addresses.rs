//! The addresses of the stations: each loop has those of its own.
//!
//! Addresses that are not given are found so: AL_PA 01 to EF in this order to the initiators, then to the targets,
//! then to the passive ports, each in the order of the loop, leaving out those that are given. 00, the address of a
//! fabric's port, comes first of all if the loop has 127 ports, and is not used otherwise but by an FL_Port. The addresses of a loop that
//! has one have the domain and area of its port at the fabric before the AL_PA.

use std::collections::BTreeMap;

use sansim_describe::codes;
use sansim_describe::fault::Fault;
use sansim_describe::sink::Sink;
use sansim_describe::source::Place;
use sansim_describe::table::Tabular;
use sansim_fc::address::Address;
use sansim_fc::al_pa::{AlPa, AlPaChoice};
use sansim_fc::loop_port::PortParameters;
use sansim_kinds::{Side, StandsAt};

use super::stations::{OnLoop, Stations};
use super::{Components, crossings, dotted};
use crate::codes::DUPLICATE_AL_PA;

/// The addresses on a network, for each of its ports those of the members.
pub(super) type OfNetwork = Vec<Vec<Address>>;

/// Gives an address to every port.
pub(super) fn give(sink: &mut Sink<'_>, components: &Components<'_>, stations: &Stations) -> Vec<OfNetwork> {
    let mut given: Vec<OfNetwork> = Vec::new();
    for on in &stations.loops {
        given.push(match components.is_loop(on.network) {
            true => on_loop(sink, components, on),
            false => on_fabric(sink, components, on),
        });
    }
    // Those of a loop at a fabric are below that of its port there.
    for (number, on) in stations.loops.iter().enumerate().filter(|(_, on)| components.is_loop(on.network)) {
        let Some(at) = crossings::of_loop(components, &on.ports) else { continue };
        let Some(above) = address_of(stations, &given, at) else { continue };
        if above.area() == 0 {
            without_a_switch(sink, components, stations, at);
        }
        for address in given[number].iter_mut().flatten() {
            *address = above.on_loop(address.port());
        }
    }
    given
}

/// The address of a port that is no group.
fn address_of(stations: &Stations, given: &[OfNetwork], port: (usize, usize)) -> Option<Address> {
    let network = *stations.of_port.get(&port)?;
    let place = stations.loops[network].ports.iter().position(|other| *other == port)?;
    given[network].get(place)?.first().copied()
}

/// A loop cannot hang at a link that has no switch.
fn without_a_switch(
    sink: &mut Sink<'_>,
    components: &Components<'_>,
    stations: &Stations,
    at: (usize, usize),
) {
    let Some(&network) = stations.of_port.get(&at) else { return };
    let name = components.name(stations.loops[network].network);
    let key = dotted(name, "topology");
    let message = format!("`{name}` has no switch at which `{}` could be a port", components.name(at.0));
    let fault = Fault::new(codes::CONTRADICTION, components.places.value(&key), message)
        .label("needs a switch")
        .help("name a topology with one: \"single-switch\"");
    sink.report(&key, fault);
}

/// A fabric gives its nodes their addresses itself; AL_PAs are for loops, and so are ports that only repeat.
fn on_fabric(sink: &mut Sink<'_>, components: &Components<'_>, on: &OnLoop) -> OfNetwork {
    let network = components.name(on.network);
    let noun = noun(components, on.network);
    let is_fabric = components.described[on.network]
        .compound()
        .network()
        .is_some_and(|network| network.carrier.is_fabric);
    let mut nodes = Vec::new();
    for &(component, port) in &on.ports {
        let (said, name) = (&components.members[component].ports[port], components.name(component));
        let listed = dotted(name, &said.path);
        let key = dotted(name, &format!("{}.al_pa", said.table));
        if said.port.al_pa != AlPaChoice::Auto {
            let message = format!("`{listed}` stands on the {noun} `{network}`, where there are no AL_PAs");
            let fault = Fault::new(codes::CONTRADICTION, components.places.value(&key), message)
                .label("an address of a loop")
                .help(format!("leave it out: a {noun} gives its nodes their addresses"));
            sink.report(&key, fault);
        }
        if !is_fabric {
            ports_of_fibre_channel(sink, components, on.network, (component, port));
        }
        if said.side == Side::Passive {
            let message =
                format!("`{listed}` only repeats, which there is nothing to do of on the {noun} `{network}`");
            let fault = Fault::new(codes::CONTRADICTION, components.places.header(name), message)
                .label(format!("stands on a {noun}"))
                .help("put it on a loop, or leave it out");
            sink.report(name, fault);
        }
        nodes.extend((0..components.count(component)).map(|_| {
            let (buffers, cable) = (said.port.incoming_buffers, said.port.cable);
            (listed.clone(), StandsAt { listed: "", side: said.side, buffers, cable })
        }));
    }
    let stands: Vec<StandsAt<'_>> = nodes.iter().map(|(listed, node)| StandsAt { listed, ..*node }).collect();
    let mut given = match components.described[on.network].compound().addresses(&stands) {
        Ok(addresses) => addresses.into_iter(),
        Err(why) => {
            let key = dotted(network, "stations");
            let fault =
                Fault::new(codes::CONTRADICTION, components.places.value(&key), why).label("these nodes");
            sink.report(&key, fault);
            Vec::new().into_iter()
        }
    };
    let count = |&(component, _): &(usize, usize)| components.count(component) as usize;
    on.ports.iter().map(|port| given.by_ref().take(count(port)).collect()).collect()
}

/// What a network is called, without the article: "fabric", "SCSI bus".
fn noun<'a>(components: &'a Components<'_>, network: usize) -> &'a str {
    components.kind(network).noun.trim_start_matches("a ")
}

/// The keys of a port that mean nothing on a network that is none of Fibre Channel; of AL_PAs such a network has something to say itself.
pub(crate) fn of_fibre_channel() -> impl Iterator<Item = &'static str> {
    PortParameters::keys().into_iter().filter(|key| *key != "al_pa")
}

/// A network that is none of Fibre Channel has no use for what is said of a port of Fibre Channel. Of AL_PAs it has been told.
fn ports_of_fibre_channel(
    sink: &mut Sink<'_>,
    components: &Components<'_>,
    network: usize,
    (component, port): (usize, usize),
) {
    let said = &components.members[component].ports[port];
    let name = components.name(component);
    let (noun, network) = (noun(components, network), components.name(network));
    for key in of_fibre_channel() {
        let path = dotted(name, &format!("{}.{key}", said.table));
        let Some(place) = components.places.written(&path) else { continue };
        let listed = dotted(name, &said.path);
        let message = format!("`{listed}` stands on the {noun} `{network}`, whose ports have no `{key}`");
        let fault = Fault::new(codes::CONTRADICTION, place, message)
            .label("a key of a port of Fibre Channel")
            .help(format!("leave it out: what a port does here is said by the keys of the {noun}"));
        sink.report(&path, fault);
    }
}

fn on_loop(sink: &mut Sink<'_>, components: &Components<'_>, on_loop: &OnLoop) -> OfNetwork {
    let count = |component: usize| components.count(component) as usize;
    let ports: usize = on_loop.ports.iter().map(|&(component, _)| count(component)).sum();
    let mut addresses: OfNetwork = vec![Vec::new(); on_loop.ports.len()];
    if ports > AlPa::COUNT {
        return addresses;
    }
    let said = |&(component, port): &(usize, usize)| &components.members[component].ports[port];
    let mut taken: BTreeMap<AlPa, Place> = BTreeMap::new();
    for (port, addresses) in on_loop.ports.iter().zip(&mut addresses) {
        let fl_port = AlPaChoice::These(vec![AlPa::FABRIC]);
        let choice = if said(port).side == Side::Crossing { &fl_port } else { &said(port).port.al_pa };
        let AlPaChoice::These(given) = choice else { continue };
        let name = components.name(port.0);
        let key = dotted(name, &format!("{}.al_pa", said(port).table));
        let needed = count(port.0);
        if given.len() != needed {
            let fault = Fault::new(
                codes::CONTRADICTION,
                components.places.value(&key),
                format!("{} for the {needed} ports of `{name}`", counted(given.len())),
            )
            .label("one AL_PA is needed for each port")
            .help("give a list of as many, or \"auto\"");
            sink.report(&key, fault);
        }
        for (index, &address) in given.iter().enumerate() {
            let place = components.places.item(&key, index);
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
        *addresses = given.iter().map(|given| given.address()).collect();
    }
    let from = if ports == AlPa::COUNT { 0 } else { 1 };
    let mut free = AlPa::all().filter(|address| address.value() >= from && !taken.contains_key(address));
    let mut by_side: Vec<usize> = (0..on_loop.ports.len()).collect();
    by_side.sort_by_key(|&index| said(&on_loop.ports[index]).side);
    for index in by_side {
        let port = &on_loop.ports[index];
        if said(port).side != Side::Crossing && said(port).port.al_pa == AlPaChoice::Auto {
            addresses[index] = free.by_ref().take(count(port.0)).map(|free| free.address()).collect();
        }
    }
    addresses
}

/// `1 AL_PA` or `3 AL_PAs`.
fn counted(addresses: usize) -> String {
    if addresses == 1 { "1 AL_PA".to_owned() } else { format!("{addresses} AL_PAs") }
}
