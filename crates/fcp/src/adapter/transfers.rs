//! The uses of DMA by the adapter: fetching payload for frames to be sent, storing payload of received frames, and fetching
//! request packages.

use super::outgoing::Draft;
use super::{Adapter, AdapterBlock, ExchangeUse};
use crate::dma::{Dma, DmaKind, DmaRequest, DmaStep};
use crate::exchange::ExchangeId;
use sansim_component::{BusTransfer, Context, Message, ObservableKind};
use sansim_kernel::Span;
use sansim_pdu::PduKind;

impl<R: ExchangeUse> Adapter<R> {
    /// Queues data of a sequence for the DMA, after the data of earlier sequences.
    pub(crate) fn fetch(&mut self, cx: &mut Context<'_>, id: ExchangeId, bytes: u64) {
        self.sequences.push_back((id, bytes, self.parameters.dma_setup_time));
        self.fetch_next(cx);
        if !self.exchanges[id].fetching {
            self.tell_outgoing(cx, id);
        }
    }

    /// A data frame has left the outgoing FIFO.
    pub(crate) fn frame_left(&mut self, cx: &mut Context<'_>) {
        self.left(cx, 1);
    }

    /// Notes that this many data frames have left the outgoing buffers.
    pub(crate) fn left(&mut self, cx: &mut Context<'_>, frames: u32) {
        self.outgoing -= frames;
        self.fetch_next(cx);
        self.run_at_once(cx);
    }

    /// Requests as many frames from the DMA as there are free outgoing buffers.
    fn fetch_next(&mut self, cx: &mut Context<'_>) {
        if self.whole.is_some() {
            self.fetch_sequences(cx);
            return;
        }
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
        let step = self.dma_mut(block).queue_request(cx.now, request);
        self.chunk_begun(cx, block, step);
    }

    pub(super) fn dma(&self, block: AdapterBlock) -> &Dma {
        if block == AdapterBlock::DmaIn { &self.dma_in } else { &self.dma }
    }

    pub(super) fn dma_mut(&mut self, block: AdapterBlock) -> &mut Dma {
        if block == AdapterBlock::DmaIn { &mut self.dma_in } else { &mut self.dma }
    }

    /// The block of the DMA that moves data of received frames, for lookahead.
    pub fn storing_block(&self) -> AdapterBlock {
        self.dma_of_incoming()
    }

    /// The block of the DMA that moves data of received frames.
    pub(crate) fn dma_of_incoming(&self) -> AdapterBlock {
        if self.parameters.dma_bidirectional { AdapterBlock::DmaIn } else { AdapterBlock::Dma }
    }

    /// Schedules the end of the chunk that the DMA has begun, or asks the bus for it.
    #[inline]
    fn chunk_begun(&mut self, cx: &mut Context<'_>, block: AdapterBlock, step: Option<DmaStep>) {
        match step {
            Some(DmaStep::At(due)) => self.when(cx, block, Some(due)),
            Some(DmaStep::Bus(bytes)) => self.ask_bus(cx, block, bytes),
            None => return,
        }
        if let Some((id, DmaKind::Outgoing)) = self.dma(block).current_exchange() {
            self.exchanges[id].fetching = true;
        }
        self.tell_chunk(cx, block);
    }

    /// Reports the stage of the chunk that a DMA has begun to the exchange that waits for the chunk.
    #[inline]
    fn tell_chunk(&self, cx: &mut Context<'_>, block: AdapterBlock) {
        let Some((id, kind)) = self.dma(block).current_exchange() else { return };
        if kind != DmaKind::Incoming || self.exchanges[id].storing {
            self.tell_moved(cx, id, block);
        }
    }

    fn ask_bus(&self, cx: &mut Context<'_>, block: AdapterBlock, bytes: u64) {
        let dma = self.dma(block);
        let Some((id, kind)) = dma.current_exchange() else { return };
        let transfer = BusTransfer {
            request: Some(self.exchanges[id].request),
            bytes,
            bytes_per_second: dma.bytes_per_second(),
            into_memory: kind == DmaKind::Incoming,
        };
        cx.send(self.bus_port(block), Message::Transfer(transfer));
    }

    /// The bus reports that a chunk waits, is being moved or has been moved.
    pub(super) fn bus_told(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        if self.registers.uses_port(port) {
            self.bus_reports_on_registers(cx, port, message);
            return;
        }
        let block = if port == self.bus { AdapterBlock::Dma } else { AdapterBlock::DmaIn };
        match message {
            Message::Granted(request, until) => {
                self.dma_mut(block).bus_granted(cx.now, until);
                self.tell_chunk(cx, block);
                if let Some(request) = request.filter(|_| cx.wanted_sights().blocks) {
                    cx.report_observation(cx.now, ObservableKind::Block(block as usize, request, until));
                }
            }
            Message::Preempted(_) => {
                self.dma_mut(block).bus_released_while_waiting();
                self.tell_chunk(cx, block);
            }
            _ => {
                self.chunk_done(cx, block);
                self.run_at_once(cx);
            }
        }
    }

    /// A DMA has completed a chunk, or the work of its scheduler, after which it needs the bus.
    pub(super) fn dma_due(&mut self, cx: &mut Context<'_>, block: AdapterBlock) {
        match self.dma_mut(block).setup_completed() {
            Some(bytes) => {
                self.ask_bus(cx, block, bytes);
                self.tell_chunk(cx, block);
            }
            None => self.chunk_done(cx, block),
        }
    }

    fn chunk_done(&mut self, cx: &mut Context<'_>, block: AdapterBlock) {
        let (done, next) = self.dma_mut(block).finish_current(cx.now);
        if let Some(chunk) = done
            && chunk.kind == DmaKind::Outgoing
        {
            self.exchanges[chunk.exchange].fetching = false;
        }
        self.chunk_begun(cx, block, next);
        let Some(chunk) = done else { return };
        let id = chunk.exchange;
        if self.exchanges[id].aborted {
            if chunk.kind == DmaKind::Outgoing {
                // The frame for which the chunk was fetched is not made.
                let frames = self.whole.as_mut().map_or(1, |whole| whole.drop_fetched());
                self.left(cx, frames);
            } else if let Some(whole) = &mut self.whole {
                whole.stored(block);
            }
            self.job_dropped(cx, id);
            return;
        }
        match chunk.kind {
            // More of the request package is to come.
            DmaKind::Request if !chunk.last => {}
            DmaKind::Request => R::package_fetched(self, cx, id),
            DmaKind::Outgoing => {
                let bytes = if self.whole.is_some() { self.sequence_fetched() } else { chunk.bytes };
                let draft =
                    Draft { kind: PduKind::Data, payload_bytes: bytes, ends: chunk.ends, burst_bytes: 0 };
                self.enqueue(cx, id, draft);
                if !self.exchanges[id].fetching {
                    self.tell_outgoing(cx, id);
                }
                if !self.is_fetched_later(bytes) {
                    R::data_queued(self, cx, id);
                }
                if self.may_fetch_ahead(id) || self.may_announce(id) {
                    cx.lookahead().may_fetch_ahead();
                }
            }
            DmaKind::Incoming => {
                let all = self.whole.as_mut().and_then(|whole| whole.stored(block));
                self.exchanges[id].stored_bytes += all.unwrap_or(chunk.bytes);
                R::data_stored(self, cx, id);
            }
        }
    }
}
