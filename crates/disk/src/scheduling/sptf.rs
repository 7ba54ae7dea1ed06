//! SPTF (shortest positioning time first): the command with the least sum of seek time and rotational latency, which the drive knows.
//!
//! A drive may calculate positioning from the angle of its platters when the medium was done with the previous command, though the arm
//! leaves later: then the best block that it sees has often just passed, and SPTF gains little over the shortest seek. The figures of
//! DiskSim 2.01.016 for SPTF are those of a drive that calculates from the end of the last transfer; this model reproduces them in that
//! case (`tests/disksim.rs`).
//!
//! Source: Seltzer, Chen, Ousterhout, "Disk Scheduling Revisited", USENIX Winter 1990; Jacobson, Wilkes, "Disk scheduling
//! algorithms based on rotational position", HPL-CSP-91-7.

use super::{CommandScheduler, QueuedCommand, SchedulerView};
use sansim_schema::quantities::Choice;
use sansim_schema::{table, words};

words! {
    /// The angle of the platters from which a drive computes the rotational latency.
    pub enum Reckons {
        /// That at which the arm leaves.
        Leaving = "leaving",
        /// That at which the medium was done with the command before.
        LastTransfer = "last-transfer",
    }
}

table! {
    /// The shortest positioning.
    #[derive(Copy, Eq)]
    pub struct Sptf {
        /// From which angle of the platters the way is reckoned.
        from: Reckons = Choice::<Reckons>::ANY, default r#""leaving""#, source "DiskSim 2.01.016 does as \"last-transfer\"";
    }
}

impl CommandScheduler for Sptf {
    fn next(&mut self, view: &SchedulerView<'_>) -> usize {
        let positioning = |one: &QueuedCommand| match self.from {
            Reckons::Leaving => view.positioning(one),
            Reckons::LastTransfer => view.positioning_from(view.arm_free, one),
        };
        view.least(|one| Some(positioning(one))).unwrap_or(0)
    }
}
