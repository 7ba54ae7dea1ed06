//! Tests how often 95 % intervals contain the truth, on systems whose truth is known: M/M/1, and closed queueing
//! networks.
//!
//! The systems are simulated with the calendar and the random streams of the kernel, starting empty or with a backlog; MSER-5 cuts the
//! beginning, and the remaining completions go through [`Observations`], as in a real run. Each case gives the length of its runs: an
//! interval by batch means is honest only if the batches are much longer than the memory of the system (an M/M/1 queue with load 0.7
//! remembers some 33 customers: Law, "Simulation Modeling and Analysis", chapter 9). The ignored test at the end prints the results of
//! shorter runs.

use sansim_kernel::{
    Calendar, Edges, Observations, Order, RandomStream, Series, Span, TICKS_PER_NS, Time, mser5,
};
use std::collections::VecDeque;

/// The mean time of a service, in ns. The mean service time is long against the resolution of the histogram.
const SERVICE_NS: f64 = 100_000.0;
const PERCENTS: [f64; 3] = [50.0, 90.0, 99.0];
/// Amounts are 1 or 3 with equal probability.
const AMOUNT: f64 = 2.0;
const REPLICATIONS: u64 = 1_000;

fn span(ns: f64) -> Span {
    Span((ns * TICKS_PER_NS as f64).round() as u64)
}

/// The completion of a customer: its time, and the customer's time in the system.
type Completion = (Time, Span);

#[derive(Clone, Copy)]
enum Event {
    Arrival,
    Departure(usize),
    Think,
}

fn order(priority: u8) -> Order {
    Order { priority, ..Order::default() }
}

/// The first customers of an M/M/1 queue with this load, in which `backlog` customers are waiting at the
/// beginning.
fn mm1(seed: u64, count: usize, load: f64, backlog: usize) -> Vec<Completion> {
    let mut arrivals = RandomStream::new(seed, "arrivals");
    let mut services = RandomStream::new(seed, "services");
    let mut calendar = Calendar::new();
    let mut queue = VecDeque::from(vec![Time::ZERO; backlog]);
    let mut done = Vec::with_capacity(count);
    calendar.schedule(Time::ZERO + span(arrivals.exponential(SERVICE_NS / load)), order(0), Event::Arrival);
    if backlog > 0 {
        calendar.schedule(Time::ZERO + span(services.exponential(SERVICE_NS)), order(1), Event::Departure(0));
    }
    while done.len() < count {
        let (now, event) = calendar.pop().expect("arrivals never end");
        match event {
            Event::Arrival => {
                queue.push_back(now);
                calendar.schedule(
                    now + span(arrivals.exponential(SERVICE_NS / load)),
                    order(0),
                    Event::Arrival,
                );
                if queue.len() > 1 {
                    continue;
                }
            }
            _ => {
                let came = queue.pop_front().expect("somebody was served");
                done.push((now, now - came));
            }
        }
        if !queue.is_empty() {
            calendar.schedule(now + span(services.exponential(SERVICE_NS)), order(1), Event::Departure(0));
        }
    }
    done
}

/// A closed system of customers that think and then go through stations with one server each, exponential services and first
/// come, first served. After the first station a customer goes to one of the other stations, each with the given probability,
/// and back; or the customer is done.
#[derive(Clone, Copy)]
struct Closed {
    customers: usize,
    think_ns: f64,
    /// The mean service times in ns, with the first station first.
    services_ns: &'static [f64],
    /// The probabilities of going to the second station, the third and so on.
    ways: &'static [f64],
}

impl Closed {
    /// The first completions, beginning with all customers thinking or all at the first station.
    fn run(&self, seed: u64, count: usize, at_once: bool) -> Vec<Completion> {
        let mut thoughts = RandomStream::new(seed, "thoughts");
        let mut routes = RandomStream::new(seed, "routes");
        let mut services: Vec<RandomStream> =
            (0..self.services_ns.len()).map(|s| RandomStream::new(seed, &format!("services.{s}"))).collect();
        let mut calendar = Calendar::new();
        let mut queues: Vec<VecDeque<Time>> = vec![VecDeque::new(); self.services_ns.len()];
        let mut done = Vec::with_capacity(count);
        for _ in 0..self.customers {
            let thinks = if at_once { Span::ZERO } else { span(thoughts.exponential(self.think_ns)) };
            calendar.schedule(Time::ZERO + thinks, order(0), Event::Think);
        }
        while done.len() < count {
            let (now, event) = calendar.pop().expect("customers never leave");
            let (came, goes_to) = match event {
                Event::Departure(station) => {
                    let came = queues[station].pop_front().expect("somebody was served");
                    if !queues[station].is_empty() {
                        let served = span(services[station].exponential(self.services_ns[station]));
                        calendar.schedule(now + served, order(1), Event::Departure(station));
                    }
                    if station > 0 {
                        (came, 0)
                    } else {
                        let mut draw = routes.unit_f64();
                        let way = self.ways.iter().position(|p| {
                            draw -= p;
                            draw < 0.0
                        });
                        let Some(way) = way else {
                            done.push((now, now - came));
                            calendar.schedule(
                                now + span(thoughts.exponential(self.think_ns)),
                                order(0),
                                Event::Think,
                            );
                            continue;
                        };
                        (came, way + 1)
                    }
                }
                _ => (now, 0),
            };
            queues[goes_to].push_back(came);
            if queues[goes_to].len() == 1 {
                let served = span(services[goes_to].exponential(self.services_ns[goes_to]));
                calendar.schedule(now + served, order(1), Event::Departure(goes_to));
            }
        }
        done
    }

