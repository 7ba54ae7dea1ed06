//! Hosts: the software that requests of workloads pass on the path to devices.
//!
//! [`driver`] is the operating system's driver (Wang 2005, section 4.3.3.1).
#![forbid(unsafe_code)]

pub mod driver;
