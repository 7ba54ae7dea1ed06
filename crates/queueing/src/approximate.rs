//! Mean values of networks without product form: first come, first served with any variance, forks, background requests, servers that are
//! kept while a request is elsewhere, and open and closed classes together.
//!
//! A request that arrives at a station waits for the work in service, and for the requests before it. The mean number of
//! the requests before it is:
//!
//! * with one closed class, the mean number in the network with one request less, calculated from one request on (Reiser and Lavenberg
//!   1980; with variances Reiser, A Queueing Network Analysis of Computer Communication Networks with Window Flow Control, IEEE
//!   Transactions on Communications 27(8), 1979);
//! * with several classes, and many copies that share a station, the mean number less the request's own share (Schweitzer
//!   1979; Bard 1979);
//! * for open classes the full mean number, because their requests arrive at random.
//!
//! The remaining service of a request in service is half in the mean, and more if it varies: (1 + scv) / 2 (Pollaczek and Khinchin). At a
//! station of several servers the probability that all servers are busy follows Sakasegawa 1977. Forks are described in
//! [`crate::fork_join`]. A server that is kept while its request is elsewhere has a service time that includes the time there, which is
//! found by iteration (surrogate delays; Jacobson and Lazowska, Communications of the ACM 25(2), 1982). No utilisation exceeds 1: where the
//! approximation would exceed it, the throughput is cut accordingly, and the remaining time is spent waiting at that station.

use crate::network::{
    ArrivalLoad, ClassSolution, CustomerClass, NoSolution, QueueingNetwork, ServerCount, Solution,
    StationSolution, Visit,
};
use crate::{fork_join, open};

mod seen;

use seen::{has_room, is_whole_fork, just_begun, keepers, on_return};

/// The number of rounds within which mean values must have settled.
const ROUNDS: usize = 5_000;
/// The relative change of mean values below which they count as settled.
const SETTLED: f64 = 1e-7;
/// The number of requests of a class from which on one more request makes no difference to the queues that a
/// request sees.
const MANY: u32 = 2_000;
/// The least share of a server that background work leaves, so that times stay finite while the throughput is being
/// found.
const LEFT: f64 = 0.02;

/// The mean values of a visit, at one of the equal stations.
#[derive(Clone, Copy, Debug, Default)]
struct There {
    /// The number of requests, including the request in service.
    queue: f64,
    /// The number of requests that a request of the same visit can find before it: those at the station, or at the slowest of a whole fork.
    ahead: f64,
    /// The number of servers that serve the requests or are kept by them.
    taken: f64,
    /// The mean service time, including the time for which the server is kept.
    service: f64,
}

#[derive(Clone, Debug)]
struct State {
    throughput: Vec<f64>,
    response: Vec<f64>,
    there: Vec<Vec<There>>,
    waits: Vec<Vec<f64>>,
    adds: Vec<Vec<f64>>,
}

/// The variance of the time at a station: of the wait as if requests arrived at random (with the third moment of a gamma distribution), and
/// of the service.
pub fn response_variance(wait: f64, service: f64, scv: f64) -> f64 {
    let wait = wait.max(0.0);
    wait * wait + 2.0 / 3.0 * wait * service * (1.0 + 2.0 * scv) + scv * service * service
}

/// The variance for a closed class, in which the number of requests before a request is limited by the number of other requests:
/// as if each of these were there by chance.
fn variance_among(class: &CustomerClass, wait: f64, visit: &Visit) -> f64 {
    let at_random = response_variance(wait, visit.service, visit.scv);
    let ArrivalLoad::Closed { jobs, .. } = class.load else { return at_random };
    let all = f64::from(jobs) * if visit.own { 1.0 } else { f64::from(class.copies) };
    if all <= 1.0 || visit.service <= 0.0 {
        return at_random;
    }
    let before = wait.max(0.0) / visit.service;
    let count = before * (1.0 - before / (all - 1.0)).max(0.0);
    at_random.min(visit.service * visit.service * (count + (before + 1.0) * visit.scv))
}

