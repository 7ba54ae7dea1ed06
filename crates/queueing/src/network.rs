//! The network of queues to be solved, and its solution.

use std::fmt;
use std::ops::Range;

/// The number of requests that a station serves at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerCount {
    /// The station has this number of servers; further requests wait in the order in which they came.
    Some(u32),
    /// The station serves all requests at once, without waiting.
    Unlimited,
}

/// A station, or several equal stations between which requests are spread evenly.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// The name of the station.
    pub name: String,
    /// The servers of each of the equal stations.
    pub servers: ServerCount,
    /// The number of equal stations.
    pub alike: u32,
}

/// The visits of a request of a class to a station.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    /// The station, by its number.
    pub station: usize,
    /// The mean number of visits of a request to all equal stations together.
    pub times: f64,
    /// The mean service time of a visit.
    pub service: f64,
    /// The squared coefficient of variation of the service time: 0 if it is constant, 1 if it is exponential.
    pub scv: f64,
    /// The number of visits that are made at the same time, at different ones of the equal stations, of which the slowest is
    /// waited for; 1 or more.
    pub together: f64,
    /// The share of the variance of the service that is the same for all visits that are made at the same time.
    pub common: f64,
    /// The part of the service during which the request is at another station as well, so that it does not make the request
    /// longer.
    pub hidden: f64,
    /// Whether the request does not wait for the visit.
    pub in_background: bool,
    /// Whether each copy of the class has one of the equal stations for itself.
    pub own: bool,
    /// Whether each request goes to the one of the equal stations that has the least to do.
    pub to_least: bool,
    /// The visit of the same request to the same station before this one, if the request comes back to it.
    pub returns: Option<Return>,
    /// The visits of the same class during which the server is kept as well; they come after this visit.
    pub keeps_through: Vec<KeptServer>,
}

/// A return to a station.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Return {
    /// The number of the visit before, in its class.
    pub after: usize,
    /// The visits between the two.
    pub through: Range<usize>,
}

/// The part of a later visit for which a server is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptServer {
    /// The number of the later visit in its class.
    pub visit: usize,
    /// The part of the wait of that visit.
    pub of_wait: f64,
    /// The part of the service of that visit.
    pub of_service: f64,
}

impl KeptServer {
    /// The server is kept for the whole visit.
    pub fn whole_visit(visit: usize) -> Self {
        Self { visit, of_wait: 1.0, of_service: 1.0 }
    }
}

impl Visit {
    /// A visit to a station with this mean number of visits and an exponential service time.
    pub fn new(station: usize, times: f64, service: f64) -> Self {
        Self {
            station,
            times,
            service,
            scv: 1.0,
            together: 1.0,
            common: 0.0,
            hidden: 0.0,
            in_background: false,
            own: false,
            to_least: false,
            returns: None,
            keeps_through: Vec::new(),
        }
    }
}

/// The arrival of requests of a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrivalLoad {
    /// A fixed number of requests circulates; a request that is answered comes again after its think time.
    Closed {
        /// The number of requests.
        jobs: u32,
        /// The mean time from an answer to the next request.
        think: f64,
    },
    /// Requests arrive at a fixed rate.
    Open {
        /// The number of arrivals per unit of time.
        rate: f64,
    },
}

/// A class of equal requests.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomerClass {
    /// The name of the class.
    pub name: String,
    /// The load of each copy.
    pub load: ArrivalLoad,
    /// The number of equal copies of the class.
    pub copies: u32,
    /// The visits of a request of the class.
    pub visits: Vec<Visit>,
}

/// A network of queues.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueingNetwork {
    /// The stations of the network.
    pub stations: Vec<Station>,
    /// The classes of the network.
    pub classes: Vec<CustomerClass>,
}

/// The solution of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassSolution {
    /// The number of completed requests per unit of time, over all copies.
    pub throughput: f64,
    /// The mean response time of a request.
    pub response: f64,
    /// The variance of the response time, if visits are independent of each other.
    pub variance: f64,
    /// The mean wait of each visit.
    pub waits: Vec<f64>,
    /// The contribution of each visit to the response time, over all its times together.
    pub adds: Vec<f64>,
}

/// The solution of a station.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StationSolution {
    /// The share of the time in which each server works.
    pub utilisation: f64,
    /// The utilisation, including the time in which a server is kept.
    pub taken: f64,
    /// The mean number of requests at each of the equal stations.
    pub queue: f64,
}

/// The solution of a network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// The solutions of classes, by their numbers.
    pub classes: Vec<ClassSolution>,
    /// The solutions of stations, by their numbers.
    pub stations: Vec<StationSolution>,
}

/// The reason why there is no solution.
#[derive(Clone, Debug, PartialEq)]
pub enum NoSolution {
    /// More requests arrive than a station can serve.
    Overloaded {
        /// The station, by its number.
        station: usize,
        /// The utilisation that the station would have.
        load: f64,
    },
    /// The network is not of the kind that the method solves, for this reason.
    NotOfThisKind(&'static str),
    /// The iteration did not settle.
    DoesNotSettle,
}

impl fmt::Display for NoSolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overloaded { station, load } => {
                write!(f, "station {station} is overloaded: its load is {load:.3} times its capacity")
            }
            Self::NotOfThisKind(why) => f.write_str(why),
            Self::DoesNotSettle => f.write_str("the mean values did not settle"),
        }
    }
}

impl std::error::Error for NoSolution {}

impl QueueingNetwork {
    /// The rate of visits at each of the equal stations of a visit, if all copies of its class together have this throughput.
    pub fn visit_rate(&self, visit: &Visit, throughput: f64) -> f64 {
        throughput * visit.times / f64::from(self.stations[visit.station].alike.max(1))
    }

    /// The time that a request of a class spends at stations without waiting.
    pub fn pure_delay_time(&self, class: &CustomerClass) -> f64 {
        let is_delay = |visit: &&Visit| self.stations[visit.station].servers == ServerCount::Unlimited;
        class
            .visits
            .iter()
            .filter(|visit| !visit.in_background)
            .filter(is_delay)
            .map(|visit| visit.times * visit.service)
            .sum()
    }

    /// Mean service of all visits of a class that are not in the background, each by itself: the response on an idle network.
    pub fn unloaded_response(&self, class: &CustomerClass) -> f64 {
        let seen = class.visits.iter().filter(|visit| !visit.in_background);
        seen.map(|visit| {
            let of_one = crate::fork_join::mean_of_slowest(
                visit.together,
                visit.service,
                visit.scv * (1.0 - visit.common),
                0.0,
            );
            visit.times / visit.together * (of_one - visit.hidden)
        })
        .sum()
    }
}
