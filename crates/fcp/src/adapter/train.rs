//! An adapter at the begin and at the end of a train: a run of data frames of one sequence that goes through a circuit while
//! nothing else happens at either end.
//!
//! When its blocks are done with each frame is worked out elsewhere (`crates/circuit`). Here an adapter says whether it could be in a
//! train and what the times depend on, and is brought to where it is when some of it has passed.

use super::{Adapter, AdapterBlock, DmaSetupPer, Role};
use crate::dma::{Dma, DmaKind, DmaRequest};
use crate::exchange::{Exchange, ExchangeId};
use sansim_component::{Context, Message, Timer, Turn};
use sansim_fc::frame::Frame;
use sansim_kernel::{Span, Time};
use sansim_request::RequestId;

/// The end that fetches data for the frames that its port sends, as far as the times depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Fetching {
    /// Its exchange.
    pub id: ExchangeId,
    /// Whether frames that leave have any more fetched, or the DMA works for frames of the train.
    pub is_at_work: bool,
    /// Requests of the sequence at the DMA; the first is in work, until then.
    pub asked: usize,
    /// See [`Fetching::asked`].
    pub until: Time,
    /// Frames that may leave until those of others are fetched instead of them, if that is to come.
    pub most: usize,
    /// Frames that are asked for and more that will be, all but the last of the sequence; that one is among them if it is not
    /// like them.
    pub left: usize,
    /// Time of a chunk, and of the last one of the sequence.
    pub takes: Span,
    /// See [`Fetching::takes`].
    pub last_takes: Span,
}

/// The end that stores data of the frames that its port receives, as far as the times depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Storing {
    /// Its exchange.
    pub id: ExchangeId,
    /// Frames at the incoming frame process; the first is in work, until then.
    pub incoming: usize,
    /// See [`Storing::incoming`].
    pub processed_at: Time,
    /// Time that it takes for one.
    pub frame_time: Span,
    /// Frames at the DMA; the first is in work, until then.
    pub storing: usize,
    /// See [`Storing::storing`].
    pub stored_at: Time,
    /// Time that it takes for the next that is processed, and for each later one.
    pub first_takes: Span,
    /// See [`Storing::first_takes`].
    pub takes: Span,
    /// The block that stores them.
    pub block: AdapterBlock,
}

/// What of a train has passed at the end that fetches.
#[derive(Clone, Copy, Debug)]
pub struct Fetched {
    /// Frames that have left.
    pub left: usize,
    /// Requests that have been given to the DMA, and how many have been done.
    pub asked: usize,
    /// See [`Fetched::asked`].
    pub done: usize,
    /// When the one that is in work will be done.
    pub until: Time,
}

/// What of a train has passed at the end that stores.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    /// Frames that have come in.
    pub came: usize,
    /// Frames that were processed, and when the one in work will be.
    pub processed: usize,
    /// See [`Stored::processed`].
    pub processed_at: Time,
    /// Frames that were stored, and when the one in work will be.
    pub stored: usize,
    /// See [`Stored::stored`].
    pub stored_at: Time,
}

impl<R: Role> Adapter<R> {
    /// The exchange of a frame of a train, as this end knows it, if all goes well with it.
    fn in_train(&self, frame: &Frame, is_originator: bool) -> Option<(ExchangeId, &Exchange)> {
        let id = if is_originator { frame.originator } else { frame.responder };
        let exchange = &self.exchanges[id];
        let goes_on = exchange.request == RequestId(frame.tag.0) && !exchange.aborted && !exchange.failed;
        goes_on.then_some((id, exchange))
    }

