//! LOOK: in one direction as long as something waits there, then back.
//!
//! Source: Worthington, Ganger, Patt: Scheduling Algorithms for Modern Disk Drives, SIGMETRICS 1994.

use super::{Scheduler, Waiting, least};
use sansim_describe::table;
use sansim_kernel::Time;
use std::cmp::Reverse;
use std::collections::VecDeque;

table! {
    /// The next one in the direction of the last, and back where there is none.
    #[derive(Copy, Eq)]
    pub struct LookParameters {}
}

/// See the module text.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    upwards: bool,
}

impl From<&LookParameters> for Look {
    fn from(_: &LookParameters) -> Self {
        Self { upwards: true }
    }
}

impl Look {
    /// The next one in the present direction.
    fn ahead(&self, position: u64, waiting: &VecDeque<Waiting>) -> Option<usize> {
        if self.upwards {
            least(waiting, |one| (one.lba >= position).then_some(one.lba))
        } else {
            least(waiting, |one| (one.lba < position).then_some(Reverse(one.lba)))
        }
    }
}

impl Scheduler for Look {
    fn next(&mut self, _: Time, position: u64, waiting: &VecDeque<Waiting>) -> usize {
        if let Some(place) = self.ahead(position, waiting) {
            return place;
        }
        self.upwards = !self.upwards;
        self.ahead(position, waiting).unwrap_or(0)
    }
}
