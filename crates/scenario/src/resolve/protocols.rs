//! A check of protocols: all adapters of a network use the same.

use sansim_fcp::protocol::Protocol;
use sansim_registry::Network;
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;

use super::stations::{OnLoop, Stations};
use super::{Components, dotted};

/// Reports adapters that do not use the protocol of the others on their network.
pub(super) fn check(sink: &mut ProblemSink<'_>, components: &Components<'_>, stations: &Stations) {
    for on in &stations.loops {
        let mut first: Option<(Protocol, String)> = None;
        for (name, protocol) in spoken(components, on) {
            let key = dotted(&name, "protocol");
            if !sink.all_readable(&[&key]) {
                continue;
            }
            match &first {
                Some((other, who)) if *other != protocol => {
                    differs(sink, components, (&name, protocol), (who, *other))
                }
                Some(_) => {}
                None => {
                    takes_sequences(sink, components, on, &name, protocol);
                    first = Some((protocol, name));
                }
            }
        }
    }
}

/// The adapters of a network and the protocol of each.
fn spoken(components: &Components<'_>, on: &OnLoop) -> Vec<(String, Protocol)> {
    let of = |&(component, port): &(usize, usize)| {
        let inside = &components.members[component];
        let part = &inside.parts[inside.ports[port].part?];
        Some((dotted(components.name(component), &part.path), part.part.io_protocol()?))
    };
    on.ports.iter().filter_map(of).collect()
}

fn differs(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    one: (&str, Protocol),
    other: (&str, Protocol),
) {
    let (key, other_key) = (dotted(one.0, "protocol"), dotted(other.0, "protocol"));
    let message =
        format!("`{}` speaks \"{}\", and `{}` on the same network \"{}\"", one.0, one.1, other.0, other.1);
    let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
        .with_label("not what the others speak")
        .with_help(format!("give all adapters of a network the same protocol: {key} = \"{}\"", other.1));
    let related =
        components.places.written_position(&other_key).map(|place| (place, "what the first of them speaks"));
    sink.report_with(&key, fault, related);
}

/// Reports other protocols than FCP on a network that calculates the frames of FCP itself.
fn takes_sequences(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    on: &OnLoop,
    name: &str,
    protocol: Protocol,
) {
    let takes_whole = |network: &dyn Network| network.takes_whole_sequences();
    if protocol == Protocol::Fcp
        || !components.described[on.network].network_interface().is_some_and(takes_whole)
    {
        return;
    }
    let key = dotted(name, "protocol");
    let on = components.name(on.network);
    let message = format!("`{on}` knows the sequences of FCP only");
    let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
        .with_label("another protocol")
        .with_help(format!("write {key} = \"{}\"", Protocol::Fcp));
    sink.report(&key, fault);
}
