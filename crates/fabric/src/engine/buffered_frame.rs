//! Frames in buffers. A frame that is cut through is in several at a time: its last words in one, its first in the next.

use crate::routing::Outputs;
use sansim_fc::frame::{Frame, LinkControl};
use sansim_kernel::Time;
use std::ops::{Index, IndexMut};

/// No frame, no flow.
pub const NONE: u32 = u32::MAX;
/// No port.
pub const NO_PORT: u16 = u16::MAX;

/// The paths by which a frame may leave a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputPaths {
    /// Any of these ports.
    pub outputs: Outputs,
    /// The virtual channel by which it goes there.
    pub onto: u8,
    /// The port by which it may leave on the channel without cycles, if none of the others is free; `NO_PORT` without one.
    pub escape: u16,
}

impl OutputPaths {
    /// Only this one.
    pub fn only(port: u16, onto: u8) -> Self {
        Self { outputs: Outputs::one(port), onto, escape: NO_PORT }
    }

    /// The port, if there is only one, as there is for most frames.
    #[inline]
    pub fn sole(&self) -> Option<u16> {
        match self.outputs.ports() {
            [port] if self.escape == NO_PORT => Some(*port),
            _ => None,
        }
    }

    /// Whether there is none.
    #[inline]
    pub fn are_none(&self) -> bool {
        self.outputs.ports().is_empty() && self.escape == NO_PORT
    }

    /// All ports.
    #[inline(always)]
    pub fn ports(&self) -> impl Iterator<Item = u16> + use<> {
        let (outputs, escape) = (self.outputs, self.escape);
        let own = (escape != NO_PORT && !outputs.ports().contains(&escape)).then_some(escape);
        (0..outputs.ports().len()).map(move |place| outputs.ports()[place]).chain(own)
    }

    /// Whether a port is among them.
    pub fn has(&self, port: u16) -> bool {
        self.outputs.ports().contains(&port) || self.escape == port
    }
}

impl Default for OutputPaths {
    fn default() -> Self {
        Self { outputs: Outputs::default(), onto: 0, escape: NO_PORT }
    }
}

/// A frame in a buffer of a port, or in the queue of a node.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub frame: Frame,
    /// Whether it is in a buffer or in flight to it: numbers without a frame are used again.
    pub is_there: bool,
    /// The node that it goes to.
    pub to: u16,
    /// Its number while it is in flight, the same in all buffers; none in the queue of a node.
    pub journey: u32,
    /// The switch whose buffer it is in, counted from 1 along its way; 0 at the node that sends it.
    pub hop: u8,
    /// The port in whose buffer it is; of a node that sends it its own.
    pub port: u32,
    /// The virtual channel of the link by which it came, whose buffer it has.
    pub channel: u8,
    /// When its header is in, and its last word.
    pub header_at: Time,
    pub tail_at: Time,
    /// From when on it may leave; never until it is routed.
    pub ready_at: Time,
    /// By which ports and channels.
    pub ways: OutputPaths,
    /// Its flow, and its number there, where exchanges keep their order.
    pub flow: u32,
    pub serial: u32,
    /// While it leaves: the same frame in the next buffer.
    pub ahead: u32,
    /// Some of it is lost, so no node will take it.
    pub lost: bool,
    /// As what a switch discards it, in which it waits.
    pub refused: Option<LinkControl>,
    /// While it leaves: it will not come in at the other end of the link.
    pub vanishes: bool,
}

impl Held {
    /// Whether it waits in a switch and it is known where it may go.
    pub fn is_routed(&self) -> bool {
        self.ready_at < Time::NEVER
    }
}

/// Frames by number. Numbers are used again.
#[derive(Clone, Debug, Default)]
pub struct FramePool {
    held: Vec<Held>,
    free: Vec<u32>,
    /// Free journey numbers, and the largest number of journeys at a time.
    free_journeys: Vec<u32>,
    journeys: u32,
}

impl FramePool {
    /// A frame comes into a buffer. Returns its number.
    pub fn hold(&mut self, frame: Frame, to: u16, port: u32, header_at: Time) -> u32 {
        let held = Held {
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
            ways: OutputPaths::default(),
            flow: NONE,
            serial: 0,
            ahead: NONE,
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

    /// Its buffer is empty.
    #[inline]
    pub fn release(&mut self, number: u32) {
        self.held[number as usize].is_there = false;
        self.free.push(number);
    }

    /// A frame leaves its node. Returns the number of its journey.
    pub fn begin_journey(&mut self) -> u32 {
        self.free_journeys.pop().unwrap_or_else(|| {
            self.journeys += 1;
            self.journeys - 1
        })
    }

    /// A frame is in, or lost.
    pub fn end_journey(&mut self, journey: u32) {
        self.free_journeys.push(journey);
    }

    /// All that are anywhere, with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (u32, &Held)> {
        (0..).zip(&self.held).filter(|(_, held)| held.is_there)
    }
}

impl Index<u32> for FramePool {
    type Output = Held;

    #[inline]
    fn index(&self, number: u32) -> &Held {
        &self.held[number as usize]
    }
}

impl IndexMut<u32> for FramePool {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut Held {
        &mut self.held[number as usize]
    }
}
