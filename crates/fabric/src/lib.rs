//! Switched fabrics: switches and the links between them.
//!
//! [`layout`] has the switches, their links and the places of nodes, drawn by a topology or given; [`routing`] the ports by which a switch may send a
//! frame on; [`zone`] the nodes that may reach each other; [`class_2`] the agreement of nodes in class 2; [`congestion`] slow receivers and
//! countermeasures; [`switch`] the handling of a frame between the buffers of a switch; [`engine`] plays it. The rules of a link are in
//! `sansim_fc::link`. Nothing here knows requests, ledgers or the calendar.
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
