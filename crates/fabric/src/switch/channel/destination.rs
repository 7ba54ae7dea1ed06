//! By the destination.

use super::Assigns;
use sansim_fc::frame::Frame;

/// See the module text.
pub struct Destination;

impl Assigns for Destination {
    /// By area and domain of D_ID: nodes of one switch are spread over the channels.
    fn assign(frame: &Frame, channels: u8) -> u8 {
        let address = frame.destination.value();
        (((address >> 8 & 0xFF) + (address >> 16)) % u32::from(channels)) as u8
    }
}
