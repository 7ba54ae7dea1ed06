//! Notices by which a network reports congestion and damaged frames to its nodes.
//!
//! Source: FC-LS-5, fabric performance impact notification (FPIN); Linux, `include/uapi/scsi/fc/fc_els.h` (descriptors).

use crate::Address;

/// The event that a notice reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoticeKind {
    /// Peer congestion, credit stall: the port that the notice names, a port of another node, withholds credit.
    PeerCongestion,
    /// Congestion, credit stall: the receiver's own port withholds credit.
    Congestion,
    /// Link integrity, invalid CRC: frames from the port that the notice names have come in damaged.
    LinkIntegrity,
}

/// A notice to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Notice {
    /// The event.
    pub kind: NoticeKind,
    /// The port of a node at the link that the event concerns.
    pub about: Address,
    /// The event period of congestion, in milliseconds.
    pub period_ms: u32,
}
