//! The packets of RoCEv2 as bytes, and their sequence numbers.
//!
//! Sources: Linux, `drivers/infiniband/sw/rxe/rxe_hdr.h` and `rxe_opcode.c` (headers, operations); Infiniband
//! annex 17 (UDP port 4791, report of congestion). Ours: queue pairs are numbered in the order of connections; the address in an extended
//! header is the place in the data of the command; an acknowledgement names the last packet that it acknowledges, also a response of RDMA READ, which real adapters do
//! not acknowledge.

use super::headers::{FrameHead, FrameParties, datagram_head};
use super::udp::{PROTOCOL_UDP, UDP_BYTES};
use sansim_pdu::{PacketSight, PacketSightKind, RequestTag};
use sansim_rdma::packet::RdmaOperation;
use std::collections::{HashMap, VecDeque};

/// The bytes of BTH.
const TRANSPORT_BYTES: usize = 12;
/// The extended headers of RDMA writes and reads, and of acknowledgements; a report of congestion behind BTH.
const MEMORY_BYTES: usize = 16;
const ACKNOWLEDGEMENT_BYTES: usize = 4;
const NOTICE_BYTES: usize = 16;

/// The port of UDP of RoCEv2, and the first of those that a sender chooses by the connection.
const ROCE_PORT: u16 = 4791;
const FIRST_SOURCE_PORT: u16 = 0xC000;
/// The default partition.
const PARTITION: u16 = 0xFFFF;
/// The bit of BTH that reports congestion (BECN), and the one that asks for an acknowledgement.
const CONGESTION: u8 = 0x40;
const ASKS: u8 = 0x80;
/// Sequence numbers have 24 bits.
const NUMBERS: u32 = 0xFF_FFFF;
/// The syndromes of AETH: all has come, with no limit of credit; a packet is missing.
const ALL_CAME: u8 = 0x1F;
const IS_MISSING: u8 = 0x60;

/// Operation codes of reliable connections.
mod code {
    pub const READ_REQUEST: u8 = 0x0C;
    pub const ACKNOWLEDGE: u8 = 0x11;
    pub const CONGESTION_NOTICE: u8 = 0x81;
    /// First, middle, last and only packets of a SEND, of an RDMA WRITE, and of a response of RDMA READ.
    pub const SEND: [u8; 4] = [0x00, 0x01, 0x02, 0x04];
    pub const WRITE: [u8; 4] = [0x06, 0x07, 0x08, 0x0A];
    pub const READ_RESPONSE: [u8; 4] = [0x0D, 0x0E, 0x0F, 0x10];
}

/// The sequence numbers of the packets of a direction, by their places.
#[derive(Clone, Debug, Default)]
pub(super) struct PacketNumbers {
    next: u32,
    /// The packets that may still be named: where each begins, and its number.
    sent: VecDeque<(u64, u32)>,
    /// The numbers of requests of RDMA READ, which are those of the first packets of their responses.
    of_reads: HashMap<RequestTag, u32>,
    /// The ends of messages that have not been acknowledged, and the number of those that have.
    ends: VecDeque<u64>,
    ended: u32,
}

impl PacketNumbers {
    /// The number of the packet that begins at a place, which takes this number of numbers if it is sent for the first time: a
    /// request of RDMA READ takes one for each packet of the response.
    fn number(&mut self, begin: u64, takes: u32) -> u32 {
        let at = self.sent.partition_point(|&(other, _)| other < begin);
        if let Some(&(other, number)) = self.sent.get(at)
            && other == begin
        {
            return number;
        }
        let number = self.next;
        self.next = (self.next + takes) & NUMBERS;
        self.sent.insert(at, (begin, number));
        number
    }

    /// The number of the last packet that begins before a place.
    fn last_before(&self, place: u64) -> u32 {
        let at = self.sent.partition_point(|&(begin, _)| begin < place);
        at.checked_sub(1).map_or(NUMBERS, |at| self.sent[at].1)
    }

    /// A message ends at a place.
    pub(super) fn message_ends(&mut self, place: u64) {
        self.ends.push_back(place);
    }

    /// The messages whose bytes are all before a place.
    fn messages_before(&mut self, place: u64) -> u32 {
        while self.ends.front().is_some_and(|&end| end <= place) {
            self.ends.pop_front();
            self.ended = (self.ended + 1) & NUMBERS;
        }
        self.ended
    }

    /// Forgets packets that begin before a place, but for the last of them.
    pub(super) fn forget_before(&mut self, place: u64) {
        while self.sent.get(1).is_some_and(|&(begin, _)| begin <= place) {
            self.sent.pop_front();
        }
    }
}

/// The unit at the begin of a packet, as far as its headers depend on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketUnit {
    pub(super) operation: RdmaOperation,
    pub(super) tag: RequestTag,
    /// The place of the unit's first byte in the data of the command, and the bytes for which it asks.
    pub(super) offset: u32,
    pub(super) asks_for: u32,
    /// The place of the first byte of its message.
    pub(super) message: u64,
}

