//! Frames as bytes: delimiters, header, data field, CRC.
//!
//! Source: FC-FS frame layout and ordered sets. All fields are big-endian except the CRC.

pub mod crc;

use crate::frame::OVERHEAD_WORDS;
use crc::Crc;

/// Bytes of a frame header.
pub const HEADER_BYTES: usize = 24;

/// The value of TYPE for basic link services, and for link control.
pub const TYPE_BASIC: u8 = 0x00;

/// The value of TYPE for extended link services.
pub const TYPE_EXTENDED: u8 = 0x01;

/// The value of TYPE for IP over Fibre Channel.
pub const TYPE_IP: u8 = 0x05;

/// The value of TYPE for SCSI over Fibre Channel.
pub const TYPE_FCP: u8 = 0x08;

/// Values of R_CTL: device data by information category.
pub mod routing {
    /// R_CTL of solicited data.
    pub const SOLICITED_DATA: u8 = 0x01;
    /// R_CTL of solicited control: FCP_CONF.
    pub const SOLICITED_CONTROL: u8 = 0x03;
    /// R_CTL of a request of an extended link service.
    pub const EXTENDED_REQUEST: u8 = 0x22;
    /// R_CTL of a reply of an extended link service.
    pub const EXTENDED_REPLY: u8 = 0x23;
    /// R_CTL of a request of a link service of FCP.
    pub const FCP_REQUEST: u8 = 0x32;
    /// R_CTL of a reply of a link service of FCP.
    pub const FCP_REPLY: u8 = 0x33;
    /// R_CTL of a data descriptor.
    pub const DATA_DESCRIPTOR: u8 = 0x05;
    /// R_CTL of an unsolicited command.
    pub const COMMAND: u8 = 0x06;
    /// R_CTL of a command status.
    pub const STATUS: u8 = 0x07;
    /// R_CTL of the basic link service ABTS.
    pub const ABORT: u8 = 0x81;
    /// R_CTL of the basic link service BA_ACC.
    pub const ACCEPT: u8 = 0x84;
    /// R_CTL of the basic link service BA_RJT.
    pub const REJECT: u8 = 0x85;
    /// R_CTL of unsolicited data: an IP datagram.
    pub const UNSOLICITED_DATA: u8 = 0x04;
    /// R_CTL of the link control ACK_1.
    pub const ACK_1: u8 = 0xC0;
    /// R_CTL of the link control F_RJT.
    pub const FABRIC_REJECT: u8 = 0xC3;
    /// R_CTL of the link control F_BSY about a data frame.
    pub const FABRIC_BUSY: u8 = 0xC5;
}

/// DF_CTL: the data field begins with a Network_Header.
pub const NETWORK_HEADER: u8 = 0x20;

/// Bits of F_CTL.
pub mod control {
    /// F_CTL bit: the responder of the exchange sends the frame.
    pub const RESPONDER: u32 = 1 << 23;
    /// F_CTL bit: the recipient of the sequence sends the frame, which is link control.
    pub const RECIPIENT: u32 = 1 << 22;
    /// F_CTL bit: the frame is in the first sequence of the exchange.
    pub const FIRST_SEQUENCE: u32 = 1 << 21;
    /// F_CTL bit: the frame is in the last sequence of the exchange.
    pub const LAST_SEQUENCE: u32 = 1 << 20;
    /// F_CTL bit: the frame is the last frame of its sequence.
    pub const END_OF_SEQUENCE: u32 = 1 << 19;
    /// F_CTL bit: the other side may begin the next sequence.
    pub const INITIATIVE: u32 = 1 << 16;
    /// F_CTL bit of class 2: the sender requests an ACK_1 for the frame.
    pub const ACK_1_WANTED: u32 = 1 << 12;
    /// F_CTL bit: the parameter field is a relative offset.
    pub const RELATIVE_OFFSET: u32 = 1 << 3;
    /// F_CTL bits: the number of fill bytes after the payload; [`put_frame`](super::put_frame) sets these
    /// bits.
    pub const FILL_BYTES: u32 = 0b11;
}

/// An identifier of an exchange that is not assigned.
pub const UNASSIGNED: u16 = 0xFFFF;