    /// Mean response time in ns by exact mean value analysis (Reiser and Lavenberg, Journal of the ACM 27, 1980).
    fn response_ns(&self) -> f64 {
        let leaves = 1.0 - self.ways.iter().sum::<f64>();
        let visits = std::iter::once(1.0).chain(self.ways.iter().copied()).map(|way| way / leaves);
        let demands: Vec<f64> =
            visits.zip(self.services_ns).map(|(visits, service)| visits * service).collect();
        let mut lengths = vec![0.0; demands.len()];
        let mut response = 0.0;
        for customers in 1..=self.customers {
            let times: Vec<f64> =
                demands.iter().zip(&lengths).map(|(demand, length)| demand * (1.0 + length)).collect();
            response = times.iter().sum();
            let throughput = customers as f64 / (self.think_ns + response);
            lengths = times.iter().map(|time| throughput * time).collect();
        }
        response
    }

    /// The completions per second.
    fn rate(&self) -> f64 {
        self.customers as f64 * 1e9 / (self.think_ns + self.response_ns())
    }

    /// A percentile of the response time with a single station: an arriving customer sees the system as it is without the
    /// customer (arrival theorem) and is served after the customers it finds, so its time is a mixture of Erlang
    /// distributions.
    fn percentile_ns(&self, percent: f64) -> f64 {
        let [service] = *self.services_ns else { panic!("a single station") };
        let others = self.customers - 1;
        let mut weights = vec![1.0];
        for found in 0..others {
            weights.push(weights[found] * (others - found) as f64 * service / self.think_ns);
        }
        let sum: f64 = weights.iter().sum();
        let exceeds = |time: f64| {
            let (mut term, mut tail, mut all) = (1.0, 0.0, 0.0);
            for (found, weight) in weights.iter().enumerate() {
                tail += term;
                all += weight / sum * tail;
                term *= time / (found + 1) as f64;
            }
            (-time).exp() * all
        };
        let (mut low, mut high) = (0.0, 100.0 * self.customers as f64);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if exceeds(middle) > 1.0 - percent / 100.0 { low = middle } else { high = middle }
        }
        low * service
    }
}

/// The known values of a system: mean and percentiles of the response time in ns, completions per second.
struct Truth {
    mean_ns: f64,
    percentiles_ns: Option<[f64; 3]>,
    rate: f64,
}

/// The percentage of the replications in which an interval held the truth.
#[derive(Debug)]
#[expect(dead_code, reason = "some figures are only printed")]
struct Coverage {
    mean: f64,
    rate: f64,
    amount_rate: f64,
    percentiles: [f64; 3],
    /// The percentage of replications in which an interval of the percentile was given at all.
    given: [f64; 3],
    /// The mean half width of the interval of the mean, as a percentage of the mean.
    half_width: f64,
    /// The percentage of replications whose interval was trusted.
    trusted: f64,
    /// The mean number of observations that were cut as warm-up.
    cut: f64,
}

fn coverage(truth: &Truth, run: impl Fn(u64) -> Vec<Completion>) -> Coverage {
    let mut sums = [0.0; 12];
    let mut given = [0.0; 3];
    for seed in 0..REPLICATIONS {
        let done = run(seed);
        let cut = mser5(&done.iter().map(|(_, took)| took.as_ns_f64()).collect::<Vec<_>>());
        let began = cut.checked_sub(1).map_or(Time::ZERO, |last| done[last].0);
        let mut observations = Observations::<1>::new((done.len() - cut) as u64);
        let mut amounts = RandomStream::new(seed, "amounts");
        for (at, took) in &done[cut..] {
            observations.add(*at, 0, *took, if amounts.chance(0.5) { 1 } else { 3 });
        }
        let Series { mean_ns, percentiles, .. } = observations.series(&[0], &PERCENTS);
        let [rate, amount_rate] = observations.rates(began, done[done.len() - 1].0, Edges::Completions);
        let holds = |interval: &sansim_kernel::Interval, truth: f64| {
            f64::from((interval.estimate - truth).abs() <= interval.half_width_95)
        };
        sums[0] += holds(&mean_ns, truth.mean_ns);
        sums[1] += holds(&rate, truth.rate);
        sums[2] += holds(&amount_rate, AMOUNT * truth.rate);
        sums[3] += mean_ns.relative_half_width();
        sums[4] += f64::from(mean_ns.is_trusted());
        sums[5] += cut as f64 / 100.0;
        for (number, interval) in percentiles.iter().enumerate() {
            let (Some((low, high)), Some(truths)) = (interval, truth.percentiles_ns) else { continue };
            given[number] += 1.0;
            // The histogram stores a value to within 0.05 %.
            let inside = *low as f64 * 0.9995 <= truths[number] && truths[number] <= *high as f64 * 1.0005;
            sums[6 + number] += f64::from(inside);
        }
    }
    let percent = |sum: f64| 100.0 * sum / REPLICATIONS as f64;
    Coverage {
        mean: percent(sums[0]),
        rate: percent(sums[1]),
        amount_rate: percent(sums[2]),
        percentiles: std::array::from_fn(|number| 100.0 * sums[6 + number] / f64::max(given[number], 1.0)),
        given: given.map(percent),
        half_width: percent(sums[3]),
        trusted: percent(sums[4]),
        cut: percent(sums[5]),
    }
}

