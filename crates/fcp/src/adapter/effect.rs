//! What an adapter does in answer to an input, and the blocks it names by it.

use crate::exchange::AdapterStage;
use sansim_fc::frame::{ExchangeId, Frame};
use sansim_kernel::Time;

/// A block of the adapter that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterBlock {
    /// Bus interface towards the adapter.
    MessageIn,
    /// Interrupt towards the host or firmware.
    MessageOut,
    /// FCP main processor.
    Processor,
    /// DMA scheduler and transfer; with `dma_bidirectional` only from the host (or the drive's buffer).
    Dma,
    /// With `dma_bidirectional`: DMA of incoming data.
    DmaIn,
    /// Incoming frame process.
    Incoming,
    /// Single frame transfer.
    SingleFrame,
}

/// What an adapter does in answer to an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AdapterEffect {
    /// Call [`super::Adapter::due`] for this block at this time.
    Due(AdapterBlock, Time),
    /// Hand the frame to the port.
    Enqueue(Frame),
    /// A buffer of the port is empty again.
    BufferFreed,
    /// Target: the drive's firmware has the command now.
    CommandArrived(ExchangeId),
    /// Target: all data of a write burst are in.
    BurstIn(ExchangeId),
    /// Target: the last byte of a write is in the write buffer. The status may have gone before.
    AllStored(ExchangeId),
    /// Target: the status is on its way, the command is done with.
    StatusQueued(ExchangeId),
    /// Initiator: the host is told that the command is complete.
    Completed(ExchangeId),
    /// The exchange is here now.
    Stage(ExchangeId, AdapterStage),
}
