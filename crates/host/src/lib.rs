//! Hosts: where I/O requests come from.
//!
//! [`workload`] is the closed system of Wang 2005 section 5.2; [`driver`] the device driver of section 4.3.3.1;
//! [`path`] the choice among several ways to a device.
#![forbid(unsafe_code)]

pub mod driver;
pub mod path;
pub mod workload;
