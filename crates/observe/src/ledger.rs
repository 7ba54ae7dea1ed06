//! The time ledger: named segments that add up, to the tick, to the response time of an I/O.
//!
//! At every moment an I/O that is in the system is in exactly one segment: the thing it waits for or that is done for it.
//! Where several things go on at once (frames on the wire while others are fetched by DMA) the segment is the one nearest
//! to the receiver, the last to be waited for.

use sansim_kernel::{Span, Time};

/// Where time goes. In the order in which a read meets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Segment {
    /// In the driver's queue, because the outstanding limit is reached or an earlier request is being set up.
    HostQueue,
    /// Arrival process of the driver.
    DriverArrival,
    /// Message over the bus to the adapter, or interrupt from it.
    Message,
    /// Main processor of an adapter: a command, its queue included.
    CommandExecution,
    /// DMA queue, scheduler and transfer.
    Dma,
    /// Queue of a port, behind other frames, or until as many have come as `within_sequence` asks for.
    PortQueue,
    /// Waiting for the access window of the fairness algorithm to open.
    AccessWindow,
    /// Waiting for the loop: arbitration, or another circuit to end.
    Loop,
    /// Waiting for credit: OPN on its way, R_RDY on its way back, no buffer free.
    Credit,
    /// Waiting for the next frame of a sequence to come from memory, in a circuit that is held open for it.
    CircuitHeld,
    /// Frames on the wire.
    Wire,
    /// Incoming frame process.
    FrameProcess,
    /// Single frame transfer, its queue included.
    SingleFrame,
    /// Waiting in the drive for other commands.
    DriveQueue,
    /// Seek and rotation.
    Access,
    /// Media transfer.
    MediaTransfer,
    /// Handling of FCP_XFER_RDY by the initiator, its queue included.
    TransferReady,
    /// Generation of FCP_RSP, its queue included.
    Response,
    /// Completion process of the driver.
    DriverCompletion,
}

impl Segment {
    /// Every segment in order.
    pub const ALL: [Self; 19] = [
        Self::HostQueue,
        Self::DriverArrival,
        Self::Message,
        Self::CommandExecution,
        Self::Dma,
        Self::PortQueue,
        Self::AccessWindow,
        Self::Loop,
        Self::Credit,
        Self::CircuitHeld,
        Self::Wire,
        Self::FrameProcess,
        Self::SingleFrame,
        Self::DriveQueue,
        Self::Access,
        Self::MediaTransfer,
        Self::TransferReady,
        Self::Response,
        Self::DriverCompletion,
    ];

    /// Name in results: lower case with underscores.
    pub fn name(self) -> &'static str {
        match self {
            Self::HostQueue => "host_queue",
            Self::DriverArrival => "driver_arrival",
            Self::Message => "message",
            Self::CommandExecution => "command_execution",
            Self::Dma => "dma",
            Self::PortQueue => "port_queue",
            Self::AccessWindow => "access_window",
            Self::Loop => "loop",
            Self::Credit => "credit",
            Self::CircuitHeld => "circuit_held",
            Self::Wire => "wire",
            Self::FrameProcess => "frame_process",
            Self::SingleFrame => "single_frame",
            Self::DriveQueue => "drive_queue",
            Self::Access => "access",
            Self::MediaTransfer => "media_transfer",
            Self::TransferReady => "transfer_ready",
            Self::Response => "response",
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
