//! The network to solve, and its solution.

use std::fmt;

/// How many a station serves at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Servers {
    /// So many; others wait in the order in which they came.
    Some(u32),
    /// All of them: a station without waiting.
    Unlimited,
}

/// A station, or several alike between which requests are spread evenly.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// Its name.
    pub name: String,
    /// Servers of each of those alike.
    pub servers: Servers,
    /// How many there are alike.
    pub alike: u32,
}

/// The visits of a request of a class to a station.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    /// The station, by its number.
    pub station: usize,
    /// How often in the mean, at all of those alike together.
    pub times: f64,
    /// Mean time of a server for each visit.
    pub service: f64,
    /// Squared coefficient of variation of that: 0 if it is always the same, 1 if it is exponential.
    pub scv: f64,
    /// How many visits are made at the same time, at different ones of those alike, of which the slowest is waited for; 1 or more.
    pub together: f64,
    /// The part of the service that goes on while the request is somewhere else as well, and so does not make it take longer.
    pub hidden: f64,
    /// The request does not wait for it.
    pub in_background: bool,
    /// Each copy of the class has one of those alike for itself.
    pub own: bool,
    /// Visits of the same class during which the server is kept as well; they come behind this one.
    pub keeps_through: Vec<Kept>,
}

/// For how much of a visit behind it a server is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// The number of the visit in its class.
    pub visit: usize,
    /// The part of the wait there.
    pub of_wait: f64,
    /// The part of the service there.
    pub of_service: f64,
}

impl Kept {
    /// For all of it.
    pub fn whole(visit: usize) -> Self {
        Self { visit, of_wait: 1.0, of_service: 1.0 }
    }
}

impl Visit {
    /// To a station so often, of exponential service.
    pub fn new(station: usize, times: f64, service: f64) -> Self {
        Self {
            station,
            times,
            service,
            scv: 1.0,
            together: 1.0,
            hidden: 0.0,
            in_background: false,
            own: false,
            keeps_through: Vec::new(),
        }
    }
}

/// How requests of a class come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// So many are there, and come again when they have thought.
    Closed {
        /// How many.
        jobs: u32,
        /// Mean time from an answer to the next request.
        think: f64,
    },
    /// So many come in a time.
    Open {
        /// How many.
        rate: f64,
    },
}

/// Requests that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The load of each copy.
    pub load: Load,
    /// So many classes alike.
    pub copies: u32,
    /// The visits of a request.
    pub visits: Vec<Visit>,
}

/// A network of queues.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueingNetwork {
    /// The stations.
    pub stations: Vec<Station>,
    /// The classes.
    pub classes: Vec<Class>,
}

/// The solution of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfClass {
    /// Requests in a time, of all copies.
    pub throughput: f64,
    /// Mean time of a request.
    pub response: f64,
    /// Variance of it, where visits do not depend on each other.
    pub variance: f64,
    /// Mean wait of each visit.
    pub waits: Vec<f64>,
    /// The contribution of each visit to the response, all its times together.
    pub adds: Vec<f64>,
}

/// The solution of a station.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StationSolution {
    /// Share of the time in which each server works.
    pub utilisation: f64,
    /// The same with the time in which it is kept.
    pub taken: f64,
    /// Requests there in the mean, at each of those alike.
    pub queue: f64,
}

/// The solution of a network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// By the numbers of classes.
    pub classes: Vec<OfClass>,
    /// By the numbers of stations.
    pub stations: Vec<StationSolution>,
}

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq)]
pub enum NoSolution {
    /// More comes than a station can serve.
    Overloaded {
        /// The station, by its number.
        station: usize,
        /// The utilisation that it would have.
        load: f64,
    },
    /// It is not what the method solves, and why.
    NotOfThisKind(&'static str),
    /// It did not come to rest.
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
    /// How often in a time each of those alike at the station of a visit has it, if all copies of its class together have this throughput.
    pub fn flow(&self, visit: &Visit, throughput: f64) -> f64 {
        throughput * visit.times / f64::from(self.stations[visit.station].alike.max(1))
    }

    /// The time that a request of a class spends at stations without waiting.
    pub fn delay(&self, class: &Class) -> f64 {
        let is_delay = |visit: &&Visit| self.stations[visit.station].servers == Servers::Unlimited;
        class
            .visits
            .iter()
            .filter(|visit| !visit.in_background)
            .filter(is_delay)
            .map(|visit| visit.times * visit.service)
            .sum()
    }

    /// Mean service of all visits of a class that are not in the background, each by itself: the response on an idle network.
    pub fn alone(&self, class: &Class) -> f64 {
        let seen = class.visits.iter().filter(|visit| !visit.in_background);
        seen.map(|visit| {
            let of_one = crate::fork_join::slowest(visit.together, visit.service, visit.scv, 0.0);
            visit.times / visit.together * (of_one - visit.hidden)
        })
        .sum()
    }
}
