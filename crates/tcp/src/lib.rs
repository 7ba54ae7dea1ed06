//! The rules of TCP, as a network applies them: without time, nodes and the calendar.
//!
//! [`stream`] is one direction of a connection: the next bytes of its sender, and the bytes that its receiver has; [`congestion`] limits the
//! bytes in flight, and [`round_trip`] says how long a sender waits. [`costs`] has the time that the software of a node takes for frames.
//! [`parameters`] has the keys of all.
#![forbid(unsafe_code)]

pub mod congestion;
pub mod costs;
mod gaps;
pub mod parameters;
pub mod round_trip;
pub mod scoreboard;
pub mod stream;

pub use parameters::{
    FrameFormat, SoftwareCostKeys, TcpConnectionParameters, TcpParameters, check_frame_loss,
    check_stack_members,
};
