//! Frames: kinds, sizes on the wire.
//!
//! Source: FC-FS frame layout. SOF 1 word, header 6, data field 0 to 528, CRC 1, EOF 1. A frame carries what the wire carries,
//! and beside it the tag of what it is sent for: in FCP_CMND that stands for the command in its payload; everywhere else
//! only the ledger and observers go by it.

use crate::address::Address;

/// Words of a frame besides its data field: SOF, six header words, CRC, EOF.
pub const OVERHEAD_WORDS: u64 = 9;

/// What a frame is sent for, by the number of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(pub u32);

/// An exchange as one of its ends knows it: OX_ID of the originator, RX_ID of the responder. Wider than the 16 bits of the wire, so
/// that an end may have more than 65,535 open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExchangeId(pub u32);

impl ExchangeId {
    /// Not given yet.
    pub const UNASSIGNED: Self = Self(u32::MAX);
}

/// The information unit that a frame carries (all or part of).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// FCP_CMND
    Command,
    /// FCP_XFER_RDY
    TransferReady,
    /// FCP_DATA
    Data,
    /// FCP_RSP
    Response,
    /// ABTS: the originator does not want the exchange any more.
    Abort,
    /// BA_ACC: the responder has given it up.
    AbortAccept,
    /// BA_RJT: the responder knows no such exchange.
    AbortReject,
    /// An IP datagram: of no exchange of FCP.
    Ip,
    /// ACK_1: in class 2, the receiver has emptied the buffer of a frame.
    Acknowledge,
    /// F_BSY: in class 2, a switch has discarded a frame because the way was taken for too long.
    FabricBusy,
    /// F_RJT: in class 2, a switch has discarded a frame because there is no way.
    FabricReject,
}

impl FrameKind {
    /// Whether it is a basic link service, about an exchange and no part of what is exchanged.
    pub fn is_link_service(self) -> bool {
        matches!(self, Self::Abort | Self::AbortAccept | Self::AbortReject)
    }

    /// Whether it is link control: it tells a port what became of a frame in class 2, and goes no further than that port.
    pub fn is_link_control(self) -> bool {
        matches!(self, Self::Acknowledge | Self::FabricBusy | Self::FabricReject)
    }

    /// Whether a request waits for it: it is neither link control nor IP.
    pub fn is_of_request(self) -> bool {
        !self.is_link_control() && self != Self::Ip
    }
}

/// A frame on its way. The payload itself is not simulated, only its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is sent for.
    pub tag: Tag,
    /// OX_ID.
    pub originator: ExchangeId,
    /// RX_ID; unassigned in FCP_CMND.
    pub responder: ExchangeId,
    /// Sending port (S_ID).
    pub source: Address,
    /// Receiving port (D_ID).
    pub destination: Address,
    /// Place of the first payload byte in the data of the exchange (relative offset); of FCP_XFER_RDY the place of the
    /// burst it asks for.
    pub offset: u32,
    /// Of FCP_XFER_RDY, and of FCP_CMND of a read: bytes that it asks for (FCP_BURST_LEN, FCP_DL). Of ABTS: bytes of data of the exchange that its sender has sent before it, which the
    /// wire does not carry.
    pub burst_bytes: u32,
    /// Payload bytes, 0 to 2112; on a network that takes sequences whole, those of the sequence.
    pub payload_bytes: u32,
    /// Number of its sequence in the exchange, from 0: FCP_CMND, then two for each burst.
    pub sequence: u16,
    /// Number of the frame in its sequence, from 0 (SEQ_CNT).
    pub sequence_count: u16,
    /// What it carries.
    pub kind: FrameKind,
    /// Of link control: what the frame carries that it is about. Of others nobody asks.
    pub answers: FrameKind,
    /// Whether it goes in class 2, and not in class 3.
    pub class_2: bool,
    /// Whether data go from the originator to the responder.
    pub write: bool,
    /// Of FCP_RSP: the command could not be carried out, and will not be by this way if it is tried again; sense data say so.
    pub failed: bool,
    /// Of FCP_RSP: the status byte of SCSI.
    pub status: u8,
    /// Of FCP_RSP: some of what was asked for cannot be read (MEDIUM ERROR); sense data say so.
    pub unreadable: bool,
    /// Of FCP_RSP: what is behind the responder cannot be reached by it, and perhaps by another.
    pub unreachable: bool,
    /// Whether it ends its sequence (EOFt).
    pub last_of_sequence: bool,
    /// For a data frame: whether it ends the data of the exchange.
    pub last_of_data: bool,
}

