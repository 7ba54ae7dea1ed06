//! A storage controller between the network of the hosts and that of the drives.

mod parameters;

pub use parameters::ControllerParameters;
