//! The tables of a scenario: one file for each kind of component, each key with its quantity, default and source.

mod adapter;
mod controller;
mod drives;
mod general;
mod network;
mod port;
mod workload;

pub use adapter::Adapter;
pub use controller::{Controller, Driver};
pub use drives::DriveGroup;
pub use general::{Fcp, Run};
pub use network::{ArbitratedLoop, PassiveGroup};
pub use port::{PassivePort, Port};
pub use workload::Workload;
