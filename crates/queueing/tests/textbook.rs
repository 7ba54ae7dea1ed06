//! Networks whose solution is published, or is computed in this file by another method.

#![allow(missing_docs)]

use proptest::prelude::*;
use sansim_queueing::linearizer::{ClosedNetwork, solve_by_linearizer, solve_by_schweitzer};
use sansim_queueing::{
    ArrivalLoad, CustomerClass, KeptServer, NoSolution, QueueingNetwork, Return, ServerCount, Station, Visit,
    approximate, bounds, exact, open,
};

fn network(servers: &[u32], classes: &[(u32, f64, &[f64])]) -> QueueingNetwork {
    let station = |(number, &servers): (usize, &u32)| Station {
        name: format!("station {number}"),
        servers: if servers == 0 { ServerCount::Unlimited } else { ServerCount::Some(servers) },
        alike: 1,
    };
    let class = |&(jobs, think, demands): &(u32, f64, &[f64])| CustomerClass {
        name: "class".to_owned(),
        load: ArrivalLoad::Closed { jobs, think },
        copies: 1,
        // The service is the same for all classes where they wait, with as many visits as make up the demand.
        visits: demands
            .iter()
            .enumerate()
            .map(|(station, &demand)| Visit::new(station, demand, 1.0))
            .collect(),
    };
    QueueingNetwork {
        stations: servers.iter().enumerate().map(station).collect(),
        classes: classes.iter().map(class).collect(),
    }
}

fn near(what: &str, ours: f64, theirs: f64, within: f64) {
    assert!((ours - theirs).abs() <= within * theirs.abs(), "{what}: {ours} is not {theirs}");
}

/// Source: Lazowska, Zahorjan, Graham and Sevcik, Quantitative System Performance, 1984, section 6.4: a processor and two disks with
/// 0.605, 2.1 and 1.35 s, 15 s of think time, three terminals.
#[test]
fn a_processor_and_two_disks_come_out_as_published() {
    let demands = [0.605, 2.1, 1.35];
    let network = network(&[1, 1, 1], &[(3, 15.0, &demands)]);
    let solution = exact::solve_network(&network).unwrap();
    near("throughput", solution.classes[0].throughput, 0.152, 0.004);
    near("response", solution.classes[0].response, 4.80, 0.001);
    // With one class and exponential service the approximate method is exact too.
    let other = approximate::solve_network(&network).unwrap();
    near("throughput", other.classes[0].throughput, solution.classes[0].throughput, 1e-6);
    for (ours, theirs) in other.stations.iter().zip(&solution.stations) {
        near("queue", ours.queue, theirs.queue, 1e-5);
    }
    for limits in
        [bounds::asymptotic_bounds(3, &demands, 15.0), bounds::balanced_job_bounds(3, &demands, 15.0)]
    {
        assert!(
            limits.least <= solution.classes[0].throughput && solution.classes[0].throughput <= limits.most
        );
    }
}

/// Source: Quantitative System Performance, section 7.4: two classes with one job each have throughputs of
/// 3/19 and 2/19.
#[test]
fn two_classes_come_out_as_published() {
    let solution =
        exact::solve_network(&network(&[1, 1], &[(1, 0.0, &[1.0, 3.0]), (1, 0.0, &[2.0, 4.0])])).unwrap();
    near("A", solution.classes[0].throughput, 3.0 / 19.0, 1e-9);
    near("B", solution.classes[1].throughput, 2.0 / 19.0, 1e-9);
}

/// Machines that break and are repaired: the probabilities of the states of M/M/m//N in closed form (Feller 1950).
#[test]
fn repaired_machines_come_out_as_by_their_states() {
    for (machines, repairers) in [(6_u32, 1_u32), (6, 2), (9, 4), (3, 8)] {
        let (works, repair) = (8.0, 1.5);
        let mut weights = vec![1.0_f64];
        for broken in 1..=machines {
            let rate = f64::from(machines - broken + 1) / works;
            let service = f64::from(broken.min(repairers)) / repair;
            weights.push(weights[broken as usize - 1] * rate / service);
        }
        let sum: f64 = weights.iter().sum();
        let broken: f64 = weights.iter().enumerate().map(|(count, weight)| count as f64 * weight / sum).sum();
        let throughput = (f64::from(machines) - broken) / works;
        let mut queue = network(&[repairers], &[(machines, works, &[1.0])]);
        queue.classes[0].visits[0] = Visit::new(0, 1.0, repair);
        let solution = exact::solve_network(&queue).unwrap();
        near("exact", solution.classes[0].throughput, throughput, 1e-9);
        near("broken", solution.stations[0].queue, broken, 1e-9);
        near(
            "approximate",
            approximate::solve_network(&queue).unwrap().classes[0].throughput,
            throughput,
            0.03,
        );
    }
}

