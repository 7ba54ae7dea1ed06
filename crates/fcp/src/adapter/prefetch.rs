//! The work of the DMA of an adapter and its outgoing FIFO while the adapter sends a burst.
//!
//! During a burst the times at which frames leave are known. Where the DMA only fetches frames of one sequence, one for each frame that
//! leaves, the time of each frame follows by a maximum and a sum (`fetch_run`), and the resulting state is set at once. All other work,
//! such as the overhead of a scheduler, the first frame of another request or the last frame of a sequence, is done by the ordinary code at
//! its time. Both methods give the same result: no component notices a frame that has been fetched before the port has sent the frames
//! before it, and the stage of the request of these frames depends on its frames in flight.

use super::burst::{is_of_concern, wake};
use super::{Adapter, AdapterBlock, ExchangeUse};
use crate::dma::{DmaKind, DmaRequest};
use crate::exchange::ExchangeId;
use sansim_component::Context;
use sansim_fc::loop_port::queueing::QueueArrivals;
use sansim_kernel::{Span, Time};
use sansim_pdu::{Pdu, PduKind, RequestTag};
use std::collections::VecDeque;

/// Frames that were made for the port during a burst, in order: each entry has the first frame of a run within a sequence, and the number
/// of frames of the run.
#[derive(Clone, Debug)]
pub(super) struct Made {
    runs: VecDeque<(Pdu, usize)>,
    next: Next,
}

impl Default for Made {
    fn default() -> Self {
        Self { runs: VecDeque::with_capacity(64), next: Next::default() }
    }
}

/// The next frame of a burst.
#[derive(Clone, Copy, Debug, Default)]
struct Next {
    /// The number of frames of the burst that are in the queue of the port.
    queued: usize,
    /// The time at which the next frame joined the queue, if the queue was empty then.
    came: Time,
}

impl Next {
    fn comes(&mut self, at: Time) {
        if self.queued == 0 {
            self.came = at;
        }
        self.queued += 1;
    }

    fn leaves(&mut self, frames: usize) {
        self.queued -= frames;
        self.came = if self.queued == 0 { Time::NEVER } else { Time::ZERO };
    }
}

impl Made {
    pub(super) fn put(&mut self, first: Pdu, count: usize) {
        self.runs.push_back((first, count));
    }

    /// The request of the last frame.
    fn last(&self) -> Option<RequestTag> {
        self.runs.back().map(|(first, _)| first.tag)
    }

    fn len(&self) -> usize {
        self.runs.iter().map(|(_, count)| count).sum()
    }

    /// Empties the list, and returns its frames except this number of frames at the beginning.
    fn take(&mut self, skipped: usize) -> impl Iterator<Item = Pdu> {
        let mut skipped = skipped;
        self.runs.drain(..).flat_map(move |(first, count)| {
            let from = skipped.min(count);
            skipped -= from;
            (from..count).map(move |number| first.later_part(number))
        })
    }
}

/// Frames of a sequence that the DMA is fetching, all of one size.
#[derive(Clone, Copy, Debug)]
struct Alike {
    exchange: ExchangeId,
    /// The number of these frames that are next at the DMA.
    next: usize,
    /// The DMA time of one of these frames.
    takes: Span,
}

/// The frames that an adapter is about to fetch ahead.
#[derive(Clone, Copy, Debug)]
pub struct PrefetchedFrames {
    /// The end of the current chunk of the DMA, for which the calendar has an event.
    pub fetched_until: Option<Time>,
    /// The time at which the DMA begins work other than fetching these frames.
    pub until: Option<Time>,
    /// The times at which the frames join the queue of the port.
    pub frames: QueueArrivals,
}

/// The least number of frames at the DMA for which prefetching without events is considered.
const LEAST: usize = 4;

impl<R: ExchangeUse> Adapter<R> {
    /// Carries out the work of the DMA and the outgoing FIFO until the present, while frames leave at these times. Frames made for the port
    /// are kept, and no event is scheduled. Returns whether none of this work concerned another component.
    pub fn catch_up_fetching(&mut self, cx: &mut Context<'_>, mut starts: &[Time], present: Time) -> bool {
        let (now, mut is_own) = (cx.now, true);
        loop {
            let due = self.dma_chunk_end().filter(|&at| at < present);
            if due.is_none() && starts.is_empty() {
                break;
            }
            let (left, fetched) = self.fetch_run(cx, starts, present);
            if left + fetched > 0 {
                starts = &starts[left..];
                continue;
            }
            match (due, starts) {
                // An action of a node comes before an action of a port in the same slot.
                (Some(at), _) if starts.first().is_none_or(|start| at <= *start) => {
                    is_own &= !self.concerns_others();
                    cx.now = at;
                    self.dma_due(cx, AdapterBlock::Dma);
                    self.run_at_once(cx);
                }
                (_, [start, later @ ..]) => {
                    starts = later;
                    cx.now = *start;
                    self.made.next.leaves(1);
                    self.frame_left(cx);
                }
                _ => break,
            }
        }
        cx.now = now;
        is_own
    }

