//! The queue order first come, first served.

use super::{QueuedRequest, Scheduler};
use sansim_kernel::Time;
use sansim_schema::table;
use std::collections::VecDeque;

table! {
    /// First come, first served.
    #[derive(Copy, Eq)]
    pub struct Fcfs {}
}

impl Scheduler for Fcfs {
    fn next(&mut self, _: Time, _: u64, _: &VecDeque<QueuedRequest>) -> usize {
        0
    }
}
