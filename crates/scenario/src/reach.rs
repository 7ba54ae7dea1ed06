//! Warnings about cables that are longer than the reach of their medium.
//!
//! A cable of the model may have any length: no signal is lost on it. A cable beyond the reach of its medium may be an error, so there is a
//! warning, in one line for all cables of a loop.

use crate::graph::{GraphLoop, GraphStation};
use crate::scenario::Scenario;
use sansim_fc::cable::{CableLength, CableMedium, KM};
use sansim_fc::loop_port::FcPort;

/// A line for each loop with cables that are longer than the reach of their medium.
pub(crate) fn warnings(scenario: &Scenario) -> Vec<String> {
    scenario.graph.loops.iter().filter_map(|on_loop| warning(scenario, on_loop)).collect()
}

fn warning(scenario: &Scenario, on_loop: &GraphLoop) -> Option<String> {
    let graph = &scenario.graph;
    let name = &graph.parts[on_loop.part].name;
    let network = graph.parts[on_loop.part].part.network()?;
    let (medium, speed) = network.cables()?;
    let reach = medium.reach_m(speed)?;
    let too_long = |length: &CableLength| length.um() > reach * 1_000_000;
    let cable = |station: &GraphStation| Some(station.port.keys_of_protocol::<FcPort>()?.port.cable);
    let cables = || on_loop.stations.iter().filter_map(cable).filter(too_long);
    let (count, longest) = (cables().count(), cables().max()?);
    let cables = if count == 1 { "1 cable is".to_owned() } else { format!("{count} cables are") };
    let remedy = match medium {
        CableMedium::Copper => "fibre carries further: give",
        _ => "if something carries the signal further, say so with",
    };
    let other = if medium == CableMedium::Copper { "single-mode" } else { "extended" };
    Some(format!(
        "{cables} longer ({}) than the {} that {} carries at {}; {remedy} {}.medium = \"{other}\"",
        written(longest.as_m_f64()),
        written(reach as f64),
        medium.name(),
        speed,
        name,
    ))
}

fn written(metres: f64) -> String {
    if metres >= KM as f64 { format!("{} km", metres / KM as f64) } else { format!("{metres} m") }
}
