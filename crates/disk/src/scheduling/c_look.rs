//! C-LOOK: inwards from where the last command was; where nothing is left in that direction, from the outermost again.
//!
//! Source: Worthington, Ganger, Patt, "Scheduling Algorithms for Modern Disk Drives", SIGMETRICS 1994.

use super::{By, Scheduler, View};
use sansim_describe::quantities::Choice;
use sansim_describe::table;

table! {
    /// The next one inwards, and from the last one back to the outermost.
    #[derive(Copy, Eq)]
    pub struct CLookParameters {
        /// By what places are compared.
        by: By = Choice::<By>::ANY, default r#""block""#, source "DiskSim 2.0 manual, scheduling policies 3 and 6";
    }
}

/// See the module text.
#[derive(Clone, Copy, Debug)]
pub struct CLook {
    by: By,
}

impl From<&CLookParameters> for CLook {
    fn from(parameters: &CLookParameters) -> Self {
        Self { by: parameters.by }
    }
}

impl Scheduler for CLook {
    fn next(&mut self, view: &View<'_>) -> usize {
        let order = |(there, here): (u64, u64)| (there < here, there);
        view.least(|one| Some(order(view.places(one, self.by)))).unwrap_or(0)
    }
}
