//! An adapter at the start and at the end of a frame burst: a run of data frames of one sequence that goes through a circuit while nothing
//! else happens at either end.
//!
//! The times of the adapter's blocks for each frame of a burst are computed elsewhere (`crates/burst`). In this file an adapter reports
//! whether it could take part in a burst and what the times depend on, and is brought to its state after a part of the burst has passed.

use super::{Adapter, AdapterBlock, ExchangeUse, Task};
use crate::dma::{Dma, DmaKind, DmaRequest};
use crate::exchange::{Exchange, ExchangeId};
use sansim_component::{Context, EventTurn, Message, Timer};
use sansim_kernel::{Span, Time};
use sansim_pdu::Pdu;
use sansim_request::RequestId;

/// Frames of a sequence that will join the queue of the port, one for each frame that leaves the queue.
#[derive(Clone, Copy, Debug)]
pub struct FrameSupply {
    /// The number of frames, including the last frame of the sequence.
    pub frames: usize,
    /// The time at which the first of these frames has been fetched, if it is being fetched.
    pub first: Option<Time>,
    /// The longest time that the DMA needs for one of these frames.
    pub takes: Span,
}

/// The next work of the DMA that concerns another component.
#[derive(Clone, Copy, Debug)]
pub struct DmaConcern {
    /// The earliest time at which the DMA is done with the request.
    pub earliest: Time,
    /// For a request that the DMA does not have yet: the number of frames that leave before the frame that frees a buffer for the
    /// request, and the duration of the request.
    pub after: Option<(usize, Span)>,
    /// Whether the request is in service, so that `earliest` is its end.
    pub is_certain: bool,
}

/// The end of a burst that stores the data of the frames that its port receives, as far as the times depend
/// on it.
#[derive(Clone, Copy, Debug)]
pub struct StoringEndState {
    /// The exchange of the frames.
    pub id: ExchangeId,
    /// The number of frames at the incoming frame process; the first of them is processed until
    /// [`StoringEndState::processed_at`].
    pub incoming: usize,
    /// The time until which the first frame of [`StoringEndState::incoming`] is processed.
    pub processed_at: Time,
    /// The time of the incoming frame process for one frame.
    pub frame_time: Span,
    /// The number of frames at the DMA; the first of them is stored until [`StoringEndState::stored_at`].
    pub storing: usize,
    /// The time until which the first frame of [`StoringEndState::storing`] is stored.
    pub stored_at: Time,
    /// Whether the overhead of the DMA scheduler has been paid for frames of this sequence.
    pub is_claimed: bool,
    /// The time of the DMA for the next frame that is processed.
    pub first_takes: Span,
    /// The time of the DMA for each frame after the next one.
    pub takes: Span,
    /// The block of the adapter that stores the frames.
    pub block: AdapterBlock,
}

/// The part of a burst that has passed at the end that stores its data.
#[derive(Clone, Copy, Debug)]
pub struct StoredBurstPart {
    /// The number of frames that have been received.
    pub came: usize,
    /// The number of frames that have been processed.
    pub processed: usize,
    /// The time at which the incoming frame process will be done with its current frame.
    pub processed_at: Time,
    /// The number of frames that have been stored.
    pub stored: usize,
    /// The time at which the DMA will be done with its current frame.
    pub stored_at: Time,
}

impl<R: ExchangeUse> Adapter<R> {
    /// The exchange of a frame of a burst, as this end knows it, if the exchange has neither failed nor been
    /// aborted.
    fn in_burst(&self, frame: &Pdu, is_originator: bool) -> Option<(ExchangeId, &Exchange)> {
        if self.has_two_messages() || frame.is_of_first_burst() {
            return None; // A burst consists of frames of a sequence that was asked for.
        }
        let id = if is_originator { frame.originator } else { frame.responder };
        let exchange = &self.exchanges[id];
        let goes_on = exchange.request == RequestId(frame.tag.0) && !exchange.aborted && !exchange.failed;
        goes_on.then_some((id, exchange))
    }

