//! IP over Fibre Channel: the bytes before the data of a datagram.
//!
//! Source: RFC 4338: Network_Header, LLC and SNAP, then the datagram; RFC 791. World-wide names and IP addresses are made from the
//! addresses of the ports, because simulated ports have none: NAA 1 with the address in its last three bytes, and 10 with the address
//! behind it.

use sansim_fc::frame::Frame;
use sansim_pdu::Address;

/// The number of bytes of the Network_Header, and of LLC and SNAP.
pub const HEADER_BYTES: usize = 24;
/// The number of bytes of an IPv4 header.
pub const IPV4_BYTES: usize = 20;

/// The number of bytes before the data of a datagram.
pub const HEAD_BYTES: usize = HEADER_BYTES + IPV4_BYTES;

/// LLC and SNAP, which say that IPv4 follows.
const LLC_SNAP: [u8; 8] = [0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x00];
/// The number of a protocol for experiments (RFC 3692): the datagram has no content.
const EXPERIMENTAL: u8 = 253;
/// The number of hops that a datagram may make.
const TIME_TO_LIVE: u8 = 64;

/// The world-wide name of the port at an address.
pub fn world_wide_name(address: Address) -> [u8; 8] {
    let [_, domain, area, port] = address.value().to_be_bytes();
    [0x10, 0, 0, 0, 0, domain, area, port]
}

fn ip_address(address: Address) -> [u8; 4] {
    let [_, domain, area, port] = address.value().to_be_bytes();
    [10, domain, area, port]
}

/// Writes the headers of the datagram that a frame carries.
pub(super) fn head(bytes: &mut [u8], frame: &Frame) {
    bytes[0..8].copy_from_slice(&world_wide_name(frame.destination));
    bytes[8..16].copy_from_slice(&world_wide_name(frame.source));
    bytes[16..24].copy_from_slice(&LLC_SNAP);
    let ip = &mut bytes[HEADER_BYTES..HEAD_BYTES];
    let length = (frame.payload_bytes as u16).saturating_sub(HEADER_BYTES as u16).max(IPV4_BYTES as u16);
    ip[0] = 0x45;
    ip[2..4].copy_from_slice(&length.to_be_bytes());
    ip[4..6].copy_from_slice(&frame.unit.to_be_bytes());
    (ip[8], ip[9]) = (TIME_TO_LIVE, EXPERIMENTAL);
    ip[12..16].copy_from_slice(&ip_address(frame.source));
    ip[16..20].copy_from_slice(&ip_address(frame.destination));
    let sum: u32 = ip.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    // The carries of a sum over twenty bytes are added in two steps, which is enough.
    let folded = (sum & 0xFFFF) + (sum >> 16);
    let folded = (folded & 0xFFFF) + (folded >> 16);
    ip[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}
