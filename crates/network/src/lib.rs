//! Networks as components: loops, loop switches, fabrics, SCSI buses, PCI Express and Ethernet carry frames between nodes, with their
//! segments, gauges and figures.
//!
//! The rules of a network are in `crates/fc`; this crate joins a network to the rest of the system: its ports to the ports of
//! the nodes, its events to the calendar, and its work for requests to their ledgers.
#![forbid(unsafe_code)]

pub mod arbitrated_loop;
pub mod contract;
mod demand;
pub mod ethernet;
pub mod fabric;
pub mod fl_port;
mod frames;
pub mod ip_port;
pub mod loop_switch;
pub mod pcie;
pub mod rdma;
pub mod scsi_bus;
pub mod stations;
pub mod tcp;

pub use arbitrated_loop::LoopNetwork;
pub use ethernet::{EthernetNetwork, EthernetParameters, TcpNetwork};
pub use fabric::FabricNetwork;
pub use fl_port::FlPortNetwork;
pub use ip_port::IpPortComponent;
pub use loop_switch::LoopSwitchNetwork;
pub use pcie::PcieNetwork;
pub use scsi_bus::ScsiBus;