    /// Whether this end could send a burst: no action of its DMA until the next [`DmaConcern`] is noticed by another
    /// component.
    pub fn may_send_burst(&self) -> bool {
        let goes_on = |id: ExchangeId| !self.exchanges[id].aborted && !self.exchanges[id].failed;
        let Some(mut requests) = self.dma.queued_requests() else { return false };
        requests.all(|request| goes_on(request.exchange))
            && self.sequences.iter().all(|&(id, ..)| goes_on(id))
    }

    /// Whether the DMA has anything to fetch for requests other than this one.
    pub fn fetches_for_other_requests(&self, request: RequestId) -> bool {
        let is_other = |id: ExchangeId| self.exchanges[id].request != request;
        let at_dma =
            self.dma.queued_requests().is_some_and(|mut requests| requests.any(|r| is_other(r.exchange)));
        at_dma || self.sequences.iter().any(|&(id, ..)| is_other(id))
    }

    /// The remaining frames of the sequence of a frame, if the DMA fetches them before anything else.
    pub fn frame_supply(&self, next: &Pdu) -> Option<FrameSupply> {
        let (id, _) = self.in_burst(next, next.is_from_originator())?;
        let (mut frames, mut takes, mut ends) = (0, Span::ZERO, false);
        for request in self.dma.queued_requests()? {
            let is_of_it = request.kind == DmaKind::Outgoing && request.exchange == id;
            if !is_of_it || ends || (frames > 0 && request.setup > Span::ZERO) {
                // Other requests follow; the requests before them are sufficient.
                return None;
            }
            takes = takes.max(self.dma.transfer_time(request.bytes));
            ends = request.ends;
            frames += 1;
        }
        let first = (frames > 0).then(|| self.dma.chunk_end());
        if let Some(&(other, left, setup)) = self.sequences.front()
            && !ends
        {
            if other != id || setup > Span::ZERO {
                return None;
            }
            takes = takes.max(self.dma.transfer_time(left.min(self.parameters.max_payload)));
            frames += left.div_ceil(self.parameters.max_payload) as usize;
        } else if !ends {
            return None;
        }
        Some(FrameSupply { frames, first, takes })
    }

    /// The next completion of the DMA that other components notice, if there is one.
    pub fn next_dma_concern(&self) -> Option<DmaConcern> {
        let mut at = self.dma.chunk_end();
        for (place, request) in self.dma.queued_requests()?.enumerate() {
            if place > 0 {
                // For a transfer that is longer than a chunk, only its first chunk counts.
                let takes = request.setup + self.dma.transfer_time(request.bytes.min(self.dma.chunk_bytes()));
                at = Time(at.ticks().saturating_add(takes.ticks()));
            }
            if is_of_concern::<R>(request) {
                return Some(DmaConcern { earliest: at, after: None, is_certain: place == 0 });
            }
        }
        let &(_, left, setup) = self.sequences.front().filter(|_| R::ENDS_CONCERN)?;
        let payload = self.parameters.max_payload;
        let before = left.div_ceil(payload) - 1;
        let takes = self.dma.transfer_time(left - before * payload);
        let earliest = if self.dma.is_empty() { Time::ZERO } else { at };
        let all = self.dma.transfer_time(payload).ticks().saturating_mul(before);
        let chain = Time(earliest.ticks().saturating_add((setup + takes).ticks()).saturating_add(all));
        // The DMA has not been asked for a frame of this request while there was room: it will be asked for
        // the first frame when the next frame leaves.
        Some(DmaConcern { earliest: chain, after: Some((before as usize, takes)), is_certain: false })
    }

