//! Nodes that take frames at a lower rate than their link brings them. The room for frames that wait in such a node is limited as in a switch: a lossless class pauses the
//! switch before the node, frames of other classes are dropped where the node has no room.

use super::frame::EthernetFrame;
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// The frames in a slow node.
#[derive(Clone, Debug)]
pub struct SlowReceiver {
    /// The bytes per second that the node takes.
    pub rate: u64,
    /// The bytes of frames that may be dropped for which the node has room.
    pub room_bytes: u64,
    /// The frames that wait in the node, the first of which it takes.
    waiting: VecDeque<EthernetFrame>,
    waiting_bytes: u64,
}

impl SlowReceiver {
    /// A node that takes so many bytes per second, with room for so many.
    pub fn new(rate: u64, room_bytes: u64) -> Self {
        Self { rate, room_bytes, waiting: VecDeque::new(), waiting_bytes: 0 }
    }

    /// Whether the node has room for a frame that may be dropped.
    pub fn has_room(&self, bytes: u32) -> bool {
        self.waiting_bytes + u64::from(bytes) <= self.room_bytes
    }

    /// The number of frames that wait.
    pub fn frame_count(&self) -> usize {
        self.waiting.len()
    }

    /// A frame waits in the node. Returns the time at which the node will have taken it, if it begins with it now.
    pub fn keep(&mut self, now: Time, frame: EthernetFrame) -> Option<Time> {
        self.waiting_bytes += u64::from(frame.bytes);
        self.waiting.push_back(frame);
        (self.waiting.len() == 1).then(|| now + self.time_of(frame))
    }

    /// The node has taken its first frame. Returns the frame, and the time at which it will have taken the next.
    pub fn take(&mut self, now: Time) -> Option<(EthernetFrame, Option<Time>)> {
        let taken = self.waiting.pop_front()?;
        self.waiting_bytes -= u64::from(taken.bytes);
        Some((taken, self.waiting.front().map(|&next| now + self.time_of(next))))
    }

    fn time_of(&self, frame: EthernetFrame) -> Span {
        Span::to_move(frame.bytes.into(), self.rate)
    }
}
