//! Measures of a network of queues that say whether its solution is reliable.

use sansim_queueing::{ArrivalLoad, CustomerClass, QueueingNetwork, ServerCount, Visit};

/// The share of the work of a full loop that is not for data, from which on it matters that a circuit carries several sequences.
const MUCH_OVERHEAD: f64 = 0.15;
/// The number of equal requests of a closed load up to which they keep their distances at a full loop.
const FEW: f64 = 3.0;

/// The reason why waits at a full loop are not those of the model, if there is one.
pub(crate) fn full_loop(network: &QueueingNetwork, station: usize, rates: &[f64]) -> Option<&'static str> {
    let here = |visit: &&Visit| visit.station == station && !visit.in_background;
    let there: Vec<&CustomerClass> = network
        .classes
        .iter()
        .filter(|class| class.visits.iter().any(|visit| visit.station == station))
        .collect();
    let is_of_few = |class: &&CustomerClass| match class.load {
        ArrivalLoad::Open { .. } => true,
        ArrivalLoad::Closed { jobs, .. } => {
            let all = f64::from(jobs) * f64::from(class.copies);
            let are_equal = class.visits.iter().filter(here).all(|visit| visit.times == 1.0);
            all > 1.0 && all <= FEW && are_equal
        }
    };
    if overhead(network, station, rates) > MUCH_OVERHEAD {
        Some("its circuits carry sequences of several requests, which the model counts as a circuit each")
    } else if there.len() > 1 || there.iter().any(is_of_few) {
        Some(
            "the order of arbitration decides how long open requests, few equal ones, or those of several workloads wait",
        )
    } else {
        None
    }
}

/// The share of the work of a loop that is not for data: as if each circuit of a class took as long as the shortest of its circuits, which
/// carries a single short frame.
fn overhead(network: &QueueingNetwork, station: usize, rates: &[f64]) -> f64 {
    let (mut shortest, mut all) = (0.0, 0.0);
    for (class, rate) in network.classes.iter().zip(rates) {
        let there = || class.visits.iter().filter(|visit| visit.station == station);
        let least = there().map(|visit| visit.service).fold(f64::INFINITY, f64::min);
        for visit in there() {
            shortest += rate * visit.times * least;
            all += rate * visit.times * visit.service;
        }
    }
    if all > 0.0 { shortest / all } else { 0.0 }
}

/// The longest wait of a request of a closed class, if all others of it are before it at each station.
pub(crate) fn may_wait(network: &QueueingNetwork, class: &CustomerClass) -> f64 {
    let ArrivalLoad::Closed { jobs, .. } = class.load else { return f64::INFINITY };
    let before = f64::from(jobs) * f64::from(class.copies) - 1.0;
    let seen = class.visits.iter().filter(|visit| !visit.in_background);
    let servers = |visit: &&Visit| network.stations[visit.station].servers != ServerCount::Unlimited;
    seen.filter(servers).map(|visit| visit.times / visit.together * before * visit.service).sum()
}
