//! LOOK: in one direction as long as something waits there, then back.
//!
//! Source: Merten, "Some quantitative techniques for file organization", 1970; Worthington, Ganger, Patt, "Scheduling Algorithms
//! for Modern Disk Drives", SIGMETRICS 1994.

use super::{By, Scheduler, View};
use sansim_describe::quantities::Choice;
use sansim_describe::table;

table! {
    /// The next one in the direction of the last, and back where there is none.
    #[derive(Copy, Eq)]
    pub struct LookParameters {
        /// By what places are compared.
        by: By = Choice::<By>::ANY, default r#""cylinder""#, source "DiskSim 2.0 manual, scheduling policies 2 and 5";
    }
}

/// See the module text.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    by: By,
    inwards: bool,
}

impl From<&LookParameters> for Look {
    fn from(parameters: &LookParameters) -> Self {
        Self { by: parameters.by, inwards: true }
    }
}

impl Look {
    /// The next one in the present direction; where the arm is counts as in it.
    fn ahead(&self, view: &View<'_>) -> Option<usize> {
        view.least(|one| {
            let (there, here) = view.places(one, self.by);
            let ahead = if self.inwards { there >= here } else { there <= here };
            ahead.then(|| there.abs_diff(here))
        })
    }
}

impl Scheduler for Look {
    fn next(&mut self, view: &View<'_>) -> usize {
        if let Some(place) = self.ahead(view) {
            return place;
        }
        self.inwards = !self.inwards;
        self.ahead(view).unwrap_or(0)
    }
}
