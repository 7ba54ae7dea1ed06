//! FCFS (first come, first served): commands are served in the order of their arrival.

use super::{CommandScheduler, SchedulerView};
use sansim_schema::table;

table! {
    /// First come, first served.
    #[derive(Copy, Eq)]
    pub struct Fcfs {}
}

impl CommandScheduler for Fcfs {
    fn next(&mut self, _: &SchedulerView<'_>) -> usize {
        0
    }
}
