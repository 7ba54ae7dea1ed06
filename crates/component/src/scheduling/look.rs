//! LOOK: requests are served in one direction as long as any wait there, then in the other.
//!
//! Source: Worthington, Ganger, Patt: Scheduling Algorithms for Modern Disk Drives, SIGMETRICS 1994.

use super::{QueuedRequest, Scheduler};
use sansim_kernel::Time;
use sansim_kernel::sweep::Elevator;
use sansim_schema::table;
use std::collections::VecDeque;

table! {
    /// LOOK: the next request in the direction of the last one, and back if there is none.
    #[derive(Copy, Eq)]
    pub struct LookParameters {}
}

/// The queue order LOOK serves requests in one direction as long as any wait there, then in the other direction.
#[derive(Clone, Copy, Debug)]
pub struct Look(Elevator);

impl From<LookParameters> for Look {
    fn from(_: LookParameters) -> Self {
        Self(Elevator::new())
    }
}

impl Scheduler for Look {
    /// Positions are in half blocks: the last request ended between two blocks, and a request that begins there counts as above.
    fn next(&mut self, _: Time, position: u64, waiting: &VecDeque<QueuedRequest>) -> usize {
        self.0.next(waiting, |one| (2 * one.lba + 1, 2 * position)).unwrap_or(0)
    }
}
