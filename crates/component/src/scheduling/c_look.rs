//! C-LOOK: upwards from where the last request ended; where nothing is left in that direction, from the lowest again.
//!
//! Source: Worthington, Ganger, Patt: Scheduling Algorithms for Modern Disk Drives, SIGMETRICS 1994.

use super::{Scheduler, Waiting, least};
use sansim_describe::table;
use sansim_kernel::Time;
use std::collections::VecDeque;

table! {
    /// The next one upwards, and from the last one back to the first.
    #[derive(Copy, Eq)]
    pub struct CLookParameters {}
}

/// See the module text.
#[derive(Clone, Copy, Debug)]
pub struct CLook;

impl From<&CLookParameters> for CLook {
    fn from(_: &CLookParameters) -> Self {
        Self
    }
}

impl Scheduler for CLook {
    fn next(&mut self, _: Time, position: u64, waiting: &VecDeque<Waiting>) -> usize {
        least(waiting, |one| Some((one.lba < position, one.lba))).unwrap_or(0)
    }
}
