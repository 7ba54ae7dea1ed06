//! The parameters of an adapter.

use crate::dma::DmaOrder;
use sansim_fc::al_pa::AlPa;
use sansim_kernel::Span;

/// Payload bytes of the FCP information units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitSizes {
    /// FCP_CMND (32 with a 16-byte CDB).
    pub command: u16,
    /// FCP_XFER_RDY (12).
    pub transfer_ready: u16,
    /// FCP_RSP without sense data (24).
    pub response: u16,
}

/// From when on the target generates FCP_RSP for a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ResponseStart {
    /// When the last data have come in from DMA, so that it can follow the data in the same circuit (Wang 4.3.2.3).
    #[default]
    Fetched,
    /// When the last data frame has left the port.
    Sent,
}

/// In which circuit the FCP_RSP of a read goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ResponseCircuit {
    /// In that of the data, if it is made in time.
    #[default]
    Shared,
    /// In one of its own: it is handed to the port when the circuit of the last data is over (Ruwart 1999, table 1: a
    /// read has three phases).
    Own,
}

/// When the data of a write burst count as in, so that the next burst is asked for or the status is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BurstDone {
    /// When the last frame has passed the incoming frame process; DMA goes on by itself (Wang 4.3.2.3: "if all data has
    /// been received").
    #[default]
    Received,
    /// When the last byte is in the write buffer.
    Stored,
}

/// How often incoming data pay the overhead of the DMA scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SetupPer {
    /// Once for the data of a sequence.
    #[default]
    Sequence,
    /// For every frame.
    Frame,
}

/// In which order the FCP main processor takes its tasks. Among equals the first to come is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ProcessorOrder {
    /// As they come.
    #[default]
    Fcfs,
    /// FCP_XFER_RDY before all else, so that no data wait behind commands.
    TransferReadyFirst,
    /// Commands before all else (Wang 3.4.1).
    CommandFirst,
}

/// Parameters of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdapterConfig {
    /// Address of its port.
    pub al_pa: AlPa,
    /// Target or initiator.
    pub target: bool,
    /// Payload of a full data frame.
    pub max_payload: u16,
    /// Data frames that the outgoing FIFO holds besides the one being sent. Data are fetched as it empties.
    pub outgoing_buffers: u32,
    /// Sizes of the other information units.
    pub sizes: UnitSizes,
    /// A message or interrupt between host (or drive firmware) and adapter, each way.
    pub message_time: Span,
    /// Initiator: commands that are executed at a time, from the message to FCP_CMND in the queue of the port (Wang 3.2.3).
    pub commands_in_execution: Option<u64>,
    /// Main processor: which task is next.
    pub processor_order: ProcessorOrder,
    /// Main processor, per command.
    pub command_time: Span,
    /// Bytes of the request package that is fetched for a command.
    pub request_bytes: u64,
    /// Main processor, per FCP_XFER_RDY received.
    pub xfer_rdy_time: Span,
    /// Main processor, per FCP_RSP generated.
    pub response_time: Span,
    /// When it begins.
    pub response_start: ResponseStart,
    /// Where it goes.
    pub response_circuit: ResponseCircuit,
    /// DMA rate.
    pub dma_bytes_per_second: u64,
    /// DMA scheduler, per request.
    pub dma_setup_time: Span,
    /// DMA discipline.
    pub dma_order: DmaOrder,
    /// The request package of a command goes before data in the DMA queue (Wang 3.4.1).
    pub dma_request_first: bool,
    /// What counts as a request for incoming data.
    pub dma_setup_per: SetupPer,
    /// Incoming data have a scheduler and a transfer unit of their own, so that both directions go on at the same time
    /// (Wang 4.3.2.2: "bidirectional transfer").
    pub dma_bidirectional: bool,
    /// Target: when a write burst is complete.
    pub burst_done: BurstDone,
    /// Incoming frame process, per frame.
    pub frame_time: Span,
    /// Single frame transfer, per frame.
    pub single_frame_time: Span,
}
