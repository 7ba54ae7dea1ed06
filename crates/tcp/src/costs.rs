//! The time that the software of a node takes for frames.

use crate::parameters::SoftwareCostKeys;
use crate::scoreboard::Blocks;
use sansim_kernel::Span;

/// A TCP segment, which is sent as one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpSegment {
    /// The stream whose bytes the segment carries; for a segment that only acknowledges, the stream in the same
    /// direction.
    pub stream: u32,
    /// The place in the stream of the segment's first byte.
    pub begin: u64,
    /// The place in the stream behind the segment's last byte.
    pub end: u64,
    /// The node to which the segment is sent.
    pub to: u16,
    /// The byte up to which the segment acknowledges the other stream of the connection; in a segment with data it is
    /// set when the segment leaves.
    pub ack: u64,
    /// Whether a switch has marked the segment (CE).
    pub is_marked: bool,
    /// Whether the segment echoes a mark to the sender of the other stream (ECE).
    pub echo: bool,
    /// Whether the sender has made its window smaller because of such an echo (CWR).
    pub reduced: bool,
    /// Bytes of the other stream that have arrived beyond a gap.
    pub blocks: Blocks,
    /// Whether the software handles the segment in one with the segment before it, whose bytes it continues.
    pub is_joined: bool,
}

impl TcpSegment {
    /// A segment without data that acknowledges nothing new.
    pub fn empty(stream: u32, to: u16) -> Self {
        Self {
            stream,
            begin: 0,
            end: 0,
            to,
            ack: 0,
            is_marked: false,
            echo: false,
            reduced: false,
            blocks: Blocks::default(),
            is_joined: false,
        }
    }

    /// The number of bytes of data in the segment.
    pub fn data_bytes(&self) -> u64 {
        self.end - self.begin
    }

    /// Whether the segment carries only an acknowledgement.
    pub fn is_bare_acknowledgement(&self) -> bool {
        self.begin == self.end
    }
}

/// The jobs of the software of a node, which are done one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoftwareJob {
    /// The software is interrupted for frames.
    Interrupt,
    /// The software handles a frame that has arrived.
    Take(TcpSegment),
    /// The software makes a frame that is to be sent.
    Send(TcpSegment),
}

/// The costs of the software of a node for each job.
#[derive(Clone, Copy, Debug)]
pub struct SoftwareCosts {
    interrupt: Span,
    receive: Span,
    send: Span,
    ack: Span,
    per_kib: Span,
    /// The number of frames for which there is one interrupt.
    pub frames: u32,
    /// The time for which an adapter waits for this number of frames.
    pub waits: Span,
    /// The most bytes that the software hands to the adapter in one, and that it takes in one; 0 for a frame at a time.
    pub sends_in_one: u64,
    /// See [`SoftwareCosts::sends_in_one`].
    pub takes_in_one: u64,
}

impl SoftwareCosts {
    /// Software that takes no time, with an interrupt for each frame.
    pub const NONE: Self = Self {
        interrupt: Span::ZERO,
        receive: Span::ZERO,
        send: Span::ZERO,
        ack: Span::ZERO,
        per_kib: Span::ZERO,
        frames: 1,
        waits: Span::ZERO,
        sends_in_one: 0,
        takes_in_one: 0,
    };

    /// The costs that the keys describe.
    pub fn new(keys: &SoftwareCostKeys) -> Self {
        Self {
            interrupt: keys.time_of_cycles(keys.interrupt_cycles),
            receive: keys.time_of_cycles(keys.receive_cycles),
            send: keys.time_of_cycles(keys.send_cycles),
            ack: keys.time_of_cycles(keys.ack_cycles),
            per_kib: keys.time_of_cycles(keys.cycles_per_kib),
            frames: keys.coalesce_frames,
            waits: keys.coalesce_time,
            sends_in_one: keys.segmentation.unwrap_or(0),
            takes_in_one: keys.receive_merging.unwrap_or(0),
        }
    }

    /// The time of a job.
    pub fn job_time(&self, job: SoftwareJob) -> Span {
        let data = |segment: TcpSegment, each: Span| {
            let ticks = u128::from(self.per_kib.ticks()) * u128::from(segment.data_bytes()) / 1_024;
            let each = if segment.is_joined { Span::ZERO } else { each };
            each + Span(u64::try_from(ticks).unwrap_or(u64::MAX))
        };
        match job {
            SoftwareJob::Interrupt => self.interrupt,
            SoftwareJob::Take(segment) | SoftwareJob::Send(segment) if segment.is_bare_acknowledgement() => {
                self.ack
            }
            SoftwareJob::Take(segment) => data(segment, self.receive),
            SoftwareJob::Send(segment) => data(segment, self.send),
        }
    }
}