impl Frame {
    /// Length from SOF to EOF in transmission words; the payload is filled up to whole words.
    pub fn words(&self) -> u64 {
        OVERHEAD_WORDS + u64::from(self.payload_bytes).div_ceil(4)
    }

    /// Whether it carries data and others of its sequence follow it.
    pub fn is_within_sequence(&self) -> bool {
        self.kind == FrameKind::Data && !self.last_of_sequence
    }

    /// Bytes of data that its sender asks for with it.
    pub fn asks_for_bytes(&self) -> u32 {
        match self.kind {
            FrameKind::TransferReady => self.burst_bytes,
            FrameKind::Command if !self.write => self.burst_bytes,
            _ => 0,
        }
    }

    /// The frame of its sequence that comes so many later, if all between carry as much.
    pub fn later(&self, frames: usize) -> Self {
        Self {
            offset: self.offset.wrapping_add(frames as u32 * self.payload_bytes),
            sequence_count: self.sequence_count.wrapping_add(frames as u16),
            ..*self
        }
    }

    /// Whether the originator of the exchange sends it.
    pub fn is_from_originator(&self) -> bool {
        match self.kind {
            FrameKind::Command | FrameKind::Abort | FrameKind::Ip => true,
            FrameKind::Data => self.write,
            FrameKind::TransferReady
            | FrameKind::Response
            | FrameKind::AbortAccept
            | FrameKind::AbortReject => false,
            FrameKind::Acknowledge | FrameKind::FabricBusy | FrameKind::FabricReject => {
                !Self { kind: self.answers, ..*self }.is_from_originator()
            }
        }
    }

    /// The link control frame that tells its sender what became of it: it has its header but for the addresses, which change places.
    pub fn answer(&self, kind: FrameKind) -> Self {
        let (source, destination) = (self.destination, self.source);
        Self { kind, answers: self.kind, source, destination, payload_bytes: 0, burst_bytes: 0, ..*self }
    }

    /// Whether it is the link control about another one.
    pub fn is_about(&self, other: &Self) -> bool {
        *self == other.answer(self.kind)
    }
}

impl Frame {
    /// An IP datagram, a sequence by itself, of which nothing is said yet.
    pub const IP: Self = Self { kind: FrameKind::Ip, answers: FrameKind::Ip, ..Self::EXAMPLE };

    /// A data frame of 2048 bytes of a read, for tests.
    pub fn example() -> Self {
        Self::EXAMPLE
    }

    const EXAMPLE: Self = Self {
        tag: Tag(0),
        originator: ExchangeId(0),
        responder: ExchangeId(0),
        source: Address::new(1),
        destination: Address::new(2),
        offset: 0,
        burst_bytes: 0,
        payload_bytes: 2048,
        sequence: 2,
        sequence_count: 0,
        kind: FrameKind::Data,
        answers: FrameKind::Data,
        class_2: false,
        write: false,
        failed: false,
        status: 0,
        unreadable: false,
        unreachable: false,
        last_of_sequence: true,
        last_of_data: true,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_on_the_wire_are_those_of_the_standard() {
        // Information units of FCP and their frames: payload bytes, words from SOF to EOF.
        for (payload, words) in [(0, 9), (32, 17), (12, 12), (24, 15), (2048, 521), (2112, 537), (1, 10)] {
            let frame = Frame { payload_bytes: payload, ..Frame::example() };
            assert_eq!(frame.words(), words, "{payload} bytes");
        }
    }

    #[test]
    fn link_control_goes_the_other_way_has_no_payload_and_is_about_its_frame_only() {
        let frame = Frame { class_2: true, write: true, ..Frame::example() };
        let ack = frame.answer(FrameKind::Acknowledge);
        assert_eq!((ack.source, ack.destination, ack.words()), (frame.destination, frame.source, 9));
        assert!(frame.is_from_originator() && !ack.is_from_originator());
        let read = Frame { write: false, ..frame };
        assert!(!read.is_from_originator() && read.answer(FrameKind::Acknowledge).is_from_originator());
        assert!(ack.is_about(&frame) && !ack.is_about(&Frame { sequence_count: 1, ..frame }));
        assert!(frame.answer(FrameKind::FabricBusy).is_about(&frame));
    }
}
