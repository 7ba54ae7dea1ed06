//! Assigns virtual channels by the exchange.

use super::ChannelAssignmentRule;
use crate::routing::exchange_hash;
use sansim_fc::frame::Frame;

/// The policy by exchange.
pub struct ChannelByExchange;

impl ChannelAssignmentRule for ChannelByExchange {
    /// The channel follows from the upper half of the hash whose lower half determines the path, so that the exchanges of one
    /// path are spread over the channels.
    fn assign(frame: &Frame, channels: u8) -> u8 {
        ((exchange_hash(frame) >> 16) % u32::from(channels)) as u8
    }
}