    /// What a train of which this is the next frame would start from, if this end could send one.
    pub fn fetching(&self, next: &Frame, queued: usize) -> Option<Fetching> {
        let id = if next.is_from_originator() { next.originator } else { next.responder };
        let payload = u64::from(next.payload_bytes);
        let mut requests = self.dma.requests()?;
        let idle = Fetching {
            id,
            is_at_work: false,
            asked: 0,
            until: Time::ZERO,
            most: usize::MAX,
            left: 0,
            takes: Span::ZERO,
            last_takes: Span::ZERO,
        };
        let mine = |request: &DmaRequest| request.kind == DmaKind::Outgoing && request.exchange == id;
        let fetches = |request: &DmaRequest| mine(request) && !request.ends && request.bytes == payload;
        let next_fetched = requests.next();
        let is_open = self.in_train(next, next.is_from_originator()).is_some();
        // Frames whose exchange is over here, because its status waits behind them, or of which all are fetched but the last.
        if self.sequences.is_empty() && !(is_open && next_fetched.is_some_and(fetches)) {
            return Some(idle);
        }
        if !is_open {
            return None;
        }
        // Everything that the DMA has, and will be given, is for this sequence, and all of a size but the last.
        let (mut asked, mut all_mine, mut ends, mut rest) = (0, true, false, 0);
        for request in next_fetched.into_iter().chain(requests) {
            all_mine &= mine(request) && !ends && (asked == 0 || request.setup == Span::ZERO);
            ends |= request.ends;
            asked += 1;
            rest += request.bytes;
        }
        let (to_ask, follows) = match self.sequences.front() {
            Some(&(other, left, setup)) if other == id && setup == Span::ZERO && !ends => {
                (left, self.sequences.len() > 1)
            }
            Some(_) => return None,
            None => (0, false),
        };
        let is_full = self.outgoing == self.parameters.outgoing_buffers || to_ask == 0;
        if !all_mine
            || !is_full
            || payload != self.dma.chunk_bytes()
            || queued + asked != self.outgoing as usize
        {
            return None;
        }
        rest += to_ask;
        let left = rest.div_ceil(payload) as usize;
        let last = rest - (left.max(1) as u64 - 1) * payload;
        let asks = to_ask.div_ceil(payload) as usize;
        Some(Fetching {
            id,
            is_at_work: true,
            asked,
            until: self.dma.until(),
            most: if follows { asks } else { usize::MAX },
            left,
            takes: self.dma.transfer_time(payload),
            last_takes: self.dma.transfer_time(last),
        })
    }

    /// What a train of which this is the next frame would find here, if this end could receive one.
    pub fn storing(&self, next: &Frame) -> Option<Storing> {
        let (id, exchange) = self.in_train(next, !next.is_from_originator())?;
        let payload = u64::from(next.payload_bytes);
        let waits_for_data = exchange.storing || exchange.status_in || exchange.status_out;
        if waits_for_data || self.damage.is_some() || self.single_sized(payload).is_none() {
            return None;
        }
        let mine = |(other, frame): &(ExchangeId, Frame)| {
            *other == id && frame.is_within_sequence() && u64::from(frame.payload_bytes) == payload
        };
        let mut incoming = 0;
        for job in self.incoming.jobs() {
            if !mine(job) {
                return None;
            }
            incoming += 1;
        }
        let dma = self.dma(self.dma_of_incoming());
        let setup = self.parameters.dma_setup_time;
        let per_frame = self.parameters.dma_setup_per == DmaSetupPer::Frame;
        let later_setup = if per_frame { setup } else { Span::ZERO };
        let mut storing = 0;
        for (place, request) in dma.requests()?.enumerate() {
            let is_mine =
                request.kind == DmaKind::Incoming && request.exchange == id && request.bytes == payload;
            if !is_mine || (place > 0 && request.setup != later_setup) {
                return None;
            }
            storing += 1;
        }
        let chunk = dma.transfer_time(payload);
        Some(Storing {
            id,
            incoming,
            processed_at: self.incoming.until(),
            frame_time: self.parameters.frame_time,
            storing,
            stored_at: dma.until(),
            first_takes: chunk + if exchange.dma_claimed { later_setup } else { setup },
            takes: chunk + later_setup,
            block: self.dma_of_incoming(),
        })
    }

    /// Whether a payload is stored in one chunk that takes some time.
    fn single_sized(&self, payload: u64) -> Option<()> {
        let dma: &Dma = self.dma(self.dma_of_incoming());
        (payload <= dma.chunk_bytes() && dma.transfer_time(payload) > Span::ZERO).then_some(())
    }

