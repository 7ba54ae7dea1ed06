//! Data frames that an adapter announces to its fabric before it fetches them.
//!
//! Where the DMA fetches a frame in less time than a frame needs to leave, and has nothing else to do, each data frame that leaves is followed
//! by the next one of its sequence. The fabric does that by itself (`sansim_fabric::Fabric::announce_frames`); before the adapter gets an input,
//! or its state is read, this file applies what has happened since. The announcement goes on after an input that leaves the DMA alone.
//!
//! The place of the request in the ledger is reported once for all these frames. That is as good as once for each, because the last frame of
//! the sequence follows them, and its place is reported before the frames in flight have arrived.

use super::burst::wake;
use super::outgoing::Draft;
use super::{Adapter, AdapterBlock, ExchangeUse};
use crate::dma::{DmaKind, DmaRequest};
use crate::exchange::ExchangeId;
use sansim_component::Context;
use sansim_kernel::{Span, Time};
use sansim_pdu::{Pdu, PduKind};
use sansim_request::RequestId;

/// The least number of frames that are announced.
const LEAST: u64 = 4;

/// Whether an adapter announces frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Announcing {
    /// The adapter has announced no frames.
    #[default]
    No,
    /// The network of the adapter accepts no announcement.
    Never,
    /// The adapter has announced frames of this exchange. The calendar has an event for the end of the fetch that was in progress then.
    Of(ExchangeId, Time),
}

/// Frames within a sequence that an adapter announces; see `sansim_fabric::engine::fast_path::announced::AnnouncedFrames`.
#[derive(Clone, Copy, Debug)]
pub struct FramesToAnnounce {
    /// The first of them.
    pub first: Pdu,
    /// The number of frames that the DMA is fetching.
    pub fetching: u32,
    /// The time until which it fetches the first of them.
    pub fetched_until: Time,
    /// The number of frames that are to be fetched, one for each that leaves.
    pub to_fetch: u32,
    /// The time in which the DMA fetches one of them.
    pub takes: Span,
}

impl<R: ExchangeUse> Adapter<R> {
    /// Whether the next frames of an exchange may be announced when a frame of it has been given to the port.
    #[inline]
    pub(super) fn may_announce(&self, id: ExchangeId) -> bool {
        self.announcing == Announcing::No && self.frames_to_fetch(id) >= LEAST
    }

    /// The number of frames within the sequence of an exchange for which the DMA has not been asked, if they are next.
    fn frames_to_fetch(&self, id: ExchangeId) -> u64 {
        match self.sequences.front() {
            Some(&(first, bytes, setup)) if first == id && setup.is_zero() => {
                bytes.div_ceil(self.parameters.max_payload) - 1
            }
            _ => 0,
        }
    }

    /// The network of the adapter accepts no announcement.
    pub fn announces_nothing(&mut self) {
        self.announcing = Announcing::Never;
    }

    /// The next frames, if all of them are alike and the DMA has nothing else to do.
    pub fn frames_to_announce(&mut self) -> Option<FramesToAnnounce> {
        let &(id, ..) = self.sequences.front()?;
        let shares_dma = self.is_accepting() && !self.parameters.dma_bidirectional;
        let is_plain = self.whole.is_none() && self.rules.headers.is_none() && self.sends_train.is_none();
        let is_full = self.outgoing == self.parameters.outgoing_buffers;
        let exchange = &self.exchanges[id];
        if !self.may_announce(id)
            || shares_dma
            || !is_plain
            || !is_full
            || exchange.aborted
            || exchange.failed
        {
            return None;
        }
        let request = self.fetch_of(id);
        let is_alike = self.dma.queued_requests()?.all(|other| *other == request);
        let fetching = self.dma.len();
        let payload = request.bytes;
        if !is_alike || exchange.asked_bytes != exchange.queued_bytes + fetching as u64 * payload {
            return None;
        }
        let (queued, count) = (exchange.queued_bytes, exchange.sequence_count);
        let draft = Draft { kind: PduKind::Data, payload_bytes: payload, ends: false, burst_bytes: 0 };
        let first = self.frame(id, &draft);
        let exchange = &mut self.exchanges[id];
        (exchange.queued_bytes, exchange.sequence_count) = (queued, count);
        Some(FramesToAnnounce {
            first,
            fetching: fetching as u32,
            fetched_until: self.dma_chunk_end().unwrap_or(Time::ZERO),
            to_fetch: self.frames_to_fetch(id) as u32,
            takes: self.dma.transfer_time(payload),
        })
    }

    /// The request to the DMA for a frame within a sequence.
    fn fetch_of(&self, exchange: ExchangeId) -> DmaRequest {
        let bytes = self.parameters.max_payload;
        DmaRequest { exchange, kind: DmaKind::Outgoing, bytes, setup: Span::ZERO, ends: false }
    }

    /// The fabric has accepted the announcement.
    pub fn announcement_begins(&mut self) {
        if let Some(&(id, ..)) = self.sequences.front() {
            self.announcing = Announcing::Of(id, self.dma_chunk_end().unwrap_or(Time::NEVER));
        }
    }

    /// The request whose frames are announced.
    pub fn announced_request(&self) -> Option<RequestId> {
        match self.announcing {
            Announcing::Of(id, _) => Some(self.exchanges[id].request),
            Announcing::No | Announcing::Never => None,
        }
    }

    /// Applies what has happened of the announcement: `left` frames have left, for each of which the DMA was asked for another one, and the DMA is
    /// still to fetch `fetching` frames, the first of them until the time `fetched_until`.
    pub fn announcement_passes(
        &mut self,
        cx: &mut Context<'_>,
        left: usize,
        fetching: usize,
        fetched_until: Time,
    ) {
        let Announcing::Of(id, _) = self.announcing else { return };
        let request = self.fetch_of(id);
        let before = self.dma.len();
        let done = before + left - fetching;
        if done + left == 0 {
            return;
        }
        let begun = done + usize::from(fetching > 0) - usize::from(before > 0);
        let took = self.dma.transfer_time(request.bytes) * begun as u64;
        self.dma.catch_up(done, left, (fetched_until, took), |_| request);
        if let Some((_, bytes, _)) = self.sequences.front_mut() {
            *bytes -= left as u64 * request.bytes;
        }
        let exchange = &mut self.exchanges[id];
        exchange.asked_bytes += left as u64 * request.bytes;
        exchange.queued_bytes += done as u64 * request.bytes;
        exchange.sequence_count = exchange.sequence_count.wrapping_add(done as u16);
        exchange.fetching = fetching > 0;
        self.tell_outgoing(cx, id);
    }

    /// Whether an announcement that has been applied goes on after an input to the adapter: the DMA has nothing to do, and the frames that were
    /// announced are still to be sent.
    pub fn announcement_goes_on(&self) -> bool {
        let Announcing::Of(id, _) = self.announcing else { return false };
        let exchange = &self.exchanges[id];
        self.dma.is_empty()
            && self.outgoing == self.parameters.outgoing_buffers
            && self.frames_to_fetch(id) > 0
            && !(exchange.aborted || exchange.failed)
    }

    /// The announcement is over. `fetching` says that the DMA is fetching a frame of it.
    pub fn announcement_ends(&mut self, cx: &mut Context<'_>, fetching: bool) {
        let Announcing::Of(_, scheduled) = self.announcing else { return };
        self.announcing = Announcing::No;
        if fetching && self.dma.chunk_end() != scheduled {
            wake(cx, AdapterBlock::Dma, self.dma.chunk_end());
        }
    }
}
