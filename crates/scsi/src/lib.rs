//! The rules of parallel SCSI buses, without time, nodes and the calendar: how long [`phases`] take, who wins by its [`ids`], and what a scenario says of a bus ([`parameters`]).
#![forbid(unsafe_code)]

pub mod ids;
pub mod parameters;
pub mod phases;

pub use parameters::{BusSpeed, ConnectionOverheads, ScsiBusParameters};