/// Solves a network for its mean values.
///
/// # Errors
/// Fails if open classes offer more than the stations can serve, or if the values do not converge.
pub fn solve_network(network: &QueueingNetwork) -> Result<Solution, NoSolution> {
    check_open(network)?;
    let index = &Index::of(network);
    let closed: Vec<(usize, u32)> = network
        .classes
        .iter()
        .enumerate()
        .filter_map(|(number, class)| match class.load {
            ArrivalLoad::Closed { jobs, .. } => Some((number, jobs)),
            ArrivalLoad::Open { .. } => None,
        })
        .collect();
    let mut jobs: Vec<u32> = vec![0; network.classes.len()];
    let mut state = State::new(network);
    if let [(alone, most)] = closed[..] {
        let first = if most > MANY { most } else { 1.min(most) };
        for level in first..=most {
            jobs[alone] = level;
            let before = (level > 1 && first == 1).then(|| state.clone());
            settle((network, index), &jobs, before.as_ref(), &mut state)?;
        }
        if most == 0 {
            settle((network, index), &jobs, None, &mut state)?;
        }
    } else {
        closed.iter().for_each(|&(number, count)| jobs[number] = count);
        settle((network, index), &jobs, None, &mut state)?;
    }
    Ok(told(network, &state))
}

/// Checks the utilisation of each station by open classes alone.
fn check_open(network: &QueueingNetwork) -> Result<(), NoSolution> {
    for (number, station) in network.stations.iter().enumerate() {
        let ServerCount::Some(servers) = station.servers else { continue };
        let used: f64 = network
            .classes
            .iter()
            .filter_map(|class| match class.load {
                ArrivalLoad::Open { rate } => Some((class, rate * f64::from(class.copies))),
                ArrivalLoad::Closed { .. } => None,
            })
            .flat_map(|(class, rate)| class.visits.iter().map(move |visit| (visit, rate)))
            .filter(|(visit, _)| visit.station == number)
            .map(|(visit, rate)| network.visit_rate(visit, rate) * visit.service)
            .sum();
        let load = used / f64::from(servers);
        if load >= 1.0 {
            return Err(NoSolution::Overloaded { station: number, load });
        }
    }
    Ok(())
}

impl State {
    fn new(network: &QueueingNetwork) -> Self {
        let of_visits = |class: &CustomerClass| vec![0.0; class.visits.len()];
        let there = |visit: &Visit| There { service: visit.service, ..There::default() };
        Self {
            throughput: network
                .classes
                .iter()
                .map(|class| match class.load {
                    ArrivalLoad::Open { rate } => rate * f64::from(class.copies),
                    ArrivalLoad::Closed { .. } => 0.0,
                })
                .collect(),
            response: vec![0.0; network.classes.len()],
            there: network.classes.iter().map(|class| class.visits.iter().map(there).collect()).collect(),
            waits: network.classes.iter().map(of_visits).collect(),
            adds: network.classes.iter().map(of_visits).collect(),
        }
    }
}

/// Frequently used indices of a network.
struct Index {
    /// The visits to each station, by class and place.
    at: Vec<Vec<(usize, usize)>>,
    /// The servers that are kept through a visit, by class and place; see [`keepers`].
    keepers: Vec<Vec<Option<f64>>>,
}

impl Index {
    fn of(network: &QueueingNetwork) -> Self {
        let mut at = vec![Vec::new(); network.stations.len()];
        for (of, class) in network.classes.iter().enumerate() {
            for (place, visit) in class.visits.iter().enumerate() {
                at[visit.station].push((of, place));
            }
        }
        let of_class = |class: &CustomerClass| {
            (0..class.visits.len()).map(|place| keepers(network, class, place)).collect()
        };
        Self { at, keepers: network.classes.iter().map(of_class).collect() }
    }
}

