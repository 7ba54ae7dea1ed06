//! Data frames that an adapter accepts from its fabric without being notified of each.
//!
//! A frame within a sequence that needs no time of the incoming frame process, and is stored before the next frame can arrive, concerns only
//! the counts of its exchange and the DMA. The adapter says so to the fabric when the first frame of a sequence has arrived
//! (`sansim_fabric::Fabric::accept_frames`); before the adapter gets an input, or its state is read, this file applies what has arrived.

use super::burst::wake;
use super::{Adapter, ExchangeUse};
use crate::dma::{DmaKind, DmaRequest, DmaStep};
use crate::exchange::ExchangeId;
use sansim_component::{Context, Message, Timer};
use sansim_kernel::{Span, Time};
use sansim_pdu::{Pdu, PduKind, RequestTag};

/// The least number of further frames of an exchange for which it is worth while to accept them.
const LEAST: u64 = 4;

/// The exchanges of which an adapter accepts frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Accepting {
    /// Whether the network of the adapter needs to notify it of every frame.
    never: bool,
    exchanges: Vec<(RequestTag, ExchangeId)>,
    /// The frame that has arrived last, if its exchange may be accepted.
    candidate: Option<(ExchangeId, Pdu)>,
}

/// How an input to an adapter affects the frames that it accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptanceInterference {
    /// The frames of all requests are accepted as before.
    None,
    /// The frames of this request may affect more.
    Of(RequestTag),
    /// The frames of any request may affect more.
    OfAll,
}

impl<R: ExchangeUse> Adapter<R> {
    /// Whether the adapter accepts frames of any exchange.
    pub(super) fn is_accepting(&self) -> bool {
        !self.accepting.exchanges.is_empty()
    }

    /// The network of the adapter is no fabric.
    pub fn notices_every_frame(&mut self) {
        self.announces_nothing();
        self.accepts_nothing();
    }

    /// The network of the adapter needs to notify it of every frame.
    pub fn accepts_nothing(&mut self) {
        self.accepting.never = true;
    }

    /// A frame of an exchange has arrived: notes whether the frames after it may be accepted.
    #[inline]
    pub(super) fn may_accept(&mut self, cx: &mut Context<'_>, id: ExchangeId, frame: &Pdu) {
        if self.accepting.never || frame.kind != PduKind::Data || frame.last_of_unit {
            return;
        }
        let later = self.exchanges[id].bytes.saturating_sub(self.exchanges[id].received_bytes);
        if later >= LEAST * self.parameters.max_payload && self.could_accept(id, frame) {
            self.accepting.candidate = Some((id, *frame));
            cx.lookahead().may_fetch_ahead();
        }
    }

    fn could_accept(&self, id: ExchangeId, frame: &Pdu) -> bool {
        let exchange = &self.exchanges[id];
        let of = &self.parameters;
        let is_plain = self.whole.is_none() && self.rules.headers.is_none() && !self.rules.status_in_data;
        let is_at_once = of.frame_time.is_zero() && of.dma_setup_time.is_zero();
        let shares_dma = self.announced_request().is_some() && !of.dma_bidirectional;
        let goes_on = !exchange.aborted && !exchange.failed && !exchange.retries;
        is_plain
            && is_at_once
            && !shares_dma
            && goes_on
            && !(exchange.storing || exchange.status_in || exchange.status_out)
            && self.damage.is_none()
            && u64::from(frame.payload_bytes) == of.max_payload
            && self.dma(self.dma_of_incoming()).queued_requests().is_some()
    }

    /// The first frame of a sequence whose further frames the adapter could accept, and the time in which it stores one.
    pub fn frame_to_accept(&mut self) -> Option<(Pdu, Span)> {
        let (_, frame) = self.accepting.candidate?;
        Some((frame, self.dma(self.dma_of_incoming()).transfer_time(self.parameters.max_payload)))
    }

    /// The fabric knows that the adapter accepts the frames after [`Adapter::frame_to_accept`].
    pub fn acceptance_begins(&mut self) {
        let Some((id, frame)) = self.accepting.candidate.take() else { return };
        self.accepting.exchanges.retain(|&(tag, _)| tag != frame.tag);
        self.accepting.exchanges.push((frame.tag, id));
    }

    /// The adapter is notified of the frames of a request, or of all frames, from now on.
    pub fn acceptance_ends(&mut self, of: Option<RequestTag>) {
        self.accepting.exchanges.retain(|&(tag, _)| of.is_some_and(|of| of != tag));
    }

    /// Frames of these requests have arrived and have been accepted: one after the other, the last one at the time `last`.
    pub fn frames_accepted(
        &mut self,
        cx: &mut Context<'_>,
        runs: impl Iterator<Item = (RequestTag, u32)>,
        last: Time,
        present: Time,
    ) {
        let (block, bytes) = (self.dma_of_incoming(), self.parameters.max_payload);
        let takes = self.dma(block).transfer_time(bytes);
        let is_idle = self.dma(block).is_empty();
        let mut last_id = None;
        for (tag, frames) in runs {
            let Some(&(_, id)) = self.accepting.exchanges.iter().find(|&&(other, _)| other == tag) else {
                continue;
            };
            let exchange = &mut self.exchanges[id];
            let all = u64::from(frames) * bytes;
            exchange.received_bytes += all;
            exchange.dma_claimed = true;
            if is_idle {
                exchange.stored_bytes += all;
                self.dma_mut(block).add_busy_time(takes * u64::from(frames));
                last_id = Some(id);
            } else {
                // The DMA has been at work since before the first of them.
                for _ in 0..frames {
                    self.dma_mut(block).queue_request(last, stores(id, bytes));
                }
            }
        }
        let Some(id) = last_id.filter(|_| last + takes >= present) else { return };
        self.exchanges[id].stored_bytes -= bytes;
        let dma = self.dma_mut(block);
        dma.take_back_busy_time(takes);
        if let Some(DmaStep::At(until)) = dma.queue_request(last, stores(id, bytes)) {
            wake(cx, block, until);
        }
    }

    /// How a message to the adapter affects the frames that it accepts.
    pub fn message_affects_accepted(&self, message: &Message) -> AcceptanceInterference {
        match message {
            Message::Received(unit) if unit.kind == PduKind::Data => AcceptanceInterference::None,
            Message::Received(unit) if !unit.kind.is_link_service() => AcceptanceInterference::Of(unit.tag),
            Message::Request(..)
            | Message::Release(_)
            | Message::Left(_)
            | Message::Sent(_)
            | Message::CircuitEnded => AcceptanceInterference::None,
            _ => AcceptanceInterference::OfAll,
        }
    }

    /// How a timer of the adapter affects the frames that it accepts.
    pub fn timer_affects_accepted(&self, timer: Timer) -> AcceptanceInterference {
        if timer.what < super::aborts::FIRST_KIND {
            AcceptanceInterference::None
        } else {
            AcceptanceInterference::OfAll
        }
    }
}

/// The request to the DMA to store a frame.
fn stores(exchange: ExchangeId, bytes: u64) -> DmaRequest {
    DmaRequest { exchange, kind: DmaKind::Incoming, bytes, setup: Span::ZERO, ends: false }
}
