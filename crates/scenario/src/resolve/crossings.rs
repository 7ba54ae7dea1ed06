//! Ports between networks: the networks to which they are attached and which they join.

use sansim_registry::{ComponentCategory, CrossingPortEnd, NetworkPortRole};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;

use super::stations::Stations;
use super::{Components, dotted};
use crate::graph::Graph;

/// The ends of a port that joins a loop and a fabric, in the order of its ports.
const ENDS: [CrossingPortEnd; 2] = [CrossingPortEnd::OnLoop, CrossingPortEnd::OnFabric];
/// The index of the port at the fabric.
const ON_FABRIC: usize = 1;

/// Reports ports between networks that are not attached to a loop and a fabric, and loops with several.
pub(super) fn check(sink: &mut ProblemSink<'_>, components: &Components<'_>, stations: &Stations) {
    for component in components.numbers() {
        if components.kind(component).category == ComponentCategory::Crossing
            && stations.has_station(component)
        {
            for (port, end) in ENDS.into_iter().enumerate() {
                check_port(sink, components, stations, (component, port), end);
            }
        }
    }
    for on in &stations.loops {
        let crossing = |&&(component, _): &&(usize, usize)| {
            components.kind(component).category == ComponentCategory::Crossing
        };
        if let (true, [one, other, ..]) = (
            is_at(components, on.network, CrossingPortEnd::OnLoop),
            on.ports.iter().filter(crossing).collect::<Vec<_>>().as_slice(),
        ) {
            let (one, other) = (components.name(one.0), components.name(other.0));
            let key = dotted(components.name(on.network), "stations");
            let message =
                format!("`{one}` and `{other}` are both FL_Ports of `{}`", components.name(on.network));
            let fault =
                Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
                    .with_label("two ports with AL_PA 00")
                    .with_help("a loop hangs at one port of a switch: leave one of them out");
            sink.report(&key, fault);
        }
    }
}

/// Whether this end of a port between networks may be attached to a network.
pub(super) fn is_at(components: &Components<'_>, network: usize, end: CrossingPortEnd) -> bool {
    components.network(network).is_some_and(|network| network.crossing() == Some(end))
}

fn check_port(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    stations: &Stations,
    port: (usize, usize),
    end: CrossingPortEnd,
) {
    let name = dotted(components.name(port.0), &components.members[port.0].ports[port.1].path);
    let needed = match end {
        CrossingPortEnd::OnLoop => "an arbitrated loop",
        CrossingPortEnd::OnFabric => "a fabric with a switch",
    };
    let network = stations.of_port.get(&port).map(|&number| stations.loops[number].network);
    if network.is_some_and(|network| is_at(components, network, end)) {
        return;
    }
    let (message, label) = match network {
        Some(network) => {
            (format!("`{name}` is attached to `{}`", components.name(network)), "cannot be there")
        }
        None => (format!("`{name}` stands nowhere"), "joins nothing"),
    };
    let owner = components.name(port.0);
    let fault = Diagnostic::new(codes::CONTRADICTION, components.places.header_position(owner), message)
        .with_label(label)
        .with_help(format!("add \"{name}\" to the stations of {needed}"));
    sink.report(owner, fault);
}

/// The port of a switch at which a loop is attached, as component and port; none for a private loop.
pub(super) fn of_loop(components: &Components<'_>, ports: &[(usize, usize)]) -> Option<(usize, usize)> {
    let crossing = |&&(component, port): &&(usize, usize)| {
        components.members[component].ports[port].side == NetworkPortRole::Crossing
    };
    ports.iter().find(crossing).map(|&(component, _)| (component, ON_FABRIC))
}

/// For each network of a graph a number that is equal for networks between which frames cross.
pub(super) fn joined(graph: &Graph) -> Vec<usize> {
    let mut joined: Vec<usize> = (0..graph.loops.len()).collect();
    for part in 0..graph.parts.len() {
        if !graph.parts[part].part.connects_two_networks() {
            continue;
        }
        let stands =
            |number: &usize| graph.loops[*number].stations.iter().any(|station| station.part == Some(part));
        let networks: Vec<usize> = (0..graph.loops.len()).filter(stands).collect();
        for pair in networks.windows(2) {
            let (from, to) = (joined[pair[0]], joined[pair[1]]);
            joined.iter_mut().filter(|number| **number == from).for_each(|number| *number = to);
        }
    }
    joined
}