/// Finds the mean values with this number of jobs in each copy. `before` has the mean values with one job
/// less, if they are known.
fn settle(
    (network, index): (&QueueingNetwork, &Index),
    jobs: &[u32],
    before: Option<&State>,
    state: &mut State,
) -> Result<(), NoSolution> {
    for round in 0..ROUNDS {
        let was = state.throughput.clone();
        let responses = state.response.clone();
        for number in 0..network.classes.len() {
            pass((network, index), jobs, before, state, number);
        }
        // Where loads feed back on each other a whole step may overshoot.
        let damped = if round == 0 { 1.0 } else { 0.5 };
        for (number, class) in network.classes.iter().enumerate() {
            if let ArrivalLoad::Closed { think, .. } = class.load {
                let all = f64::from(jobs[number]) * f64::from(class.copies);
                let now = if all > 0.0 {
                    all / (think + state.response[number]).max(f64::MIN_POSITIVE)
                } else {
                    0.0
                };
                state.throughput[number] = was[number] + damped * (now - was[number]);
            }
        }
        limit((network, index), state);
        occupy(network, state);
        let moved = |now: &[f64], then: &[f64]| {
            now.iter()
                .zip(then)
                .map(|(now, then)| (now - then).abs() / now.abs().max(f64::MIN_POSITIVE))
                .fold(0.0, f64::max)
        };
        if moved(&state.throughput, &was) < SETTLED && moved(&state.response, &responses) < SETTLED {
            cut((network, index), jobs, state);
            return overload(network, state);
        }
    }
    Err(NoSolution::DoesNotSettle)
}

/// Calculates the waits and the service of a request of a class at all stations.
fn pass(
    (network, index): (&QueueingNetwork, &Index),
    jobs: &[u32],
    before: Option<&State>,
    state: &mut State,
    number: usize,
) {
    let class = &network.classes[number];
    let mut others = vec![0.0; class.visits.len()];
    for (place, visit) in class.visits.iter().enumerate() {
        (state.waits[number][place], others[place]) =
            wait((network, index), jobs, before, state, number, visit);
        if let Some(returns) = &visit.returns {
            state.waits[number][place] = on_return((network, index), state, number, place, returns);
        }
    }
    for (place, visit) in class.visits.iter().enumerate() {
        let wait = state.waits[number][place];
        let kept: f64 = visit
            .keeps_through
            .iter()
            .map(|kept| {
                let behind = &class.visits[kept.visit];
                let wait = state.waits[number][kept.visit];
                (kept.of_wait * wait + kept.of_service * behind.service) * behind.times
                    / visit.times.max(f64::MIN_POSITIVE)
            })
            .sum();
        state.there[number][place].service = visit.service + kept;
        let of_one = wait + visit.service;
        // Queues are correlated as far as the child requests of other requests go to the same stations.
        let alike = f64::from(network.stations[visit.station].alike);
        let common = if alike > 1.0 { ((visit.together - 1.0) / (alike - 1.0)).clamp(0.0, 1.0) } else { 1.0 };
        // As far as it is common the number before a request is the same at all stations, and only the services differ there.
        let of_service = visit.scv * visit.service * visit.service;
        let of_wait = response_variance(wait, visit.service, visit.scv) - of_service;
        let differs =
            of_service * (1.0 - visit.common) + of_wait * (1.0 - common * (1.0 - visit.scv).max(0.0));
        let scv = differs / (of_one * of_one).max(f64::MIN_POSITIVE);
        let slowest = if is_whole_fork(network, class, visit) {
            wait + fork_join::mean_of_slowest(
                visit.together,
                visit.service,
                visit.scv * (1.0 - visit.common),
                0.0,
            )
        } else {
            fork_join::mean_of_slowest(visit.together, of_one, scv, others[place] * common)
        };
        state.adds[number][place] = if visit.in_background {
            0.0
        } else {
            visit.times / visit.together.max(1.0) * (slowest - visit.hidden)
        };
    }
    state.response[number] = state.adds[number].iter().sum::<f64>().max(0.0);
}

/// The utilisation of each server of a station, including the time for which the server is kept.
fn used((network, index): (&QueueingNetwork, &Index), state: &State, station: usize) -> f64 {
    let ServerCount::Some(servers) = network.stations[station].servers else { return 0.0 };
    let taken = index.at[station].iter().map(|&(of, place)| state.there[of][place].taken);
    taken.sum::<f64>() / f64::from(servers)
}