/// The delimiter in front of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartDelimiter {
    /// SOFi3: the frame begins a sequence.
    Initiate,
    /// SOFn3: the frame continues a sequence of class 3.
    Normal,
    /// SOFi2: the frame begins a sequence of class 2.
    InitiateClass2,
    /// SOFn2: the frame continues a sequence of class 2, or is link control.
    NormalClass2,
}

impl StartDelimiter {
    /// The four bytes of the delimiter as sent.
    pub fn wire_bytes(self) -> [u8; 4] {
        match self {
            Self::Initiate => [0xBC, 0xB5, 0x56, 0x56],
            Self::Normal => [0xBC, 0xB5, 0x36, 0x36],
            Self::InitiateClass2 => [0xBC, 0xB5, 0x55, 0x55],
            Self::NormalClass2 => [0xBC, 0xB5, 0x35, 0x35],
        }
    }
}

/// The delimiter after a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndDelimiter {
    /// EOFn: more frames of the sequence follow; in class 2 also, the end of the sequence has not been
    /// acknowledged yet.
    Normal,
    /// EOFt: the frame ends its sequence; in class 2 the ACK to the last frame does.
    Terminate,
}

impl EndDelimiter {
    /// The four bytes of the delimiter, in the form that is sent at negative running disparity. The disparity
    /// is not simulated.
    pub fn wire_bytes(self) -> [u8; 4] {
        match self {
            Self::Normal => [0xBC, 0x95, 0xD5, 0xD5],
            Self::Terminate => [0xBC, 0x95, 0x75, 0x75],
        }
    }
}

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// R_CTL, the routing control.
    pub routing: u8,
    /// D_ID, the destination address of 24 bits.
    pub destination: u32,
    /// CS_CTL, the class-specific control.
    pub class_control: u8,
    /// S_ID, the source address of 24 bits.
    pub source: u32,
    /// TYPE, the protocol of the payload.
    pub kind: u8,
    /// F_CTL, the frame control of 24 bits.
    pub control: u32,
    /// SEQ_ID, the identifier of the sequence.
    pub sequence: u8,
    /// DF_CTL, the data field control.
    pub data_field_control: u8,
    /// SEQ_CNT, the number of the frame in its sequence.
    pub sequence_count: u16,
    /// OX_ID, the identifier of the exchange that the originator assigned.
    pub originator: u16,
    /// RX_ID, the identifier of the exchange that the responder assigned.
    pub responder: u16,
    /// Parameter: the relative offset if F_CTL has the bit for it.
    pub parameter: u32,
}

impl Header {
    /// The 24 bytes of the header as sent.
    pub fn wire_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0..4].copy_from_slice(&self.destination.to_be_bytes());
        bytes[0] = self.routing;
        bytes[4..8].copy_from_slice(&self.source.to_be_bytes());
        bytes[4] = self.class_control;
        bytes[8..12].copy_from_slice(&self.control.to_be_bytes());
        bytes[8] = self.kind;
        bytes[12] = self.sequence;
        bytes[13] = self.data_field_control;
        bytes[14..16].copy_from_slice(&self.sequence_count.to_be_bytes());
        bytes[16..18].copy_from_slice(&self.originator.to_be_bytes());
        bytes[18..20].copy_from_slice(&self.responder.to_be_bytes());
        bytes[20..24].copy_from_slice(&self.parameter.to_be_bytes());
        bytes
    }

    /// The header of a frame with this payload: F_CTL has the number of fill bytes.
    #[must_use]
    pub fn header_for_payload(self, payload_bytes: usize) -> Self {
        let fill = (payload_bytes.next_multiple_of(4) - payload_bytes) as u32;
        Self { control: self.control & !control::FILL_BYTES | fill, ..self }
    }
}

/// The number of bytes of a frame with this payload, from SOF to EOF.
pub fn frame_bytes(payload_bytes: usize) -> usize {
    4 * OVERHEAD_WORDS as usize + payload_bytes.next_multiple_of(4)
}

