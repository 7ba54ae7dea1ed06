//! The queue order `deadline`: batches of one direction, upwards, reads before writes; a batch begins with a request beyond its deadline.
//!
//! Source: Linux kernel documentation, block/deadline-iosched: `read_expire`, `write_expire`, `fifo_batch`, `writes_starved`, with their
//! values there as defaults. A deadline determines when a request is next to begin a batch, not when it is done.

use super::{QueuedRequest, Scheduler};
use sansim_kernel::sweep::index_of_least;
use sansim_kernel::{Span, Time};
use sansim_schema::quantities::{Count, Time as TimeOf};
use sansim_schema::table;
use std::collections::VecDeque;

table! {
    /// Batches of requests upwards on the device, reads before writes; no request waits much longer than its deadline.
    #[derive(Copy, Eq)]
    pub struct DeadlineParameters {
        /// How long a read waits at most before a batch begins with it, once the batch before is over.
        read_deadline: Span = TimeOf::ANY, default r#""500 ms""#, source "Linux, block/deadline-iosched";
        /// How long a write waits at most before a batch begins with it, once the batch before is over.
        write_deadline: Span = TimeOf::ANY, default r#""5 s""#, source "Linux, block/deadline-iosched";
        /// Most requests in a batch.
        batch: u32 = Count::<u32>::between(1, 1_000_000), default "16", source "Linux, block/deadline-iosched";
        /// How many batches of reads may go before a waiting write.
        read_batches: u32 = Count::<u32>::between(1, 1_000_000), default "2", source "Linux, block/deadline-iosched";
    }
}

/// The queue order `deadline`, which serves batches of reads before writes and limits the wait of each request.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    parameters: DeadlineParameters,
    writes: bool,
    /// The number of requests that the present batch may still have.
    left: u32,
    /// The number of batches of reads since the last batch of writes, counted while writes waited.
    read_batches: u32,
    /// The end of the last batch of reads, and of writes.
    position: [u64; 2],
}

impl From<DeadlineParameters> for Deadline {
    fn from(parameters: DeadlineParameters) -> Self {
        Self { parameters, writes: false, left: 0, read_batches: 0, position: [0; 2] }
    }
}

impl Deadline {
    /// The index of the next request upwards, in the present direction.
    fn upwards(&self, waiting: &VecDeque<QueuedRequest>) -> Option<usize> {
        let position = self.position[usize::from(self.writes)];
        index_of_least(waiting, |one| {
            (one.operation.is_write() == self.writes && one.lba >= position).then_some(one.lba)
        })
    }

    /// Begins a batch: of reads if there are any, unless writes have waited for too many batches of reads.
    fn begin(&mut self, now: Time, waiting: &VecDeque<QueuedRequest>) -> usize {
        let oldest = |write| waiting.iter().position(|one| one.operation.is_write() == write);
        let (read, write) = (oldest(false), oldest(true));
        let starved = write.is_some() && self.read_batches >= self.parameters.read_batches;
        self.writes = read.is_none() || starved;
        self.read_batches = if self.writes || write.is_none() { 0 } else { self.read_batches + 1 };
        self.left = self.parameters.batch;
        let first = if self.writes { write } else { read }.unwrap_or(0);
        let allowed =
            if self.writes { self.parameters.write_deadline } else { self.parameters.read_deadline };
        if now.saturating_since(waiting[first].since) >= allowed {
            return first;
        }
        self.upwards(waiting).unwrap_or(first)
    }
}

impl Scheduler for Deadline {
    fn next(&mut self, now: Time, _: u64, waiting: &VecDeque<QueuedRequest>) -> usize {
        let goes_on = if self.left > 0 { self.upwards(waiting) } else { None };
        let place = match goes_on {
            Some(place) => place,
            None => self.begin(now, waiting),
        };
        self.left -= 1;
        let one = &waiting[place];
        self.position[usize::from(self.writes)] = one.lba + one.blocks;
        place
    }
}
