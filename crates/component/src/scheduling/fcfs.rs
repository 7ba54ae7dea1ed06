//! First come, first served.

use super::{Scheduler, Waiting};
use sansim_describe::table;
use sansim_kernel::Time;
use std::collections::VecDeque;

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
    fn next(&mut self, _: Time, _: u64, _: &VecDeque<Waiting>) -> usize {
        0
    }
}
