//! V-SCAN(r): the nearest command is served, where a command against the direction of the last seek counts as farther by a share `r` of all
//! cylinders. V-SCAN(0) is the shortest seek first, V-SCAN(1) is LOOK.
//!
//! Source: Geist, Daniel, "A Continuum of Disk Scheduling Algorithms", ACM TOCS 5(1), 1987, with r = 0.2 as the best value.

use super::{CommandScheduler, SchedulerView};
use sansim_schema::quantities::Fraction;
use sansim_schema::table;

table! {
    /// V-SCAN: the nearest command, where turning back adds a share of all cylinders to the distance.
    #[derive(Copy)]
    pub struct VScanParameters {
        /// The share.
        turning: f64 = Fraction, default "0.2", source "Geist, Daniel 1987";
    }
}

/// The command scheduler V-SCAN(r) serves the nearest command, where a turn of the arm counts as extra distance.
#[derive(Clone, Copy, Debug)]
pub struct VScan {
    turning: f64,
    inwards: bool,
}

impl From<VScanParameters> for VScan {
    fn from(parameters: VScanParameters) -> Self {
        Self { turning: parameters.turning, inwards: true }
    }
}

impl CommandScheduler for VScan {
    fn next(&mut self, view: &SchedulerView<'_>) -> usize {
        let extra = self.turning * f64::from(view.mechanics.geometry.cylinders());
        let here = view.arm.cylinder;
        let back = |there: u32| if self.inwards { there < here } else { there > here };
        let distance = |there: u32| f64::from(there.abs_diff(here)) + if back(there) { extra } else { 0.0 };
        let place = view.least(|one| Some(distance(one.place.cylinder))).unwrap_or(0);
        if back(view.waiting[place].place.cylinder) {
            self.inwards = !self.inwards;
        }
        place
    }
}