/// The weights of all distributions of jobs are added up: Gordon and Newell 1967, for two classes at stations of one
/// server.
fn by_states(jobs: [u32; 2], demands: &[[f64; 2]]) -> [f64; 2] {
    fn sum(left: [u32; 2], demands: &[[f64; 2]]) -> f64 {
        let Some((first, rest)) = demands.split_first() else {
            return if left == [0, 0] { 1.0 } else { 0.0 };
        };
        let mut all = 0.0;
        for a in 0..=left[0] {
            for b in 0..=left[1] {
                let ways = (1..=b).fold(1.0, |ways, k| ways * f64::from(a + k) / f64::from(k));
                let here = ways * first[0].powi(a as i32) * first[1].powi(b as i32);
                all += here * sum([left[0] - a, left[1] - b], rest);
            }
        }
        all
    }
    let whole = sum(jobs, demands);
    [0, 1].map(|class| {
        let mut less = jobs;
        less[class] -= 1;
        sum(less, demands) / whole
    })
}

proptest! {
    #[test]
    fn exact_values_are_those_of_the_states(
        jobs in [1_u32..5, 1_u32..5],
        demands in prop::collection::vec([0.1_f64..3.0, 0.1_f64..3.0], 2..4),
    ) {
        let of = |class: usize| demands.iter().map(|demand| demand[class]).collect::<Vec<f64>>();
        let (first, second) = (of(0), of(1));
        let solution = exact::solve_network(&network(&vec![1; demands.len()], &[(jobs[0], 0.0, &first), (jobs[1], 0.0, &second)])).unwrap();
        let states = by_states(jobs, &demands);
        let closed = ClosedNetwork {
            demands: vec![first, second],
            jobs: jobs.map(f64::from).to_vec(),
            think: vec![0.0; 2],
            servers: vec![1; demands.len()],
        };
        let (close, rough) = (solve_by_linearizer(&closed), solve_by_schweitzer(&closed));
        for (class, &state) in states.iter().enumerate() {
            near("exact", solution.classes[class].throughput, state, 1e-9);
            near("Linearizer", close.throughput[class], state, 0.02);
            near("Schweitzer", rough.throughput[class], state, 0.3);
        }
    }

    /// Little's law holds, and no server is busy for more than all the time, whatever the network.
    #[test]
    fn jobs_add_up_and_nothing_works_more_than_always(
        jobs in 1_u32..40, copies in 1_u32..6, think in 0.0_f64..5.0,
        visits in prop::collection::vec((0.1_f64..4.0, 0.1_f64..2.0, 0.0_f64..2.0, 1_u32..4, 1_u32..5, 1.0_f64..3.0, any::<bool>()), 1..5),
    ) {
        let mut network = QueueingNetwork::default();
        let mut class = CustomerClass { name: String::new(), load: ArrivalLoad::Closed { jobs, think }, copies, visits: Vec::new() };
        for (station, &(times, service, scv, servers, alike, together, own)) in visits.iter().enumerate() {
            let own = own && copies > 1;
            let alike = if own { copies } else { alike };
            network.stations.push(Station { name: String::new(), servers: ServerCount::Some(servers), alike });
            let together = together.min(f64::from(alike)).min(times.max(1.0));
            class.visits.push(Visit { scv, together, own, ..Visit::new(station, times, service) });
        }
        network.classes.push(class);
        let solution = approximate::solve_network(&network).unwrap();
        let of = &solution.classes[0];
        near("jobs", of.throughput * (of.response + think), f64::from(jobs * copies), 1e-3);
        for station in &solution.stations {
            prop_assert!(station.utilisation <= 1.0 + 1e-6, "{solution:?}");
        }
        near("adds", of.adds.iter().sum(), of.response, 1e-3);
    }
}

#[test]
fn one_open_station_is_that_of_pollaczek_and_khinchin() {
    for (rate, scv) in [(0.3, 0.0), (0.8, 0.0), (0.8, 1.0), (0.95, 4.0)] {
        let visit = Visit { scv, ..Visit::new(0, 1.0, 1.0) };
        let class = CustomerClass {
            name: String::new(),
            load: ArrivalLoad::Open { rate },
            copies: 1,
            visits: vec![visit],
        };
        let station = Station { name: String::new(), servers: ServerCount::Some(1), alike: 1 };
        let network = QueueingNetwork { stations: vec![station], classes: vec![class] };
        let solution = approximate::solve_network(&network).unwrap();
        near(
            "response",
            solution.classes[0].response,
            1.0 + open::mean_wait(1, rate, 1.0, scv).unwrap(),
            1e-6,
        );
    }
}