    /// The state from which a burst with this next frame would start, if this end could receive a burst.
    pub fn storing_state(&self, next: &Pdu) -> Option<StoringEndState> {
        let (id, exchange) = self.in_burst(next, !next.is_from_originator())?;
        let payload = u64::from(next.payload_bytes);
        let waits_for_data = exchange.storing || exchange.status_in || exchange.status_out;
        // Data behind a lost frame are discarded one by one.
        if exchange.retries && next.offset != exchange.received_bytes as u32 {
            return None;
        }
        if waits_for_data || self.damage.is_some() || self.is_silent || self.single_sized(payload).is_none() {
            return None;
        }
        let mine = |(other, frame): &(ExchangeId, Pdu)| {
            *other == id && frame.is_within_unit() && u64::from(frame.payload_bytes) == payload
        };
        let mut incoming = 0;
        for job in self.incoming.jobs_in_server() {
            if !mine(job) {
                return None;
            }
            incoming += 1;
        }
        let dma = self.dma(self.dma_of_incoming());
        let is_claimed = exchange.dma_claimed;
        let later_setup = self.setup_to_store(true);
        let mut storing = 0;
        for (place, request) in dma.queued_requests()?.enumerate() {
            let is_mine =
                request.kind == DmaKind::Incoming && request.exchange == id && request.bytes == payload;
            if !is_mine || (place > 0 && request.setup != later_setup) {
                return None;
            }
            storing += 1;
        }
        let chunk = dma.transfer_time(payload);
        Some(StoringEndState {
            id,
            incoming,
            processed_at: self.incoming.job_end(),
            frame_time: self.parameters.frame_time,
            storing,
            stored_at: dma.chunk_end(),
            is_claimed,
            first_takes: chunk + self.setup_to_store(is_claimed),
            takes: chunk + later_setup,
            block: self.dma_of_incoming(),
        })
    }

    /// Whether a payload is stored in one chunk that takes some time.
    fn single_sized(&self, payload: u64) -> Option<()> {
        let dma: &Dma = self.dma(self.dma_of_incoming());
        (payload <= dma.chunk_bytes() && dma.transfer_time(payload) > Span::ZERO).then_some(())
    }

    /// Applies a part of a burst to the receiving adapter. `frame` returns the received frames by their
    /// number, counted from the first.
    pub fn apply_stored_part(
        &mut self,
        cx: &mut Context<'_>,
        train: &StoringEndState,
        stored: &StoredBurstPart,
        payload: u64,
        frame: impl Fn(usize) -> Pdu,
    ) {
        let id = train.id;
        let exchange = &mut self.exchanges[id];
        exchange.received_bytes += stored.came as u64 * payload;
        exchange.stored_bytes += stored.stored as u64 * payload;
        exchange.dma_claimed |= stored.processed > 0;
        let began_idle = train.incoming == 0;
        self.incoming.catch_up(
            stored.processed,
            stored.came,
            train.frame_time,
            stored.processed_at,
            |number| (id, frame(number)),
        );
        if !self.incoming.is_empty() && (stored.processed > 0 || began_idle) {
            wake(cx, AdapterBlock::Incoming, stored.processed_at);
        }
        let before = usize::from(train.storing > 0);
        let begun = (train.storing + stored.processed).min(stored.stored + 1);
        let fresh = begun - before;
        // The frames begun during the burst include the first frame that was processed in it, if the DMA had
        // no frame before.
        let has_first = fresh > 0 && begun > train.storing;
        let took = if has_first {
            train.takes * (fresh as u64 - 1) + train.first_takes
        } else {
            train.takes * fresh as u64
        };
        let setups = [train.is_claimed, true].map(|is_claimed| self.setup_to_store(is_claimed));
        let request = |number: usize| {
            let setup = setups[number.min(1)];
            DmaRequest { exchange: id, kind: DmaKind::Incoming, bytes: payload, setup, ends: false }
        };
        let dma = if train.block == AdapterBlock::DmaIn { &mut self.dma_in } else { &mut self.dma };
        dma.catch_up(stored.stored, stored.processed, (stored.stored_at, took), request);
        if !dma.is_empty() && (stored.stored > 0 || train.storing == 0) {
            wake(cx, train.block, stored.stored_at);
        }
    }
}

