//! The headers of frames of Ethernet, of IPv4 and of TCP as bytes.
//!
//! Sources: IEEE 802.3 (frame), 802.1Qbb (pause by priority), RFC 791, RFC 9293 (segment), RFC 2018 and 7323 (options), RFC 2474 (a class is
//! a class selector), RFC 3168 (marks). Ours: addresses are made of the numbers of networks and nodes; sequence numbers begin with 1, as
//! if the first SYN had 0; datagrams are never fragmented and have no identification (RFC 6864).

use super::udp;
use sansim_kernel::{TICKS_PER_NS, Time};
use sansim_pdu::SegmentSight;

/// The bytes of the header of a frame.
pub(super) const ETHERNET_BYTES: usize = 14;
/// The least bytes of a frame behind its header.
pub(super) const LEAST_PAYLOAD: usize = 46;
/// The most bytes of the headers of a segment: those of the frame, of IP and of TCP, the latter two with all options.
pub(super) const MOST_BYTES: usize = ETHERNET_BYTES + 60 + 60;
/// The bytes of the headers of IP and of TCP without options.
const IP_BYTES: usize = 20;
const TCP_BYTES: usize = 20;
/// The most bytes of options of TCP.
const MOST_OPTIONS: usize = 40;

const TYPE_IPV4: u16 = 0x0800;
const TYPE_MAC_CONTROL: u16 = 0x8808;
/// The operation code of pause by priority.
const PAUSE_BY_PRIORITY: u16 = 0x0101;
/// The address to which all MAC control frames go.
const MAC_CONTROL_ADDRESS: [u8; 6] = [0x01, 0x80, 0xC2, 0x00, 0x00, 0x01];
const TIME_TO_LIVE: u8 = 64;
const PROTOCOL_TCP: u8 = 6;
const DO_NOT_FRAGMENT: u8 = 0x40;

/// Flags of TCP.
mod flag {
    pub const PUSH: u8 = 0x08;
    pub const ACKNOWLEDGES: u8 = 0x10;
    pub const ECHO: u8 = 0x40;
    pub const REDUCED: u8 = 0x80;
}

/// A port at an Ethernet: its network, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::capture) struct EthernetPlace {
    pub(super) network: usize,
    pub(super) place: u16,
}

impl EthernetPlace {
    /// The MAC address, which is locally administered.
    pub(super) fn mac_address(self) -> [u8; 6] {
        let [high, low] = (self.place + 1).to_be_bytes();
        [0x02, 0x00, 0x00, self.network as u8, high, low]
    }

    /// The IP address.
    pub(super) fn ip_address(self) -> [u8; 4] {
        let [high, low] = (self.place + 1).to_be_bytes();
        [10, self.network as u8, high, low]
    }
}

/// The two ends of a connection as a frame goes between them, and its class.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameParties {
    /// Where the frame comes from, and where it goes.
    pub(super) places: [EthernetPlace; 2],
    pub(super) class: u8,
    pub(super) may_be_marked: bool,
    /// The number of the connection.
    pub(super) connection: u32,
    pub(super) to_target: bool,
}

/// The headers in front of the content of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameHead {
    bytes: [u8; MOST_BYTES],
    length: u8,
    /// Where the header of the transport begins.
    transport: u8,
    /// The bytes of a datagram that its headers cannot have, because they are words.
    pub(super) trailer: u8,
}

/// The headers of a frame with all lengths and check sums, and the bytes behind the content.
#[derive(Clone, Debug)]
pub(super) struct FinishedFrame {
    pub(super) head: Vec<u8>,
    pub(super) tail: Vec<u8>,
}

impl FrameHead {
    /// The header of the transport.
    pub(super) fn transport_header(&mut self) -> &mut [u8] {
        &mut self.bytes[self.transport.into()..self.length.into()]
    }

