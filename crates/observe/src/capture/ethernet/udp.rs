//! The header of UDP, and the invariant CRC behind a datagram of RoCEv2.
//!
//! Sources: RFC 768; Linux, `drivers/infiniband/sw/rxe/rxe_icrc.c`.

use sansim_fc::wire::crc::Crc;

/// The number of UDP in IP.
pub(super) const PROTOCOL_UDP: u8 = 17;
/// The bytes of the header.
pub(super) const UDP_BYTES: usize = 8;
/// The bytes of the invariant CRC.
pub(super) const CRC_BYTES: usize = 4;

/// Writes the length into a header, whose check sum is 0.
pub(super) fn put_length(header: &mut [u8], bytes: usize) {
    header[4..6].copy_from_slice(&(bytes as u16).to_be_bytes());
}

/// The invariant CRC of a datagram with these headers, whose payload is zeros but for these runs: the fields that change on the way count as
/// ones.
pub(super) fn invariant_crc(headers: &[u8], content: usize, runs: &[(usize, &[u8])]) -> [u8; CRC_BYTES] {
    let mut masked = headers.to_vec();
    let udp = 4 * usize::from(masked[0] & 15);
    // Type of service, time to live and check sum of IP; check sum of UDP; the marks in BTH.
    masked[1] = 0xFF;
    masked[8] = 0xFF;
    masked[10..12].fill(0xFF);
    masked[udp + 6..udp + 8].fill(0xFF);
    masked[udp + UDP_BYTES + 4] = 0xFF;
    // The local header of Infiniband, which these datagrams do not have, counts as ones.
    let mut crc = Crc::new().add_bytes(&[0xFF; 8]).add_bytes(&masked);
    let mut place = 0;
    for (begin, run) in runs {
        crc = crc.add_zero_bytes(begin - place).add_bytes(run);
        place = begin + run.len();
    }
    crc.add_zero_bytes(content - place).value().to_le_bytes()
}
