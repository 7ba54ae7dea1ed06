//! The requests that wait for a device, as operating systems and firmware keep them.

use super::{AnyScheduler, QueueOrder, Scheduler};
use sansim_kernel::Time;
use sansim_request::{BLOCK_BYTES, Operation, Request, RequestId};
use std::collections::VecDeque;

/// A waiting request, or several that were merged and are passed on as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedRequest {
    /// The request; for merged requests the one that arrived first.
    pub request: RequestId,
    /// The last request to arrive, if several were merged.
    last: RequestId,
    /// The number of the request in the order of arrival, by which queues are compared; for merged requests that of the first.
    pub number: u64,
    /// The time since which the request has waited; of merged requests the first.
    pub since: Time,
    /// The operation on the blocks.
    pub operation: Operation,
    /// The first block.
    pub lba: u64,
    /// The number of blocks.
    pub blocks: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// The workload and stream of the request; for merged requests those of the first.
    pub stream: (u32, u32),
    /// The priority of the request, 0 is the most urgent; for merged requests that of the most urgent.
    pub priority: u8,
    /// Whether the request has a cache control, with which it is not merged.
    is_alone: bool,
}

impl QueuedRequest {
    /// A request that waits from now on.
    pub fn new(id: RequestId, request: &Request, now: Time) -> Self {
        Self {
            request: id,
            last: id,
            number: 0,
            since: now,
            operation: request.operation,
            lba: request.lba,
            blocks: request.block_count(),
            bytes: request.bytes,
            stream: (request.origin.workload, request.origin.stream),
            priority: request.origin.priority,
            is_alone: request.cache_control.is_any(),
        }
    }

    /// Requests that were passed on merged and wait again, in the order in which they were merged.
    pub fn from_merged(all: impl Iterator<Item = (RequestId, Request)>, now: Time) -> Option<Self> {
        all.map(|(id, request)| Self::new(id, &request, now)).reduce(|first, next| QueuedRequest {
            last: next.last,
            lba: first.lba.min(next.lba),
            blocks: first.blocks + next.blocks,
            bytes: first.bytes + next.bytes,
            priority: first.priority.min(next.priority),
            ..first
        })
    }

    /// Whether it consists of several merged requests.
    pub fn is_merged(&self) -> bool {
        self.request != self.last
    }

    /// Whether `next` continues this request and both may be passed on as one. A request that ends within a block has no continuation, and
    /// flushes and deallocations are not merged (ours: Linux merges deallocations side by side), nor is a write with a cache control
    /// (Linux, REQ_NOMERGE_FLAGS).
    fn goes_on_with(&self, next: &QueuedRequest, most_bytes: u64) -> bool {
        self.operation == next.operation
            && !(self.is_alone || next.is_alone)
            && matches!(self.operation, Operation::Read | Operation::Write)
            && self.lba + self.blocks == next.lba
            && self.bytes == self.blocks * BLOCK_BYTES
            && self.bytes + next.bytes <= most_bytes
    }
}

/// The chains of merged requests: the next one of each.
#[derive(Clone, Debug, Default)]
pub struct MergedChains {
    next: Vec<Option<RequestId>>,
}

impl MergedChains {
    fn begin(&mut self, id: RequestId) {
        let number = id.0 as usize;
        if number >= self.next.len() {
            self.next.resize(number + 1, None);
        }
        self.next[number] = None;
    }

    /// Merges two requests; the result has the number of the older one.
    fn join(&mut self, low: &QueuedRequest, high: &QueuedRequest) -> QueuedRequest {
        let (first, second) = if low.number <= high.number { (low, high) } else { (high, low) };
        self.next[first.last.0 as usize] = Some(second.request);
        QueuedRequest {
            request: first.request,
            last: second.last,
            number: first.number,
            since: first.since,
            operation: low.operation,
            lba: low.lba,
            blocks: low.blocks + high.blocks,
            bytes: low.bytes + high.bytes,
            stream: first.stream,
            priority: low.priority.min(high.priority),
            is_alone: false,
        }
    }

    /// The request that was merged after this one.
    pub fn next_merged_request(&self, id: RequestId) -> Option<RequestId> {
        self.next.get(id.0 as usize).copied().flatten()
    }
}

/// The queue of requests that wait for a device.
#[derive(Clone, Debug)]
pub struct Queue {
    waiting: VecDeque<QueuedRequest>,
    scheduler: AnyScheduler,
    /// The end of the last request that was passed on.
    position: u64,
}

impl Queue {
    /// An empty queue.
    pub fn new(order: &QueueOrder) -> Self {
        Self { waiting: VecDeque::new(), scheduler: order.scheduler(), position: 0 }
    }

    /// Queues a request. A queued request is merged with requests for adjacent blocks if all together are no more than `most_bytes`.
    /// Returns whether the request was merged.
    pub fn queue_request(
        &mut self,
        chains: &mut MergedChains,
        one: QueuedRequest,
        most_bytes: Option<u64>,
    ) -> bool {
        let Some(most_bytes) = most_bytes else {
            self.waiting.push_back(one);
            return false;
        };
        chains.begin(one.request);
        let below = self.waiting.iter().position(|low| low.goes_on_with(&one, most_bytes));
        let mut merged = below.map_or(one, |place| chains.join(&self.waiting[place], &one));
        let above = self.waiting.iter().position(|high| merged.goes_on_with(high, most_bytes));
        if let Some(place) = above {
            merged = chains.join(&merged, &self.waiting[place]);
        }
        // A merged request takes the place of its oldest part, so that waiting requests remain in the order of arrival.
        let Some(place) = [below, above].into_iter().flatten().min() else {
            self.waiting.push_back(one);
            return false;
        };
        if let (Some(below), Some(above)) = (below, above) {
            self.waiting.remove(below.max(above));
        }
        self.waiting[place] = merged;
        true
    }

    /// The next request, which is passed on.
    pub fn next_queued_request(&mut self, now: Time) -> Option<QueuedRequest> {
        let next = match self.waiting.len() {
            0 => return None,
            // The scheduler is called even for a single request, because it remembers the served requests.
            _ => self.scheduler.next(now, self.position, &self.waiting),
        };
        let next = if next == 0 { self.waiting.pop_front() } else { self.waiting.remove(next) }?;
        if next.operation != Operation::Flush {
            self.position = next.lba + next.blocks;
        }
        Some(next)
    }

    /// Removes a waiting request that was not merged.
    pub fn remove_waiting(&mut self, id: RequestId) -> bool {
        let place = self.waiting.iter().position(|one| one.request == id);
        place.and_then(|place| self.waiting.remove(place)).is_some()
    }

    /// The waiting request that arrived first.
    pub fn oldest_waiting_request(&self) -> Option<&QueuedRequest> {
        self.waiting.front()
    }

    /// The number of waiting requests; merged requests count as one.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no request waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
