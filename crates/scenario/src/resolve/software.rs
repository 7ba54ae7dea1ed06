//! The software part of networks, and the processors that execute it: those of the component at the station, or of the component that
//! contains it.

use sansim_registry::{ControllerSide, NodeSoftware, OwnProcessors, ReferenceRelation};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;

use super::groups::home_of;
use super::names::Names;
use super::parts::Numbers;
use super::stations::{OnLoop, Stations};
use super::{Components, dotted};
use crate::graph::Graph;

/// The processors at a station.
struct At<'a> {
    /// The component that has the processors.
    component: usize,
    own: &'a OwnProcessors,
    /// Whether the processors belong to another component, which contains the component at the station.
    is_module: bool,
}

/// The processors that do the software part of a network at one of its ports, if there are any.
fn at<'a>(
    components: &'a Components<'_>,
    names: &Names,
    on: &OnLoop,
    (component, port): (usize, usize),
) -> Option<(NodeSoftware, At<'a>)> {
    let inside = &components.members[component];
    let listed = dotted(components.name(component), &inside.ports[port].path);
    let software = components.network(on.network)?.software(&listed)?;
    if let Some(own) = &inside.processors {
        return Some((software, At { component, own, is_module: false }));
    }
    let mut holders = names.joins_with_relation(component, ReferenceRelation::Inside).map(|join| join.to);
    let (holder, own) =
        holders.find_map(|holder| Some((holder, components.members[holder].processors.as_ref()?)))?;
    Some((software, At { component: holder, own, is_module: true }))
}

/// Reports a software part that does not fit the processors that are to run it.
pub(super) fn check(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    names: &Names,
    stations: &Stations,
) {
    for on in &stations.loops {
        for &port in &on.ports {
            let Some((software, at)) = at(components, names, on, port) else { continue };
            speeds(sink, components, on, &software, &at);
            interrupts(sink, components, on, &software, &at);
        }
    }
}

/// Checks that the processor time of a network uses the clock that other work on these processors uses.
fn speeds(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    on: &OnLoop,
    software: &NodeSoftware,
    at: &At<'_>,
) {
    let key = dotted(components.name(on.network), &software.speed_key);
    let name = components.name(at.component);
    let own_key = dotted(name, "processors.speed_mhz");
    let Some(speed) = at.own.speed_mhz.filter(|&speed| speed != software.speed_mhz) else { return };
    if !sink.all_readable(&[&key, &own_key]) {
        return;
    }
    let message = format!(
        "the processors of `{name}` run this software, and have {speed} MHz and not {}",
        software.speed_mhz
    );
    let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
        .with_label("another speed than that of the processors")
        .with_help(format!("write {key} = {speed}, or change {own_key}"));
    let own =
        components.places.written_position(&own_key).map(|place| (place, "the speed of the processors"));
    sink.report_with(&key, fault, own);
}

/// Checks that processors that poll have no interrupts.
fn interrupts(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    on: &OnLoop,
    software: &NodeSoftware,
    at: &At<'_>,
) {
    let Some(key) = software.interrupts.as_ref().filter(|_| at.own.poll) else { return };
    let key = dotted(components.name(on.network), key);
    let name = components.name(at.component);
    let model_key = dotted(name, "processors.model");
    if !sink.all_readable(&[&key, &model_key]) {
        return;
    }
    let message =
        format!("the processors of `{name}` run this software and poll, so no adapter interrupts them");
    let fault = Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
        .with_label("nothing interrupts here")
        .with_help(format!("leave it out: a poll finds each frame; or write {model_key} = \"interrupts\""));
    let model = components.places.written_position(&model_key).map(|place| (place, "they poll"));
    sink.report_with(&key, fault, model);
}

/// Records at each station the processors that do the software part of the network there. Returns the links of the networks to the
/// processors, for each network in the order of its stations, each with its controller side of a pair.
pub(super) fn link(
    components: &Components<'_>,
    names: &Names,
    stations: &Stations,
    numbers: &Numbers,
    graph: &mut Graph,
) -> Vec<((usize, usize), ControllerSide)> {
    let mut asks = Vec::new();
    for (on, on_loop) in stations.loops.iter().zip(&mut graph.loops) {
        let mut row = on_loop.stations.iter_mut();
        for &(component, port) in &on.ports {
            let at = at(components, names, on, (component, port)).map(|(_, at)| at);
            for member in 0..components.count(component) {
                let (Some(station), Some(at)) = (row.next(), &at) else { continue };
                let of_member = match at.is_module {
                    true => home_of(components, component, member, at.component),
                    false => member,
                };
                let Some(&processors) = numbers.get(&(at.component, of_member, at.own.part)) else {
                    continue;
                };
                station.processors = Some(processors);
                let described = components.described[component].kind_behaviour();
                let half = match components.members[component].ports[port].part {
                    Some(part) if !at.is_module => {
                        described.side_of(&components.members[component].parts[part].path)
                    }
                    _ => described.side(),
                };
                asks.push(((on_loop.part, processors), half));
            }
        }
    }
    asks
}
