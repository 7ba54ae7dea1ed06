//! Aged SPTF: the least positioning time, less a share of the time that the command has waited, so that no command starves.
//!
//! Source: Worthington, Ganger, Patt, "Scheduling Algorithms for Modern Disk Drives", SIGMETRICS 1994: ASPTF(W) takes the least of
//! `positioning - W waited`.

use super::{CommandScheduler, SchedulerView};
use sansim_schema::quantities::Number;
use sansim_schema::table;

table! {
    /// The command with the shortest positioning time, less a share of the time that the command has waited.
    #[derive(Copy)]
    pub struct AgedSptf {
        /// Share of the waiting time of a command that is subtracted from its positioning time: 0 is SPTF; larger values are nearer to
        /// first come, first served.
        weight: f64 = Number::between(0.0, 1e6), required "0.01", source "Worthington, Ganger, Patt 1994";
    }
}

impl CommandScheduler for AgedSptf {
    fn next(&mut self, view: &SchedulerView<'_>) -> usize {
        let waited = |arrival| view.now.saturating_since(arrival).0 as f64;
        view.least(|one| Some(view.positioning(one).0 as f64 - self.weight * waited(one.command.arrival)))
            .unwrap_or(0)
    }
}
