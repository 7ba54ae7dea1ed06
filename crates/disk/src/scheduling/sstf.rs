//! SSTF (shortest seek time first): the command nearest to the arm is served first.
//!
//! Source: Denning, "Effects of scheduling on file memory operations", AFIPS 1967.

use super::{CommandScheduler, PositionCriterion, SchedulerView};
use sansim_schema::quantities::Choice;
use sansim_schema::table;

table! {
    /// The shortest seek.
    #[derive(Copy, Eq)]
    pub struct Sstf {
        /// The distance of a command: from the cylinder of the arm, or from the block after the last command.
        by: PositionCriterion = Choice::<PositionCriterion>::ANY, default r#""cylinder""#, source "DiskSim 2.0 manual, scheduling policies 4 and 7";
    }
}

impl CommandScheduler for Sstf {
    fn next(&mut self, view: &SchedulerView<'_>) -> usize {
        let distance = |(there, here): (u64, u64)| there.abs_diff(here);
        view.least(|one| Some(distance(view.places(one, self.by)))).unwrap_or(0)
    }
}
