//! C-LOOK: requests are served upwards from the end of the last request; where none is left in that direction, from the lowest again.
//!
//! Source: Worthington, Ganger, Patt: Scheduling Algorithms for Modern Disk Drives, SIGMETRICS 1994.

use super::{QueuedRequest, Scheduler};
use sansim_kernel::Time;
use sansim_kernel::sweep::{index_of_least, round_order_key};
use sansim_schema::table;
use std::collections::VecDeque;

table! {
    /// C-LOOK: the next request upwards on the device, and after the last one the first.
    #[derive(Copy, Eq)]
    pub struct CLook {}
}

impl Scheduler for CLook {
    fn next(&mut self, _: Time, position: u64, waiting: &VecDeque<QueuedRequest>) -> usize {
        index_of_least(waiting, |one| Some(round_order_key(one.lba, position))).unwrap_or(0)
    }
}
