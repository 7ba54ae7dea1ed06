//! Networks of queues, independent of the meaning of a station or a class of requests.
//!
//! * [`network`] - the problem: stations, classes, the service of each class at each station;
//! * [`exact`] - mean-value analysis where the network has product form and is small;
//! * [`approximate`] - mean values of all other networks: variances, forks, background requests, servers that are kept;
//! * [`linearizer`] - a closer approximation of product-form networks that are too large to be solved exactly;
//! * [`open`] - closed forms for a single station with open load;
//! * [`bounds`] - bounds of networks of one closed class;
//! * [`fork_join`] - the mean time of the slowest of several parallel requests;
//! * [`percentile`] - percentiles from a mean and a variance.
//!
//! Times are in any unit that the caller chooses, and rates are per that unit. No library in Rust solves such networks: the published
//! libraries handle single queues, or simulate. The head of each module names its sources.

#![forbid(unsafe_code)]

pub mod approximate;
pub mod bounds;
pub mod exact;
pub mod fork_join;
pub mod linearizer;
pub mod network;
pub mod open;
pub mod percentile;

pub use network::{
    ArrivalLoad, CustomerClass, KeptServer, NoSolution, QueueingNetwork, Return, ServerCount, Solution,
    Station, Visit,
};
