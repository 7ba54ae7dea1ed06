//! What a run counts besides its I/Os: what must balance, and how busy loop and nodes are.

use sansim_fc::frame::FrameKind;
use sansim_kernel::{Span, Time};

/// Counts that must balance, kept over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// I/Os issued.
    pub issued: u64,
    /// I/Os completed.
    pub completed: u64,
    /// Frames that left a port, by kind: command, transfer ready, data, response.
    pub frames_sent: [u64; 4],
    /// Frames that arrived in a buffer, by kind.
    pub frames_received: [u64; 4],
    /// Data bytes that left a port.
    pub data_sent: u64,
    /// Data bytes of completed I/Os.
    pub data_completed: u64,
    /// I/Os whose ledger did not add up to the response time.
    pub ledger_errors: u64,
}

/// Place of a kind of frame in the counts.
pub(crate) fn kind_index(kind: FrameKind) -> usize {
    match kind {
        FrameKind::Command => 0,
        FrameKind::TransferReady => 1,
        FrameKind::Data => 2,
        FrameKind::Response => 3,
    }
}

/// Use of the loop, of a whole run or of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopUse {
    /// Time in which some port owned the loop.
    pub owned: Span,
    /// Time in which a frame was being sent.
    pub frames: Span,
    /// Tenancies begun.
    pub tenancies: u64,
    /// Frames sent.
    pub frame_count: u64,
    /// Since when some port has owned it.
    pub(crate) owned_since: Option<Time>,
}

impl std::ops::Sub for LoopUse {
    type Output = Self;
    fn sub(self, start: Self) -> Self {
        Self {
            owned: self.owned - start.owned,
            frames: self.frames - start.frames,
            tenancies: self.tenancies - start.tenancies,
            frame_count: self.frame_count - start.frame_count,
            owned_since: self.owned_since,
        }
    }
}

/// How busy the blocks of a node have been, in a whole run or in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeUse {
    /// FCP main processor.
    pub processor: Span,
    /// DMA scheduler and transfer.
    pub dma: Span,
    /// Incoming frame process.
    pub incoming: Span,
    /// Single frame transfer.
    pub single_frame: Span,
    /// Access and media transfer (drives).
    pub drive: Span,
}

impl std::ops::Sub for NodeUse {
    type Output = Self;
    fn sub(self, start: Self) -> Self {
        Self {
            processor: self.processor - start.processor,
            dma: self.dma - start.dma,
            incoming: self.incoming - start.incoming,
            single_frame: self.single_frame - start.single_frame,
            drive: self.drive - start.drive,
        }
    }
}
