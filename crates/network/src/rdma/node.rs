//! A node with RDMA: its flows, the reports and acknowledgements that wait, and the packets on links.

use sansim_kernel::{EventKey, Time};
use sansim_rdma::flow::RdmaPacket;
use std::collections::VecDeque;

/// A packet without data that a node sends, about a flow that it receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// All bytes of the flow up to this place have arrived.
    Acknowledgement { flow: u32, upto: u64 },
    /// The packet that begins at this place is missing.
    Missing { flow: u32, expected: u64 },
    /// A switch has marked a packet of the flow.
    Notice { flow: u32 },
}

impl Control {
    /// The flow that the packet is about.
    pub fn flow(self) -> usize {
        match self {
            Self::Acknowledgement { flow, .. } | Self::Missing { flow, .. } | Self::Notice { flow } => {
                flow as usize
            }
        }
    }
}

/// A node with RDMA.
#[derive(Clone, Debug)]
pub(crate) struct RdmaNode {
    /// The side of the node: 0 for an initiator, 1 for a target.
    pub side: usize,
    /// The bytes per second of the node's link.
    pub rate: u64,
    /// The number of frames that the node's adapter keeps ready, and of those that it has handed over and that have not been sent.
    pub ready_frames: u64,
    pub unsent_frames: u64,
    /// The flows that begin at the node, and the place among them from which on the next packet is looked for.
    pub flows: Vec<u32>,
    pub turn: usize,
    /// Packets without data that wait.
    pub control: VecDeque<Control>,
    /// The classes of which the port has a packet, as bits.
    pub sending: u8,
    /// The timer at which the rate of a flow allows its next packet.
    pub pace: Option<EventKey>,
}

impl RdmaNode {
    /// A node that does nothing.
    pub fn new(side: usize, ready_frames: u64) -> Self {
        Self {
            side,
            rate: 1,
            ready_frames,
            unsent_frames: 0,
            flows: Vec::new(),
            turn: 0,
            control: VecDeque::new(),
            sending: 0,
            pace: None,
        }
    }

    /// Whether the node's adapter hands nothing over until something has been sent.
    pub fn is_adapter_stuck(&self) -> bool {
        self.ready_frames > 0 && self.unsent_frames >= self.ready_frames
    }
}

/// The content of a packet on links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PacketOnLinks {
    /// A packet of a flow.
    Data(u32, RdmaPacket),
    /// A packet without data.
    Control(Control),
}

/// The packets on links, by the tags of their frames. The numbers of packets that have left and arrived, or left and are lost, are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct PacketPool {
    all: Vec<(PacketOnLinks, Time, u8)>,
    free: Vec<u32>,
}

const HAS_LEFT: u8 = 1;
const IS_OVER: u8 = 2;

impl PacketPool {
    /// A packet begins. Returns its tag.
    pub fn begin(&mut self, began: Time, packet: PacketOnLinks) -> u32 {
        if let Some(tag) = self.free.pop() {
            self.all[tag as usize] = (packet, began, 0);
            return tag;
        }
        self.all.push((packet, began, 0));
        (self.all.len() - 1) as u32
    }

    /// The packet of a tag, and the time at which it began to leave its node.
    pub fn packet(&self, tag: u32) -> (PacketOnLinks, Time) {
        let (packet, began, _) = self.all[tag as usize];
        (packet, began)
    }

    /// A packet has left its node.
    pub fn left(&mut self, tag: u32) -> PacketOnLinks {
        self.note(tag, HAS_LEFT)
    }

    /// A packet has arrived, or is lost.
    pub fn over(&mut self, tag: u32) -> PacketOnLinks {
        self.note(tag, IS_OVER)
    }

    fn note(&mut self, tag: u32, what: u8) -> PacketOnLinks {
        let (packet, _, noted) = &mut self.all[tag as usize];
        *noted |= what;
        if *noted == HAS_LEFT | IS_OVER {
            self.free.push(tag);
        }
        *packet
    }
}
