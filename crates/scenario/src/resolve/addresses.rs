//! The addresses of the stations: each network gives them to its nodes ([`Network::addresses`](sansim_registry::Network::addresses)). The
//! addresses of a loop that has an FL_Port have the domain and area of its port at the fabric before the AL_PA.

use sansim_fc::al_pa::AlPaChoice;
use sansim_fc::loop_port::{FcPort, PortParameters};
use sansim_pdu::Address;
use sansim_registry::{AddressFault, AttachedNode, CrossingPortEnd, NetworkPortRole};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;
use sansim_schema::table::Tabular;

use super::stations::{OnLoop, Stations};
use super::{Components, crossings, dotted};
use crate::codes::DUPLICATE_AL_PA;

/// The addresses on a network: for each of its ports, the addresses of the members.
pub(super) type OfNetwork = Vec<Vec<Address>>;

/// Gives an address to every port.
pub(super) fn give(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    stations: &Stations,
) -> Vec<OfNetwork> {
    let mut given: Vec<OfNetwork> = Vec::new();
    for on in &stations.loops {
        check_ports(sink, components, on);
        given.push(of_network(sink, components, on));
    }
    // The addresses on a loop at a fabric are below the address of its port there.
    let may_hang = |on: &OnLoop| crossings::is_at(components, on.network, CrossingPortEnd::OnLoop);
    for (number, on) in stations.loops.iter().enumerate().filter(|(_, on)| may_hang(on)) {
        let Some(at) = crossings::of_loop(components, &on.ports) else { continue };
        let Some(above) = address_of(stations, &given, at) else { continue };
        let below = |own| components.network(on.network)?.below(own, above);
        let Some(addresses) =
            given[number].iter().map(|of| of.iter().map(|&own| below(own)).collect()).collect()
        else {
            without_a_switch(sink, components, stations, at);
            continue;
        };
        given[number] = addresses;
    }
    given
}

/// The address of a port of a single component.
fn address_of(stations: &Stations, given: &[OfNetwork], port: (usize, usize)) -> Option<Address> {
    let network = *stations.of_port.get(&port)?;
    let place = stations.loops[network].ports.iter().position(|other| *other == port)?;
    given[network].get(place)?.first().copied()
}

/// Reports a loop at a link that has no switch.
fn without_a_switch(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    stations: &Stations,
    at: (usize, usize),
) {
    let Some(&network) = stations.of_port.get(&at) else { return };
    let name = components.name(stations.loops[network].network);
    let key = dotted(name, "topology");
    let message = format!("`{name}` has no switch at which `{}` could be a port", components.name(at.0));
    let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
        .with_label("needs a switch")
        .with_help("name a topology with one: \"single-switch\"");
    sink.report(&key, fault);
}

/// Reports ports that cannot be attached to their network, and keys of ports without a meaning there.
fn check_ports(sink: &mut ProblemSink<'_>, components: &Components<'_>, on: &OnLoop) {
    let Some(network) = components.network(on.network) else { return };
    let (name_of_network, noun) = (components.name(on.network), components.noun(on.network));
    let of_network = network.port_keys();
    for &(component, port) in &on.ports {
        let (said, name) = (&components.members[component].ports[port], components.name(component));
        let listed = dotted(name, &said.path);
        let has_al_pa = |keys: &FcPort| keys.port.al_pa != AlPaChoice::Auto;
        if !of_network.contains(&"al_pa") && said.keys.keys_of_protocol().is_some_and(has_al_pa) {
            let key = dotted(name, &format!("{}.al_pa", said.table));
            let message =
                format!("`{listed}` is attached to the {noun} `{name_of_network}`, which has no AL_PAs");
            let fault =
                Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
                    .with_label("an address of a loop")
                    .with_help(format!("leave it out: a {noun} gives its nodes their addresses"));
            sink.report(&key, fault);
        }
        if of_network.is_empty() {
            ports_of_fibre_channel(sink, components, on.network, (component, port));
        }
        if said.side == NetworkPortRole::Passive && !network.has_repeaters() {
            let message =
                format!("`{listed}` only repeats, and ports of the {noun} `{name_of_network}` do not repeat");
            let fault =
                Diagnostic::new(codes::CONTRADICTION, components.places.header_position(name), message)
                    .with_label(format!("is attached to a {noun}"))
                    .with_help("put it on a loop, or leave it out");
            sink.report(name, fault);
        }
    }
}

