//! Access rights: zones of fabrics, and devices that are hidden from a host (masked).

use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;
use sansim_schema::suggest::{nearest, shortened_for_print, words_in_prose};

use super::{Components, dotted};
use crate::graph::{DeviceAddress, Graph, GraphPath, GraphStation};

/// Removes the refused paths from a part to a device; if there are no other paths they remain, and requests on them are refused.
pub(super) fn refuse(
    components: &Components<'_>,
    graph: &Graph,
    joined: &[usize],
    (asker, device): (usize, usize),
    ways: &mut Vec<GraphPath>,
) {
    let masked = components.described[component_of(graph, asker)].kind_behaviour().masked();
    let is_masked = names(components, graph, device).iter().any(|name| masked.contains(name));
    let is_refused = |way: &GraphPath| {
        way.address.is_some_and(|address| is_masked || !may_talk(components, graph, joined, address))
    };
    if ways.iter().all(is_refused) {
        ways.iter_mut().for_each(|way| way.refused = true);
    } else {
        ways.retain(|way| !is_refused(way));
    }
}

fn component_of(graph: &Graph, part: usize) -> usize {
    graph.places[graph.parts[part].place].component
}

/// The names by which a device can be masked: its own name, and the name of its component.
fn names(components: &Components<'_>, graph: &Graph, device: usize) -> [String; 2] {
    let device = &graph.devices[device];
    [device.name.clone(), components.name(component_of(graph, device.part)).to_owned()]
}

/// The names by which zones can have a station.
fn called(station: &GraphStation) -> [&str; 2] {
    [&station.name, &station.listed]
}

/// Whether all fabrics on a path allow its ends to communicate.
fn may_talk(components: &Components<'_>, graph: &Graph, joined: &[usize], address: DeviceAddress) -> bool {
    let DeviceAddress { arbitrated_loop, network, from, to, .. } = address;
    let (one, other) = (&graph.loops[arbitrated_loop].stations[from], &graph.loops[network].stations[to]);
    // For a path within one network no other network matters.
    let passes = |number: usize| match arbitrated_loop == network {
        true => number == network,
        false => joined[number] == joined[network],
    };
    (0..graph.loops.len()).filter(|&number| passes(number)).all(|number| {
        let network = components.network(component_of(graph, graph.loops[number].part));
        network.is_none_or(|network| network.may_talk(&called(one), &called(other)))
    })
}

/// Reports members of zones and masked devices that do not exist.
pub(super) fn check(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    graph: &Graph,
    joined: &[usize],
) {
    for (number, on) in graph.loops.iter().enumerate() {
        let component = component_of(graph, on.part);
        let stations = (0..graph.loops.len()).filter(|&other| joined[other] == joined[number]);
        let stations = stations.flat_map(|other| &graph.loops[other].stations);
        let known: Vec<&str> = stations.flat_map(called).collect();
        for (key, members) in components.network(component).map_or_else(Vec::new, |network| network.zoned()) {
            let key = dotted(components.name(component), &key);
            check_names(sink, components, &key, members, &known, "port");
        }
    }
    let devices: Vec<[String; 2]> =
        (0..graph.devices.len()).map(|device| names(components, graph, device)).collect();
    let known: Vec<&str> = devices.iter().flatten().map(String::as_str).collect();
    for component in components.numbers() {
        let key = dotted(components.name(component), "masked");
        let masked = components.described[component].kind_behaviour().masked();
        check_names(sink, components, &key, masked, &known, "device");
        let asks = |reach: &&crate::graph::DevicePaths| component_of(graph, reach.asker) == component;
        for reach in graph.reaches.iter().filter(asks) {
            let direct = reach.ways.iter().any(|way| way.address.is_none());
            let names = names(components, graph, reach.device);
            if let (true, Some(index)) = (direct, masked.iter().position(|name| names.contains(name))) {
                let message = format!("`{}` is attached to `{}`", masked[index], components.name(component));
                let fault = Diagnostic::new(
                    codes::CONTRADICTION,
                    components.places.item_position(&key, index),
                    message,
                )
                .with_label("cannot be masked")
                .with_help("leave it out of `attached`, or of the devices of the workloads");
                sink.report(&key, fault);
                break;
            }
        }
    }
}

fn check_names(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    key: &str,
    names: &[String],
    known: &[&str],
    what: &str,
) {
    for (index, name) in names.iter().enumerate().filter(|(_, name)| !known.contains(&name.as_str())) {
        let place = components.places.item_position(key, index);
        let mut all: Vec<&str> = known.to_vec();
        all.dedup();
        let help = match nearest(name, all.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", words_in_prose(all.into_iter().take(12))),
        };
        let message = format!("there is no {what} `{}` here", shortened_for_print(name));
        let fault = Diagnostic::new(codes::UNKNOWN_NAME, place, message)
            .with_label(format!("needs the name of a {what}"));
        sink.report(key, fault.with_help(help));
    }
}
