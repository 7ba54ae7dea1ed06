//! A connection between two nodes: the content of its streams, and the headers of the frames that leave its nodes.

use super::headers::{self, EthernetPlace, FrameHead, FrameParties};
use super::packets::{self, PacketNumbers, PacketUnit};
use sansim_fcp::stream_content::{StreamFormat, StreamSession};
use sansim_kernel::Time;
use sansim_pdu::{FrameSight, PacketSight, PacketSightKind, PduKind, SegmentSight, StreamUnitSight};
use sansim_rdma::packet::RdmaOperation;
use sansim_request::Request;
use std::collections::VecDeque;
use std::ops::Range;

/// The port of TCP of initiators, and of targets of a protocol without a port of its own.
const INITIATOR_PORT: u16 = 49_152;
const OTHER_PORT: u16 = 65_535;

/// One direction of a connection. Direction 0 leads to the target.
#[derive(Clone, Debug, Default)]
struct ConnectionDirection {
    /// How far bytes have been sent and acknowledged, and the most that were in flight at a time.
    sent: u64,
    acknowledged: u64,
    most_in_flight: u64,
    /// The timestamps of segments that arrive, and the last that has arrived.
    arriving: VecDeque<(Time, u32)>,
    arrived: u32,
    /// The sequence numbers of packets of RDMA.
    numbers: PacketNumbers,
}

/// A connection between two nodes.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    pub(super) content: StreamSession,
    number: u32,
    /// The initiator and the target, and their ports of TCP.
    places: [EthernetPlace; 2],
    ports: [u16; 2],
    /// Whether the streams with even numbers lead to the initiator.
    is_turned: bool,
    is_rdma: bool,
    directions: [ConnectionDirection; 2],
    /// The packets that have not been written.
    pub(super) pending: u32,
}

/// The bytes of a frame: headers, and a range of a stream.
#[derive(Clone, Copy, Debug)]
pub(in crate::capture) struct StreamFrame {
    pub(super) head: FrameHead,
    pub(super) connection: u32,
    pub(super) direction: u8,
    pub(super) is_marked: bool,
    pub(super) begin: u64,
    pub(super) end: u64,
    /// Whether an extended header is still to have the length of the message.
    pub(super) wants_length: bool,
    /// The place before which the other direction's content may be forgotten.
    pub(super) forget_before: u64,
}

impl StreamFrame {
    /// The places of the frame's bytes.
    pub(super) fn range(&self) -> Range<u64> {
        self.begin..self.end
    }
}

impl Connection {
    /// A connection whose first unit a node hands over.
    pub(super) fn new(
        number: u32,
        places: [EthernetPlace; 2],
        format: Option<StreamFormat>,
        (is_turned, is_rdma): (bool, bool),
    ) -> Self {
        let target_port = format.map_or(OTHER_PORT, |format| format.target_port());
        Self {
            content: StreamSession::new(format),
            number,
            places,
            ports: [INITIATOR_PORT, target_port],
            is_turned,
            is_rdma,
            directions: Default::default(),
            pending: 0,
        }
    }

    /// The direction of a stream.
    pub(super) fn direction(&self, stream: u32) -> usize {
        (stream as usize & 1) ^ usize::from(self.is_turned)
    }

    fn parties(&self, direction: usize, sight: &FrameSight) -> FrameParties {
        let [initiator, target] = self.places;
        FrameParties {
            places: if direction == 0 { [initiator, target] } else { [target, initiator] },
            class: sight.class,
            may_be_marked: sight.may_be_marked,
            connection: self.number,
            to_target: direction == 0,
        }
    }

    /// A node hands a unit over.
    pub(super) fn hand_over(&mut self, sight: &StreamUnitSight, request: &Request, logical_unit: u32) {
        let direction = self.direction(sight.stream);
        self.content.hand_over(direction, (sight.begin, sight.end), &sight.unit, request, logical_unit);
        if self.is_rdma && sight.unit.last_of_unit {
            self.directions[direction].numbers.message_ends(sight.end);
        }
    }

    /// Bytes of a direction leave a node, and acknowledge the other direction up to a place. Returns the place before which no later frame
    /// has bytes of the other direction: what its sender had in flight at most may still be sent again behind what is acknowledged.
    fn bytes_leave(&mut self, direction: usize, end: u64, acknowledged: u64) -> u64 {
        let of = &mut self.directions[direction];
        of.sent = of.sent.max(end);
        of.most_in_flight = of.most_in_flight.max(of.sent.saturating_sub(of.acknowledged));
        let other = &mut self.directions[1 - direction];
        other.acknowledged = other.acknowledged.max(acknowledged);
        other.acknowledged.saturating_sub(other.most_in_flight)
    }

