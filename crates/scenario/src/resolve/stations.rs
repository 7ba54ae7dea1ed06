//! The stations of the networks: the port at each, and the ports without a station.

use sansim_fc::loop_port::FcPort;
use std::collections::BTreeMap;

use sansim_registry::{ComponentCategory, NetworkPortRole, ReferenceRelation};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;
use sansim_schema::source::SourceRange;

use super::names::{Names, Stands};
use super::{Components, dotted};
use crate::codes::{ON_NO_LOOP, PORT_TWICE, TOO_MANY_PORTS};

/// The ports on each loop.
#[derive(Default)]
pub(super) struct Stations {
    /// The loops, in the order of the file.
    pub loops: Vec<OnLoop>,
    /// The loop of each port that is on a loop, by component and port.
    pub of_port: BTreeMap<(usize, usize), usize>,
}

/// A loop with the ports on it.
pub(super) struct OnLoop {
    /// The loop as a component.
    pub network: usize,
    /// The ports of the list, in its order, as component and port number; an entry represents the port of every member of its component.
    pub ports: Vec<(usize, usize)>,
}

impl Stations {
    /// Whether any port of a component is on a loop.
    pub fn has_station(&self, component: usize) -> bool {
        self.of_port.range((component, 0)..=(component, usize::MAX)).next().is_some()
    }

    /// Whether requests can reach the component through a loop: one of its ports that receives commands is on a loop.
    pub fn is_reachable_by_loop(&self, components: &Components<'_>, component: usize) -> bool {
        let ports = &components.members[component].ports;
        let mut on_loops = self.of_port.range((component, 0)..=(component, usize::MAX));
        on_loops.any(|(&(_, port), _)| ports[port].side == NetworkPortRole::Target)
    }
}

/// The list of stations of a loop, as a key.
fn stations_key(components: &Components<'_>, network: usize) -> String {
    dotted(components.name(network), "stations")
}

/// Attaches every port to its network.
pub(super) fn place(sink: &mut ProblemSink<'_>, components: &Components<'_>, names: &Names) -> Stations {
    let mut stations = Stations::default();
    let mut first: BTreeMap<(usize, usize), &Stands> = BTreeMap::new();
    for network in components.numbers() {
        if components.kind(network).category != ComponentCategory::Network {
            continue;
        }
        let number = stations.loops.len();
        let mut ports = Vec::new();
        for stands in names.stations.iter().filter(|stands| stands.network == network) {
            let port = (stands.component, stands.port);
            match first.get(&port) {
                Some(first) => on_two_loops(sink, components, first, stands),
                None => {
                    first.insert(port, stands);
                    stations.of_port.insert(port, number);
                    ports.push(port);
                }
            }
        }
        count_ports(sink, components, network, &ports);
        check_credit(sink, components, network, &ports);
        stations.loops.push(OnLoop { network, ports });
    }
    homeless(sink, components, names, &stations);
    stations
}

/// Reports a port that is on two loops.
fn on_two_loops(sink: &mut ProblemSink<'_>, components: &Components<'_>, first: &Stands, again: &Stands) {
    let place = |stands: &Stands| {
        components.places.item_position(&stations_key(components, stands.network), stands.index)
    };
    let port = &components.members[again.component].ports[again.port];
    let owner = components.name(again.component);
    let name = dotted(owner, &port.path);
    let message =
        format!("`{name}` is a single port, and it is on `{}` already", components.name(first.network));
    let help = if port.path.is_empty() && port.part.is_some() {
        format!(
            "for a port on each loop describe [{owner}.adapters.a] and [{owner}.adapters.b], and name {owner}.adapters.a here \
             and {owner}.adapters.b there"
        )
    } else {
        "a loop needs a port of its own: describe another one, and name it here".to_owned()
    };
    let fault =
        Diagnostic::new(PORT_TWICE, place(again), message).with_label("on a second loop").with_help(help);
    let related = (place(first), "on a loop here");
    sink.report_with(&stations_key(components, again.network), fault, Some(related));
}

/// Checks that there are few enough ports for a network.
fn count_ports(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    network: usize,
    on_loop: &[(usize, usize)],
) {
    let count = |&(component, _): &(usize, usize)| u64::from(components.count(component));
    let ports: u64 = on_loop.iter().map(count).sum();
    let Some(most) = components.network(network).and_then(|network| network.most_ports()) else { return };
    let most = most as u64;
    let (true, Some(largest)) = (ports > most, on_loop.iter().max_by_key(|port| count(port))) else { return };
    let noun = components.noun(network);
    let key = dotted(components.name(largest.0), "count");
    let terms: Vec<String> =
        on_loop.iter().map(|port| format!("{} in `{}`", count(port), components.name(port.0))).collect();
    let terms = if terms.len() > 6 { String::new() } else { format!(": {}", terms.join(", ")) };
    let fault = Diagnostic::new(
        TOO_MANY_PORTS,
        components.places.value_position(&key),
        format!("{ports} ports on a {noun} that has room for {most}"),
    )
    .with_label("too many")
    .with_help(format!("leave out {}{terms}", ports - most));
    let stations = components.places.value_position(&stations_key(components, network));
    sink.report_with(&key, fault, Some((stations, format!("the stations of the {noun}").as_str())));
}

