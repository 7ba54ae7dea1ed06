//! The frames between the protocol of nodes and the switches.

use sansim_fabric::ethernet::{EthernetFrame, EthernetNotice};
use std::collections::VecDeque;

/// The frames between the transport and the switches: those that nodes hand over, and the notices of the switches.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    pub(super) handed: VecDeque<EthernetFrame>,
    pub(super) notices: VecDeque<EthernetNotice>,
}

impl Frames {
    /// A node hands a frame over to its port.
    pub fn hand_over(&mut self, frame: EthernetFrame) {
        self.handed.push_back(frame);
    }
}