/// The wait of a request of a class on arrival at a station, and the part of the time in which other requests
/// keep the server.
fn wait(
    (network, index): (&QueueingNetwork, &Index),
    jobs: &[u32],
    before: Option<&State>,
    state: &State,
    number: usize,
    to: &Visit,
) -> (f64, f64) {
    let ServerCount::Some(servers) = network.stations[to.station].servers else { return (0.0, 0.0) };
    let m = f64::from(servers);
    let begun =
        if servers == 1 && !to.to_least { just_begun(network, index, state, number, to) } else { 0.0 };
    let whole = is_whole_fork(network, &network.classes[number], to);
    let (mut work_before, mut taken, mut left, mut others) = (0.0, 0.0, 0.0, 0.0);
    for &(of, place) in &index.at[to.station] {
        let class = &network.classes[of];
        let visit = &class.visits[place];
        let mut there = state.there[of][place];
        let comes_at_random = visit.in_background || matches!(class.load, ArrivalLoad::Open { .. });
        if of == number && !comes_at_random {
            let meets_itself = visit.own || class.copies == 1;
            let all = f64::from(jobs[of]) * if meets_itself { 1.0 } else { f64::from(class.copies) };
            // Each of these requests keeps a server elsewhere while it is at this station, so their number is limited by
            // the number of these servers.
            let peers = index.keepers[of][place].map_or(all, |keepers| keepers.min(all));
            match before {
                Some(before) if meets_itself && peers == all => there = before.there[of][place],
                _ => {
                    let others = ((peers - 1.0) / peers.max(1.0)).max(0.0);
                    there = There {
                        queue: others * there.queue,
                        ahead: others * there.ahead,
                        taken: others * there.taken,
                        ..there
                    };
                }
            }
        }
        taken += there.taken;
        let by_chance = (1.0 + visit.scv) / 2.0;
        left += there.taken * there.service * (by_chance + begun * (1.0 - by_chance));
        if comes_at_random {
            others += there.taken / m;
        } else {
            let before = if whole && of == number { there.ahead } else { there.queue };
            work_before += (before - there.taken).max(0.0) * there.service / m;
        }
    }
    let alike = network.stations[to.station].alike.max(1);
    let among = if to.to_least && servers == 1 { alike } else { servers };
    if (to.to_least || alike == 1) && among > 1 && has_room((network, index), jobs, to.station, among) {
        return (0.0, taken / m);
    }
    let until_one_is_free = if taken > 0.0 {
        open::all_busy_by_utilisation(among, taken / m) * left / taken / f64::from(among)
    } else {
        0.0
    };
    ((work_before + until_one_is_free) / (1.0 - others).max(LEFT), taken / m)
}

/// Cuts the throughput of closed classes to what every station can do.
fn limit((network, index): (&QueueingNetwork, &Index), state: &mut State) {
    for (number, station) in network.stations.iter().enumerate() {
        let ServerCount::Some(servers) = station.servers else { continue };
        let (mut fixed, mut closed) = (0.0, 0.0);
        for &(of, place) in &index.at[number] {
            let class = &network.classes[of];
            let taken = network.visit_rate(&class.visits[place], state.throughput[of])
                * state.there[of][place].service;
            *if matches!(class.load, ArrivalLoad::Open { .. }) { &mut fixed } else { &mut closed } += taken;
        }
        let room = (f64::from(servers) - fixed).max(LEFT * f64::from(servers));
        if closed > room {
            for (of, class) in network.classes.iter().enumerate() {
                let is_there = index.at[number].iter().any(|&(here, _)| here == of);
                if is_there && matches!(class.load, ArrivalLoad::Closed { .. }) {
                    state.throughput[of] *= room / closed;
                }
            }
        }
    }
}

/// Sets the mean number of requests at each station according to the throughput.
fn occupy(network: &QueueingNetwork, state: &mut State) {
    for (of, class) in network.classes.iter().enumerate() {
        for (place, visit) in class.visits.iter().enumerate() {
            let flow = network.visit_rate(visit, state.throughput[of]);
            let there = &mut state.there[of][place];
            there.taken = flow * there.service;
            there.queue = flow * (state.waits[of][place] + there.service);
            let rounds = visit.times / visit.together.max(1.0);
            there.ahead = if is_whole_fork(network, class, visit) && !visit.in_background && rounds > 0.0 {
                there.queue.max(flow * state.adds[of][place] / rounds)
            } else {
                there.queue
            };
        }
    }
}

