//! The rules of TCP, as a network applies them: without time, nodes and the calendar.
//!
//! [`stream`] is one direction of a connection, what its sender may send next and what its receiver has; [`costs`] what the software of a node takes for frames. What a scenario says of
//! either is in [`parameters`].
#![forbid(unsafe_code)]

pub mod costs;
pub mod parameters;
pub mod stream;

pub use parameters::{StackKeys, TcpParameters};
