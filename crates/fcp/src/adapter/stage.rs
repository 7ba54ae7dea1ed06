//! The stage of an exchange, as an adapter reports it to the time ledger.
//!
//! The stage of an exchange is the stage of its part nearest to the receiver: first frames between the port of the sender and the port of
//! the receiver, then the frame that the DMA fetches, then frames requested from the DMA, then data that have no room among the outgoing
//! buffers, then data that the server behind the adapter is still to provide. Received data determine the stage only if nothing more is to
//! come after them.

use super::{Adapter, AdapterBlock, AdapterStage, BLOCK, ExchangeUse, NETWORK};
use crate::dma::DmaKind;
use crate::exchange::ExchangeId;
use sansim_component::Context;
use sansim_component::context::RequestPlace;
use sansim_kernel::Time;
use sansim_pdu::{Pdu, PduKind};

impl<R: ExchangeUse> Adapter<R> {
    /// The exchange is at another stage, or, if frames of it are in flight, will be at another stage after
    /// these frames.
    #[inline]
    pub(crate) fn tell(&self, cx: &mut Context<'_>, id: ExchangeId, stage: AdapterStage) {
        let request = self.exchanges[id].request;
        match stage {
            AdapterStage::OutgoingBuffer | AdapterStage::DmaQueue | AdapterStage::Dma => {
                cx.ledger().locate_next_data(request, stage as usize);
            }
            _ => cx.ledger().locate_request(request, stage as usize),
        }
    }

    /// Reports the stage of the chunk that a DMA has begun for an exchange: in service, or waiting for the
    /// bus.
    pub(super) fn tell_moved(&self, cx: &mut Context<'_>, id: ExchangeId, block: AdapterBlock) {
        if self.dma(block).waits_for_bus() {
            cx.ledger().locate_next_data(self.exchanges[id].request, RequestPlace::Bus(self.bus_port(block)));
        } else {
            self.tell(cx, id, AdapterStage::Dma);
        }
    }

    /// Reports the stage of the next data that an exchange has to send.
    pub(crate) fn tell_outgoing(&self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &self.exchanges[id];
        if exchange.fetching {
            self.tell_moved(cx, id, AdapterBlock::Dma);
        } else if exchange.asked_bytes > exchange.queued_bytes {
            self.tell(cx, id, AdapterStage::DmaQueue);
        } else if exchange.sequence_end > exchange.asked_bytes {
            self.tell(cx, id, AdapterStage::OutgoingBuffer);
        } else if exchange.write || exchange.queued_bytes == exchange.bytes {
            cx.ledger().locate_request(exchange.request, RequestPlace::Queue(NETWORK));
        } else {
            cx.ledger().locate_request(exchange.request, RequestPlace::Server(BLOCK));
        }
    }

    /// The port at which a DMA uses its bus.
    pub(super) fn bus_port(&self, block: AdapterBlock) -> u16 {
        self.bus + u16::from(block == AdapterBlock::DmaIn)
    }

    /// The I/O waits only for its data to be in memory: reports whether the DMA stores these data now.
    pub(crate) fn tell_storing(&self, cx: &mut Context<'_>, id: ExchangeId) {
        let block = self.dma_of_incoming();
        let at_it = self.dma(block).current_exchange() == Some((id, DmaKind::Incoming));
        if at_it {
            self.tell_moved(cx, id, block);
        } else {
            self.tell(cx, id, AdapterStage::DmaQueue);
        }
    }
}

/// The stage of a job that has just been given to a block: its service if it is `due` at some time, otherwise the queue.
pub(crate) fn stage(due: Option<Time>, work: AdapterStage, queue: AdapterStage) -> AdapterStage {
    if due.is_some() { work } else { queue }
}

/// Whether the exchange continues with this received frame. Among data frames only the last frame of a write burst continues the exchange;
/// all other data frames are followed by more data, or by the status of a read.
pub(crate) fn leads_on(frame: &Pdu) -> bool {
    match frame.kind {
        PduKind::Data => frame.last_of_unit && frame.write,
        PduKind::Command | PduKind::TransferReady | PduKind::Response => true,
        _ => false,
    }
}