    /// The frame for content that is zeros but for these runs, each at its place in the content.
    pub(super) fn finished(&self, content: usize, is_marked: bool, runs: &[(usize, &[u8])]) -> FinishedFrame {
        let mut head = self.bytes[..self.length.into()].to_vec();
        let transport = usize::from(self.transport);
        let is_udp = head[ETHERNET_BYTES + 9] == udp::PROTOCOL_UDP;
        let behind = if is_udp { udp::CRC_BYTES } else { 0 };
        let datagram = (head.len() - ETHERNET_BYTES + content + behind) as u16;
        head[ETHERNET_BYTES + 2..ETHERNET_BYTES + 4].copy_from_slice(&datagram.to_be_bytes());
        if is_marked {
            head[ETHERNET_BYTES + 1] |= 0b11;
        }
        let sum = Checksum::default().add(0, &head[ETHERNET_BYTES..transport]).value();
        head[ETHERNET_BYTES + 10..ETHERNET_BYTES + 12].copy_from_slice(&sum.to_be_bytes());
        let bytes = head.len() - transport + content + behind;
        if is_udp {
            udp::put_length(&mut head[transport..], bytes);
            let tail = udp::invariant_crc(&head[ETHERNET_BYTES..], content, runs).to_vec();
            return FinishedFrame { head, tail };
        }
        // The pseudo header has the addresses, the protocol and the length of the segment.
        let mut sum = Checksum::default()
            .add(0, &head[ETHERNET_BYTES + 12..ETHERNET_BYTES + 20])
            .add(0, &u32::from(PROTOCOL_TCP).to_be_bytes())
            .add(0, &(bytes as u32).to_be_bytes())
            .add(0, &head[transport..]);
        for (place, run) in runs {
            sum = sum.add(*place, run);
        }
        head[transport + 16..transport + 18].copy_from_slice(&sum.value().to_be_bytes());
        FinishedFrame { head, tail: Vec::new() }
    }
}

/// A check sum of the Internet (RFC 1071).
#[derive(Clone, Copy, Debug, Default)]
struct Checksum(u64);

impl Checksum {
    /// Adds bytes at a place, which decides whether the first of them is the upper half of a word.
    fn add(mut self, place: usize, bytes: &[u8]) -> Self {
        for (number, byte) in bytes.iter().enumerate() {
            let is_upper = (place + number).is_multiple_of(2);
            self.0 += u64::from(*byte) << if is_upper { 8 } else { 0 };
        }
        self
    }

    fn value(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        !(sum as u16)
    }
}

fn put_frame_header(bytes: &mut [u8], to: [u8; 6], from: [u8; 6], kind: u16) {
    bytes[0..6].copy_from_slice(&to);
    bytes[6..12].copy_from_slice(&from);
    bytes[12..14].copy_from_slice(&kind.to_be_bytes());
}

/// The headers of a frame with a datagram, without lengths and check sums, and with room for a transport header.
pub(super) fn datagram_head(
    parties: &FrameParties,
    protocol: u8,
    ip_options: usize,
    transport_bytes: usize,
) -> FrameHead {
    let mut bytes = [0; MOST_BYTES];
    let [from, to] = parties.places;
    put_frame_header(&mut bytes, to.mac_address(), from.mac_address(), TYPE_IPV4);
    let ip = &mut bytes[ETHERNET_BYTES..];
    ip[0] = 0x40 | ((IP_BYTES + ip_options) / 4) as u8;
    // ECT(0) says that the sender heeds marks.
    ip[1] = parties.class << 5 | if parties.may_be_marked { 0b10 } else { 0 };
    ip[6] = DO_NOT_FRAGMENT;
    (ip[8], ip[9]) = (TIME_TO_LIVE, protocol);
    ip[12..16].copy_from_slice(&from.ip_address());
    ip[16..20].copy_from_slice(&to.ip_address());
    let transport = ETHERNET_BYTES + IP_BYTES + ip_options;
    let length = (transport + transport_bytes) as u8;
    FrameHead { bytes, length, transport: transport as u8, trailer: 0 }
}

/// The sequence number of a place in a stream.
fn sequence_number(place: u64) -> u32 {
    (place as u32).wrapping_add(1)
}

/// The time in the unit of timestamps: ms, as in Linux.
pub(super) fn timestamp(now: Time) -> u32 {
    (now.ticks() / TICKS_PER_NS / 1_000_000) as u32
}

/// The headers of a segment between two ports. `timestamps` are its own and that of the last segment from the other end.
pub(super) fn segment_head(
    parties: &FrameParties,
    ports: [u16; 2],
    segment: &SegmentSight,
    is_pushed: bool,
    timestamps: [u32; 2],
) -> FrameHead {
    let room = usize::from(segment.header_bytes).saturating_sub(IP_BYTES + TCP_BYTES);
    let words = room / 4 * 4;
    let of_tcp = words.min(MOST_OPTIONS);
    let of_ip = (words - of_tcp).min(MOST_OPTIONS);
    let mut head = datagram_head(parties, PROTOCOL_TCP, of_ip, TCP_BYTES + of_tcp);
    head.trailer = (room - of_tcp - of_ip) as u8;
    let header = head.transport_header();
    header[0..2].copy_from_slice(&ports[0].to_be_bytes());
    header[2..4].copy_from_slice(&ports[1].to_be_bytes());
    header[4..8].copy_from_slice(&sequence_number(segment.begin).to_be_bytes());
    header[8..12].copy_from_slice(&sequence_number(segment.acknowledged).to_be_bytes());
    header[12] = (((TCP_BYTES + of_tcp) / 4) << 4) as u8;
    let flags = [
        (true, flag::ACKNOWLEDGES),
        (is_pushed, flag::PUSH),
        (segment.echoes_mark, flag::ECHO),
        (segment.has_reduced, flag::REDUCED),
    ];
    header[13] = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum();
    let scaled = (0..).map(|shift| segment.window >> shift).find(|&window| window <= u16::MAX.into());
    header[14..16].copy_from_slice(&(scaled.unwrap_or(0) as u16).to_be_bytes());
    put_options(&mut header[TCP_BYTES..], segment, timestamps);
    head
}

