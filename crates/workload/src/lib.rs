//! Workloads: where requests come from. A folder for each kind.
//!
//! [`closed`] is the closed system of section 5.2 of Wang 2005.
#![forbid(unsafe_code)]

pub mod closed;
