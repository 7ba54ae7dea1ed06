//! The bytes of packets of RoCEv2.
//!
//! Source: Linux, `drivers/infiniband/sw/rxe/rxe_hdr.h` (BTH 12, RETH 16, AETH 4, ICRC 4), UDP over IPv4; Infiniband annex 17 (a report of
//! congestion has 16 bytes behind its BTH).

use sansim_pdu::PduKind;

/// The bytes of an IPv4 header and of a UDP header, of BTH and ICRC, which every packet has.
pub const DATAGRAM_HEADERS: u64 = 20 + 8 + 12 + 4;
/// The extended headers of RDMA writes and reads, and of acknowledgements.
const RETH: u64 = 16;
const AETH: u64 = 4;
/// The bytes of a report of congestion behind its BTH.
const CNP: u64 = 16;
/// The least datagram of a frame of Ethernet.
const LEAST_DATAGRAM: u64 = 46;

/// The operation of RDMA that carries a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RdmaOperation {
    /// SEND: a capsule.
    Send,
    /// RDMA WRITE: data of a read, from the target into the memory of the host.
    Write,
    /// The request of an RDMA READ, by which the target fetches the data of a write.
    ReadRequest,
    /// The response of an RDMA READ.
    ReadResponse,
}

impl RdmaOperation {
    /// The operation that carries a unit; `by_target` for a unit of a target.
    pub fn of_unit(kind: PduKind, by_target: bool, with_command: bool) -> Self {
        match kind {
            PduKind::TransferReady => Self::ReadRequest,
            PduKind::Data if by_target => Self::Write,
            PduKind::Data if !with_command => Self::ReadResponse,
            _ => Self::Send,
        }
    }
}

/// The kind of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// A packet of a message, with its payload; whether it is the first and the last of the message.
    Data {
        /// The operation of the message.
        operation: RdmaOperation,
        /// The bytes of payload.
        payload: u64,
        /// Whether it is the first packet.
        first: bool,
        /// Whether it is the last packet.
        last: bool,
    },
    /// An acknowledgement, or the report of a missing packet.
    Acknowledgement,
    /// A report of congestion.
    CongestionNotice,
}

/// The most payload of a packet in a datagram of this size.
pub fn largest_payload(mtu: u64) -> u64 {
    mtu.saturating_sub(DATAGRAM_HEADERS + RETH)
}

/// The bytes of a packet on a link, on which a frame has `overhead` bytes beside its datagram.
pub fn packet_bytes(kind: PacketKind, overhead: u64) -> u64 {
    let behind_headers = match kind {
        PacketKind::Data { operation, payload, first, last } => {
            let extended = match operation {
                RdmaOperation::Write if first => RETH,
                RdmaOperation::ReadResponse if first || last => AETH,
                // The payload of a request is its RETH.
                _ => 0,
            };
            payload + extended
        }
        PacketKind::Acknowledgement => AETH,
        PacketKind::CongestionNotice => CNP,
    };
    (behind_headers + DATAGRAM_HEADERS).max(LEAST_DATAGRAM) + overhead
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_have_the_bytes_of_their_headers() {
        let data = |operation, payload, first, last| {
            packet_bytes(PacketKind::Data { operation, payload, first, last }, 38)
        };
        // Linux rxe: 82 bytes beside the payload of a middle packet, 98 with RETH, 86 with AETH.
        assert_eq!(data(RdmaOperation::Write, 4_096, false, false), 4_178);
        assert_eq!(data(RdmaOperation::Write, 4_096, true, true), 4_194);
        assert_eq!(data(RdmaOperation::ReadResponse, 1_024, true, false), 1_110);
        assert_eq!(data(RdmaOperation::ReadResponse, 1_024, false, false), 1_106);
        assert_eq!(data(RdmaOperation::Send, 64, true, true), 146);
        assert_eq!(data(RdmaOperation::ReadRequest, 16, true, true), 98);
        assert_eq!(packet_bytes(PacketKind::Acknowledgement, 38), 86);
        assert_eq!(packet_bytes(PacketKind::CongestionNotice, 38), 98);
        assert_eq!([1_500, 9_000].map(largest_payload), [1_440, 8_940]);
    }
}