    /// Lets frames leave and fetches the frames for which they make room, as long as all of these are alike. Returns the number of
    /// frames that have left and the number that have been fetched; both are zero if the ordinary code has to do the work.
    fn fetch_run(&mut self, cx: &mut Context<'_>, starts: &[Time], present: Time) -> (usize, usize) {
        if self.sequences.is_empty() && !starts.is_empty() {
            return (self.nothing_to_ask_for(starts, present), 0);
        }
        let Some(Alike { exchange: id, next, takes }) = self.alike() else { return (0, 0) };
        let before = self.dma.len();
        // After transfers of another kind this function asks the DMA for nothing, and the last frame before
        // such transfers is left to the ordinary code, which begins them.
        let (most, fetched) =
            if next == before { (self.most_to_ask_for(id), usize::MAX) } else { (0, next - 1) };
        let left = most.min(starts.len());
        // The frames that are fetched by the time at which the next frame leaves, including its slot.
        let upto = starts.get(left).map_or(present, |start| present.min(Time(start.ticks() + 1)));
        let (mut at_dma, mut until, mut begun, mut done) = (before, self.dma.chunk_end(), 0, 0);
        let is_of_train = self.sends_train == Some(RequestTag(self.exchanges[id].request.0));
        let mut following = self.made.next;
        let mut fetch = |at_dma: &mut usize, until: &mut Time, begun: &mut u64, next: &mut Next, by: Time| {
            while *at_dma > 0 && done < fetched && *until < by {
                if is_of_train {
                    next.comes(*until);
                }
                (*at_dma, done) = (*at_dma - 1, done + 1);
                if *at_dma > 0 {
                    (*until, *begun) = (*until + takes, *begun + 1);
                }
            }
        };
        for start in &starts[..left] {
            fetch(&mut at_dma, &mut until, &mut begun, &mut following, Time(start.ticks() + 1));
            following.leaves(1);
            if at_dma == 0 {
                (until, begun) = (*start + takes, begun + 1);
            }
            at_dma += 1;
        }
        fetch(&mut at_dma, &mut until, &mut begun, &mut following, upto);
        if left + done == 0 {
            return (0, 0);
        }
        self.made.next = following;
        let payload = self.parameters.max_payload;
        let request = DmaRequest {
            exchange: id,
            kind: DmaKind::Outgoing,
            bytes: payload,
            setup: Span::ZERO,
            ends: false,
        };
        self.dma.catch_up(done, left, (until, takes * begun), |_| request);
        if let Some((_, bytes, _)) = self.sequences.front_mut().filter(|_| left > 0) {
            *bytes -= left as u64 * payload;
        }
        let exchange = &mut self.exchanges[id];
        exchange.asked_bytes += left as u64 * payload;
        exchange.fetching = at_dma > 0;
        self.make_run(cx, id, done);
        self.tell_outgoing(cx, id);
        (left, done)
    }

    /// All data of all sequences have been requested from the DMA: frames leave, and nothing follows from that. This holds for the
    /// frames that leave before the DMA completes anything. Returns the number of frames that leave.
    fn nothing_to_ask_for(&mut self, starts: &[Time], present: Time) -> usize {
        let by = self.dma_chunk_end().map_or(present, |at| at.min(present));
        let left = starts.iter().take_while(|start| **start < by).count();
        self.outgoing -= left as u32;
        if left > 0 {
            self.made.next.leaves(left);
        }
        left
    }

    /// The next transfers at the DMA, if they are frames of one sequence, all alike, and no other component is notified when they have
    /// been fetched.
    fn alike(&self) -> Option<Alike> {
        let payload = self.parameters.max_payload;
        let id = match self.dma.current_exchange() {
            Some((id, _)) => id,
            None => self.sequences.front()?.0,
        };
        let takes = self.dma.transfer_time(payload);
        // The stage of another request depends on the time at which its first frame is fetched; after that, this frame is in
        // flight during the burst.
        let tag = Some(RequestTag(self.exchanges[id].request.0));
        if (self.sends_train != tag && self.made.last() != tag) || takes == Span::ZERO {
            return None;
        }
        let is_alike = |request: &&DmaRequest| {
            let DmaRequest { exchange, kind, bytes, setup, ends } = **request;
            let is_of_it = exchange == id && kind == DmaKind::Outgoing;
            is_of_it && bytes == payload && setup == Span::ZERO && !ends
        };
        let next = self.dma.queued_requests()?.take_while(is_alike).count();
        (next > 0 || self.dma.is_empty()).then_some(Alike { exchange: id, next, takes })
    }

    /// The number of further frames for which the DMA may be asked, one for each frame that leaves, before the
    /// last frame of a sequence.
    fn most_to_ask_for(&self, exchange: ExchangeId) -> usize {
        let Some(&(id, bytes, setup)) = self.sequences.front() else { return 0 };
        let makes_room = self.outgoing == self.parameters.outgoing_buffers;
        if id != exchange || setup > Span::ZERO || !makes_room {
            return 0;
        }
        (bytes.div_ceil(self.parameters.max_payload) as usize).saturating_sub(1)
    }

