//! Exact mean-value analysis of closed networks with product form, with one class or several, and with stations of one server, of several
//! servers, and without waits.
//!
//! Source: Reiser and Lavenberg, Mean-Value Analysis of Closed Multichain Queuing Networks, Journal of the ACM 27(2), 1980; stations of
//! several servers are handled by the probabilities of the number of requests there, as in Lazowska, Zahorjan, Graham and Sevcik,
//! Quantitative System Performance, 1984, section 8.2. Product form is defined as by Baskett, Chandy, Muntz and Palacios, Journal of the
//! ACM 22(2), 1975: service at a station with a common queue is exponential, and the same for every class.

use crate::network::{
    ArrivalLoad, ClassSolution, NoSolution, QueueingNetwork, ServerCount, Solution, StationSolution,
};

/// The largest number of populations times stations that is computed.
pub const LARGEST: f64 = 2e6;

/// The network to solve, reduced to product form.
struct Plain {
    /// By class, then by station: the demand of a request, over all of its visits.
    demands: Vec<Vec<f64>>,
    jobs: Vec<u32>,
    think: Vec<f64>,
    servers: Vec<ServerCount>,
}

/// Solves a network for its mean values.
///
/// # Errors
/// Fails if the network has no product form, is not closed, or is too large.
pub fn solve_network(network: &QueueingNetwork) -> Result<Solution, NoSolution> {
    let plain = plain(network)?;
    let stations = network.stations.len();
    let populations = plain.jobs.iter().map(|&jobs| f64::from(jobs) + 1.0).product::<f64>();
    let most_servers = plain.servers.iter().map(|servers| match servers {
        ServerCount::Some(servers) => *servers,
        ServerCount::Unlimited => 1,
    });
    let width = most_servers.max().unwrap_or(1) as usize;
    if populations * (stations * width.max(plain.jobs.len())) as f64 > LARGEST {
        return Err(NoSolution::NotOfThisKind("it has too many populations for the exact solution"));
    }
    let populations = populations as usize;
    // For each population, the mean number of requests at each station, and the probabilities of 0, 1, ... requests there, up to
    // the number of servers.
    let mut queues = vec![0.0; populations * stations];
    let mut chances = vec![0.0; populations * stations * width];
    (0..stations).for_each(|station| chances[station * width] = 1.0);
    let steps: Vec<usize> = plain
        .jobs
        .iter()
        .scan(1, |step, &jobs| {
            let this = *step;
            *step *= jobs as usize + 1;
            Some(this)
        })
        .collect();
    let mut last: Vec<(f64, Vec<f64>)> = vec![(0.0, vec![0.0; stations]); plain.jobs.len()];
    for number in 1..populations {
        let counts: Vec<usize> =
            steps.iter().zip(&plain.jobs).map(|(step, &jobs)| number / step % (jobs as usize + 1)).collect();
        for (class, &count) in counts.iter().enumerate() {
            last[class].0 = 0.0;
            if count == 0 {
                continue;
            }
            let before = number - steps[class];
            for station in 0..stations {
                let seen = queues[before * stations + station];
                let more = match plain.servers[station] {
                    ServerCount::Unlimited => 1.0,
                    ServerCount::Some(1) => 1.0 + seen,
                    ServerCount::Some(servers) => {
                        let at = &chances[(before * stations + station) * width..][..servers as usize];
                        let idle: f64 = (0..servers as usize - 1)
                            .map(|there| (servers as usize - 1 - there) as f64 * at[there])
                            .sum();
                        (1.0 + seen + idle) / f64::from(servers)
                    }
                };
                last[class].1[station] = plain.demands[class][station] * more;
            }
            let response: f64 = last[class].1.iter().sum();
            last[class].0 = count as f64 / (plain.think[class] + response);
        }
        for station in 0..stations {
            queues[number * stations + station] =
                last.iter().map(|(rate, takes)| rate * takes[station]).sum();
            let ServerCount::Some(servers) = plain.servers[station] else { continue };
            if servers == 1 {
                continue;
            }
            let place = |population: usize, there: usize| (population * stations + station) * width + there;
            let m = f64::from(servers);
            let (mut used, mut idle) = (0.0, 0.0);
            for there in 1..servers as usize {
                let chance: f64 = (0..last.len())
                    .filter(|&class| counts[class] > 0)
                    .map(|class| {
                        let before = chances[place(number - steps[class], there - 1)];
                        plain.demands[class][station] * last[class].0 * before / there as f64
                    })
                    .sum();
                chances[place(number, there)] = chance;
                idle += (servers as usize - there) as f64 * chance;
            }
            used += (0..last.len()).map(|class| plain.demands[class][station] * last[class].0).sum::<f64>();
            chances[place(number, 0)] = (1.0 - (used + idle) / m).max(0.0);
        }
    }
    let queues = &queues[(populations - 1) * stations..];
    Ok(told(network, &plain, &last, queues))
}

