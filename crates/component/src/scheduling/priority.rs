//! The queue order by priority: the request of the most urgent stream is next; among equals the oldest. Requests in flight are not
//! interrupted.
//!
//! The workload sets the priority of a stream.

use super::{QueuedRequest, Scheduler};
use sansim_kernel::Time;
use sansim_kernel::sweep::index_of_least;
use sansim_schema::table;
use std::collections::VecDeque;

table! {
    /// A request of the most urgent stream.
    #[derive(Copy, Eq)]
    pub struct ByPriority {}
}

impl Scheduler for ByPriority {
    fn next(&mut self, _: Time, _: u64, waiting: &VecDeque<QueuedRequest>) -> usize {
        index_of_least(waiting, |one| Some(one.priority)).unwrap_or(0)
    }
}
