//! Destaging: when written data go from the cache to the device ([`pace`]), and which data go first ([`order`]).

pub mod order;
pub mod pace;
mod queue;

pub use order::DestageOrder;
pub use pace::DestagePace;
pub(crate) use queue::DestageQueue;
