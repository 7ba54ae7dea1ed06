//! Workloads: the sources of requests. Each kind of workload has a folder.
//!
//! [`closed`] is the closed system of section 5.2 of Wang 2005. All other kinds consist of [`streams`], each with a pace and a content.
//! Synthetic contents consist of generators that do not depend on components: [`arrivals`] draws the arrival times of requests, [`sizes`]
//! their sizes, [`locations`] their places. [`fio_job`] and [`iometer`] read files that describe loads, and [`faults`] reports their
//! errors.
#![forbid(unsafe_code)]

pub mod aims;
pub mod arrivals;
pub mod backup;
pub mod closed;
pub mod devices;
pub mod faults;
pub mod fio_job;
pub mod fit;
mod flush_pace;
pub mod iometer;
pub mod locations;
mod priority;
pub mod sizes;
pub mod spc1;
pub mod spc2;
pub mod streams;
pub mod synthetic;
pub mod trace;

#[cfg(test)]
mod testing;
