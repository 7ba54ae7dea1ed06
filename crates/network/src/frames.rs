//! Kinds of frames, to be counted.

use sansim_fc::frame::FrameKind;

/// The kinds of frames in words, in the order of the counts.
pub(crate) const FRAME_KINDS: [&str; 11] = [
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
];

/// Place of a kind of frame in the counts.
pub(crate) fn kind_index(kind: FrameKind) -> usize {
    match kind {
        FrameKind::Command => 0,
        FrameKind::TransferReady => 1,
        FrameKind::Data => 2,
        FrameKind::Response => 3,
        FrameKind::Abort => 4,
        FrameKind::AbortAccept => 5,
        FrameKind::AbortReject => 6,
        FrameKind::Ip => 7,
        FrameKind::Acknowledge => 8,
        FrameKind::FabricBusy => 9,
        FrameKind::FabricReject => 10,
    }
}
