//! The queue at a port of a SCSI bus, and the speed of the node behind it.

use sansim_component::network::NodePace;
use sansim_pdu::{Pdu, PduKind};
use sansim_scsi::phases::ConnectionNodes;
use std::collections::VecDeque;

/// A port of a SCSI bus.
#[derive(Clone, Debug)]
pub(super) struct Port {
    /// The place of the port's SCSI ID in the order of priority; 0 wins over all others.
    pub priority: usize,
    pub pace: NodePace,
    queue: VecDeque<Pdu>,
    /// The number of sequences that have arrived and occupy the node's buffers.
    pub occupied: u32,
}

impl Port {
    pub fn new(priority: usize, pace: NodePace) -> Self {
        Self { priority, pace, queue: VecDeque::with_capacity(64), occupied: 0 }
    }

    /// The two nodes of a transfer from this port to another.
    pub fn transfer_nodes(&self, to: &Self) -> ConnectionNodes {
        ConnectionNodes { payload_bytes: self.pace.payload_bytes, fetch: self.pace.fetch, take: to.pace.take }
    }

    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// The frame for which the port arbitrates.
    pub fn arbitrating_frame(&self) -> Option<&Pdu> {
        self.queue.front()
    }

    pub fn put(&mut self, frame: Pdu) {
        self.queue.push_back(frame);
    }

    /// Removes and returns the first frame in the queue for which the predicate holds.
    pub fn take_first_matching(&mut self, is_wanted: impl Fn(&Pdu) -> bool) -> Option<Pdu> {
        let place = self.queue.iter().position(is_wanted)?;
        self.queue.remove(place)
    }

    /// The number of outgoing frame buffers that a sequence occupies.
    pub fn frame_buffers_needed(&self, frame: &Pdu) -> u64 {
        match self.pace.payload_bytes {
            payload if frame.kind == PduKind::Data && payload > 0 => {
                u64::from(frame.payload_bytes).div_ceil(payload).max(1)
            }
            _ => 1,
        }
    }
}
