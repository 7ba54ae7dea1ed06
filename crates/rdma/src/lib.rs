//! RDMA over Ethernet (RoCEv2), as nodes apply it: without time, nodes and the calendar.
//!
//! [`flow`] is one direction of a connection of queue pairs: the packets of its messages, and go-back-N when one is missing; [`packet`] has
//! the bytes of packets on the wire; [`dcqcn`] has the rate of a sender under congestion. [`parameters`] has the keys of all.
#![forbid(unsafe_code)]

pub mod dcqcn;
pub mod flow;
pub mod packet;
pub mod parameters;

pub use parameters::{DcqcnParameters, RdmaCongestionControl, RdmaParameters};