    /// Whether fetching ahead is to be considered when a frame of an exchange has just been given to the port.
    pub(super) fn may_fetch_ahead(&self, id: ExchangeId) -> bool {
        let goes_on = || self.dma.current_exchange() == Some((id, DmaKind::Outgoing));
        self.dma.len() >= LEAST && self.sends_train.is_none() && goes_on()
    }

    /// Begins to fetch without events, for frames that only join the queue of the port, if that saves enough events.
    pub fn begin_prefetch(&mut self) -> Option<PrefetchedFrames> {
        let (id, _) = self.dma.current_exchange()?;
        if !self.may_fetch_ahead(id) || !self.may_send_burst() || self.dma.is_round_robin() {
            return None;
        }
        self.sends_train = Some(RequestTag(self.exchanges[id].request.0));
        let found = self.alike().filter(|alike| alike.next >= LEAST);
        self.sends_train = None;
        let Alike { next, takes, .. } = found?;
        let until = (next < self.dma.len()).then(|| self.dma.chunk_end() + takes * (next as u64 - 2));
        let frames = QueueArrivals::new(self.dma.chunk_end(), takes, next as u64);
        let fetched_until = self.begin_burst(RequestTag(self.exchanges[id].request.0), 0, false);
        Some(PrefetchedFrames { fetched_until, until, frames })
    }

    /// Makes this number of frames of a sequence, none of them its last, while other frames of the sequence
    /// are in flight.
    fn make_run(&mut self, cx: &mut Context<'_>, id: ExchangeId, count: usize) {
        if count == 0 {
            return;
        }
        let payload = self.parameters.max_payload;
        let first = self.frame(
            id,
            &super::Draft { payload_bytes: payload, ends: false, kind: PduKind::Data, burst_bytes: 0 },
        );
        let exchange = &mut self.exchanges[id];
        exchange.queued_bytes += (count as u64 - 1) * payload;
        exchange.sequence_count = exchange.sequence_count.wrapping_add((count - 1) as u16);
        cx.requests().units_queued(exchange.request, count as u32);
        self.made.put(first, count);
    }

    /// Whether the current work of the DMA is the next concern of another component.
    fn concerns_others(&self) -> bool {
        self.dma.queued_requests().and_then(|mut requests| requests.next()).is_none_or(is_of_concern::<R>)
    }

    /// Whether a frame only lengthens the queue while the adapter sends a burst. A frame that comes between two frames of the burst does
    /// more than lengthen the queue, and so does a command, which may have a queue of its own.
    pub(super) fn waits_behind_burst(&mut self, frame: &Pdu) -> bool {
        if frame.kind != PduKind::Data {
            return frame.kind != PduKind::Command && !self.supplies;
        }
        self.supplies &= !(frame.last_of_unit && self.sends_train == Some(frame.tag));
        true
    }

    /// The current transfer of the DMA is completed at this moment, and other components are notified of it.
    pub fn transfer_with_effect_completed(&mut self, cx: &mut Context<'_>) {
        self.dma_due(cx, AdapterBlock::Dma);
        self.run_at_once(cx);
    }

    /// The adapter begins to send a burst of which `queued` frames are in the outgoing queue. With `supplies` the DMA still fetches
    /// further frames of the burst. Returns the time at which the current chunk of the DMA will be done.
    pub fn begin_burst(&mut self, of: RequestTag, queued: usize, supplies: bool) -> Option<Time> {
        (self.sends_train, self.supplies) = (Some(of), supplies);
        self.made.next = Next { queued, came: Time::ZERO };
        self.dma_chunk_end()
    }

    /// The burst no longer counts on frames that are still to be fetched. Returns the number of frames that have been
    /// made since the burst began.
    pub fn end_frame_supply(&mut self) -> usize {
        self.supplies = false;
        self.made.len()
    }

    /// The end of the current chunk of the DMA.
    pub fn dma_chunk_end(&self) -> Option<Time> {
        self.dma.current_exchange().map(|_| self.dma.chunk_end())
    }

    /// The time at which the next frame of a burst joined the queue of the port, if the queue was empty when the last frame left; never
    /// if the next frame has not come.
    pub fn next_queue_time(&self) -> Time {
        self.made.next.came
    }

    /// A frame was made for the port at this time.
    pub(super) fn put_made(&mut self, now: Time, frame: Pdu) {
        if frame.kind == PduKind::Data && self.sends_train == Some(frame.tag) {
            self.made.next.comes(now);
        }
        self.made.put(frame, 1);
    }

    /// The frames that were made for the port during a burst, except this number of frames at the beginning;
    /// the list is emptied.
    pub fn frames_made_in_burst(&mut self, skipped: usize) -> impl Iterator<Item = Pdu> {
        self.made.take(skipped)
    }

    /// The burst that the adapter sent is over; `fetched_until` is the end of the chunk that was in progress
    /// at its start.
    pub fn end_sent_burst(&mut self, cx: &mut Context<'_>, fetched_until: Option<Time>) {
        self.sends_train = None;
        // The event of the work that was in progress at the start of the burst is scheduled already.
        if let Some(at) = self.dma_chunk_end().filter(|&at| Some(at) != fetched_until) {
            wake(cx, AdapterBlock::Dma, at);
        }
    }
}
