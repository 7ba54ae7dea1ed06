//! Workloads: the sources of requests. A folder for each kind.
//!
//! [`closed`] is the closed system of section 5.2 of Wang 2005. All other kinds are put together from [`streams`], each with a pace and a
//! content. Synthetic contents are put together from generators that know nothing of components: [`arrivals`] draws the arrival times of
//! requests, [`sizes`] their sizes, [`locations`] their places. [`fio_job`] and [`iometer`] read files that describe loads, and [`faults`]
//! reports their errors.
#![forbid(unsafe_code)]

pub mod aims;
pub mod arrivals;
pub mod backup;
pub mod closed;
pub mod devices;
pub mod faults;
pub mod fio_job;
pub mod fit;
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
