//! Requests that do not find the state of a random time at a station: they come straight from the station, they come back to it soon, they
//! go to all of several stations at once, or there is a server for each of them.

use super::{Index, State, used};
use crate::network::{ArrivalLoad, CustomerClass, QueueingNetwork, Return, ServerCount, Visit};

/// Whether requests of a closed class go to all of the equal stations at once.
///
/// When such a request comes another one has been done, at its slowest station last: there all other requests are before the new one. So
/// it waits for as many requests as are in the fork, and its own slowest part is as long as without others (exact for two exponential
/// stations without other times, where the number done by one and by the other differ by at most the number of requests, each difference
/// as likely as another; as Varki, IEEE Transactions on Parallel and Distributed Systems 12(11), 2001).
pub(super) fn is_whole_fork(network: &QueueingNetwork, class: &CustomerClass, visit: &Visit) -> bool {
    let alike = f64::from(network.stations[visit.station].alike);
    let single = network.stations[visit.station].servers == ServerCount::Some(1);
    matches!(class.load, ArrivalLoad::Closed { .. }) && single && alike > 1.0 && visit.together >= alike
}

/// The wait of a request that comes back to a station.
///
/// When a request leaves, the work that it finds at its return begins with the work that has come while it was served: what came before has
/// been done, and what came during its wait belongs to requests behind it. From there the mean work at a station goes to its mean at a
/// random time, by the rate at which work comes to an empty station (exponentially; ours). A request that is away for long waits as one at
/// random, and one that comes back at once from a short visit hardly waits.
pub(super) fn on_return(
    (network, index): (&QueueingNetwork, &Index),
    state: &State,
    number: usize,
    place: usize,
    returns: &Return,
) -> f64 {
    let class = &network.classes[number];
    let (visit, before) = (&class.visits[place], &class.visits[returns.after]);
    let at_random = state.waits[number][place];
    let load = used((network, index), state, visit.station);
    if at_random <= 0.0 || load <= 0.0 {
        return at_random;
    }
    let away: f64 = state.adds[number][returns.through.clone()].iter().sum::<f64>() / visit.times;
    let left = load * before.service;
    at_random + (left - at_random) * (-away.max(0.0) * load / at_random).exp()
}

/// Whether all requests that can be at a station, or at equal ones of which each request takes one that is free, have a server.
pub(super) fn has_room(
    (network, index): (&QueueingNetwork, &Index),
    jobs: &[u32],
    station: usize,
    room: u32,
) -> bool {
    let mut classes: Vec<usize> = index.at[station].iter().map(|&(of, _)| of).collect();
    classes.dedup();
    let has_one_place = |&(of, place): &(usize, usize)| {
        let class = &network.classes[of];
        let visit = &class.visits[place];
        matches!(class.load, ArrivalLoad::Closed { .. }) && !visit.in_background && visit.together <= 1.0
    };
    let all =
        classes.iter().map(|&of| u64::from(jobs[of]) * u64::from(network.classes[of].copies)).sum::<u64>();
    all <= u64::from(room) && index.at[station].iter().all(has_one_place)
}

/// The share of the requests of a closed class whose return to a station finds the request in service at the beginning of its service, as
/// far as the request behind began when this one left: 0 if they come at a random time of the service.
///
/// A request of a closed class goes to one of the equal stations after another. If it goes to the station that it has left, the request in
/// service there began when it left; as many requests find another one when they come as leave another one behind, so this one is there as
/// often as at any other station. A constant service that began a time ago lasts as much less, and after half of it as long as
/// at a random time; an exponential one lasts as long at any time.
pub(super) fn just_begun(
    network: &QueueingNetwork,
    index: &Index,
    state: &State,
    number: usize,
    to: &Visit,
) -> f64 {
    let class = &network.classes[number];
    let ArrivalLoad::Closed { think, .. } = class.load else { return 0.0 };
    let at_station = index.at[to.station].iter().filter(|&&(of, _)| of == number);
    let seen = at_station.map(|&(_, place)| (place, &class.visits[place]));
    let (mut stays, mut service) = (0.0, 0.0);
    for (place, visit) in seen.filter(|(_, visit)| !visit.in_background) {
        let times = visit.times / visit.together.max(1.0);
        let kept = state.there[number][place].service;
        stays += times * (state.waits[number][place] + kept);
        service += times * kept;
    }
    let at_station = index.at[to.station].iter().filter(|&&(of, _)| of == number);
    let returns = at_station.clone().any(|&(_, place)| class.visits[place].returns.is_some());
    if service <= 0.0 || to.in_background || returns {
        return 0.0;
    }
    let away = (state.response[number] + think - stays).max(0.0);
    let alike = f64::from(network.stations[to.station].alike.max(1));
    let same = if to.own { 1.0 } else { (to.together / alike).min(1.0) };
    same * (1.0 - 2.0 * away / service).max(0.0)
}

/// The number of servers that are kept through a visit, if any are.
pub(super) fn keepers(network: &QueueingNetwork, class: &CustomerClass, place: usize) -> Option<f64> {
    let keepers =
        class.visits.iter().filter(|visit| visit.keeps_through.iter().any(|kept| kept.visit == place));
    keepers
        .filter_map(|visit| {
            let station = &network.stations[visit.station];
            match station.servers {
                ServerCount::Some(servers) => Some(f64::from(servers) * f64::from(station.alike)),
                ServerCount::Unlimited => None,
            }
        })
        .reduce(f64::min)
}
