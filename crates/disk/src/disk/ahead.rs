//! Reading ahead: the medium goes on behind a read until the segment is full, or a command sends the arm elsewhere.

use crate::mechanics::{Course, Mechanics, Run};
use sansim_kernel::Time;

/// A read-ahead that goes on, or has come to its end with the arm still there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    /// Into which segment.
    pub segment: usize,
    /// The block before which it ends.
    pub limit: u64,
    /// What is being read, and what comes behind it.
    pub run: Run,
    pub course: Course,
}

impl Ahead {
    /// The block behind the last that has been read at an instant. Instants must not go back.
    pub fn frontier(&mut self, mechanics: &Mechanics, now: Time) -> u64 {
        while self.run.end <= now && self.course.next < self.limit {
            self.run = mechanics.run(&mut self.course, self.limit, Time::ZERO, false);
        }
        let count = mechanics.transferred_by(&self.run, now);
        (self.run.first + u64::from(count)).min(self.limit)
    }

    /// When it comes to its end, if nothing gives it up.
    pub fn ends(mut self, mechanics: &Mechanics) -> Time {
        while self.course.next < self.limit {
            self.run = mechanics.run(&mut self.course, self.limit, Time::ZERO, false);
        }
        let last = self.limit.saturating_sub(self.run.first).min(self.run.blocks.into()) as u32;
        if last == 0 { self.run.begin } else { mechanics.transferred(&self.run, last) }
    }

    /// It may go on to a block farther on. If it had come to its end, the platters have turned on since.
    pub fn extend(&mut self, mechanics: &Mechanics, limit: u64, now: Time) {
        if limit <= self.limit {
            return;
        }
        if self.frontier(mechanics, now) == self.limit {
            self.course.at = self.course.at.max(now);
        }
        self.limit = limit;
    }
}
