//! By the exchange.

use super::Assigns;
use crate::routing::hash;
use sansim_fc::frame::Frame;

/// See the module text.
pub struct ExchangeChannel;

impl Assigns for ExchangeChannel {
    /// By the upper half of the hash of which routing takes the lower, so that those of one way are spread over the channels.
    fn assign(frame: &Frame, channels: u8) -> u8 {
        ((hash(frame) >> 16) % u32::from(channels)) as u8
    }
}
