//! The time that the software of a node takes for frames.

use crate::parameters::StackKeys;
use sansim_kernel::Span;

/// A frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpSegment {
    /// The stream of which it carries bytes, if it does; of one that only acknowledges that which goes the same way.
    pub stream: u32,
    /// Its first byte in the stream.
    pub begin: u64,
    /// The byte behind its last one.
    pub end: u64,
    /// The node that it is for.
    pub to: u16,
    /// The bytes that it acknowledges of the other stream of the connection; with data they are known when it leaves.
    pub ack: u64,
}

impl TcpSegment {
    /// Bytes of data in it.
    pub fn bytes(&self) -> u64 {
        self.end - self.begin
    }

    /// Whether it carries nothing but an acknowledgement.
    pub fn is_alone(&self) -> bool {
        self.begin == self.end
    }
}

/// The jobs of the software of a node, which run one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoftwareJob {
    /// It is interrupted for frames.
    Interrupt,
    /// It takes a frame that has come in.
    Take(TcpSegment),
    /// It makes a frame that is to go.
    Send(TcpSegment),
}

/// The costs of the software of a node.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    interrupt: Span,
    receive: Span,
    send: Span,
    ack: Span,
    per_kib: Span,
    /// Frames for which there is an interrupt.
    pub frames: u32,
    /// How long an adapter waits for so many.
    pub waits: Span,
}

impl Costs {
    /// Software that takes no time, with an interrupt for each frame.
    pub const NONE: Self = Self {
        interrupt: Span::ZERO,
        receive: Span::ZERO,
        send: Span::ZERO,
        ack: Span::ZERO,
        per_kib: Span::ZERO,
        frames: 1,
        waits: Span::ZERO,
    };

    /// Those that are described.
    pub fn new(keys: &StackKeys) -> Self {
        Self {
            interrupt: keys.time(keys.interrupt_cycles),
            receive: keys.time(keys.receive_cycles),
            send: keys.time(keys.send_cycles),
            ack: keys.time(keys.ack_cycles),
            per_kib: keys.time(keys.cycles_per_kib),
            frames: keys.coalesce_frames,
            waits: keys.coalesce_time,
        }
    }

    /// The time of a job.
    pub fn of(&self, job: SoftwareJob) -> Span {
        let data = |segment: TcpSegment, each: Span| {
            let ticks = u128::from(self.per_kib.ticks()) * u128::from(segment.bytes()) / 1_024;
            each + Span(u64::try_from(ticks).unwrap_or(u64::MAX))
        };
        match job {
            SoftwareJob::Interrupt => self.interrupt,
            SoftwareJob::Take(segment) | SoftwareJob::Send(segment) if segment.is_alone() => self.ack,
            SoftwareJob::Take(segment) => data(segment, self.receive),
            SoftwareJob::Send(segment) => data(segment, self.send),
        }
    }
}
