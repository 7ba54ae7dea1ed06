//! Routing with the same path for all frames of an exchange in one direction.

use super::{OutputPorts, RoutingRule, exchange_hash};
use sansim_fc::frame::Frame;

/// The routing rule by exchange.
pub struct ExchangeRouting<const UP_DOWN: bool>;

impl<const UP_DOWN: bool> RoutingRule for ExchangeRouting<UP_DOWN> {
    const UP_DOWN: bool = UP_DOWN;

    /// The port is chosen by a hash of S_ID, D_ID and OX_ID. The hash of real switches is in no public
    /// source.
    fn choose(frame: &Frame, allowed: &[u16]) -> OutputPorts {
        OutputPorts::single_port(allowed[exchange_hash(frame) as usize % allowed.len()])
    }
}
