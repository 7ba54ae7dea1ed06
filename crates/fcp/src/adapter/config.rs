//! The parameters of an adapter.

use super::parameters::{BurstDone, DmaSetupPer, ProcessorOrder, ResponseCircuit, ResponseStart, UnitSizes};
use crate::dma::DmaOrder;
use sansim_fc::al_pa::AlPa;
use sansim_kernel::Span;

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
    pub dma_setup_per: DmaSetupPer,
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