fn told(network: &QueueingNetwork, plain: &Plain, last: &[(f64, Vec<f64>)], queues: &[f64]) -> Solution {
    let classes = network.classes.iter().zip(last).enumerate().map(|(number, (class, (rate, takes)))| {
        let adds: Vec<f64> = class
            .visits
            .iter()
            .map(|visit| {
                let share =
                    visit.times * visit.service / plain.demands[number][visit.station].max(f64::MIN_POSITIVE);
                takes[visit.station] * share
            })
            .collect();
        let wait =
            |(visit, adds): (&crate::Visit, &f64)| adds / visit.times.max(f64::MIN_POSITIVE) - visit.service;
        let waits: Vec<f64> = class.visits.iter().zip(&adds).map(wait).collect();
        let each = class.visits.iter().zip(&waits).map(|(visit, wait)| {
            visit.times * crate::approximate::response_variance(*wait, visit.service, visit.scv)
        });
        ClassSolution { throughput: *rate, response: takes.iter().sum(), variance: each.sum(), waits, adds }
    });
    let stations = (0..network.stations.len()).map(|station| {
        let used: f64 =
            last.iter().zip(&plain.demands).map(|((rate, _), demands)| rate * demands[station]).sum();
        let servers = match plain.servers[station] {
            ServerCount::Some(servers) => f64::from(servers),
            ServerCount::Unlimited => f64::INFINITY,
        };
        StationSolution { utilisation: used / servers, taken: used / servers, queue: queues[station] }
    });
    Solution { classes: classes.collect(), stations: stations.collect() }
}

fn plain(network: &QueueingNetwork) -> Result<Plain, NoSolution> {
    let no = |why| Err(NoSolution::NotOfThisKind(why));
    let (mut jobs, mut think, mut demands) = (Vec::new(), Vec::new(), Vec::new());
    let mut services = vec![None; network.stations.len()];
    if network.stations.iter().any(|station| station.alike != 1) {
        return no("a station represents several");
    }
    for class in &network.classes {
        let ArrivalLoad::Closed { jobs: count, think: time } = class.load else {
            return no("a class of requests is open");
        };
        if class.copies != 1 {
            return no("a class represents several");
        }
        let mut of_class = vec![0.0; network.stations.len()];
        for visit in &class.visits {
            if visit.in_background
                || visit.together > 1.0
                || visit.hidden > 0.0
                || !visit.keeps_through.is_empty()
            {
                return no("a request is at several stations at once");
            }
            if matches!(network.stations[visit.station].servers, ServerCount::Some(_)) {
                let service: &mut Option<f64> = &mut services[visit.station];
                if (visit.scv - 1.0).abs() > 1e-9
                    || service.is_some_and(|other| (other - visit.service).abs() > 1e-9 * other)
                {
                    return no("the service is not exponential, or differs between classes");
                }
                *service = Some(visit.service);
            }
            of_class[visit.station] += visit.times * visit.service;
        }
        jobs.push(count);
        think.push(time);
        demands.push(of_class);
    }
    Ok(Plain {
        demands,
        jobs,
        think,
        servers: network.stations.iter().map(|station| station.servers).collect(),
    })
}
