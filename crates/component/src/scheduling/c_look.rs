//! C-LOOK: upwards from where the last request ended; where nothing is left in that direction, from the lowest again.
//!
//! Source: Worthington, Ganger, Patt: Scheduling Algorithms for Modern Disk Drives, SIGMETRICS 1994.

use super::{QueuedRequest, Scheduler};
use sansim_kernel::Time;
use sansim_kernel::sweep::{least, round};
use sansim_schema::table;
use std::collections::VecDeque;

table! {
    /// The next one upwards, and from the last one back to the first.
    #[derive(Copy, Eq)]
    pub struct CLook {}
}

impl Scheduler for CLook {
    fn next(&mut self, _: Time, position: u64, waiting: &VecDeque<QueuedRequest>) -> usize {
        least(waiting, |one| Some(round(one.lba, position))).unwrap_or(0)
    }
}
