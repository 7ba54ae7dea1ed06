//! The handling of frames that the port of an adapter has received.

use super::stage::{leads_on, stage};
use super::{Adapter, AdapterBlock, AdapterStage, DmaSetupPer, ExchangeUse, NETWORK, Task};
use crate::dma::{DmaKind, DmaRequest};
use crate::exchange::ExchangeId;
use crate::unit::status_of;
use sansim_component::context::UnitStep;
use sansim_component::{Context, Message};
use sansim_kernel::Span;
use sansim_pdu::{Pdu, PduKind, Sense};
use sansim_request::{RequestId, Status};

impl<R: ExchangeUse> Adapter<R> {
    /// The port has received a frame.
    pub(crate) fn received(&mut self, cx: &mut Context<'_>, frame: &Pdu) {
        if self.throws_away(cx, frame) {
            return;
        }
        if frame.kind.is_link_service() {
            self.link_service_received(cx, *frame);
            return;
        }
        let request = RequestId(frame.tag.0);
        let known = R::exchange_of(self, cx, frame).filter(|&id| self.exchanges[id].request == request);
        let Some(id) = known else {
            // The frame belongs to an exchange that is over.
            Self::discard(cx, frame);
            return;
        };
        cx.ledger().advance_unit(request, UnitStep::Taken);
        if self.exchanges[id].retries && self.is_discarded(cx, id, frame) {
            return;
        }
        if frame.kind == PduKind::Data {
            self.exchanges[id].received_bytes += u64::from(frame.payload_bytes);
        }
        let due = self.incoming.submit_job(cx.now, (id, *frame), self.parameters.frame_time);
        if leads_on(frame) || self.is_last_of_reply(frame) {
            self.tell(cx, id, stage(due, AdapterStage::Incoming, AdapterStage::IncomingQueue));
        } else {
            // More frames of the request are to follow; the stage of the request was kept while frames were
            // in flight.
            cx.ledger().advance_unit(request, UnitStep::AllIn);
            self.may_accept(cx, id, frame);
        }
        self.when(cx, AdapterBlock::Incoming, due);
        self.run_at_once(cx);
    }

    /// A received frame is discarded, and its buffer is empty.
    #[cold]
    pub(super) fn discard(cx: &mut Context<'_>, frame: &Pdu) {
        cx.ledger().advance_unit(RequestId(frame.tag.0), UnitStep::Taken);
        cx.send(NETWORK, Message::BufferFreed);
    }

    /// The incoming frame process is done with a frame, and its buffer is empty.
    pub(super) fn frame_processed(&mut self, cx: &mut Context<'_>) {
        let (done, next) = self.incoming.finish_current(cx.now);
        if let Some(((id, frame), at)) = next {
            if leads_on(&frame) || self.is_last_of_reply(&frame) {
                self.tell(cx, id, AdapterStage::Incoming);
            }
            self.when(cx, AdapterBlock::Incoming, Some(at));
        }
        let Some((id, frame)) = done else { return };
        cx.send(NETWORK, Message::BufferFreed);
        if frame.kind.is_link_service() {
            R::link_service(self, cx, &frame);
            cx.release_record(RequestId(frame.tag.0));
            return;
        }
        if self.exchanges[id].aborted {
            self.job_dropped(cx, id);
            return;
        }
        match frame.kind {
            PduKind::Data => {
                let is_claimed = std::mem::replace(&mut self.exchanges[id].dma_claimed, true);
                let setup = self.setup_to_store(is_claimed);
                let bytes = u64::from(frame.payload_bytes);
                let (bytes, setup) =
                    if self.whole.is_some() { self.left_to_store(bytes, setup) } else { (bytes, setup) };
                let request = DmaRequest { exchange: id, kind: DmaKind::Incoming, bytes, setup, ends: false };
                let block = self.dma_of_incoming();
                self.push_dma(cx, block, request);
                R::data_processed(self, cx, id, leads_on(&frame));
            }
            PduKind::TransferReady => {
                let exchange = &mut self.exchanges[id];
                exchange.other = frame.responder;
                exchange.sequence = frame.unit + 1;
                exchange.sequence_end = u64::from(frame.offset) + u64::from(frame.burst_bytes);
                if exchange.retries {
                    let start = u64::from(frame.offset);
                    (exchange.queued_bytes, exchange.asked_bytes) = (start, start);
                }
                self.process(cx, Task::TransferReady(id));
            }
            // The link services have been handled above.
            PduKind::Abort
            | PduKind::AbortAccept
            | PduKind::AbortReject
            | PduKind::Confirm
            | PduKind::ServiceRequest
            | PduKind::ServiceAccept
            | PduKind::ServiceReject => {}
            // The port handles link control itself, and no node sends IP to an adapter.
            PduKind::Control | PduKind::Ip => {}
            PduKind::Command | PduKind::Response => {
                let exchange = &mut self.exchanges[id];
                exchange.since = cx.now;
                if frame.kind == PduKind::Response {
                    exchange.status = status_of(&frame);
                    exchange.failed |= exchange.status != Status::Good;
                    exchange.unreachable |= frame.sense == Sense::NotAccessible;
                    if exchange.retries {
                        (exchange.other, exchange.confirms) = (frame.responder, frame.burst_bytes > 0);
                        exchange.sequence = frame.unit + 1;
                    }
                }
                let due = self.single_frame.submit_job(cx.now, id, self.parameters.single_frame_time);
                self.tell(cx, id, stage(due, AdapterStage::SingleFrame, AdapterStage::SingleFrameQueue));
                self.when(cx, AdapterBlock::SingleFrame, due);
            }
        }
    }

    /// Whether a received frame of an exchange is in the incoming frame process, or waits for it.
    pub(crate) fn processes_frame_of(&self, id: ExchangeId) -> bool {
        self.incoming.has_job(|&(job, _)| job == id)
    }

    /// The overhead of the DMA scheduler for the next data frame that is stored. `is_claimed` says that the overhead has been paid for
    /// an earlier frame of the sequence.
    pub(super) fn setup_to_store(&self, is_claimed: bool) -> Span {
        let pays = self.parameters.dma_setup_per == DmaSetupPer::Frame || !is_claimed;
        if pays { self.parameters.dma_setup_time } else { Span::ZERO }
    }

    pub(super) fn single_frame_done(&mut self, cx: &mut Context<'_>) {
        let (done, next) = self.single_frame.finish_current(cx.now);
        if let Some((id, at)) = next {
            self.tell(cx, id, AdapterStage::SingleFrame);
            self.when(cx, AdapterBlock::SingleFrame, Some(at));
        }
        match done {
            Some(id) if self.exchanges[id].aborted => self.job_dropped(cx, id),
            Some(id) if self.slowness.is_delayed() => self.delay_exchange(cx, id),
            Some(id) => R::single_frame_done(self, cx, id),
            None => {}
        }
    }
}
