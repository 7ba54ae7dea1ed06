//! The queue order SSTF (shortest seek time first): the request that begins nearest to the end of the last one.
//!
//! Block addresses serve as cylinders, as in every scheduler outside a drive. A distant request may starve with SSTF.
//!
//! Source: Worthington, Ganger, Patt: Scheduling Algorithms for Modern Disk Drives, SIGMETRICS 1994.

use super::{QueuedRequest, Scheduler};
use sansim_kernel::Time;
use sansim_kernel::sweep::index_of_least;
use sansim_schema::table;
use std::collections::VecDeque;

table! {
    /// The request that is nearest to the last one on the device.
    #[derive(Copy, Eq)]
    pub struct ShortestSeek {}
}

impl Scheduler for ShortestSeek {
    fn next(&mut self, _: Time, position: u64, waiting: &VecDeque<QueuedRequest>) -> usize {
        index_of_least(waiting, |one| Some(one.lba.abs_diff(position))).unwrap_or(0)
    }
}
