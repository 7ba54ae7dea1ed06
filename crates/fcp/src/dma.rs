//! The DMA queue of an adapter, its scheduler and its transfer unit.
//!
//! Source: Wang 2005, section 4.3.2.2: the scheduler removes one request from the queue (FCFS or round robin), which costs
//! a fixed overhead; the transfer unit then moves the bytes of the request over the bus, chunk by chunk (a chunk is the
//! payload of one frame). The scheduler and the transfer unit work on one request at a time. Under round robin a request
//! goes back to the end of the queue after every chunk, without paying the overhead again.
//!
//! An engine at a bus asks for the bus when the scheduler is done with a chunk, and the bus reports when it has moved the
//! chunk. The engine is busy while the scheduler works and while the bus moves its chunk, and waits at all other times.

use crate::exchange::ExchangeId;
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

sansim_schema::words! {
    /// The order in which the DMA engine of an adapter takes requests.
    pub enum DmaOrder {
        /// First come, first served.
        Fcfs = "fcfs",
        /// In turn, a frame of each I/O.
        RoundRobin = "round-robin",
    }
}

/// The data that a request moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DmaKind {
    /// The I/O request package, from the host.
    Request,
    /// Data are fetched from memory for frames.
    Outgoing,
    /// Data of received frames are stored in memory.
    Incoming,
}

/// A request in the DMA queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaRequest {
    /// The exchange for which the request moves data.
    pub exchange: ExchangeId,
    /// The data that it moves.
    pub kind: DmaKind,
    /// The bytes that are left to move.
    pub bytes: u64,
    /// The overhead of the scheduler that is still to be paid.
    pub setup: Span,
    /// Whether the last byte of the request ends a sequence of frames.
    pub ends: bool,
}

/// A chunk that has been moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaChunk {
    /// The exchange to which the chunk belongs.
    pub exchange: ExchangeId,
    /// The kind of the request of the chunk.
    pub kind: DmaKind,
    /// The size of the chunk in bytes.
    pub bytes: u64,
    /// Whether the chunk is the last of its request.
    pub last: bool,
    /// Whether the request ends a sequence of frames.
    pub ends: bool,
}

/// The next step of an engine for the chunk that it has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DmaStep {
    /// The engine must be called at this time: with [`Dma::setup_completed`] if the scheduler still works on the chunk,
    /// else with [`Dma::finish_current`].
    At(Time),
    /// The engine needs the bus for this number of bytes.
    Bus(u64),
}

/// The state of a chunk that needs a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnBus {
    /// No chunk needs the bus, or the DMA has no bus.
    No,
    /// The scheduler works for the chunk.
    Scheduled,
    /// The bus has been asked for the chunk, and serves other components.
    Waits,
    /// The bus moves the chunk.
    Moves,
}

/// The DMA engine. The caller must carry out each [`DmaStep`] that [`Dma::queue_request`] and `finish` return.
#[derive(Clone, Debug)]
pub struct Dma {
    order: DmaOrder,
    request_first: bool,
    bytes_per_second: Option<u64>,
    chunk_bytes: u64,
    chunk_time: Span,
    queue: VecDeque<DmaRequest>,
    current: Option<(DmaRequest, u64)>,
    until: Time,
    busy: Span,
    has_bus: bool,
    on_bus: OnBus,
}

/// The time to move this number of bytes at this rate. Without a rate the time is one tick, the shortest there is: a frame that is fetched
/// when another leaves therefore comes after that moment and not at the same instant, so that bursts of frames can be computed ahead.
pub(crate) fn to_move(bytes: u64, bytes_per_second: Option<u64>) -> Span {
    bytes_per_second.map_or(Span(u64::from(bytes > 0)), |rate| Span::to_move(bytes, rate))
}

