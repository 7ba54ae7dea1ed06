//! The queue order `round-robin`: one request of each stream in turn, so that a stream with many requests does not delay the others.

use super::{QueuedRequest, Scheduler};
use sansim_kernel::Time;
use sansim_kernel::sweep::{index_of_least, round_order_key};
use sansim_schema::table;
use std::collections::VecDeque;

table! {
    /// One request of each stream in turn.
    #[derive(Copy, Eq)]
    pub struct RoundRobinParameters {}
}

/// The queue order `round-robin`, which serves one request of each stream in turn.
#[derive(Clone, Copy, Debug)]
pub struct RoundRobinStreams {
    /// The stream after the stream that was served last.
    next: (u32, u32),
}

impl From<RoundRobinParameters> for RoundRobinStreams {
    fn from(_: RoundRobinParameters) -> Self {
        Self { next: (0, 0) }
    }
}

impl Scheduler for RoundRobinStreams {
    fn next(&mut self, _: Time, _: u64, waiting: &VecDeque<QueuedRequest>) -> usize {
        let place = index_of_least(waiting, |one| Some(round_order_key(one.stream, self.next))).unwrap_or(0);
        let (workload, stream) = waiting[place].stream;
        self.next = (workload, stream + 1);
        place
    }
}
