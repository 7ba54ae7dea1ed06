//! Frames in buffers. A frame that is cut through is in several buffers at a time: its last words in one buffer, its
//! first words in the next.

use crate::routing::OutputPorts;
use sansim_fc::frame::{Frame, LinkControl};
use sansim_kernel::Time;
use std::ops::{Index, IndexMut};

/// The number that means no frame and no flow.
pub const NONE: u32 = u32::MAX;
/// The number that names no port.
pub const NO_PORT: u16 = u16::MAX;

/// The paths by which a frame may leave a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputPaths {
    /// The frame may leave by any of these ports.
    pub outputs: OutputPorts,
    /// The virtual channel by which the frame leaves.
    pub onto: u8,
    /// The port by which the frame may leave on the channel without cycles, if none of the other ports is free; the port
    /// is `NO_PORT` if there is no such channel.
    pub escape: u16,
}

impl OutputPaths {
    /// The paths of a frame that may leave only by this port.
    pub fn single_port(port: u16, onto: u8) -> Self {
        Self { outputs: OutputPorts::single_port(port), onto, escape: NO_PORT }
    }

    /// The port, if there is only one port, as for most frames.
    #[inline]
    pub fn sole_port(&self) -> Option<u16> {
        match self.outputs.ports() {
            [port] if self.escape == NO_PORT => Some(*port),
            _ => None,
        }
    }

    /// Whether there is no port by which the frame may leave.
    #[inline]
    pub fn is_blocked(&self) -> bool {
        self.outputs.ports().is_empty() && self.escape == NO_PORT
    }

    /// All ports by which the frame may leave.
    #[inline(always)]
    pub fn ports(&self) -> impl Iterator<Item = u16> + use<> {
        let (outputs, escape) = (self.outputs, self.escape);
        let own = (escape != NO_PORT && !outputs.ports().contains(&escape)).then_some(escape);
        (0..outputs.ports().len()).map(move |place| outputs.ports()[place]).chain(own)
    }

    /// Whether the frame may leave by a port.
    pub fn may_leave_by(&self, port: u16) -> bool {
        self.outputs.ports().contains(&port) || self.escape == port
    }
}

impl Default for OutputPaths {
    fn default() -> Self {
        Self { outputs: OutputPorts::default(), onto: 0, escape: NO_PORT }
    }
}

/// A frame in a buffer of a port, or in the queue of a node.
#[derive(Clone, Copy, Debug)]
pub struct BufferedFrame {
    pub frame: Frame,
    /// Whether the frame is in a buffer or in flight to it: numbers without a frame are reused.
    pub is_there: bool,
    /// The node to which the frame goes.
    pub to: u16,
    /// The number of the frame while it is in flight, the same in all buffers; none in the queue of a node.
    pub journey: u32,
    /// The switch whose buffer holds the frame, counted from 1 along its path; 0 at the node that sends the
    /// frame.
    pub hop: u8,
    /// The port whose buffer holds the frame; at the node that sends the frame, the node's own port.
    pub port: u32,
    /// The virtual channel of the link by which the frame came, whose buffer it has.
    pub channel: u8,
    /// The times at which the header and the last word of the frame have arrived.
    pub header_at: Time,
    pub tail_at: Time,
    /// The time from which on the frame may leave; never until the frame is routed.
    pub ready_at: Time,
    /// The number of the arrival of the header among all arrivals at switches.
    pub arrival: u64,
    /// The ports and channels by which the frame may leave.
    pub ways: OutputPaths,
    /// The flow of the frame, and its number within the flow, where exchanges keep their order.
    pub flow: u32,
    pub serial: u32,
    /// While the frame leaves: its number in the next buffer.
    pub ahead: u32,
    /// On the fast path: the frame behind this frame in its lane.
    pub behind: u32,
    /// Whether some words of the frame are lost, so that no node will accept it.
    pub lost: bool,
    /// The answer with which a switch discards the frame, while it waits for that.
    pub refused: Option<LinkControl>,
    /// While the frame leaves: whether it will be lost before the other end of the link.
    pub vanishes: bool,
}

impl BufferedFrame {
    /// Whether the frame waits in a switch and has been routed.
    pub fn is_routed(&self) -> bool {
        self.ready_at < Time::NEVER
    }
}

/// Frames by number. The numbers of released frames are reused.
#[derive(Clone, Debug, Default)]
pub struct FramePool {
    held: Vec<BufferedFrame>,
    free: Vec<u32>,
    /// The free journey numbers, and the largest number of journeys at a time.
    free_journeys: Vec<u32>,
    journeys: u32,
}

impl FramePool {
    /// A frame begins to occupy a buffer. Returns the number of the frame.
    pub fn occupy_buffer(&mut self, frame: Frame, to: u16, port: u32, header_at: Time) -> u32 {
        let held = BufferedFrame {
            frame,
            is_there: true,
            to,
            journey: NONE,
            hop: 0,
            port,
            channel: 0,
            header_at,
            tail_at: header_at,
            ready_at: Time::NEVER,
            arrival: 0,
            ways: OutputPaths::default(),
            flow: NONE,
            serial: 0,
            ahead: NONE,
            behind: NONE,
            lost: false,
            refused: None,
            vanishes: false,
        };
        if let Some(number) = self.free.pop() {
            self.held[number as usize] = held;
            return number;
        }
        self.held.push(held);
        (self.held.len() - 1) as u32
    }

    /// The buffer of a frame is empty.
    #[inline]
    pub fn release_buffer(&mut self, number: u32) {
        self.held[number as usize].is_there = false;
        self.free.push(number);
    }

    /// A frame leaves its node. Returns the number of the frame's journey.
    pub fn begin_journey(&mut self) -> u32 {
        self.free_journeys.pop().unwrap_or_else(|| {
            self.journeys += 1;
            self.journeys - 1
        })
    }

    /// A frame has arrived, or is lost.
    pub fn end_journey(&mut self, journey: u32) {
        self.free_journeys.push(journey);
    }

    /// All frames in buffers and queues, with their numbers.
    pub fn buffered_frames(&self) -> impl Iterator<Item = (u32, &BufferedFrame)> {
        (0..).zip(&self.held).filter(|(_, held)| held.is_there)
    }
}

impl Index<u32> for FramePool {
    type Output = BufferedFrame;

    #[inline]
    fn index(&self, number: u32) -> &BufferedFrame {
        &self.held[number as usize]
    }
}

impl IndexMut<u32> for FramePool {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut BufferedFrame {
        &mut self.held[number as usize]
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A pool with this number of frames.
    pub fn pool_of(frames: u32) -> FramePool {
        let mut pool = FramePool::default();
        for _ in 0..frames {
            pool.occupy_buffer(Frame::example(), 0, 0, Time::ZERO);
        }
        pool
    }
}
