//! Builds the components of a scenario from its graph, for the simulation and for the analytic model.
//!
//! * [`build`] - from a scenario to a plan;
//! * [`plan`] - the parts to be built, resolved to numbers;
//! * [`routes`] - workloads with their hosts and devices;
//! * [`board`] - the gauges and meters that are read at each station;
//! * [`settings`] - the build context of each component, and the components themselves;
//! * [`named`] - values by name, as results have them;
//! * `names` - the names of the system for observers.
#![forbid(unsafe_code)]

pub mod board;
pub mod build;
pub mod named;
mod names;
mod network;
pub mod plan;
pub mod routes;
pub mod settings;
