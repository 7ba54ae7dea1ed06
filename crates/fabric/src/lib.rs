//! Switched fabrics: what switches make of links.
//!
//! [`layout`] says which switches there are, how they are linked and where nodes are, drawn by a topology or given; [`routing`] by
//! which ports a switch may send a frame on; [`zone`] who may talk to whom; [`class_2`] what nodes agree on in class 2; [`congestion`] slow receivers and what is done against them; [`switch`] what a switch does with a frame between its buffers; [`engine`] plays it.
//! What a link does is in `sansim_fc::link`. Nothing here knows requests, ledgers or the calendar.
#![forbid(unsafe_code)]

pub mod class_2;
pub mod congestion;
pub mod engine;
pub mod layout;
pub mod parameters;
pub mod routing;
pub mod switch;
pub mod zone;

pub use engine::{Fabric, FabricEvent, FabricHost, FrameWait, NodeEvent, Shortage};
pub use layout::{FabricLayout, NodeSpec};
pub use parameters::FabricParameters;