#[test]
fn more_than_is_served_is_told() {
    let class = |rate| CustomerClass {
        name: String::new(),
        load: ArrivalLoad::Open { rate },
        copies: 1,
        visits: vec![Visit::new(0, 1.0, 2.0)],
    };
    let station = Station { name: String::new(), servers: ServerCount::Some(1), alike: 1 };
    let network = QueueingNetwork { stations: vec![station], classes: vec![class(0.75)] };
    assert_eq!(approximate::solve_network(&network), Err(NoSolution::Overloaded { station: 0, load: 1.5 }));
}

/// A server that is kept while its request is at another server works no faster than both servers together.
#[test]
fn a_server_that_is_kept_is_as_slow_as_what_it_is_kept_for() {
    let mut network = network(&[1, 1], &[(4, 0.0, &[1.0, 1.0])]);
    network.classes[0].visits[0].keeps_through = vec![KeptServer::whole_visit(1)];
    network.classes[0].visits.iter_mut().for_each(|visit| visit.scv = 0.0);
    let solution = approximate::solve_network(&network).unwrap();
    near("throughput", solution.classes[0].throughput, 0.5, 0.02);
    near("taken", solution.stations[0].taken, 1.0, 0.02);
}

/// The response time of a request that always finds all other requests before it does not vary.
#[test]
fn what_always_waits_for_all_others_takes_always_as_long() {
    let mut network = network(&[1], &[(5, 0.0, &[1.0])]);
    network.classes[0].visits[0].scv = 0.0;
    let solution = approximate::solve_network(&network).unwrap();
    near("response", solution.classes[0].response, 5.0, 1e-6);
    assert!(solution.classes[0].variance < 1e-3, "{solution:?}");
}

fn at_equal_stations(jobs: u32, alike: u32, visit: Visit) -> f64 {
    let class = CustomerClass {
        name: String::new(),
        load: ArrivalLoad::Closed { jobs, think: 0.0 },
        copies: 1,
        visits: vec![visit],
    };
    let station = Station { name: String::new(), servers: ServerCount::Some(1), alike };
    let network = QueueingNetwork { stations: vec![station], classes: vec![class] };
    approximate::solve_network(&network).unwrap().classes[0].response
}

#[test]
fn a_request_that_returns_at_once_finds_the_next_service_just_begun() {
    let constant = || Visit { scv: 0.0, ..Visit::new(0, 1.0, 1.0) };
    // Requests of a single station wait for all others in full.
    near("one station", at_equal_stations(5, 1, constant()), 5.0, 1e-6);
    // Two constant requests at two stations move in steps, and in half of the steps both are at one station: 3/2 are served in a step.
    near("two stations", at_equal_stations(2, 2, constant()), 2.0 / 1.5, 0.05);
}

#[test]
fn a_whole_fork_of_two_exponential_stations_is_exact() {
    for jobs in 1..10 {
        let fork = Visit { together: 2.0, ..Visit::new(0, 2.0, 1.0) };
        // The difference of what both have done is uniform on -n to n, so that one of them is idle in a share 1 / (2 n + 1) of the time.
        let exact = f64::from(jobs) * (1.0 + 1.0 / (2.0 * f64::from(jobs)));
        near("fork", at_equal_stations(jobs, 2, fork), exact, 1e-6);
    }
}

#[test]
fn nobody_waits_who_goes_to_an_idle_one_of_enough_stations() {
    let visit = || Visit { to_least: true, ..Visit::new(0, 1.0, 1.0) };
    near("as many", at_equal_stations(4, 4, visit()), 1.0, 1e-9);
    near("twice as many", at_equal_stations(8, 4, visit()), 2.0, 0.05);
}

#[test]
fn a_return_at_once_from_a_short_visit_hardly_waits_and_a_late_one_waits_as_at_random() {
    let response = |away: f64| {
        let stations = [ServerCount::Some(1), ServerCount::Unlimited];
        let station = |servers| Station { name: String::new(), servers, alike: 1 };
        let visit = |at: usize, service: f64| Visit { scv: 0.0, ..Visit::new(at, 1.0, service) };
        let returns = Some(Return { after: 0, through: 1..2 });
        let visits = vec![visit(0, 1e-4), visit(1, away), Visit { returns, ..visit(0, 1.0) }];
        let class =
            CustomerClass { name: String::new(), load: ArrivalLoad::Open { rate: 0.5 }, copies: 1, visits };
        let network = QueueingNetwork { stations: stations.map(station).to_vec(), classes: vec![class] };
        approximate::solve_network(&network).unwrap().classes[0].response - away
    };
    let wait = open::mean_wait(1, 0.5, 1.0, 0.0).unwrap();
    near("at once", response(0.0), 1.0 + wait, 0.01);
    near("late", response(100.0), 1.0 + 2.0 * wait, 0.01);
}
