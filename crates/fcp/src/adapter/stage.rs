//! Where an exchange is, as an adapter tells it for the time ledger.
//!
//! Of all that goes on for an exchange, what counts is nearest to the receiver: frames between the port of the sender and
//! that of the receiver come first, then the frame that the DMA fetches, then those it was asked for, then data that have
//! no room among the outgoing buffers, then what the drive is still to provide. Of received data only those count after
//! which nothing more is to come.

use super::{Adapter, AdapterBlock, AdapterEffect};
use crate::dma::DmaKind;
use crate::exchange::{AdapterStage, ExchangeTable};
use sansim_fc::frame::{ExchangeId, Frame, FrameKind};
use sansim_kernel::Time;

impl Adapter {
    /// Tells where the next data are that an exchange has to send.
    pub(super) fn tell_outgoing(
        &self,
        id: ExchangeId,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        let exchange = &table[id];
        let stage = if exchange.fetching {
            AdapterStage::Dma
        } else if exchange.asked_bytes > exchange.queued_bytes {
            AdapterStage::DmaQueue
        } else if exchange.sequence_end > exchange.asked_bytes {
            AdapterStage::OutgoingBuffer
        } else if exchange.write || exchange.queued_bytes == exchange.bytes {
            AdapterStage::Port
        } else {
            AdapterStage::Drive
        };
        tell(id, stage, table, out);
    }

    /// The I/O waits for nothing but its data to be in memory: tells whether the DMA is at it.
    pub(super) fn tell_storing(
        &mut self,
        block: AdapterBlock,
        id: ExchangeId,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        let at_it = self.dma_mut(block).current() == Some((id, DmaKind::Incoming));
        tell(id, if at_it { AdapterStage::Dma } else { AdapterStage::DmaQueue }, table, out);
    }
}

/// The stage of a job that has just been given to a block: its work if it is `due` at some time, else the queue.
pub(super) fn stage(due: Option<Time>, work: AdapterStage, queue: AdapterStage) -> AdapterStage {
    if due.is_some() { work } else { queue }
}

/// An exchange is at another stage. While frames of it are under way that is where what follows them is, and it is told when
/// the last of them has been received.
pub(super) fn tell(
    id: ExchangeId,
    stage: AdapterStage,
    table: &mut ExchangeTable,
    out: &mut Vec<AdapterEffect>,
) {
    let exchange = &mut table[id];
    exchange.stage = stage;
    if exchange.frames_under_way == 0 {
        out.push(AdapterEffect::Stage(id, stage));
    }
}

/// Whether the exchange goes on with this received frame. Of data only the last of a write burst do; others are followed by
/// more data, or by the status of a read.
pub(super) fn leads_on(frame: &Frame, table: &ExchangeTable) -> bool {
    frame.kind != FrameKind::Data || (frame.last_of_sequence && table[frame.exchange].write)
}
