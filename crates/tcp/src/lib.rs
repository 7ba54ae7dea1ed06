//! The rules of TCP, as a network applies them: without time, nodes and the calendar.
//!
//! [`stream`] is one direction of a connection: the next bytes of its sender, and the bytes that its receiver has; [`costs`] has the time
//! that the software of a node takes for frames. [`parameters`] has the keys of both.
#![forbid(unsafe_code)]

pub mod costs;
pub mod parameters;
pub mod stream;

pub use parameters::{SoftwareCostKeys, TcpParameters};
