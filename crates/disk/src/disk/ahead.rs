//! Reading ahead: the medium goes on behind a read until the segment is full, or a command sends the arm elsewhere.

use crate::mechanics::{Mechanics, TrackRun, TransferProgress};
use sansim_kernel::Time;

/// A read-ahead that goes on, or has come to its end with the arm still there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    /// Into which segment.
    pub segment: usize,
    /// The block before which it ends.
    pub goal: u64,
    /// The block before which it ends for now: there is no room farther on until the host has taken what it has asked for.
    pub limit: u64,
    /// The current run, and the transfer after it. A run may go beyond the limit.
    pub run: TrackRun,
    pub course: TransferProgress,
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

    /// A command needs buffer space that the read-ahead would overwrite: it goes no farther than there is room, except for the block that is passing.
    pub fn keep_off(&mut self, mechanics: &Mechanics, reach: u64, now: Time) {
        if reach < self.limit {
            let passing = self.frontier(mechanics, now) + 1;
            self.limit = self.limit.min(reach.max(passing));
        }
    }

    /// It may go on to a block farther on, for now up to the limit. If it had come to its end, the platters have turned on since.
    pub fn extend(&mut self, mechanics: &Mechanics, goal: u64, limit: u64, now: Time) {
        self.goal = self.goal.max(goal);
        if limit <= self.limit {
            return;
        }
        if self.frontier(mechanics, now) == self.limit {
            let at = now.max(self.run.positioned);
            self.course = TransferProgress { at, next: self.limit, ..self.course };
            self.run = mechanics.run(&mut self.course, limit, Time::ZERO, false);
        }
        self.limit = limit;
    }
}
