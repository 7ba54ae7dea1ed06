//! The rules of parallel SCSI buses, apart from simulated time: the duration of [`phases`], the winner of an arbitration by its [`ids`],
//! and the keys of a bus in a scenario ([`parameters`]).
#![forbid(unsafe_code)]

pub mod ids;
pub mod parameters;
pub mod phases;

pub use parameters::{BusSpeed, ConnectionOverheads, ScsiBusParameters};
