//! The Linearizer: an approximation of closed product-form networks of several classes that estimates how the shares of a class change when
//! one request is missing. The Linearizer is within some tenths of a percent where Schweitzer's approximation, which assumes that the
//! shares do not change, is within some percent.
//!
//! Sources: Schweitzer, Approximate analysis of multiclass closed networks of queues, 1979; Chandy and Neuse, Linearizer: A Heuristic
//! Algorithm for Queueing Network Models of Computing Systems, Communications of the ACM 25(2), 1982. A station of several servers is
//! replaced by one server of their total speed and a delay: Seidmann, Schweitzer and Shalev-Oren, Large Scale Systems 12, 1987.

/// A closed network of stations of one server and delays, given by the demands of requests of each class at
/// each station.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedNetwork {
    /// The demands, by class, then by station.
    pub demands: Vec<Vec<f64>>,
    /// The number of jobs, by class.
    pub jobs: Vec<f64>,
    /// The think time, by class.
    pub think: Vec<f64>,
    /// The number of servers, by station.
    pub servers: Vec<u32>,
}

/// The mean values: throughputs by class, and the number of requests by class and station.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanValues {
    /// The throughput, by class.
    pub throughput: Vec<f64>,
    /// The number of requests, by class, then by station.
    pub queue: Vec<Vec<f64>>,
}

/// The number of passes within which the core must have settled.
const PASSES: usize = 10_000;
/// The change below which the values count as settled.
const SETTLED: f64 = 1e-10;

/// Solves a network by Schweitzer's approximation.
pub fn solve_by_schweitzer(network: &ClosedNetwork) -> MeanValues {
    let (classes, stations) = (network.jobs.len(), network.servers.len());
    core(network, &network.jobs, None, &vec![vec![vec![0.0; stations]; classes]; classes])
}

/// Solves a network by the Linearizer with three rounds, as it was published.
pub fn solve_by_linearizer(network: &ClosedNetwork) -> MeanValues {
    let (classes, stations) = (network.jobs.len(), network.servers.len());
    // The increase of the share when one request is missing: by the class of the missing request, then by
    // class and station.
    let mut changes = vec![vec![vec![0.0; stations]; classes]; classes];
    let mut whole = core(network, &network.jobs, None, &changes);
    for _ in 0..2 {
        let mut next = changes.clone();
        for missing in 0..classes {
            let mut jobs = network.jobs.clone();
            jobs[missing] = (jobs[missing] - 1.0).max(0.0);
            let less = core(network, &jobs, Some(&whole), &changes);
            for class in 0..classes {
                let share = |means: &MeanValues, jobs: f64, station: usize| {
                    if jobs > 0.0 { means.queue[class][station] / jobs } else { 0.0 }
                };
                for (station, change) in next[missing][class].iter_mut().enumerate() {
                    *change =
                        share(&less, jobs[class], station) - share(&whole, network.jobs[class], station);
                }
            }
        }
        changes = next;
        whole = core(network, &network.jobs, Some(&whole), &changes);
    }
    whole
}

fn core(
    network: &ClosedNetwork,
    jobs: &[f64],
    from: Option<&MeanValues>,
    changes: &[Vec<Vec<f64>>],
) -> MeanValues {
    let (classes, stations) = (jobs.len(), network.servers.len());
    let even = |class: usize| vec![jobs[class] / stations as f64; stations];
    let mut queue: Vec<Vec<f64>> = match from {
        Some(means) => (0..classes)
            .map(|class| {
                let of_whole =
                    if network.jobs[class] > 0.0 { jobs[class] / network.jobs[class] } else { 0.0 };
                means.queue[class].iter().map(|queue| queue * of_whole).collect()
            })
            .collect(),
        None => (0..classes).map(even).collect(),
    };
    let mut throughput = vec![0.0; classes];
    for _ in 0..PASSES {
        let mut moved: f64 = 0.0;
        let before = queue.clone();
        for class in 0..classes {
            if jobs[class] <= 0.0 {
                continue;
            }
            let takes: Vec<f64> = (0..stations)
                .map(|station| {
                    let seen: f64 = (0..classes)
                        .filter(|&other| jobs[other] > 0.0)
                        .map(|other| {
                            let there = if other == class { jobs[other] - 1.0 } else { jobs[other] };
                            there * (before[other][station] / jobs[other] + changes[class][other][station])
                        })
                        .sum();
                    let (demand, m) =
                        (network.demands[class][station], f64::from(network.servers[station].max(1)));
                    demand / m * (1.0 + seen.max(0.0)) + demand * (m - 1.0) / m
                })
                .collect();
            let response: f64 = takes.iter().sum();
            throughput[class] = jobs[class] / (network.think[class] + response);
            for station in 0..stations {
                // The part in which a request only spends time in the delay is not in the queue of the faster
                // server.
                let m = f64::from(network.servers[station].max(1));
                let in_queue = takes[station] - network.demands[class][station] * (m - 1.0) / m;
                let now = throughput[class] * in_queue;
                moved = moved.max((now - before[class][station]).abs() / jobs[class]);
                queue[class][station] = now;
            }
        }
        if moved < SETTLED {
            break;
        }
    }
    MeanValues { throughput, queue }
}
