//! Destaging: when what was written goes from the cache to the device ([`pace`]), and what goes first ([`order`]).

pub mod order;
pub mod pace;
mod queue;

pub use order::DestageOrder;
pub use pace::DestagePace;
pub(crate) use queue::DestageQueue;
