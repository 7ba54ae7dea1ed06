//! Deterministic routing: the same path for all frames to a node.

use super::{OutputPorts, RoutingRule};
use sansim_fc::frame::Frame;
use sansim_pdu::Address;

/// The deterministic routing rule.
pub struct DeterministicRouting<const UP_DOWN: bool>;

impl<const UP_DOWN: bool> RoutingRule for DeterministicRouting<UP_DOWN> {
    const UP_DOWN: bool = UP_DOWN;

    /// The port is chosen by the area of the destination, which is its switch port: nodes of one switch are
    /// spread over equal paths.
    fn choose(frame: &Frame, allowed: &[u16]) -> OutputPorts {
        OutputPorts::single_port(by_area(frame.destination, allowed))
    }

    fn always(destination: Address, allowed: &[u16]) -> Option<u16> {
        Some(by_area(destination, allowed))
    }
}

fn by_area(destination: Address, allowed: &[u16]) -> u16 {
    let area = (destination.value() >> 8 & 0xFF) as usize;
    allowed[area % allowed.len()]
}
