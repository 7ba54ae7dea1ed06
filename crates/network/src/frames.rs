//! Kinds of frames, for counting.

use sansim_fc::frame::{Frame, LinkControl, PduKind};

/// The kinds of frames in words, in the order of the counts.
pub(crate) const FRAME_KINDS: [&str; 15] = [
    "FCP_CMND frames",
    "FCP_XFER_RDY frames",
    "FCP_DATA frames",
    "FCP_RSP frames",
    "ABTS frames",
    "BA_ACC frames",
    "BA_RJT frames",
    "IP frames",
    "ACK frames",
    "F_BSY frames",
    "F_RJT frames",
    "FCP_CONF frames",
    "link service frames",
    "LS_ACC frames",
    "LS_RJT frames",
];

/// The place of a kind of unit in the counts.
pub(crate) fn kind_index(kind: PduKind) -> usize {
    match kind {
        PduKind::Command => 0,
        PduKind::TransferReady => 1,
        PduKind::Data => 2,
        PduKind::Response => 3,
        PduKind::Abort => 4,
        PduKind::AbortAccept => 5,
        PduKind::AbortReject => 6,
        PduKind::Ip => 7,
        PduKind::Confirm => 11,
        PduKind::ServiceRequest => 12,
        PduKind::ServiceAccept => 13,
        PduKind::ServiceReject => 14,
        // A network with control messages of its own never calls this function alone.
        PduKind::Control => 8,
    }
}

/// The place of the kind of a frame in the counts.
pub(crate) fn frame_index(frame: &Frame) -> usize {
    match frame.control {
        None => kind_index(frame.kind),
        Some((LinkControl::Acknowledge, _)) => 8,
        Some((LinkControl::FabricBusy, _)) => 9,
        Some((LinkControl::FabricReject, _)) => 10,
    }
}
