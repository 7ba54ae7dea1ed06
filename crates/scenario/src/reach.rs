//! Cables that are longer than their medium carries a signal.
//!
//! A cable of the model has any length: nothing is lost on it. Who describes one that no real medium carries may have
//! slipped, so it is warned of, in one line for all cables of a scenario.

use crate::scenario::Scenario;
use sansim_fc::cable::{KM, Length, Medium};

/// One line about the cables that are longer than their medium carries; nothing if none is.
pub(crate) fn warning(scenario: &Scenario) -> Option<String> {
    let network = &scenario.arbitrated_loop;
    let reach = network.medium.reach_m(network.speed)?;
    let too_long = |length: &Length| length.um() > reach * 1_000_000;
    let stations = scenario.stations();
    let longest =
        scenario.on_loop.iter().map(|on_loop| scenario.cable(on_loop.group)).filter(too_long).max()?;
    let count = stations.iter().filter(|(group, _)| too_long(&scenario.cable(*group))).count();
    let cables = if count == 1 { "1 cable is".to_owned() } else { format!("{count} cables are") };
    let remedy = match network.medium {
        Medium::Copper => "fibre carries further: give",
        _ => "if something carries the signal further, say so with",
    };
    let other = if network.medium == Medium::Copper { "single-mode" } else { "extended" };
    Some(format!(
        "{cables} longer ({}) than the {} that {} carries at {}; {remedy} {}.medium = \"{other}\"",
        written(longest.as_m_f64()),
        written(reach as f64),
        network.medium.name(),
        network.speed,
        network.name,
    ))
}

fn written(metres: f64) -> String {
    if metres >= KM as f64 { format!("{} km", metres / KM as f64) } else { format!("{metres} m") }
}
