//! Workloads: where requests come from. A folder for each kind.
//!
//! [`closed`] is the closed system of section 5.2 of Wang 2005. The others are put together from generators that know nothing of
//! components: [`arrivals`] says when requests come, [`sizes`] how large they are, [`locations`] where they go. [`spc1`] has the streams of
//! an SPC-1-like load. Files that describe loads are read in [`fio_job`] and [`iometer`], what is wrong with them told by
//! [`faults`].
#![forbid(unsafe_code)]

pub mod arrivals;
pub mod closed;
pub mod faults;
pub mod fio_job;
pub mod iometer;
pub mod locations;
pub mod sizes;
pub mod spc1;
