//! First come, first served.

use super::{Scheduler, View};
use sansim_describe::table;

table! {
    /// First come, first served.
    #[derive(Copy, Eq)]
    pub struct Fcfs {}
}

impl Scheduler for Fcfs {
    fn next(&mut self, _: &View<'_>) -> usize {
        0
    }
}