/// The time cut from the throughput becomes a wait at the fullest station.
fn cut((network, index): (&QueueingNetwork, &Index), jobs: &[u32], state: &mut State) {
    for (number, class) in network.classes.iter().enumerate() {
        let ArrivalLoad::Closed { think, .. } = class.load else { continue };
        let all = f64::from(jobs[number]) * f64::from(class.copies);
        if state.throughput[number] <= 0.0 {
            continue;
        }
        let response = all / state.throughput[number] - think;
        let more = response - state.response[number];
        let seen =
            class.visits.iter().enumerate().filter(|(_, visit)| !visit.in_background && visit.times > 0.0);
        let fullest = seen.max_by(|(_, one), (_, other)| {
            used((network, index), state, one.station).total_cmp(&used(
                (network, index),
                state,
                other.station,
            ))
        });
        if let Some((place, visit)) = fullest.filter(|_| more > 1e-6 * response) {
            state.adds[number][place] += more;
            let each = more / visit.times;
            state.waits[number][place] += each;
            state.response[number] = response;
            state.there[number][place].queue += network.visit_rate(visit, state.throughput[number]) * each;
        }
    }
}

/// Whether open classes need more than the capacity of a station, including the time for which servers are
/// kept.
fn overload(network: &QueueingNetwork, state: &State) -> Result<(), NoSolution> {
    for (number, station) in network.stations.iter().enumerate() {
        let ServerCount::Some(servers) = station.servers else { continue };
        let mut load = 0.0;
        for (of, class) in network
            .classes
            .iter()
            .enumerate()
            .filter(|(_, class)| matches!(class.load, ArrivalLoad::Open { .. }))
        {
            for (place, visit) in class.visits.iter().enumerate().filter(|(_, visit)| visit.station == number)
            {
                load += network.visit_rate(visit, state.throughput[of]) * state.there[of][place].service
                    / f64::from(servers);
            }
        }
        if load >= 1.0 {
            return Err(NoSolution::Overloaded { station: number, load });
        }
    }
    Ok(())
}

fn told(network: &QueueingNetwork, state: &State) -> Solution {
    let classes = network.classes.iter().enumerate().map(|(number, class)| {
        let each = class.visits.iter().enumerate().filter(|(_, visit)| !visit.in_background).map(
            |(place, visit)| {
                let wait = state.waits[number][place];
                let rounds = visit.times / visit.together.max(1.0);
                let (mean, of_one) = (
                    state.adds[number][place] / rounds.max(f64::MIN_POSITIVE),
                    variance_among(class, wait, visit),
                );
                // A visit that is made only by some requests varies by that as well.
                let now_and_then = if rounds < 1.0 { rounds * (1.0 - rounds) * mean * mean } else { 0.0 };
                rounds * of_one + now_and_then
            },
        );
        ClassSolution {
            throughput: state.throughput[number],
            response: state.response[number],
            variance: each.sum(),
            waits: state.waits[number].clone(),
            adds: state.adds[number].clone(),
        }
    });
    let stations = network.stations.iter().enumerate().map(|(number, station)| {
        let mut sum = StationSolution::default();
        for (of, class) in network.classes.iter().enumerate() {
            for (place, visit) in class.visits.iter().enumerate().filter(|(_, visit)| visit.station == number)
            {
                let flow = network.visit_rate(visit, state.throughput[of]);
                sum.utilisation += flow * visit.service;
                sum.taken += state.there[of][place].taken;
                sum.queue += state.there[of][place].queue;
            }
        }
        let servers = match station.servers {
            ServerCount::Some(servers) => f64::from(servers),
            ServerCount::Unlimited => f64::INFINITY,
        };
        StationSolution {
            utilisation: sum.utilisation / servers,
            taken: sum.taken / servers,
            queue: sum.queue,
        }
    });
    Solution { classes: classes.collect(), stations: stations.collect() }
}
