//! Hosts: the software through which requests of workloads go to devices.
//!
//! [`driver`] is the operating system's driver (Wang 2005, section 4.3.3.1).
#![forbid(unsafe_code)]

pub mod driver;
