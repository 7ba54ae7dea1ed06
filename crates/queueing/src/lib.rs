//! Networks of queues by themselves: nothing here knows what a station or a class of requests stands for.
//!
//! * [`network`] - what is solved: stations, classes, what each takes where;
//! * [`exact`] - mean-value analysis where the network has product form and is small;
//! * [`approximate`] - mean values of everything else: variances, forks, requests behind that nobody waits for, servers that are kept;
//! * [`linearizer`] - a closer approximation of product-form networks that are too large to be solved exactly;
//! * [`open`] - closed forms of one station by itself;
//! * [`bounds`] - what no network of one closed class exceeds;
//! * [`fork_join`] - the slowest of several;
//! * [`percentile`] - percentiles from a mean and a variance.
//!
//! Times are in whatever unit the caller has, rates per that. No library in Rust does this: those that are published have single queues, or
//! simulate. Sources stand at each module.

#![forbid(unsafe_code)]

pub mod approximate;
pub mod bounds;
pub mod exact;
pub mod fork_join;
pub mod linearizer;
pub mod network;
pub mod open;
pub mod percentile;

pub use network::{Class, Kept, Load, NoSolution, QueueingNetwork, Servers, Solution, Station, Visit};
