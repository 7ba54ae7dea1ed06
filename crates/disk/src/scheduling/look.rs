//! LOOK: the arm serves commands in one direction as long as any command waits in that direction, then it turns back.
//!
//! Source: Merten, "Some quantitative techniques for file organization", 1970; Worthington, Ganger, Patt, "Scheduling Algorithms
//! for Modern Disk Drives", SIGMETRICS 1994.

use super::{CommandScheduler, PositionCriterion, SchedulerView};
use sansim_kernel::sweep::Elevator;
use sansim_schema::quantities::Choice;
use sansim_schema::table;

table! {
    /// LOOK: the next command in the direction of the last movement of the arm, and back where no command waits there.
    #[derive(Copy, Eq)]
    pub struct LookParameters {
        /// The measure by which the scheduler compares the places of commands.
        by: PositionCriterion = Choice::<PositionCriterion>::ANY, default r#""cylinder""#, source "DiskSim 2.0 manual, scheduling policies 2 and 5";
    }
}

/// The command scheduler LOOK moves the arm in one direction as long as any command waits there, then turns it back.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    by: PositionCriterion,
    elevator: Elevator,
}

impl From<LookParameters> for Look {
    fn from(parameters: LookParameters) -> Self {
        Self { by: parameters.by, elevator: Elevator::new() }
    }
}

impl CommandScheduler for Look {
    fn next(&mut self, view: &SchedulerView<'_>) -> usize {
        self.elevator.next(view.waiting, |one| view.places(one, self.by)).unwrap_or(0)
    }
}
