//! Hosts: where requests come from.
//!
//! [`driver`] is the operating system's driver (Wang 2005, section 4.3.3.1), [`workload`] the closed system of section 5.2 there.
#![forbid(unsafe_code)]

pub mod driver;
pub mod workload;
