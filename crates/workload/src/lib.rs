//! Workloads: where requests come from. A folder for each kind.
//!
//! [`closed`] is the closed system of section 5.2 of Wang 2005. Files that describe loads are read in [`fio_job`] and
//! [`iometer`].
#![forbid(unsafe_code)]

pub mod closed;
pub mod faults;
pub mod fio_job;
pub mod iometer;
