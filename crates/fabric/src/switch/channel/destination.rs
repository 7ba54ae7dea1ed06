//! Assigns virtual channels by the destination.

use super::ChannelAssignmentRule;
use sansim_fc::frame::Frame;

/// The policy by destination.
pub struct ChannelByDestination;

impl ChannelAssignmentRule for ChannelByDestination {
    /// The channel follows from area and domain of D_ID: nodes of one switch are spread over the channels.
    fn assign(frame: &Frame, channels: u8) -> u8 {
        let address = frame.destination.value();
        (((address >> 8 & 0xFF) + (address >> 16)) % u32::from(channels)) as u8
    }
}