    /// The timestamps of a segment that leaves its node.
    fn timestamps(&mut self, direction: usize, now: Time) -> [u32; 2] {
        let other = &mut self.directions[1 - direction];
        while let Some(&(at, value)) = other.arriving.front()
            && at <= now
        {
            other.arriving.pop_front();
            other.arrived = value;
        }
        [headers::timestamp(now), other.arrived]
    }

    /// A frame arrives at its node.
    pub(super) fn arrives(&mut self, direction: usize, at: Time) {
        if !self.is_rdma {
            self.directions[direction].arriving.push_back((at, headers::timestamp(at)));
        }
    }

    /// A segment that leaves its node.
    pub(super) fn segment(&mut self, now: Time, sight: &FrameSight, segment: &SegmentSight) -> StreamFrame {
        let direction = self.direction(segment.stream);
        let mut segment = *segment;
        if segment.begin == segment.end {
            // An acknowledgement may pass data that the software has not put on the link; its number is that of the next byte there.
            let next = self.directions[direction].sent;
            (segment.begin, segment.end) = (next, next);
        }
        let forget_before = self.bytes_leave(direction, segment.end, segment.acknowledged);
        let timestamps = self.timestamps(direction, now);
        let range = segment.begin..segment.end;
        let mut units = self.content.units(direction, range);
        let is_pushed = units.any(|unit| unit.end == segment.end && unit.is_pushed());
        let [near, far] = self.ports;
        let ports = if direction == 0 { [near, far] } else { [far, near] };
        let parties = self.parties(direction, sight);
        StreamFrame {
            head: headers::segment_head(&parties, ports, &segment, is_pushed, timestamps),
            connection: self.number,
            direction: direction as u8,
            is_marked: sight.is_marked,
            begin: segment.begin,
            end: segment.end,
            wants_length: false,
            forget_before,
        }
    }

    /// A packet of RDMA that leaves its node.
    pub(super) fn packet(&mut self, sight: &FrameSight, packet: &PacketSight) -> StreamFrame {
        let of_stream = self.direction(packet.stream);
        let is_data = packet.kind == PacketSightKind::Data;
        let direction = if is_data { of_stream } else { 1 - of_stream };
        let parties = self.parties(direction, sight);
        let (end, acknowledged) = if is_data { (packet.end, 0) } else { (0, packet.begin) };
        let forget_before = self.bytes_leave(direction, end, acknowledged);
        let unit = if is_data { self.packet_unit(direction, packet) } else { None };
        let (head, wants_length) = match unit {
            Some(unit) => {
                let [first, second] = &mut self.directions;
                let (own, other) = if direction == 0 { (first, second) } else { (second, first) };
                let number = packets::number_of(&mut own.numbers, &other.numbers, packet, &unit);
                let key = self.content.command_identifier(unit.tag);
                let head = packets::data_head(&parties, packet, &unit, number, key);
                (head, unit.operation == RdmaOperation::Write && packet.is_first)
            }
            None => {
                let about = &mut self.directions[of_stream].numbers;
                (packets::control_head(&parties, packet, about), false)
            }
        };
        StreamFrame {
            head,
            connection: self.number,
            direction: direction as u8,
            is_marked: sight.is_marked,
            begin: if is_data { packet.begin } else { 0 },
            end: if is_data { packet.end } else { 0 },
            wants_length,
            forget_before,
        }
    }

    /// The unit with the first byte of a packet.
    fn packet_unit(&self, direction: usize, packet: &PacketSight) -> Option<PacketUnit> {
        let (found, message) = self.content.message_at(direction, packet.begin)?;
        let unit = found.unit;
        let with_command = unit.kind == PduKind::Data && unit.write && unit.unit == 0;
        Some(PacketUnit {
            operation: RdmaOperation::of_unit(unit.kind, direction == 1, with_command),
            tag: unit.tag,
            offset: unit.offset,
            asks_for: unit.asks_for_bytes(),
            message: message.start,
        })
    }

    /// Forgets what no later frame has bytes of, in the direction against that of a frame. The packets that wait were noted later.
    pub(super) fn forget(&mut self, frame: &StreamFrame) {
        let other = 1 - usize::from(frame.direction);
        let place = frame.forget_before.min(self.content.known_upto(other));
        self.content.forget_before(other, place);
        self.directions[other].numbers.forget_before(place);
    }
}