/// Whether other components notice the completion of a request at once.
pub(super) fn is_of_concern<R: ExchangeUse>(request: &DmaRequest) -> bool {
    request.kind != DmaKind::Outgoing || (R::ENDS_CONCERN && request.ends)
}

/// Schedules the time at which a block of an adapter will be done.
pub(super) fn wake(cx: &mut Context<'_>, block: AdapterBlock, at: Time) {
    cx.set_timer(at, EventTurn::turn_of_node(block as u32), Timer::new(block as u8, 0));
}

/// The effect of an event of an adapter on a burst in which the adapter takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstInterference {
    /// The event belongs to the burst, and is already computed.
    OfTrain,
    /// The event changes nothing that the burst depends on; frames that it makes the adapter hand to its port are
    /// considered when they are handed over.
    Beside,
    /// The event may add requests to the DMA after all frames of the burst.
    FetchesLater,
    /// The event may add requests to the DMA before frames of the burst that the DMA does not have yet.
    Fetches,
    /// The event may change the schedule of the burst.
    Disturbs,
}

impl<R: ExchangeUse> Adapter<R> {
    /// The effect of a message to the adapter on a burst that the adapter sends, or `receives`.
    pub fn message_interference(&self, message: &Message, receives: bool) -> BurstInterference {
        match message {
            Message::Request(..) if self.executes_first() => BurstInterference::Beside,
            Message::Request(..) if receives && self.dma_of_incoming() == AdapterBlock::DmaIn => {
                BurstInterference::Beside
            }
            // No block of the adapter reacts to the message.
            Message::Release(_) => BurstInterference::Beside,
            _ => BurstInterference::Disturbs,
        }
    }

    /// Whether a command takes processor time before the DMA gets its request package.
    fn executes_first(&self) -> bool {
        self.parameters.command_time.min(self.parameters.write_command_time) > Span::ZERO
    }

    /// The effect of a timer of the adapter on a burst that it sends.
    pub fn sending_interference(&self, timer: Timer) -> BurstInterference {
        match AdapterBlock::ALL.get(usize::from(timer.what)) {
            Some(AdapterBlock::Dma) => BurstInterference::OfTrain,
            Some(AdapterBlock::MessageOut | AdapterBlock::SingleFrame) => BurstInterference::Beside,
            Some(AdapterBlock::MessageIn) if self.executes_first() => BurstInterference::Beside,
            Some(AdapterBlock::Processor) => self.meets_processor(),
            _ => BurstInterference::Disturbs,
        }
    }

    /// The effect of the task that the main processor has done on a burst that the adapter sends.
    fn meets_processor(&self) -> BurstInterference {
        match self.processor.current_job() {
            _ if !R::FETCHES_BY_PROCESSOR => BurstInterference::Beside,
            // The data of another burst wait behind the data of earlier bursts, and so do their frames at the DMA, if the DMA serves
            // requests in order and no command is completed at the same moment.
            Some(Task::TransferReady(_)) if self.executes_first() && !self.dma.is_round_robin() => {
                BurstInterference::FetchesLater
            }
            // The DMA fetches a request package.
            _ => BurstInterference::Fetches,
        }
    }
}

impl StoringEndState {
    /// The effect of a timer of the receiving adapter on the burst.
    pub fn timer_interference(&self, timer: Timer) -> BurstInterference {
        match AdapterBlock::ALL.get(usize::from(timer.what)) {
            Some(&block) if block == AdapterBlock::Incoming || block == self.block => {
                BurstInterference::OfTrain
            }
            // If the DMA has no channel of its own for received data, its one channel may be asked for other
            // data.
            Some(_) if self.block == AdapterBlock::DmaIn => BurstInterference::Beside,
            _ => BurstInterference::Disturbs,
        }
    }
}