/// Assigns the number of a packet with data. `back` has the numbers of the other direction.
pub(super) fn number_of(
    numbers: &mut PacketNumbers,
    back: &PacketNumbers,
    sight: &PacketSight,
    unit: &PacketUnit,
) -> u32 {
    match unit.operation {
        RdmaOperation::ReadRequest => {
            let takes = unit.asks_for.div_ceil(sight.most_payload).max(1);
            let number = numbers.number(sight.begin, takes);
            numbers.of_reads.insert(unit.tag, number);
            number
        }
        RdmaOperation::ReadResponse => {
            let at = numbers.sent.partition_point(|&(other, _)| other < sight.begin);
            if let Some(&(other, number)) = numbers.sent.get(at)
                && other == sight.begin
            {
                return number;
            }
            let before = at.checked_sub(1).map(|at| numbers.sent[at]);
            let number = match before.filter(|&(begin, _)| begin >= unit.message) {
                Some((_, number)) => (number + 1) & NUMBERS,
                None => back.of_reads.get(&unit.tag).copied().unwrap_or(0),
            };
            numbers.sent.insert(at, (sight.begin, number));
            number
        }
        RdmaOperation::Send | RdmaOperation::Write => numbers.number(sight.begin, 1),
    }
}

/// The place of an operation code in a list: of the first, a middle, the last or the only packet.
fn position(sight: &PacketSight) -> usize {
    match (sight.is_first, sight.is_last) {
        (true, true) => 3,
        (true, false) => 0,
        (false, true) => 2,
        (false, false) => 1,
    }
}

fn put_number(bytes: &mut [u8], number: u32) {
    bytes.copy_from_slice(&number.to_be_bytes()[1..]);
}

/// The headers of a packet with data. The length in the extended header of an RDMA WRITE is not known yet.
pub(super) fn data_head(
    parties: &FrameParties,
    sight: &PacketSight,
    unit: &PacketUnit,
    number: u32,
    key: u32,
) -> FrameHead {
    let (codes, extended) = match unit.operation {
        RdmaOperation::Send => (code::SEND, 0),
        RdmaOperation::Write => (code::WRITE, if sight.is_first { MEMORY_BYTES } else { 0 }),
        RdmaOperation::ReadRequest => ([code::READ_REQUEST; 4], 0),
        RdmaOperation::ReadResponse => {
            let has = sight.is_first || sight.is_last;
            (code::READ_RESPONSE, if has { ACKNOWLEDGEMENT_BYTES } else { 0 })
        }
    };
    let mut head = transport_head(parties, codes[position(sight)], number, extended);
    let header = head.transport_header();
    let is_response = unit.operation == RdmaOperation::ReadResponse;
    header[UDP_BYTES + 8] = if sight.asks && !is_response { ASKS } else { 0 };
    let behind = &mut header[UDP_BYTES + TRANSPORT_BYTES..];
    if extended == MEMORY_BYTES {
        behind[0..8].copy_from_slice(&u64::from(unit.offset).to_be_bytes());
        behind[8..12].copy_from_slice(&key.to_be_bytes());
    } else if extended == ACKNOWLEDGEMENT_BYTES {
        behind[0] = ALL_CAME;
    }
    head
}

/// Writes the length of the message into the extended header of an RDMA WRITE.
pub(super) fn set_message_length(head: &mut FrameHead, length: u64) {
    let header = head.transport_header();
    let end = header.len();
    header[end - 4..].copy_from_slice(&(length as u32).to_be_bytes());
}

/// The headers of a packet without data, about a direction with these numbers.
pub(super) fn control_head(
    parties: &FrameParties,
    sight: &PacketSight,
    about: &mut PacketNumbers,
) -> FrameHead {
    let (operation, number, extended) = match sight.kind {
        PacketSightKind::CongestionNotice => (code::CONGESTION_NOTICE, 0, NOTICE_BYTES),
        // A report of a missing packet names that packet.
        PacketSightKind::Missing => {
            let number = (about.last_before(sight.begin) + 1) & NUMBERS;
            (code::ACKNOWLEDGE, number, ACKNOWLEDGEMENT_BYTES)
        }
        PacketSightKind::Acknowledgement | PacketSightKind::Data => {
            (code::ACKNOWLEDGE, about.last_before(sight.begin), ACKNOWLEDGEMENT_BYTES)
        }
    };
    let mut head = transport_head(parties, operation, number, extended);
    let messages = about.messages_before(sight.begin);
    let header = head.transport_header();
    if sight.kind == PacketSightKind::CongestionNotice {
        header[UDP_BYTES + 4] = CONGESTION;
    } else {
        let behind = &mut header[UDP_BYTES + TRANSPORT_BYTES..];
        behind[0] = if sight.kind == PacketSightKind::Missing { IS_MISSING } else { ALL_CAME };
        put_number(&mut behind[1..4], messages);
    }
    head
}

/// The headers up to BTH, with room for an extended header.
fn transport_head(parties: &FrameParties, operation: u8, number: u32, extended: usize) -> FrameHead {
    let mut head = datagram_head(parties, PROTOCOL_UDP, 0, UDP_BYTES + TRANSPORT_BYTES + extended);
    let (connection, to) = (parties.connection, u32::from(parties.to_target));
    let header = head.transport_header();
    let source = FIRST_SOURCE_PORT | (connection as u16 & !FIRST_SOURCE_PORT);
    header[0..2].copy_from_slice(&source.to_be_bytes());
    header[2..4].copy_from_slice(&ROCE_PORT.to_be_bytes());
    let transport = &mut header[UDP_BYTES..];
    transport[0] = operation;
    transport[2..4].copy_from_slice(&PARTITION.to_be_bytes());
    // Numbers 0 and 1 are for management.
    put_number(&mut transport[5..8], 2 + 2 * connection + to);
    put_number(&mut transport[9..12], number);
    head
}