    /// So much of a train has passed.
    pub fn fetched_of_train(
        &mut self,
        cx: &mut Context<'_>,
        train: &Fetching,
        payload: u64,
        fetched: &Fetched,
    ) {
        let Fetched { left, asked, done, until } = *fetched;
        self.outgoing = self.outgoing + asked as u32 - left as u32;
        if !train.is_at_work {
            return;
        }
        let mut to_ask = 0;
        if asked > 0 {
            let (_, rest, _) = &mut self.sequences[0];
            to_ask = *rest;
            *rest -= (asked as u64 * payload).min(*rest);
            if *rest == 0 {
                self.sequences.pop_front();
            }
        }
        let id = train.id;
        // The last of a sequence may be smaller, and ends it.
        let request = |number: usize| {
            let before = number as u64 * payload;
            let bytes = payload.min(to_ask - before);
            let ends = before + bytes == to_ask;
            DmaRequest { exchange: id, kind: DmaKind::Outgoing, bytes, setup: Span::ZERO, ends }
        };
        let begun = |done: usize| (train.asked + asked).min(done + 1);
        let before = usize::from(train.asked > 0);
        let last_is_in_work = begun(done) == train.left && begun(done) > before;
        let plain = begun(done) - before - usize::from(last_is_in_work);
        let took = train.takes * plain as u64 + if last_is_in_work { train.last_takes } else { Span::ZERO };
        self.dma.catch_up(done, asked, (until, took), request);
        let is_fetching = self.dma.current().is_some();
        let exchange = &mut self.exchanges[id];
        exchange.asked_bytes += (asked as u64 * payload).min(to_ask);
        exchange.queued_bytes += done as u64 * payload;
        exchange.sequence_count = exchange.sequence_count.wrapping_add(done as u16);
        exchange.fetching = is_fetching;
        // Unless it works for what it did at the begin, of which the event is there.
        if is_fetching && (done > 0 || train.asked == 0) {
            wake(cx, AdapterBlock::Dma, until);
        }
        if done + asked > 0 {
            self.tell_outgoing(cx, id);
        }
    }

    /// So much of a train has passed. `frame` gives those that came in, counted from the first.
    pub fn stored_of_train(
        &mut self,
        cx: &mut Context<'_>,
        train: &Storing,
        stored: &Stored,
        payload: u64,
        frame: impl Fn(usize) -> Frame,
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
        // Of those begun since, the first that was processed in the train is among them if none was there before it.
        let has_first = fresh > 0 && begun > train.storing;
        let took = if has_first {
            train.takes * (fresh as u64 - 1) + train.first_takes
        } else {
            train.takes * fresh as u64
        };
        let per_frame = self.parameters.dma_setup_per == DmaSetupPer::Frame;
        let setup_time = self.parameters.dma_setup_time;
        let claimed = train.first_takes == train.takes && !per_frame;
        let request = |number: usize| {
            let pays = per_frame || (number == 0 && !claimed);
            let setup = if pays { setup_time } else { Span::ZERO };
            DmaRequest { exchange: id, kind: DmaKind::Incoming, bytes: payload, setup, ends: false }
        };
        let dma = if train.block == AdapterBlock::DmaIn { &mut self.dma_in } else { &mut self.dma };
        dma.catch_up(stored.stored, stored.processed, (stored.stored_at, took), request);
        if !dma.is_empty() && (stored.stored > 0 || train.storing == 0) {
            wake(cx, train.block, stored.stored_at);
        }
    }
}

/// A block of an adapter will be done then.
fn wake(cx: &mut Context<'_>, block: AdapterBlock, at: Time) {
    cx.wake(at, Turn::node(block as u32), Timer::new(block as u8, 0));
}

/// What an event of an adapter is to a train that the adapter is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meets {
    /// It is of the train, and has been worked out.
    OfTrain,
    /// It changes nothing that the train depends on; what it makes the adapter hand to its port comes to that.
    Beside,
    /// It may change the course of the train.
    Disturbs,
}

impl Fetching {
    /// What a timer of the adapter that sends is to the train.
    pub fn meets<R: Role>(&self, timer: Timer) -> Meets {
        match AdapterBlock::ALL.get(usize::from(timer.what)) {
            Some(AdapterBlock::Dma) if self.is_at_work => Meets::OfTrain,
            Some(AdapterBlock::Dma) => Meets::Beside,
            Some(AdapterBlock::MessageOut | AdapterBlock::SingleFrame) => Meets::Beside,
            // It asks the DMA for request packages and for the data of other bursts.
            Some(AdapterBlock::Processor) if !R::FETCHES_BY_PROCESSOR => Meets::Beside,
            _ => Meets::Disturbs,
        }
    }
}

impl Storing {
    /// What a timer of the adapter that receives is to the train.
    pub fn meets(&self, timer: Timer) -> Meets {
        match AdapterBlock::ALL.get(usize::from(timer.what)) {
            Some(&block) if block == AdapterBlock::Incoming || block == self.block => Meets::OfTrain,
            // Without a channel of their own for data that come in, others may be asked of the one there is.
            Some(_) if self.block == AdapterBlock::DmaIn => Meets::Beside,
            _ => Meets::Disturbs,
        }
    }

    /// What a message to the adapter that receives is to the train, unless it comes from the network.
    pub fn meets_message(&self, message: &Message) -> Meets {
        match message {
            Message::Request(..) if self.block == AdapterBlock::DmaIn => Meets::Beside,
            _ => Meets::Disturbs,
        }
    }
}
