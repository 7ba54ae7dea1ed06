//! An adapter at a network that accepts all data of a sequence at once.
//!
//! Such a network computes the effects of the single frames of a sequence. The adapter hands the sequence over when DMA has fetched the
//! data of its first frame, and is notified when the last frame has arrived. The work of DMA and the incoming frame process for the frames
//! between overlaps with the transfer: it counts as their work and delays nothing, because the network is no faster than the sender
//! fetches, and a slower receiver stores the remaining data after the last frame has arrived.
//!
//! Over a bus a sequence is moved in one piece: fetched before it is handed over, and stored when it has arrived. Nothing is therefore
//! faster than the bus, and work that overlaps with the transfer in a model of single frames comes before and after the transfer.
//!
//! The outgoing FIFO counts frames; a sequence is fetched when the FIFO has room for one frame, and has been fetched when the FIFO has
//! room for its last frame.

use super::{Adapter, AdapterBlock, DmaSetupPer, ExchangeUse};
use crate::dma::{DmaKind, DmaRequest};
use crate::exchange::ExchangeId;
use sansim_component::Context;
use sansim_kernel::Span;
use sansim_pdu::{Pdu, PduKind};
use std::collections::VecDeque;

/// The longest piece of a sequence: the range of the relative offset of a frame.
const LONGEST: u64 = 1 << 31;

/// The state of an adapter that hands over whole sequences.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    has_bus: bool,
    /// The largest payload of a frame.
    payload: u64,
    /// The least time from the beginning of a frame with the largest payload to the beginning of the next.
    frame: Span,
    /// The sizes in bytes of the sequences that the DMA is fetching, in order.
    fetched: VecDeque<u64>,
    /// The sizes in bytes of the sequences that the DMA is storing, for each of the two channels.
    stored: [VecDeque<u64>; 2],
}

impl Whole {
    fn frames(&self, bytes: u64) -> u32 {
        u32::try_from(bytes.div_ceil(self.payload)).unwrap_or(u32::MAX).max(1)
    }

    /// Data have been fetched that will not be sent. Returns the number of frames of these data.
    pub(super) fn drop_fetched(&mut self) -> u32 {
        let bytes = self.fetched.pop_front().unwrap_or(0);
        self.frames(bytes)
    }

    /// Notes that the DMA has stored the remaining data of a sequence. Returns the size of the whole sequence
    /// in bytes.
    pub(super) fn stored(&mut self, block: AdapterBlock) -> Option<u64> {
        self.stored[usize::from(block == AdapterBlock::DmaIn)].pop_front()
    }
}

impl<R: ExchangeUse> Adapter<R> {
    /// Makes the adapter hand over whole sequences, because its network accepts them; `word` is the word time
    /// of the network.
    pub(super) fn hand_over_sequences(&mut self, word: Span, has_bus: bool) {
        let payload = self.parameters.max_payload;
        if has_bus {
            self.dma.move_whole_requests();
            self.dma_in.move_whole_requests();
        }
        let queue = || VecDeque::with_capacity(64);
        self.whole = Some(Whole {
            has_bus,
            payload,
            frame: word * payload.div_ceil(4),
            fetched: queue(),
            stored: [queue(), queue()],
        });
    }

    /// The number of Fibre Channel frames in a message of the network.
    pub(crate) fn frames_of(&self, frame: &Pdu) -> u32 {
        match &self.whole {
            Some(whole) if frame.kind == PduKind::Data => whole.frames(frame.payload_bytes.into()),
            _ => 1,
        }
    }

    /// Asks the DMA for the next sequences, as long as the outgoing FIFO has room.
    pub(super) fn fetch_sequences(&mut self, cx: &mut Context<'_>) {
        while self.outgoing < self.parameters.outgoing_buffers {
            let Some((id, left, setup)) = self.sequences.front_mut() else { return };
            let (id, setup) = (*id, std::mem::replace(setup, Span::ZERO));
            let bytes = (*left).min(LONGEST);
            *left -= bytes;
            let ends = *left == 0;
            if ends {
                self.sequences.pop_front();
            }
            let Some(whole) = &mut self.whole else { return };
            let now = if whole.has_bus { bytes } else { bytes.min(whole.payload) };
            self.outgoing += whole.frames(bytes);
            whole.fetched.push_back(bytes);
            let request = DmaRequest { exchange: id, kind: DmaKind::Outgoing, bytes: now, setup, ends };
            self.exchanges[id].asked_bytes += bytes;
            self.push_dma(cx, AdapterBlock::Dma, request);
            if !self.exchanges[id].fetching {
                self.tell_outgoing(cx, id);
            }
        }
    }

    /// The data of the first frame of a sequence have been fetched. Returns the size of that sequence in
    /// bytes.
    pub(super) fn sequence_fetched(&mut self) -> u64 {
        let Some(whole) = &mut self.whole else { return 0 };
        let bytes = whole.fetched.pop_front().unwrap_or(0);
        if !whole.has_bus {
            let beside = bytes - bytes.min(whole.payload);
            self.dma.add_busy_time(self.dma.transfer_time(beside));
        }
        bytes
    }

    /// Whether the last data of a sequence that has been handed over are fetched only after its first frames have
    /// left.
    pub(super) fn is_fetched_later(&self, bytes: u64) -> bool {
        self.whole
            .as_ref()
            .is_some_and(|whole| !whole.has_bus && whole.frames(bytes) > self.parameters.outgoing_buffers)
    }

    /// The last data of a sequence are being fetched.
    pub(crate) fn has_room(&mut self, cx: &mut Context<'_>, id: ExchangeId, frame: &Pdu) {
        if self.is_fetched_later(frame.payload_bytes.into()) {
            R::data_queued(self, cx, id);
            self.run_at_once(cx);
        }
    }

    /// All frames of a sequence of this number of bytes have arrived, and the last frame has been processed. Returns the bytes that the
    /// DMA still has to store then, and the overhead of the DMA together with the time by which it is late.
    pub(super) fn left_to_store(&mut self, bytes: u64, setup: Span) -> (u64, Span) {
        let block = self.dma_of_incoming();
        let Some(whole) = &mut self.whole else { return (bytes, setup) };
        whole.stored[usize::from(block == AdapterBlock::DmaIn)].push_back(bytes);
        let before = u64::from(whole.frames(bytes)) - 1;
        self.incoming.add_busy_time(self.parameters.frame_time * before);
        if whole.has_bus {
            return (bytes, setup);
        }
        let (payload, frame) = (whole.payload, whole.frame);
        let per_frame = if self.parameters.dma_setup_per == DmaSetupPer::Frame { setup } else { Span::ZERO };
        let one = self.dma.transfer_time(payload) + per_frame;
        // If the DMA is slower than the frames arrive, it falls behind by the difference with each frame.
        let behind = (one * before).saturating_sub(frame * before);
        let beside = one * before - behind;
        let dma = if block == AdapterBlock::DmaIn { &mut self.dma_in } else { &mut self.dma };
        dma.add_busy_time(beside);
        (bytes - before * payload, setup + behind)
    }
}