impl Dma {
    /// An idle engine with this rate; without a rate it moves any chunk in one tick. Chunks are at most `chunk_bytes` long. With
    /// `request_first` the request package of a command goes before data (Wang 3.4.1); a transfer in progress is not interrupted.
    pub fn new(
        order: DmaOrder,
        request_first: bool,
        bytes_per_second: Option<u64>,
        chunk_bytes: u64,
    ) -> Self {
        Self {
            order,
            request_first,
            bytes_per_second,
            chunk_bytes,
            chunk_time: to_move(chunk_bytes, bytes_per_second),
            queue: VecDeque::with_capacity(64),
            current: None,
            until: Time::ZERO,
            busy: Span::ZERO,
            has_bus: false,
            on_bus: OnBus::No,
        }
    }

    /// The DMA moves the chunks that it begins from now on at this rate.
    pub fn set_rate(&mut self, bytes_per_second: Option<u64>) {
        self.bytes_per_second = bytes_per_second;
        if self.chunk_bytes < u64::MAX {
            self.chunk_time = to_move(self.chunk_bytes, bytes_per_second);
        }
    }

    /// Makes the DMA move its chunks over a bus from now on.
    pub fn use_bus(&mut self) {
        self.has_bus = true;
    }

    /// From now on a request is moved as one chunk, however long it is.
    pub fn move_whole_requests(&mut self) {
        (self.chunk_bytes, self.chunk_time) = (u64::MAX, Span::ZERO);
    }

    /// Adds busy time of the DMA for work that was not in its queue.
    pub fn add_busy_time(&mut self, time: Span) {
        self.busy += time;
    }

    /// Takes back busy time that was added too early.
    pub fn take_back_busy_time(&mut self, time: Span) {
        self.busy -= time;
    }

    /// The time to move `bytes` over the bus, rounded to a tick.
    pub fn transfer_time(&self, bytes: u64) -> Span {
        if bytes == self.chunk_bytes { self.chunk_time } else { to_move(bytes, self.bytes_per_second) }
    }

    /// Queues a request. If the engine was idle, returns its next step for the first chunk.
    #[inline]
    pub fn queue_request(&mut self, now: Time, request: DmaRequest) -> Option<DmaStep> {
        if self.current.is_none() && self.queue.is_empty() {
            return Some(self.begin(now, request));
        }
        self.put(request, false);
        if self.current.is_some() { None } else { self.start(now) }
    }

    /// The exchange whose request is being set up or transferred, and the data that the request moves.
    pub fn current_exchange(&self) -> Option<(ExchangeId, DmaKind)> {
        self.current.map(|(request, _)| (request.exchange, request.kind))
    }

    /// The current chunk is done. Returns the chunk, and the next step of the engine.
    #[inline(always)]
    pub fn finish_current(&mut self, now: Time) -> (Option<DmaChunk>, Option<DmaStep>) {
        self.on_bus = OnBus::No;
        let Some((mut request, bytes)) = self.current.take() else { return (None, None) };
        request.bytes -= bytes;
        let last = request.bytes == 0;
        let ends = last && request.ends;
        let chunk = DmaChunk { exchange: request.exchange, kind: request.kind, bytes, last, ends };
        if last {
            return (Some(chunk), self.start(now));
        }
        if self.queue.is_empty() {
            return (Some(chunk), Some(self.begin(now, request)));
        }
        self.put(request, self.order == DmaOrder::Fcfs);
        (Some(chunk), self.start(now))
    }

    /// The requests in the DMA, beginning with the request in service, if no chunk needs a bus.
    pub fn queued_requests(&self) -> Option<impl Iterator<Item = &DmaRequest>> {
        (!self.has_bus).then(|| self.current.iter().map(|(request, _)| request).chain(&self.queue))
    }

    /// Whether the DMA serves its requests round robin.
    pub fn is_round_robin(&self) -> bool {
        self.order == DmaOrder::RoundRobin
    }

    /// The end of the current chunk.
    pub fn chunk_end(&self) -> Time {
        self.until
    }

