//! A check of protocols: all adapters of a network speak the same protocol with the same keys, and the network carries it.

use sansim_fcp::adapter::AdapterParameters;
use sansim_fcp::protocol::Protocol;
use sansim_registry::{Network, UnitTransport};
use sansim_schema::codes;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;
use sansim_schema::table::Tabular;
use sansim_schema::writer::TomlWriter;

use super::stations::{OnLoop, Stations};
use super::{Components, dotted};

/// Reports adapters that do not use the protocol of those on their network to which they may talk.
pub(super) fn check(sink: &mut ProblemSink<'_>, components: &Components<'_>, stations: &Stations) {
    for on in &stations.loops {
        let mut before: Vec<Spoken<'_>> = Vec::new();
        for one in spoken(components, on) {
            let key = dotted(&one.name, "protocol");
            if !sink.all_readable(&[&key]) {
                continue;
            }
            let protocol = one.adapter.protocol;
            if !before.iter().any(|other| other.adapter.protocol == protocol) {
                takes_sequences(sink, components, on, &one.name, protocol);
                is_carried(sink, components, on, &one.name, protocol);
            }
            if let Some(other) = before.iter().find(|other| may_talk(components, on, &one, other)) {
                if other.adapter.protocol == protocol {
                    agrees(sink, components, (&one.name, one.adapter), (&other.name, other.adapter));
                } else {
                    let spoken = (other.name.as_str(), other.adapter.protocol);
                    differs(sink, components, (&one.name, protocol), spoken);
                }
            }
            before.push(one);
        }
    }
}

/// An adapter at a network.
struct Spoken<'a> {
    /// The name of the adapter, and the name of its port in `stations`.
    name: String,
    station: String,
    adapter: &'a AdapterParameters,
}

/// The adapters of a network.
fn spoken<'a>(components: &'a Components<'_>, on: &OnLoop) -> Vec<Spoken<'a>> {
    let of = |&(component, number): &(usize, usize)| {
        let inside = &components.members[component];
        let port = &inside.ports[number];
        let part = &inside.parts[port.part?];
        let name = components.name(component);
        Some(Spoken {
            name: dotted(name, &part.path),
            station: if port.path.is_empty() { name.to_owned() } else { dotted(name, &port.path) },
            adapter: part.part.io_adapter()?,
        })
    };
    on.ports.iter().filter_map(of).collect()
}

/// Whether zones let two adapters talk to each other. A group of which zones have single members may talk to all, for all that is known here.
fn may_talk(components: &Components<'_>, on: &OnLoop, one: &Spoken<'_>, other: &Spoken<'_>) -> bool {
    let Some(network) = components.network(on.network) else { return true };
    let has_members = |station: &str| {
        let single = format!("{station}[");
        network.zoned().iter().any(|(_, members)| members.iter().any(|member| member.starts_with(&single)))
    };
    has_members(&one.station)
        || has_members(&other.station)
        || network.may_talk(&[&one.station, &one.station], &[&other.station, &other.station])
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
        .with_help(format!(
            "give adapters that may talk to each other the same protocol: {key} = \"{}\"",
            other.1
        ));
    let related =
        components.places.written_position(&other_key).map(|place| (place, "what the first of them speaks"));
    sink.report_with(&key, fault, related);
}

/// Reports a key of the protocol on which an adapter does not agree with the first of its network.
fn agrees(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    one: (&str, &AdapterParameters),
    other: (&str, &AdapterParameters),
) {
    let (table, written, of_other) = match one.1.protocol {
        Protocol::Nvme => ("nvme", settings(&one.1.nvme), settings(&other.1.nvme)),
        Protocol::Iscsi => ("iscsi", settings(&one.1.iscsi), settings(&other.1.iscsi)),
        Protocol::Fcp | Protocol::TwoMessage => return,
    };
    let differing = written.iter().zip(&of_other).find(|(one, other)| one != other);
    let Some(((name, value), (_, wanted))) = differing else { return };
    let (key, other_key) =
        (dotted(one.0, &format!("{table}.{name}")), dotted(other.0, &format!("{table}.{name}")));
    if !sink.all_readable(&[&key, &other_key]) {
        return;
    }
    let message = format!("`{}` has {value}, and `{}` on the same network {wanted}", one.0, other.0);
    let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
        .with_label("both ends agree on it")
        .with_help(format!("write {key} = {wanted}, or {other_key} = {value}"));
    let related =
        components.places.written_position(&other_key).map(|place| (place, "what the first of them has"));
    sink.report_with(&key, fault, related);
}

/// Reports a protocol that the network does not carry, and a network that would add a header to units that have one.
fn is_carried(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    on: &OnLoop,
    name: &str,
    protocol: Protocol,
) {
    let Some(network) = components.described[on.network].network_interface() else { return };
    let key = dotted(name, "protocol");
    let on = components.name(on.network);
    if !protocol.is_carried_by(network.transport()) {
        let nvme = Protocol::Nvme;
        let (message, help) = if network.transport() == UnitTransport::Rdma {
            (
                format!("`{on}` has RDMA, over which {nvme} alone goes"),
                format!("write {key} = \"{nvme}\", or {on}.transport = \"tcp\""),
            )
        } else if network.transport().is_on_memory() {
            (
                format!("`{on}` is PCI Express, which carries NVMe alone, and no {protocol}"),
                format!("write {key} = \"{nvme}\""),
            )
        } else {
            (
                format!("`{on}` has frames and no TCP, over which alone {protocol} goes"),
                format!("write {key} = \"{}\" or \"{nvme}\", or {on}.kind = \"tcp\"", Protocol::Fcp),
            )
        };
        let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
            .with_label("not on this network")
            .with_help(help);
        sink.report(&key, fault);
        return;
    }
    let Some(header) = network.unit_header_key().map(|header| dotted(on, header)) else { return };
    if matches!(protocol, Protocol::Fcp | Protocol::TwoMessage) || !sink.all_readable(&[&header]) {
        return;
    }
    let message = format!("units of {protocol} have headers of their own");
    let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&header), message)
        .with_label("a second header")
        .with_help(format!("leave it out, or write {key} = \"{}\"", Protocol::Fcp));
    sink.report(&header, fault);
}

/// Reports other protocols than FCP on a network that calculates the frames of FCP itself.
fn takes_sequences(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    on: &OnLoop,
    name: &str,
    protocol: Protocol,
) {
    let takes_whole = |network: &dyn Network| {
        let transport = network.transport();
        transport.takes_whole_sequences() && !transport.is_on_memory()
    };
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

/// The keys of a table with their values, as they are written.
fn settings(table: &impl Tabular) -> Vec<(String, String)> {
    let mut writer = TomlWriter::new(Facts::default());
    table.write_keys(&mut writer);
    writer.settings.into_iter().map(|setting| (setting.key, setting.toml)).collect()
}
