//! What the adapter does with DMA: payload fetched for frames to be sent, payload of received frames stored, request packages.

use super::outgoing::Draft;
use super::{Adapter, AdapterBlock, AdapterStage, Role};
use crate::dma::{Dma, DmaKind, DmaRequest};
use crate::exchange::ExchangeId;
use sansim_component::Context;
use sansim_fc::frame::FrameKind;
use sansim_kernel::{Span, Time};

impl<R: Role> Adapter<R> {
    /// Data of a sequence are to be fetched by DMA, after those of earlier sequences.
    pub(crate) fn fetch(&mut self, cx: &mut Context<'_>, id: ExchangeId, bytes: u64) {
        self.sequences.push_back((id, bytes, self.parameters.dma_setup_time));
        self.fetch_next(cx);
        if !self.exchanges[id].fetching {
            self.tell_outgoing(cx, id);
        }
    }

    /// A data frame has left the outgoing FIFO.
    pub(crate) fn frame_left(&mut self, cx: &mut Context<'_>) {
        self.outgoing -= 1;
        self.fetch_next(cx);
        self.run_at_once(cx);
    }

    /// Asks the DMA for as many frames as the outgoing FIFO has room for.
    fn fetch_next(&mut self, cx: &mut Context<'_>) {
        while self.outgoing < self.parameters.outgoing_buffers {
            let Some((id, left, setup)) = self.sequences.front_mut() else { return };
            let id = *id;
            let bytes = (*left).min(self.parameters.max_payload);
            *left -= bytes;
            let ends = *left == 0;
            let request = DmaRequest { exchange: id, kind: DmaKind::Outgoing, bytes, setup: *setup, ends };
            *setup = Span::ZERO;
            if ends {
                self.sequences.pop_front();
            }
            self.outgoing += 1;
            self.exchanges[id].asked_bytes += bytes;
            self.push_dma(cx, AdapterBlock::Dma, request);
            if !self.exchanges[id].fetching {
                self.tell_outgoing(cx, id);
            }
        }
    }

    /// Gives the DMA a request.
    pub(crate) fn push_dma(&mut self, cx: &mut Context<'_>, block: AdapterBlock, request: DmaRequest) {
        let due = self.dma_mut(block).push(cx.now, request);
        self.chunk_begun(cx, block, due);
    }

    pub(super) fn dma(&self, block: AdapterBlock) -> &Dma {
        if block == AdapterBlock::DmaIn { &self.dma_in } else { &self.dma }
    }

    fn dma_mut(&mut self, block: AdapterBlock) -> &mut Dma {
        if block == AdapterBlock::DmaIn { &mut self.dma_in } else { &mut self.dma }
    }

    /// The block of the DMA that moves data of received frames.
    pub(crate) fn dma_of_incoming(&self) -> AdapterBlock {
        if self.parameters.dma_bidirectional { AdapterBlock::DmaIn } else { AdapterBlock::Dma }
    }

    /// The DMA has begun a chunk if it is `due` at some time.
    fn chunk_begun(&mut self, cx: &mut Context<'_>, block: AdapterBlock, due: Option<Time>) {
        if due.is_none() {
            return;
        }
        self.when(cx, block, due);
        let Some((id, kind)) = self.dma(block).current() else { return };
        match kind {
            DmaKind::Request => self.tell(cx, id, AdapterStage::Dma),
            DmaKind::Outgoing => {
                self.exchanges[id].fetching = true;
                self.tell(cx, id, AdapterStage::Dma);
            }
            DmaKind::Incoming if self.exchanges[id].storing => self.tell(cx, id, AdapterStage::Dma),
            DmaKind::Incoming => {}
        }
    }

    pub(super) fn chunk_done(&mut self, cx: &mut Context<'_>, block: AdapterBlock) {
        let (done, next) = self.dma_mut(block).finish(cx.now);
        if let Some(chunk) = done
            && chunk.kind == DmaKind::Outgoing
        {
            self.exchanges[chunk.exchange].fetching = false;
        }
        self.chunk_begun(cx, block, next);
        let Some(chunk) = done else { return };
        let id = chunk.exchange;
        match chunk.kind {
            // More of the package is to come.
            DmaKind::Request if !chunk.last => {}
            DmaKind::Request => R::package_fetched(self, cx, id),
            DmaKind::Outgoing => {
                let draft = Draft {
                    kind: FrameKind::Data,
                    payload_bytes: chunk.bytes,
                    ends: chunk.ends,
                    burst_bytes: 0,
                };
                self.enqueue(cx, id, draft);
                if !self.exchanges[id].fetching {
                    self.tell_outgoing(cx, id);
                }
                R::data_queued(self, cx, id);
            }
            DmaKind::Incoming => {
                self.exchanges[id].stored_bytes += chunk.bytes;
                R::data_stored(self, cx, id);
            }
        }
    }
}
