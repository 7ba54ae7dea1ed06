//! From the graph of a scenario to the components that are built of it, for everybody who runs them or works them out.
//!
//! * [`build`] - from a scenario to a plan;
//! * [`plan`] - what is to be built, resolved to numbers;
//! * [`board`] - which gauges and meters are read where;
//! * [`settings`] - what each component is told of its surroundings, and the components themselves;
//! * [`named`] - values by name, as results have them.
#![forbid(unsafe_code)]

pub mod board;
pub mod build;
pub mod named;
pub mod plan;
pub mod settings;
