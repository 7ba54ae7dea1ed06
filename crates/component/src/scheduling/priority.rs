//! The request of the most urgent stream; of equals the one that came first. Nothing that is under way is interrupted.
//!
//! How urgent a stream is, its workload says.

use super::{Scheduler, Waiting, least};
use sansim_describe::table;
use sansim_kernel::Time;
use std::collections::VecDeque;

table! {
    /// The one of the most urgent stream.
    #[derive(Copy, Eq)]
    pub struct PriorityParameters {}
}

/// See the module text.
#[derive(Clone, Copy, Debug)]
pub struct Priority;

impl From<&PriorityParameters> for Priority {
    fn from(_: &PriorityParameters) -> Self {
        Self
    }
}

impl Scheduler for Priority {
    fn next(&mut self, _: Time, _: u64, waiting: &VecDeque<Waiting>) -> usize {
        least(waiting, |one| Some(one.priority)).unwrap_or(0)
    }
}