/// The truth about M/M/1: the time in the system is exponential.
fn mm1_truth(load: f64) -> Truth {
    let mean_ns = SERVICE_NS / (1.0 - load);
    let percentiles_ns = Some(PERCENTS.map(|percent| -mean_ns * (1.0 - percent / 100.0_f64).ln()));
    Truth { mean_ns, percentiles_ns, rate: load * 1e9 / SERVICE_NS }
}

/// The system consists of ten machines and a repairman.
const REPAIR: Closed =
    Closed { customers: 10, think_ns: 8.0 * SERVICE_NS, services_ns: &[SERVICE_NS], ways: &[] };

/// The system consists of terminals, a processor and two disks.
const CENTRAL_SERVER: Closed = Closed {
    customers: 12,
    think_ns: 10.0 * SERVICE_NS,
    services_ns: &[0.25 * SERVICE_NS, SERVICE_NS, 1.5 * SERVICE_NS],
    ways: &[0.45, 0.30],
};

fn closed_truth(network: &Closed) -> Truth {
    let percentiles_ns =
        (network.services_ns.len() == 1).then(|| PERCENTS.map(|percent| network.percentile_ns(percent)));
    Truth { mean_ns: network.response_ns(), percentiles_ns, rate: network.rate() }
}

fn assert_covers(name: &str, coverage: &Coverage, percentiles: usize) {
    println!("{name}: {coverage:.1?}");
    let promised = 93.0..=97.0;
    assert!(promised.contains(&coverage.mean), "{name}: mean {coverage:?}");
    assert!(promised.contains(&coverage.rate), "{name}: rate {coverage:?}");
    assert!(promised.contains(&coverage.amount_rate), "{name}: rate of amounts {coverage:?}");
    let each = PERCENTS.iter().zip(coverage.percentiles.iter().zip(&coverage.given));
    for (percent, (covered, given)) in each.take(percentiles) {
        assert!(promised.contains(covered) && *given > 95.0, "{name}: p{percent} {coverage:?}");
    }
    assert!(coverage.trusted > 95.0, "{name}: {coverage:?}");
}

#[test]
#[ignore = "long"]
fn intervals_cover_on_mm1_from_empty() {
    let covered = coverage(&mm1_truth(0.7), |seed| mm1(seed, 60_000, 0.7, 0));
    // An interval of the 99th percentile is given in three of four runs only.
    assert_covers("M/M/1, load 0.7, 60,000 customers", &covered, 2);
}

#[test]
fn intervals_cover_on_mm1_from_a_backlog() {
    let covered = coverage(&mm1_truth(0.5), |seed| mm1(seed, 40_000, 0.5, 100));
    assert_covers("M/M/1, load 0.5, backlog 100, 40,000 customers", &covered, 3);
}

#[test]
#[ignore = "long"]
fn intervals_cover_on_machines_and_a_repairman() {
    let covered = coverage(&closed_truth(&REPAIR), |seed| REPAIR.run(seed, 20_000, true));
    assert_covers("repairman, 20,000 repairs", &covered, 3);
}

#[test]
fn intervals_cover_on_a_central_server() {
    let covered = coverage(&closed_truth(&CENTRAL_SERVER), |seed| CENTRAL_SERVER.run(seed, 5_000, true));
    assert_covers("central server, 5,000 jobs", &covered, 0);
}

#[test]
#[ignore = "takes minutes; prints what the coverage depends on"]
fn what_runs_of_other_lengths_come_to() {
    for count in [2_000, 10_000, 40_000, 80_000, 160_000] {
        for load in [0.5, 0.7] {
            for backlog in [0, 100] {
                let c = coverage(&mm1_truth(load), |seed| mm1(seed, count, load, backlog));
                println!("M/M/1 load {load} backlog {backlog}, {count}: {c:.1?}");
            }
        }
    }
    for count in [200, 500, 1_000, 2_000, 5_000, 20_000] {
        for at_once in [false, true] {
            let c = coverage(&closed_truth(&REPAIR), |seed| REPAIR.run(seed, count, at_once));
            println!("repair {at_once}, {count}: {c:.1?}");
            let c = coverage(&closed_truth(&CENTRAL_SERVER), |seed| CENTRAL_SERVER.run(seed, count, at_once));
            println!("central server {at_once}, {count}: {c:.1?}");
        }
    }
}