/// Reports a switch without memory for frames, which cannot keep frames that are sent before the destination is free.
fn check_credit(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    network: usize,
    on_loop: &[(usize, usize)],
) {
    if components.network(network).is_none_or(|network| network.keeps_frames()) {
        return;
    }
    for &(component, port) in on_loop {
        let port = &components.members[component].ports[port];
        let key = dotted(&dotted(components.name(component), &port.table), "login_credit");
        let promises = |keys: &FcPort| keys.port.login_credit > 0;
        if !port.keys.keys_of_protocol().is_some_and(promises) || !sink.all_readable(&[&key]) {
            continue;
        }
        let what = components.name(network);
        let message =
            format!("`{what}` has no memory for the frames that a login credit lets an opener send at once");
        let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
            .with_label("must be 0 on a loop switch")
            .with_help("an OPN may wait in the switch until its destination is free; until then nothing may be sent behind it");
        sink.report(&key, fault);
    }
}

/// Reports components with ports that are attached to no network, and described ports that are attached to none.
fn homeless(sink: &mut ProblemSink<'_>, components: &Components<'_>, names: &Names, stations: &Stations) {
    // If a name is unknown, the component that is missing from the list is probably meant.
    let all_known = components.numbers().all(|component| {
        let keys: Vec<String> = components
            .kind(component)
            .names_in
            .iter()
            .map(|key| dotted(components.name(component), key))
            .collect();
        sink.all_readable(&keys.iter().map(String::as_str).collect::<Vec<&str>>())
    });
    if !all_known {
        return;
    }
    for component in components.numbers() {
        let ports = &components.members[component].ports;
        let asked = names.joins.iter().any(|join| join.to == component && join.is_request_join());
        let asks = names.joins_with_relation(component, ReferenceRelation::Attached).next().is_some();
        let name = components.name(component);
        if ports.is_empty() {
            continue;
        }
        if !stations.has_station(component) && !asked && !asks {
            nowhere(sink, components, stations, component);
            continue;
        }
        for (number, port) in ports.iter().enumerate() {
            if stations.of_port.contains_key(&(component, number)) {
                continue;
            }
            let is_written =
                |table: &&String| components.places.written_position(&dotted(name, table)).is_some();
            let Some(table) = port.owns.iter().find(is_written) else { continue };
            let path = dotted(name, table);
            let at = components.places.key_position(&path);
            let fault =
                Diagnostic::new(ON_NO_LOOP, at, format!("`{}` is on no loop", dotted(name, &port.path)))
                    .with_label("has a port, but no place on a loop")
                    .with_help(format!(
                        "add \"{}\" to the stations of a loop, or leave out [{path}]",
                        dotted(name, &port.path)
                    ));
            sink.report(&path, fault);
        }
    }
}

/// Reports a component that is on no loop and attached to no other component.
fn nowhere(sink: &mut ProblemSink<'_>, components: &Components<'_>, stations: &Stations, component: usize) {
    let name = components.name(component);
    let port = dotted(name, &components.members[component].ports[0].path);
    let fault = Diagnostic::new(
        ON_NO_LOOP,
        components.places.header_position(name),
        format!("`{name}` is on no loop"),
    );
    let (label, help, related): (&str, String, Option<(SourceRange, &str)>) = match stations.loops.as_slice()
    {
        [] if components.kind(component).category == ComponentCategory::Device => (
            "no component can reach it",
            format!("add attached = [\"{name}\"] to a host, or a loop with both in its stations"),
            None,
        ),
        [] => (
            "has ports, but there is no loop",
            "add a table with kind = \"arbitrated-loop\", or to a host attached = [\"drives\"]".to_owned(),
            None,
        ),
        [only] => {
            let key = stations_key(components, only.network);
            let stations = (components.places.value_position(&key), "the stations of the loop");
            let help = format!("add \"{port}\" to {key}");
            ("has ports, but no place on a loop", help, Some(stations))
        }
        several => {
            let keys: Vec<String> =
                several.iter().map(|on_loop| stations_key(components, on_loop.network)).collect();
            let keys = sansim_schema::suggest::words_in_prose(keys.iter().take(4).map(String::as_str));
            ("has ports, but no place on a loop", format!("add \"{port}\" to {keys}"), None)
        }
    };
    sink.report_with(name, fault.with_label(label).with_help(help), related);
}

/// Reports keys and tables that have no effect beside others.
pub(super) fn unused_keys(sink: &mut ProblemSink<'_>, components: &Components<'_>) {
    for component in components.numbers() {
        let name = components.name(component);
        for unused in &components.members[component].unused {
            for key in &unused.keys {
                let path = dotted(name, key);
                if components.places.written_position(&path).is_none() {
                    continue;
                }
                let what = unused.what;
                let instead: Vec<String> = unused.instead.iter().map(|table| dotted(name, table)).collect();
                let fault = Diagnostic::new(
                    codes::CONTRADICTION,
                    components.places.key_position(&path),
                    format!("{path} is that of an only {what}, but `{name}` has several that have names"),
                )
                .with_label(format!("of which {what}?"))
                .with_help(format!(
                    "write what it says into {}, and leave it out here",
                    sansim_schema::suggest::words_in_prose(instead.iter().take(4).map(String::as_str))
                ));
                sink.report(&path, fault);
            }
        }
    }
}
