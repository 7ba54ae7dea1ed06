//! Aged SPTF: the least positioning time, less a share of the time that the command has waited, so that no command starves.
//!
//! Source: Worthington, Ganger, Patt, "Scheduling Algorithms for Modern Disk Drives", SIGMETRICS 1994: ASPTF(W) takes the least of
//! `positioning - W waited`.

use super::{CommandScheduler, SchedulerView};
use sansim_schema::quantities::Number;
use sansim_schema::table;

table! {
    /// The shortest positioning, less what each has waited.
    #[derive(Copy)]
    pub struct AgedSptf {
        /// How much of the time that a command has waited is taken off: 0 is SPTF, and the more, the nearer to first come, first served.
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
