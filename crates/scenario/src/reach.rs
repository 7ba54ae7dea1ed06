//! How far a medium carries a signal, and cables that are longer.
//!
//! A cable of the model has any length: nothing is lost on it. Who describes one that no real medium carries may have
//! slipped, so it is warned of, in one line for all cables of a scenario.

use crate::scenario::{Scenario, StationRef};
use crate::values::{Length, Medium};
use sansim_fc::speed::Speed;

/// A kilometre, in metres.
const KM: u64 = 1_000;

/// The longest cable of a medium between two ports, in metres; `None` if there is no limit.
///
/// At 1GFC Ruwart (1999) gives 25 m for copper, 500 m for multi-mode and 10 km for single-mode fibre. The reach of
/// multi-mode fibre shrinks with the rate: 300, 150 and 50 m for fibre of 50 um (OM2) at 2, 4 and 8GFC in FC-PI. Copper
/// is left at its 25 m, for want of a source that is as general.
fn reach_m(medium: Medium, speed: Speed) -> Option<u64> {
    match medium {
        Medium::Copper => Some(25),
        Medium::MultiMode => Some(match speed {
            Speed::G1 => 500,
            Speed::G2 => 300,
            Speed::G4 => 150,
            _ => 50,
        }),
        Medium::Fibre | Medium::SingleMode => Some(10 * KM),
        Medium::Extended => None,
    }
}

/// The name of a medium in a sentence.
fn name(medium: Medium) -> &'static str {
    match medium {
        Medium::Copper => "copper",
        Medium::MultiMode => "multi-mode fibre (50 um)",
        Medium::Fibre | Medium::SingleMode => "single-mode fibre",
        Medium::Extended => "fibre",
    }
}

/// One line about the cables that are longer than their medium carries; nothing if none is.
pub(crate) fn warning(scenario: &Scenario) -> Option<String> {
    let network = &scenario.arbitrated_loop;
    let reach = reach_m(network.medium, network.speed)?;
    let cable = |&station: &StationRef| match station {
        StationRef::Controller(index) => scenario.controllers[index].port.cable,
        StationRef::Drives(index) => scenario.drives[index].port.cable,
        StationRef::Passive(index) => scenario.passives[index].port.cable,
    };
    let too_long = |length: &Length| length.um() > reach * 1_000_000;
    let ports = scenario.ports();
    let longest = network.order.iter().map(cable).filter(too_long).max()?;
    let count = ports.iter().filter(|port| too_long(&cable(&port.station))).count();
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
        name(network.medium),
        network.speed,
        network.name,
    ))
}

fn written(metres: f64) -> String {
    if metres >= KM as f64 { format!("{} km", metres / KM as f64) } else { format!("{metres} m") }
}