    /// The size of the largest chunk in bytes.
    pub fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    /// Applies that `done` requests of one chunk each have been completed, in order, first those in the DMA and then the `came`
    /// requests that came meanwhile, which `request` returns by number, counted from the first. The chunk that is in progress now
    /// will be done at `until`; all chunks that have begun since needed the time `took` together.
    pub fn catch_up(
        &mut self,
        done: usize,
        came: usize,
        (until, took): (Time, Span),
        request: impl Fn(usize) -> DmaRequest,
    ) {
        let (before, begun) = (self.len(), usize::from(self.current.is_some()));
        let left = before + came - done;
        let drop = done.min(before);
        if drop > 0 {
            self.current = None;
            self.queue.drain(..drop - begun);
        }
        let kept = before - drop;
        self.queue.extend((came - (left - kept)..came).map(request));
        if self.current.is_none() {
            let next = self.queue.pop_front();
            self.current = next.map(|request| (DmaRequest { setup: Span::ZERO, ..request }, request.bytes));
        }
        self.busy += took;
        if left > 0 {
            self.until = until;
        }
    }

    /// Queues a request: behind the other requests or, if it has begun and continues, before them.
    fn put(&mut self, request: DmaRequest, goes_on: bool) {
        // Request packages come first, in order; a request that continues is the first of its kind.
        let is_package = self.request_first && request.kind == DmaKind::Request;
        if !is_package && !goes_on {
            self.queue.push_back(request);
            return;
        }
        let packages = if self.request_first {
            self.queue.iter().take_while(|waiting| waiting.kind == DmaKind::Request).count()
        } else {
            0
        };
        self.queue.insert(if is_package && goes_on { 0 } else { packages }, request);
    }

    /// The scheduler is done with the current chunk, if it was working on it. Returns the number of bytes for which the bus is
    /// to be asked; none if the chunk is done.
    pub fn setup_completed(&mut self) -> Option<u64> {
        if self.on_bus != OnBus::Scheduled {
            return None;
        }
        self.on_bus = OnBus::Waits;
        self.current.map(|(_, bytes)| bytes)
    }

    /// Notes that the bus is busy with the current chunk until this time.
    pub fn bus_granted(&mut self, now: Time, until: Time) {
        self.on_bus = OnBus::Moves;
        self.busy += until - now;
        self.until = until;
    }

    /// Notes that the bus serves other components again while the chunk waits.
    pub fn bus_released_while_waiting(&mut self) {
        self.on_bus = OnBus::Waits;
    }

    /// Whether the current chunk waits for the bus.
    pub fn waits_for_bus(&self) -> bool {
        self.on_bus == OnBus::Waits
    }

    /// The rate of the DMA in bytes per second, if the DMA has one.
    pub fn bytes_per_second(&self) -> Option<u64> {
        self.bytes_per_second
    }

    #[inline]
    fn start(&mut self, now: Time) -> Option<DmaStep> {
        let request = self.queue.pop_front()?;
        Some(self.begin(now, request))
    }

    /// Begins a chunk of a request.
    #[inline]
    fn begin(&mut self, now: Time, mut request: DmaRequest) -> DmaStep {
        let bytes = request.bytes.min(self.chunk_bytes);
        let goes_over_bus = self.has_bus && bytes > 0;
        let setup = std::mem::replace(&mut request.setup, Span::ZERO);
        let takes = if goes_over_bus { setup } else { setup + self.transfer_time(bytes) };
        self.busy += takes;
        self.current = Some((request, bytes));
        self.until = now + takes;
        if !goes_over_bus {
            return DmaStep::At(self.until);
        }
        if setup > Span::ZERO {
            self.on_bus = OnBus::Scheduled;
            return DmaStep::At(self.until);
        }
        self.on_bus = OnBus::Waits;
        DmaStep::Bus(bytes)
    }

    /// The time in which the DMA was at work, up to now.
    pub fn busy_time(&self, now: Time) -> Span {
        if self.until > now { self.busy - (self.until - now) } else { self.busy }
    }

    /// Whether the DMA has any data to move for an exchange.
    pub fn has_data_of_exchange(&self, id: ExchangeId) -> bool {
        self.current_exchange().is_some_and(|(at_work, _)| at_work == id)
            || self.queue.iter().any(|request| request.exchange == id)
    }

    /// The number of requests in the DMA.
    pub fn len(&self) -> usize {
        self.queue.len() + usize::from(self.current.is_some())
    }