/// Writes the options of a segment for which there is room: first what has arrived beyond gaps, because it is simulated, then timestamps.
/// The rest is the end of the list.
fn put_options(options: &mut [u8], segment: &SegmentSight, timestamps: [u32; 2]) {
    const NO_OPERATION: u8 = 1;
    const SELECTIVE: u8 = 5;
    const TIMESTAMPS: u8 = 8;
    let mut place = 0;
    let mut put = |bytes: &[u8]| {
        options[place..place + bytes.len()].copy_from_slice(bytes);
        place += bytes.len();
    };
    let mut room = usize::from(segment.header_bytes).saturating_sub(IP_BYTES + TCP_BYTES).min(MOST_OPTIONS);
    let blocks = segment.beyond_gaps.iter().filter(|(begin, end)| begin < end);
    let count = blocks.clone().count().min(room.saturating_sub(4) / 8);
    if count > 0 {
        put(&[NO_OPERATION, NO_OPERATION, SELECTIVE, 2 + 8 * count as u8]);
        for (begin, end) in blocks.take(count) {
            put(&sequence_number(*begin).to_be_bytes());
            put(&sequence_number(*end).to_be_bytes());
        }
        room -= 4 + 8 * count;
    }
    if room >= 12 {
        put(&[NO_OPERATION, NO_OPERATION, TIMESTAMPS, 10]);
        timestamps.iter().for_each(|value| put(&value.to_be_bytes()));
    }
}

/// A pause frame from a port, which asks the other end to pause these classes, or to go on with them.
pub(super) fn pause_frame(
    from: EthernetPlace,
    classes: u8,
    stops: bool,
) -> [u8; ETHERNET_BYTES + LEAST_PAYLOAD] {
    let mut bytes = [0; ETHERNET_BYTES + LEAST_PAYLOAD];
    put_frame_header(&mut bytes, MAC_CONTROL_ADDRESS, from.mac_address(), TYPE_MAC_CONTROL);
    let payload = &mut bytes[ETHERNET_BYTES..];
    payload[0..2].copy_from_slice(&PAUSE_BY_PRIORITY.to_be_bytes());
    payload[3] = classes;
    for class in (0..8).filter(|class| stops && classes >> class & 1 == 1) {
        payload[4 + 2 * class..6 + 2 * class].fill(0xFF);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 1071, 3: the sum of these bytes is DDF2.
    #[test]
    fn a_check_sum_does_not_depend_on_where_its_bytes_are_cut() {
        let bytes = [0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7];
        assert_eq!(Checksum::default().add(0, &bytes).value(), !0xDDF2);
        for cut in 0..bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            assert_eq!(Checksum::default().add(cut, tail).add(0, head).value(), !0xDDF2);
        }
    }

    #[test]
    fn a_pause_frame_is_the_known_bytes() {
        let from = EthernetPlace { network: 3, place: 4 };
        let bytes = pause_frame(from, 0b101, true);
        assert_eq!(bytes[..12], [0x01, 0x80, 0xC2, 0, 0, 1, 0x02, 0, 0, 3, 0, 5]);
        assert_eq!(bytes[12..18], [0x88, 0x08, 0x01, 0x01, 0, 0b101]);
        assert_eq!(bytes[18..24], [0xFF, 0xFF, 0, 0, 0xFF, 0xFF]);
        assert!(bytes[24..].iter().chain(&pause_frame(from, 1, false)[18..]).all(|&byte| byte == 0));
    }

    #[test]
    fn options_have_what_is_simulated_first() {
        let segment = SegmentSight {
            stream: 0,
            begin: 0,
            end: 0,
            acknowledged: 0,
            header_bytes: 52,
            window: 1 << 20,
            beyond_gaps: [(9, 19), (29, 39), (0, 0)],
            echoes_mark: false,
            has_reduced: false,
        };
        let mut options = [0; 12];
        put_options(&mut options, &segment, [7, 8]);
        assert_eq!(options, [1, 1, 5, 10, 0, 0, 0, 10, 0, 0, 0, 20]);
        put_options(&mut options, &SegmentSight { beyond_gaps: [(0, 0); 3], ..segment }, [7, 8]);
        assert_eq!(options, [1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 8]);
    }
}
