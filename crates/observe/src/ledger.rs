//! The time ledger: named segments that add up, to the tick, to the response time of an I/O.
//!
//! At every moment an I/O that is in the system is in exactly one segment: it waits for something, or some block works for
//! it. Where several things go on at once (frames on the wire while others are fetched by DMA) the segment is that of the
//! data nearest to the receiver that have not been received; when nothing more is to come, that of what was received last.
//!
//! [`Segment::block`] says which block works in a segment. So the time of all I/Os in the segments of a block is never more
//! than the block was at work, and as much if the steps of an I/O do not overlap.

use sansim_kernel::{Span, Time};

/// What can be at work for an I/O. Every node has its own; the time at work is that of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Block {
    /// Arrival process of a driver.
    DriverArrival,
    /// Completion process of a driver.
    DriverCompletion,
    /// Bus interface and interrupt of an adapter.
    Message,
    /// FCP main processor of an adapter.
    Processor,
    /// DMA scheduler and transfer of an adapter, of both directions if they are apart.
    Dma,
    /// The loop: a frame is at work from its first word at the sender until its last at the receiver. Frames that are on
    /// their way at the same time count each.
    Wire,
    /// Incoming frame process of an adapter.
    FrameProcess,
    /// Single frame transfer of an adapter.
    SingleFrame,
    /// Seek and rotation of a drive.
    Positioning,
    /// Medium of a drive, reading or writing.
    Medium,
}

impl Block {
    /// Every block.
    pub const ALL: [Self; 10] = [
        Self::DriverArrival,
        Self::DriverCompletion,
        Self::Message,
        Self::Processor,
        Self::Dma,
        Self::Wire,
        Self::FrameProcess,
        Self::SingleFrame,
        Self::Positioning,
        Self::Medium,
    ];
}

/// Where time goes. In the order in which a read meets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Segment {
    /// In the driver's queue, because the outstanding limit is reached or an earlier request is being set up.
    HostQueue,
    /// Arrival process of the driver.
    DriverArrival,
    /// Behind other messages or interrupts.
    MessageQueue,
    /// Message over the bus to the adapter, or interrupt from it.
    Message,
    /// Waiting for the main processor of an adapter, whatever for.
    ProcessorQueue,
    /// Main processor of an adapter: a command.
    CommandExecution,
    /// Waiting for room among the outgoing frame buffers, so that the next data can be fetched.
    OutgoingBuffer,
    /// In the DMA queue, behind other requests.
    DmaQueue,
    /// DMA scheduler and transfer.
    Dma,
    /// Queue of a port, behind other frames, in the gap after one, or until as many have come as `within_sequence` asks for.
    PortQueue,
    /// Waiting for the access window of the fairness algorithm to open.
    AccessWindow,
    /// Waiting for the loop: arbitration, or another circuit to end.
    Loop,
    /// Waiting for credit: OPN on its way, R_RDY on its way back, no buffer free.
    Credit,
    /// Waiting for the next frame of a sequence to come from memory, in a circuit that is held open for it.
    CircuitHeld,
    /// A frame is between its first word at the sender and its last at the receiver.
    Wire,
    /// In a frame buffer, behind other received frames.
    FrameProcessQueue,
    /// Incoming frame process.
    FrameProcess,
    /// Waiting for the single frame transfer.
    SingleFrameQueue,
    /// Single frame transfer.
    SingleFrame,
    /// Waiting in the drive for other commands.
    DriveQueue,
    /// Waiting for the medium of a drive with a cache to take data that were written before.
    MediaQueue,
    /// Seek and rotation.
    Access,
    /// Media transfer.
    MediaTransfer,
    /// Handling of FCP_XFER_RDY by the initiator.
    TransferReady,
    /// Generation of FCP_RSP.
    Response,
    /// Waiting for the completion process of the driver.
    CompletionQueue,
    /// Completion process of the driver.
    DriverCompletion,
}

impl Segment {
    /// Every segment in order.
    pub const ALL: [Self; 27] = [
        Self::HostQueue,
        Self::DriverArrival,
        Self::MessageQueue,
        Self::Message,
        Self::ProcessorQueue,
        Self::CommandExecution,
        Self::OutgoingBuffer,
        Self::DmaQueue,
        Self::Dma,
        Self::PortQueue,
        Self::AccessWindow,
        Self::Loop,
        Self::Credit,
        Self::CircuitHeld,
        Self::Wire,
        Self::FrameProcessQueue,
        Self::FrameProcess,
        Self::SingleFrameQueue,
        Self::SingleFrame,
        Self::DriveQueue,
        Self::MediaQueue,
        Self::Access,
        Self::MediaTransfer,
        Self::TransferReady,
        Self::Response,
        Self::CompletionQueue,
        Self::DriverCompletion,
    ];

