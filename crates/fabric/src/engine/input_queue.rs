//! The frames in the buffers of a port that have not begun to leave, in the order in which they came.

use super::buffered_frame::FramePool;
use std::collections::VecDeque;

/// The frames that wait in the buffers of a port; for a trunk, of all its ports.
#[derive(Clone, Debug)]
pub struct InputQueue {
    frames: VecDeque<u32>,
    /// The frames of each virtual channel, if the port has several.
    by_channel: Vec<VecDeque<u32>>,
}

/// Removes a frame from a queue in which arrivals are in order.
fn remove(queue: &mut VecDeque<u32>, held: u32, pool: &FramePool) {
    if queue.front() == Some(&held) {
        queue.pop_front();
        return;
    }
    let arrival = pool[held].arrival;
    let place = queue.partition_point(|&other| pool[other].arrival < arrival);
    if queue.get(place) == Some(&held) {
        queue.remove(place);
    }
}

impl InputQueue {
    /// An empty queue of a port on whose link frames arrive by this number of virtual channels.
    pub fn new(channels: usize) -> Self {
        let by_channel = if channels > 1 { vec![VecDeque::new(); channels] } else { Vec::new() };
        Self { frames: VecDeque::new(), by_channel }
    }

    /// The number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// The frames in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = &u32> {
        self.frames.iter()
    }

    /// The frame that came first.
    #[inline]
    pub fn front(&self) -> Option<&u32> {
        self.frames.front()
    }

    /// The frame at a place.
    pub fn get(&self, place: usize) -> Option<u32> {
        self.frames.get(place).copied()
    }

    /// Whether a frame is the first of those that came by its virtual channel.
    #[inline]
    pub fn is_first(&self, held: u32, channel: u8) -> bool {
        let frames = self.by_channel.get(usize::from(channel)).unwrap_or(&self.frames);
        frames.front() == Some(&held)
    }

    /// A frame has come by this virtual channel.
    #[inline]
    pub fn push(&mut self, held: u32, channel: u8) {
        self.frames.push_back(held);
        if let Some(frames) = self.by_channel.get_mut(usize::from(channel)) {
            frames.push_back(held);
        }
    }

    /// A frame waits no more.
    #[inline]
    pub fn remove(&mut self, held: u32, pool: &FramePool) {
        remove(&mut self.frames, held, pool);
        if let Some(frames) = self.by_channel.get_mut(usize::from(pool[held].channel)) {
            remove(frames, held, pool);
        }
    }
}