/// The addresses that a network gives to its nodes; none after an error, which has been reported.
fn of_network(sink: &mut ProblemSink<'_>, components: &Components<'_>, on: &OnLoop) -> OfNetwork {
    let count = |&(component, _): &(usize, usize)| components.count(component) as usize;
    let none = || vec![Vec::new(); on.ports.len()];
    let Some(network) = components.network(on.network) else { return none() };
    let of_port = |&(component, port): &(usize, usize)| {
        let said = &components.members[component].ports[port];
        (dotted(components.name(component), &said.path), said)
    };
    let ports: Vec<_> = on.ports.iter().map(of_port).collect();
    let node = |station: usize| {
        let (listed, said) = &ports[station];
        AttachedNode { listed, station, side: said.side, port: &said.keys }
    };
    let members = |station: usize| std::iter::repeat_n(node(station), count(&on.ports[station]));
    let nodes: Vec<AttachedNode<'_>> = (0..ports.len()).flat_map(members).collect();
    // Too many ports have been reported.
    if network.most_ports().is_some_and(|most| nodes.len() > most) {
        return none();
    }
    match network.addresses(&nodes) {
        Ok(addresses) => {
            let mut addresses = addresses.into_iter();
            on.ports.iter().map(|port| addresses.by_ref().take(count(port)).collect()).collect()
        }
        Err(faults) => {
            faults.into_iter().for_each(|fault| tell(sink, components, on, fault));
            none()
        }
    }
}

/// Reports the reason why nodes cannot have addresses.
fn tell(sink: &mut ProblemSink<'_>, components: &Components<'_>, on: &OnLoop, fault: AddressFault) {
    let al_pa = |station: usize| {
        let (component, port) = on.ports[station];
        let table = &components.members[component].ports[port].table;
        (components.name(component), dotted(components.name(component), &format!("{table}.al_pa")))
    };
    match fault {
        AddressFault::Nodes(why) => {
            let key = dotted(components.name(on.network), "stations");
            let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), why)
                .with_label("these nodes");
            sink.report(&key, fault);
        }
        AddressFault::Number { station, given, needed } => {
            let (name, key) = al_pa(station);
            let message = format!("{} for the {needed} ports of `{name}`", counted(given));
            let fault =
                Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
                    .with_label("one AL_PA is needed for each port")
                    .with_help("give a list of as many, or \"auto\"");
            sink.report(&key, fault);
        }
        AddressFault::Twice { address, again, first } => {
            let (_, key) = al_pa(again.0);
            let place = components.places.item_position(&key, again.1);
            let fault =
                Diagnostic::new(DUPLICATE_AL_PA, place, format!("AL_PA {address} is given to two ports"))
                    .with_label("given again")
                    .with_help("every port of a loop needs an address of its own; \"auto\" finds free ones");
            let first = components.places.item_position(&al_pa(first.0).1, first.1);
            sink.report_with(&key, fault, Some((first, "first given here")));
        }
    }
}

/// The keys of a port that have no effect on a network other than Fibre Channel, except AL_PAs, which such a network reports itself.
pub(crate) fn of_fibre_channel() -> impl Iterator<Item = &'static str> {
    PortParameters::keys().into_iter().filter(|key| *key != "al_pa")
}

/// Reports Fibre Channel keys of ports on other networks. Keys for AL_PAs have been reported before.
fn ports_of_fibre_channel(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    network: usize,
    (component, port): (usize, usize),
) {
    let said = &components.members[component].ports[port];
    let name = components.name(component);
    let (noun, network) = (components.noun(network), components.name(network));
    for key in of_fibre_channel() {
        let path = dotted(name, &format!("{}.{key}", said.table));
        let Some(place) = components.places.written_position(&path) else { continue };
        let listed = dotted(name, &said.path);
        let message =
            format!("`{listed}` is attached to the {noun} `{network}`, whose ports have no `{key}`");
        let fault = Diagnostic::new(codes::CONTRADICTION, place, message)
            .with_label("a key of a port of Fibre Channel")
            .with_help(format!("leave it out: what a port does here is said by the keys of the {noun}"));
        sink.report(&path, fault);
    }
}

/// The number of addresses as text: `1 AL_PA` or `3 AL_PAs`.
fn counted(addresses: usize) -> String {
    if addresses == 1 { "1 AL_PA".to_owned() } else { format!("{addresses} AL_PAs") }
}
