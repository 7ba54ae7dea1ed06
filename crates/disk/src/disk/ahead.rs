//! Reading ahead: the medium continues after a read until the segment is full, or a command sends the arm elsewhere.

use crate::mechanics::{Mechanics, TrackRun, TransferProgress};
use sansim_kernel::Time;

/// A read-ahead that is in progress, or has come to its end with the arm still in place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    /// The segment into which blocks are read ahead.
    pub segment: usize,
    /// The block before which the read-ahead ends.
    pub goal: u64,
    /// The block before which the read-ahead ends for now: there is no room farther on until the host has consumed data that it has
    /// requested.
    pub limit: u64,
    /// The current run of the read-ahead, and the transfer after the run. A run may extend beyond the limit.
    pub run: TrackRun,
    pub course: TransferProgress,
}

impl Ahead {
    /// The block behind the last block that has been read at an instant. Instants must not go back between calls.
    pub fn read_ahead_frontier(&mut self, mechanics: &Mechanics, now: Time) -> u64 {
        while self.run.end <= now && self.course.next < self.limit {
            self.run = mechanics.next_track_run(&mut self.course, self.limit, Time::ZERO, false);
        }
        let count = mechanics.blocks_transferred_by(&self.run, now);
        (self.run.first + u64::from(count)).min(self.limit)
    }

    /// The time at which the read-ahead comes to its end, if no command ends it.
    pub fn read_ahead_end(mut self, mechanics: &Mechanics) -> Time {
        while self.course.next < self.limit {
            self.run = mechanics.next_track_run(&mut self.course, self.limit, Time::ZERO, false);
        }
        let last = self.limit.saturating_sub(self.run.first).min(self.run.blocks.into()) as u32;
        if last == 0 { self.run.begin } else { mechanics.transfer_end(&self.run, last) }
    }

    /// A command needs buffer space that the read-ahead would overwrite: the read-ahead ends where there is no more room, except for the
    /// block that is passing.
    pub fn limit_read_ahead(&mut self, mechanics: &Mechanics, reach: u64, now: Time) {
        if reach < self.limit {
            let passing = self.read_ahead_frontier(mechanics, now) + 1;
            self.limit = self.limit.min(reach.max(passing));
        }
    }

    /// The read-ahead may continue to a later block, for now up to the limit. If the read-ahead had come to its end, the platters have
    /// turned on since.
    pub fn extend(&mut self, mechanics: &Mechanics, goal: u64, limit: u64, now: Time) {
        self.goal = self.goal.max(goal);
        if limit <= self.limit {
            return;
        }
        if self.read_ahead_frontier(mechanics, now) == self.limit {
            let at = now.max(self.run.positioned);
            self.course = TransferProgress { at, next: self.limit, ..self.course };
            self.run = mechanics.next_track_run(&mut self.course, limit, Time::ZERO, false);
        }
        self.limit = limit;
    }
}