/// Appends a whole frame, from SOF to EOF, to `out`. The payload of the frame is `head` followed by zeros,
/// `payload_bytes` in all.
///
/// # Panics
/// Panics if `head` is longer than the payload.
pub fn put_frame(
    out: &mut Vec<u8>,
    start: StartDelimiter,
    header: &Header,
    head: &[u8],
    payload_bytes: usize,
    end: EndDelimiter,
) {
    assert!(head.len() <= payload_bytes, "a head of {} bytes in {payload_bytes}", head.len());
    let header = header.header_for_payload(payload_bytes).wire_bytes();
    let zeros = payload_bytes.next_multiple_of(4) - head.len();
    out.extend_from_slice(&start.wire_bytes());
    out.extend_from_slice(&header);
    out.extend_from_slice(head);
    out.resize(out.len() + zeros, 0);
    let crc = Crc::new().add_bytes(&header).add_bytes(head).add_zero_bytes(zeros);
    out.extend_from_slice(&crc.value().to_le_bytes());
    out.extend_from_slice(&end.wire_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The frames are the FCP_CMND of a READ(10) of one block at LBA 4096, and its FCP_RSP, which tshark decodes without
    /// complaint. The CRCs were computed by zlib.
    #[test]
    fn a_read_and_its_status_are_the_known_bytes() {
        let command = Header {
            routing: routing::COMMAND,
            destination: 0x01_02E8,
            class_control: 0,
            source: 0x01_0100,
            kind: TYPE_FCP,
            control: control::FIRST_SEQUENCE | control::END_OF_SEQUENCE | control::INITIATIVE,
            sequence: 0,
            data_field_control: 0,
            sequence_count: 0,
            originator: 0x1234,
            responder: UNASSIGNED,
            parameter: 0,
        };
        let mut payload = [0; 32];
        payload[11] = 0x02;
        payload[12..22].copy_from_slice(&[0x28, 0, 0, 0, 0x10, 0, 0, 0, 1, 0]);
        payload[28..32].copy_from_slice(&512_u32.to_be_bytes());
        let mut out = Vec::new();
        put_frame(&mut out, StartDelimiter::Initiate, &command, &payload, 32, EndDelimiter::Terminate);
        assert_eq!(out.len(), 68);
        assert_eq!(out[..8], [0xBC, 0xB5, 0x56, 0x56, 0x06, 0x01, 0x02, 0xE8]);
        assert_eq!(out[8..28], [0, 1, 1, 0, 8, 0x29, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0xFF, 0xFF, 0, 0, 0, 0]);
        assert_eq!(out[60..], [0xC3, 0x10, 0xBF, 0xDF, 0xBC, 0x95, 0x75, 0x75]);

        let status = Header {
            routing: routing::STATUS,
            destination: command.source,
            source: command.destination,
            control: 0x99_0000,
            sequence: 2,
            responder: 0x5678,
            ..command
        };
        out.clear();
        put_frame(&mut out, StartDelimiter::Initiate, &status, &[], 24, EndDelimiter::Terminate);
        assert_eq!(out.len(), 60);
        assert_eq!(out[52..56], [0xD7, 0x84, 0x11, 0x2F]);
    }

    proptest! {
        #[test]
        fn a_frame_is_whole_words_and_tells_its_fill_bytes(payload in 0_usize..=2112, head in 0_usize..40) {
            let header = Header {
                routing: routing::SOLICITED_DATA,
                destination: 1,
                class_control: 0,
                source: 2,
                kind: TYPE_FCP,
                control: control::RELATIVE_OFFSET,
                sequence: 1,
                data_field_control: 0,
                sequence_count: 0,
                originator: 0,
                responder: 0,
                parameter: 0,
            };
            let head = vec![0xA5; head.min(payload)];
            let mut out = Vec::new();
            put_frame(&mut out, StartDelimiter::Normal, &header, &head, payload, EndDelimiter::Normal);
            prop_assert_eq!(out.len(), frame_bytes(payload));
            prop_assert_eq!((payload + usize::from(out[15] & 3)) % 4, 0);
            let (covered, end) = out[4..].split_at(out.len() - 12);
            prop_assert_eq!(&end[..4], &Crc::new().add_bytes(covered).value().to_le_bytes());
        }
    }
}