    /// The block that works for the I/O; none if the I/O waits.
    pub fn block(self) -> Option<Block> {
        match self {
            Self::HostQueue
            | Self::MessageQueue
            | Self::ProcessorQueue
            | Self::OutgoingBuffer
            | Self::DmaQueue
            | Self::PortQueue
            | Self::AccessWindow
            | Self::Loop
            | Self::Credit
            | Self::CircuitHeld
            | Self::FrameProcessQueue
            | Self::SingleFrameQueue
            | Self::DriveQueue
            | Self::MediaQueue
            | Self::CompletionQueue => None,
            Self::DriverArrival => Some(Block::DriverArrival),
            Self::Message => Some(Block::Message),
            Self::CommandExecution | Self::TransferReady | Self::Response => Some(Block::Processor),
            Self::Dma => Some(Block::Dma),
            Self::Wire => Some(Block::Wire),
            Self::FrameProcess => Some(Block::FrameProcess),
            Self::SingleFrame => Some(Block::SingleFrame),
            Self::Access => Some(Block::Positioning),
            Self::MediaTransfer => Some(Block::Medium),
            Self::DriverCompletion => Some(Block::DriverCompletion),
        }
    }

    /// Name in results: lower case with underscores.
    pub fn name(self) -> &'static str {
        match self {
            Self::HostQueue => "host_queue",
            Self::DriverArrival => "driver_arrival",
            Self::MessageQueue => "message_queue",
            Self::Message => "message",
            Self::ProcessorQueue => "processor_queue",
            Self::CommandExecution => "command_execution",
            Self::OutgoingBuffer => "outgoing_buffer",
            Self::DmaQueue => "dma_queue",
            Self::Dma => "dma",
            Self::PortQueue => "port_queue",
            Self::AccessWindow => "access_window",
            Self::Loop => "loop",
            Self::Credit => "credit",
            Self::CircuitHeld => "circuit_held",
            Self::Wire => "wire",
            Self::FrameProcessQueue => "frame_process_queue",
            Self::FrameProcess => "frame_process",
            Self::SingleFrameQueue => "single_frame_queue",
            Self::SingleFrame => "single_frame",
            Self::DriveQueue => "drive_queue",
            Self::MediaQueue => "media_queue",
            Self::Access => "access",
            Self::MediaTransfer => "media_transfer",
            Self::TransferReady => "transfer_ready",
            Self::Response => "response",
            Self::CompletionQueue => "completion_queue",
            Self::DriverCompletion => "driver_completion",
        }
    }
}

/// Number of segments.
pub const SEGMENTS: usize = Segment::ALL.len();

/// The ledger of one I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ledger {
    spent: [Span; SEGMENTS],
    begun: Time,
    since: Time,
    segment: Segment,
}

impl Ledger {
    /// An I/O enters the system, in the host's queue.
    pub fn open(now: Time) -> Self {
        Self { spent: [Span::ZERO; SEGMENTS], begun: now, since: now, segment: Segment::HostQueue }
    }

    /// From now on the I/O is in `segment`.
    pub fn enter(&mut self, now: Time, segment: Segment) {
        if segment != self.segment {
            self.spent[self.segment as usize] += now - self.since;
            self.since = now;
            self.segment = segment;
        }
    }

    /// The I/O is complete. Returns its response time; the segments add up to it.
    pub fn close(&mut self, now: Time) -> Span {
        self.spent[self.segment as usize] += now - self.since;
        self.since = now;
        now - self.begun
    }

    /// The segment the I/O is in.
    pub fn segment(&self) -> Segment {
        self.segment
    }

    /// When the I/O entered the system.
    pub fn begun(&self) -> Time {
        self.begun
    }

    /// Time spent in each segment, in the order of [`Segment::ALL`].
    pub fn spent(&self) -> &[Span; SEGMENTS] {
        &self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_add_up_to_the_response_time() {
        let mut ledger = Ledger::open(Time(100));
        ledger.enter(Time(130), Segment::Dma);
        ledger.enter(Time(130), Segment::Loop);
        ledger.enter(Time(190), Segment::Wire);
        ledger.enter(Time(200), Segment::Loop);
        let response = ledger.close(Time(275));
        assert_eq!(response, Span(175));
        assert_eq!(ledger.spent().iter().map(|s| s.ticks()).sum::<u64>(), 175);
        assert_eq!(ledger.spent()[Segment::Loop as usize], Span(60 + 75));
        assert_eq!(ledger.spent()[Segment::Dma as usize], Span::ZERO);
    }

    #[test]
    fn the_list_of_segments_is_in_the_order_of_the_enumeration() {
        for (index, segment) in Segment::ALL.iter().enumerate() {
            assert_eq!(*segment as usize, index);
        }
    }
}
