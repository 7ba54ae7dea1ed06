//! IP ports: the networks to which they are attached, the ports to which they send, and whether the network copies their frames.

use sansim_registry::{ComponentCategory, ReferenceRelation};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;

use super::names::{Join, Names};
use super::stations::Stations;
use super::{Components, dotted};

/// Reports IP ports on a network without IP, and IP ports that send to another network or to a port without a common zone.
pub(super) fn check(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    names: &Names,
    stations: &Stations,
) {
    let network =
        |port: usize| stations.of_port.get(&(port, 0)).map(|&number| stations.loops[number].network);
    for port in components.numbers().filter(|&port| components.kind(port).category == ComponentCategory::Ip) {
        let Some(on) = network(port) else { continue };
        let name = components.name(port);
        let Some(carrier) = components.network(on) else { continue };
        if !carrier.carries_ip() {
            let message = format!("`{name}` is attached to `{}`, which carries no IP", components.name(on));
            let fault =
                Diagnostic::new(codes::CONTRADICTION, components.places.header_position(name), message)
                    .with_label("cannot be there")
                    .with_help(format!("add \"{name}\" to the stations of a fabric or of a loop"));
            sink.report(name, fault);
            continue;
        }
        let groups = components.members[port].parts.iter().any(|part| part.part.sends_to_a_group());
        if groups && !carrier.carries_multicast() {
            let key = dotted(name, "multicast");
            let message = format!("`{}` copies no frames while messages stop others", components.name(on));
            let fault =
                Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
                    .with_label("needs copies of frames")
                    .with_help(format!(
                        "leave out {key}, and the datagrams go to each port in turn; or set another {}",
                        dotted(components.name(on), "switch.control.transmission")
                    ));
            sink.report(&key, fault);
        }
        for join in names.joins_with_relation(port, ReferenceRelation::Sends) {
            let to = components.name(join.to);
            if network(join.to) != Some(on) {
                refuse(sink, components, join, format!("`{to}` is not on `{}`", components.name(on)));
            } else if !carrier.may_talk(&[name, name], &[to, to]) {
                refuse(sink, components, join, format!("`{to}` is in no zone together with `{name}`"));
            }
        }
    }
}

fn refuse(sink: &mut ProblemSink<'_>, components: &Components<'_>, join: &Join, message: String) {
    let key = dotted(components.name(join.from), join.key);
    let fault =
        Diagnostic::new(codes::CONTRADICTION, components.places.item_position(&key, join.index), message)
            .with_label("cannot be reached");
    sink.report(&key, fault);
}
