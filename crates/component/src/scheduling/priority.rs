//! The request of the most urgent stream; of equals the one that came first. Nothing that is under way is interrupted.
//!
//! How urgent a stream is, its workload says.

use super::{QueuedRequest, Scheduler};
use sansim_kernel::Time;
use sansim_kernel::sweep::least;
use sansim_schema::table;
use std::collections::VecDeque;

table! {
    /// The one of the most urgent stream.
    #[derive(Copy, Eq)]
    pub struct ByPriority {}
}

impl Scheduler for ByPriority {
    fn next(&mut self, _: Time, _: u64, waiting: &VecDeque<QueuedRequest>) -> usize {
        least(waiting, |one| Some(one.priority)).unwrap_or(0)
    }
}
