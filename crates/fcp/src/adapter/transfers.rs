//! What the adapter does with DMA: payload fetched for frames to be sent, payload of received frames stored, request packages.

use super::effect::{AdapterBlock, AdapterEffect};
use super::parameters::{BurstDone, ResponseStart};
use super::stage::tell;
use super::{Adapter, Task};
use crate::dma::{Dma, DmaKind, DmaRequest};
use crate::exchange::{AdapterStage, ExchangeTable};
use sansim_fc::frame::{ExchangeId, FrameKind};
use sansim_kernel::{Span, Time};

impl Adapter {
    /// Data of a sequence are to be fetched by DMA, after those of earlier sequences.
    pub(super) fn fetch(
        &mut self,
        now: Time,
        id: ExchangeId,
        bytes: u64,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        self.sequences.push_back((id, bytes, self.parameters.dma_setup_time));
        self.fetch_next(now, table, out);
        if !table[id].fetching {
            self.tell_outgoing(id, table, out);
        }
    }

    /// Asks the DMA for as many frames as the outgoing FIFO has room for.
    pub(super) fn fetch_next(&mut self, now: Time, table: &mut ExchangeTable, out: &mut Vec<AdapterEffect>) {
        while self.outgoing < self.parameters.outgoing_buffers {
            let Some((id, left, setup)) = self.sequences.front_mut() else { return };
            let id = *id;
            let bytes = (*left).min(self.parameters.max_payload);
            let request = DmaRequest { exchange: id, kind: DmaKind::Outgoing, bytes, setup: *setup };
            *left -= bytes;
            *setup = Span::ZERO;
            if *left == 0 {
                self.sequences.pop_front();
            }
            self.outgoing += 1;
            table[id].asked_bytes += bytes;
            self.push_dma(now, AdapterBlock::Dma, request, table, out);
            if !table[id].fetching {
                self.tell_outgoing(id, table, out);
            }
        }
    }

    pub(super) fn push_dma(
        &mut self,
        now: Time,
        block: AdapterBlock,
        request: DmaRequest,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        let due = self.dma_mut(block).push(now, request);
        self.chunk_begun(now, block, due, table, out);
    }

    pub(super) fn dma_mut(&mut self, block: AdapterBlock) -> &mut Dma {
        if block == AdapterBlock::DmaIn { &mut self.dma_in } else { &mut self.dma }
    }

    /// The block of the DMA that moves data of received frames.
    pub(super) fn dma_of_incoming(&self) -> AdapterBlock {
        if self.parameters.dma_bidirectional { AdapterBlock::DmaIn } else { AdapterBlock::Dma }
    }

    /// The DMA has begun a chunk if it is `due` at some time.
    pub(super) fn chunk_begun(
        &mut self,
        now: Time,
        block: AdapterBlock,
        due: Option<Time>,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        self.when(now, block, due, out);
        if due.is_none() {
            return;
        }
        let Some((id, kind)) = self.dma_mut(block).current() else { return };
        match kind {
            DmaKind::Request => tell(id, AdapterStage::Dma, table, out),
            DmaKind::Outgoing => {
                table[id].fetching = true;
                tell(id, AdapterStage::Dma, table, out);
            }
            DmaKind::Incoming if table[id].storing => tell(id, AdapterStage::Dma, table, out),
            DmaKind::Incoming => {}
        }
    }

    pub(super) fn chunk_done(
        &mut self,
        now: Time,
        block: AdapterBlock,
        table: &mut ExchangeTable,
        out: &mut Vec<AdapterEffect>,
    ) {
        let (done, next) = self.dma_mut(block).finish(now);
        if let Some(chunk) = done {
            table[chunk.exchange].fetching &= chunk.kind != DmaKind::Outgoing;
        }
        self.chunk_begun(now, block, next, table, out);
        let Some(chunk) = done else { return };
        let id = chunk.exchange;
        match chunk.kind {
            // More of the package is to come.
            DmaKind::Request if !chunk.last => {}
            DmaKind::Request => {
                self.enqueue(id, FrameKind::Command, self.sizes.command_payload, table, out);
                self.executing -= 1;
                self.execute(now, table, out);
            }
            DmaKind::Outgoing => {
                self.enqueue(id, FrameKind::Data, chunk.bytes, table, out);
                if !table[id].fetching {
                    self.tell_outgoing(id, table, out);
                }
                let exchange = &table[id];
                let fetched_all = exchange.queued_bytes == exchange.bytes;
                if self.end.target && fetched_all && self.parameters.response_start == ResponseStart::Fetched
                {
                    self.process(now, Task::Response(id), table, out);
                }
            }
            DmaKind::Incoming => {
                let exchange = &mut table[id];
                exchange.stored_bytes += chunk.bytes;
                if exchange.write {
                    if self.parameters.burst_done == BurstDone::Stored
                        && exchange.stored_bytes == exchange.sequence_end
                    {
                        exchange.storing = false;
                        out.push(AdapterEffect::BurstIn(id));
                    }
                    if exchange.stored_bytes == exchange.bytes {
                        out.push(AdapterEffect::AllStored(id));
                    }
                } else if exchange.status_in && exchange.stored_bytes == exchange.bytes {
                    exchange.storing = false;
                    self.tell_host(now, id, table, out);
                }
                if table[id].storing {
                    self.tell_storing(block, id, table, out);
                }
            }
        }
    }
}