    /// Whether the DMA has no requests.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(exchange: u32, bytes: u64) -> DmaRequest {
        DmaRequest {
            exchange: ExchangeId(exchange),
            kind: DmaKind::Outgoing,
            bytes,
            setup: Span::from_us(10),
            ends: false,
        }
    }

    #[test]
    fn request_packages_go_before_data_but_do_not_interrupt_them() {
        for (order, second) in [(DmaOrder::Fcfs, 0), (DmaOrder::RoundRobin, 1)] {
            let mut dma = Dma::new(order, true, Some(1_000_000_000), 2000);
            let mut due = dma.queue_request(Time::ZERO, request(0, 4000));
            dma.queue_request(Time::ZERO, request(1, 2000));
            for package in [2, 3] {
                dma.queue_request(Time::ZERO, DmaRequest { kind: DmaKind::Request, ..request(package, 64) });
            }
            let mut served = Vec::new();
            while let Some(DmaStep::At(now)) = due {
                let (chunk, next) = dma.finish_current(now);
                served.extend(chunk.map(|c| c.exchange.0));
                due = next;
            }
            assert_eq!(served, [0, 2, 3, second, 1 - second]);
        }
    }

    fn order_of_chunks(order: DmaOrder) -> Vec<(u32, u64)> {
        // The rate is 1 byte per ns, so that a 2000-byte chunk takes 2 us.
        let mut dma = Dma::new(order, false, Some(1_000_000_000), 2000);
        let mut due = dma.queue_request(Time::ZERO, request(0, 4000));
        assert_eq!(due, Some(DmaStep::At(Time::ZERO + Span::from_us(12))));
        assert_eq!(dma.queue_request(Time::ZERO, request(1, 2000)), None);
        let mut chunks = Vec::new();
        while let Some(DmaStep::At(now)) = due {
            let (chunk, next) = dma.finish_current(now);
            chunks.push((chunk.map_or(u32::MAX, |c| c.exchange.0), now.ticks() / Span::from_us(1).ticks()));
            due = next;
        }
        chunks
    }

    #[test]
    fn fcfs_moves_a_request_whole_and_pays_the_overhead_once() {
        assert_eq!(order_of_chunks(DmaOrder::Fcfs), [(0, 12), (0, 14), (1, 26)]);
    }

    #[test]
    fn round_robin_takes_turns_chunk_by_chunk() {
        assert_eq!(order_of_chunks(DmaOrder::RoundRobin), [(0, 12), (1, 24), (0, 26)]);
    }

    #[test]
    fn requests_that_were_moved_and_came_in_a_train_leave_what_they_leave_one_by_one() {
        let each = Span::from_us(12);
        let compared = (0..4).flat_map(|before| (0..4).map(move |came| (before, came)));
        for (before, came) in compared {
            for done in 0..=before + came {
                let mut by_itself = Dma::new(DmaOrder::Fcfs, false, Some(1_000_000_000), 2000);
                for number in 0..before {
                    by_itself.queue_request(Time::ZERO, request(number, 2000));
                }
                let mut caught_up = by_itself.clone();
                for number in 0..came {
                    by_itself.queue_request(Time::ZERO, request(before + number, 2000));
                }
                for number in 0..done {
                    by_itself.finish_current(Time::ZERO + each * u64::from(number + 1));
                }
                let begun = (before + came).min(done + 1) - before.min(1);
                let while_it_went = (by_itself.chunk_end(), each * u64::from(begun));
                caught_up.catch_up(done as usize, came as usize, while_it_went, |number| {
                    request(before + number as u32, 2000)
                });
                let left = |dma: &Dma| {
                    let requests: Vec<DmaRequest> =
                        dma.queued_requests().into_iter().flatten().copied().collect();
                    (requests, dma.current_exchange(), dma.busy_time(Time::ZERO + Span::from_us(1000)))
                };
                let when = format!("{before} there, {came} came, {done} done");
                assert_eq!(left(&caught_up), left(&by_itself), "{when}");
                if done < before + came {
                    assert_eq!(caught_up.chunk_end(), by_itself.chunk_end(), "{when}");
                }
            }
        }
    }
}
