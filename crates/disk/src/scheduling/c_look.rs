//! C-LOOK: the arm serves commands inwards from the last one; if no command is left in that direction, the arm begins again at the
//! outermost command.
//!
//! Source: Worthington, Ganger, Patt, "Scheduling Algorithms for Modern Disk Drives", SIGMETRICS 1994.

use super::{CommandScheduler, PositionCriterion, SchedulerView};
use sansim_kernel::sweep::round_order_key;
use sansim_schema::quantities::Choice;
use sansim_schema::table;

table! {
    /// C-LOOK: the next command inwards, and after the innermost the outermost.
    #[derive(Copy, Eq)]
    pub struct CLook {
        /// The measure by which the scheduler compares the places of commands.
        by: PositionCriterion = Choice::<PositionCriterion>::ANY, default r#""block""#, source "DiskSim 2.0 manual, scheduling policies 3 and 6";
    }
}

impl CommandScheduler for CLook {
    fn next(&mut self, view: &SchedulerView<'_>) -> usize {
        let next = view.least(|one| {
            let (there, here) = view.places(one, self.by);
            Some(round_order_key(there, here))
        });
        next.unwrap_or(0)
    }
}
