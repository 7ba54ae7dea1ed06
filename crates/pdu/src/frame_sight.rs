//! Observations on a network whose frames carry parts of streams of bytes: the units that nodes hand over, and the frames on links.
//!
//! A stream leads from one node to another; the streams of a connection have the numbers 2n and 2n + 1. An observer that follows the units
//! of a stream knows the content of each frame by the places of its bytes.

use crate::Pdu;

/// A unit that a node hands over, with the places of its bytes in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamUnitSight {
    /// The unit, or the part of one.
    pub unit: Pdu,
    /// The stream.
    pub stream: u32,
    /// The node to which the stream leads, by its place.
    pub to: u16,
    /// The place of the first byte.
    pub begin: u64,
    /// The place behind the last byte.
    pub end: u64,
}

/// A frame as it passes an end of a link. The fields that a network of another kind does not have are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameSight {
    /// The number of the frame, which no other frame of the network has meanwhile.
    pub tag: u32,
    /// The node that sends the frame, by its place.
    pub from: u16,
    /// The node to which the frame goes.
    pub to: u16,
    /// The class of the frame.
    pub class: u8,
    /// Whether a switch may mark the frame.
    pub may_be_marked: bool,
    /// Whether a switch has marked the frame.
    pub is_marked: bool,
    /// The content.
    pub content: FrameContent,
}

/// The content of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameContent {
    /// A segment of TCP.
    Segment(SegmentSight),
    /// A packet of RDMA.
    Packet(PacketSight),
    /// Pause by priority: the other end of the link is to pause these classes, given as bits, or to go on with them.
    Pause {
        /// The classes.
        classes: u8,
        /// Whether they are to pause.
        stops: bool,
    },
}

/// A segment of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentSight {
    /// The stream whose bytes the segment carries.
    pub stream: u32,
    /// The place of its first byte.
    pub begin: u64,
    /// The place behind its last byte. Both places are zero if the segment only acknowledges.
    pub end: u64,
    /// The place in the other stream of the connection up to which the segment acknowledges.
    pub acknowledged: u64,
    /// The bytes of the headers of IP and TCP with their options.
    pub header_bytes: u16,
    /// The window of the receiver.
    pub window: u64,
    /// Bytes of the other stream that have arrived beyond a gap, as ranges; ranges behind the last are empty.
    pub beyond_gaps: [(u64, u64); 3],
    /// Whether the segment echoes the mark of a switch (ECE).
    pub echoes_mark: bool,
    /// Whether the sender has made its window smaller because of an echo (CWR).
    pub has_reduced: bool,
}

/// The kind of a packet of RDMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketSightKind {
    /// A packet with data of its stream.
    Data,
    /// An acknowledgement of all bytes of a stream up to the place.
    Acknowledgement,
    /// A report that the packet of a stream that begins at the place is missing.
    Missing,
    /// A report of congestion on a stream.
    CongestionNotice,
}

/// A packet of RDMA. A packet without data is about its stream, and goes the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketSight {
    /// The kind.
    pub kind: PacketSightKind,
    /// The stream.
    pub stream: u32,
    /// The place of the first byte, or that which the packet is about.
    pub begin: u64,
    /// The place behind the last byte; equal to `begin` in a packet without data.
    pub end: u64,
    /// Whether it is the first packet of its message.
    pub is_first: bool,
    /// Whether it is the last packet of its message.
    pub is_last: bool,
    /// Whether it asks for an acknowledgement.
    pub asks: bool,
    /// The most bytes of payload of a packet of the network.
    pub most_payload: u32,
}
