//! Switched fabrics: switches and the links between them.
//!
//! [`layout`] has the switches, their links and the places of nodes, which a topology draws or the scenario lists; [`routing`] has the
//! ports by which a switch may send a frame on; [`zone`] has the nodes that may reach each other; [`class_2`] has the agreement of nodes in
//! class 2; [`congestion`] has slow receivers and countermeasures; [`switch`] has the handling of a frame between the buffers of a switch;
//! [`engine`] simulates the fabric, [`ethernet`] switches of Ethernet with the same layouts and routes. The rules of a link are in `sansim_fc::link`. Nothing in this crate depends on requests, ledgers or the
//! calendar.
#![forbid(unsafe_code)]

pub mod class_2;
pub mod congestion;
pub mod engine;
pub mod ethernet;
pub mod layout;
pub mod parameters;
pub mod routing;
pub mod switch;
pub mod zone;

pub use engine::{CreditShortage, Fabric, FabricEvent, FabricHost, FrameWait, NodeEvent};
pub use layout::{FabricLayout, NodeSpec};
pub use parameters::FabricParameters;
