//! First come, first served.

use super::{Scheduler, View};
use sansim_describe::table;

table! {
    /// First come, first served.
    #[derive(Copy, Eq)]
    pub struct FcfsParameters {}
}

/// See the module text.
#[derive(Clone, Copy, Debug)]
pub struct Fcfs;

impl From<&FcfsParameters> for Fcfs {
    fn from(_: &FcfsParameters) -> Self {
        Self
    }
}

impl Scheduler for Fcfs {
    fn next(&mut self, _: &View<'_>) -> usize {
        0
    }
}
