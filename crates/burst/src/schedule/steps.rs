//! The steps of a burst: the times of each kind, and how many of them have happened.

use sansim_kernel::Time;

/// The most steps that a schedule looks back: with more buffers, or a longer path, there is no burst.
pub const FURTHEST: usize = 512;

/// The times of one kind of step, one after the other. The earliest are forgotten.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    pub(super) times: Vec<Time>,
    pub(super) forgotten: usize,
}

impl Steps {
    pub(super) fn clear(&mut self) {
        self.times.clear();
        self.forgotten = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.forgotten + self.times.len()
    }

    pub(super) fn at(&self, number: usize) -> Time {
        self.times[number - self.forgotten]
    }

    /// The steps from this one on.
    pub(super) fn from(&self, first: usize) -> &[Time] {
        &self.times[first - self.forgotten..]
    }

    pub(super) fn last(&self) -> Option<Time> {
        self.times.last().copied()
    }

    pub(super) fn push(&mut self, at: Time) {
        self.times.push(at);
    }

    /// Forgets the steps before this one.
    pub(super) fn forget(&mut self, before: usize) {
        let count = before.saturating_sub(self.forgotten).min(self.times.len());
        self.times.drain(..count);
        self.forgotten += count;
    }

    /// Whether this one is known and before a time.
    #[inline]
    pub(super) fn is_before(&self, number: usize, time: Time) -> bool {
        self.times.get(number - self.forgotten).is_some_and(|&at| at < time)
    }
}

/// The present, for each kind of step: those before it have happened.
#[derive(Clone, Copy, Debug)]
pub struct Present {
    /// Frames start.
    pub start: Time,
    /// R_RDYs come to the sender.
    pub ready_comes: Time,
    /// R_RDYs are sent.
    pub ready: Time,
    /// The first word of a frame is in.
    pub begin: Time,
    /// The last word of a frame is in.
    pub end: Time,
    /// Frames are processed.
    pub processed: Time,
    /// Frames are stored.
    pub stored: Time,
    /// Frames are fetched.
    pub fetched: Time,
}

impl Present {
    /// An earlier present, before everything of this moment.
    pub(super) fn before(&self, at: Time) -> Self {
        Self {
            start: self.start.min(at),
            ready_comes: self.ready_comes.min(at),
            ready: self.ready.min(at),
            begin: self.begin.min(at),
            end: self.end.min(at),
            processed: self.processed.min(at),
            stored: self.stored.min(at),
            fetched: self.fetched.min(at),
        }
    }
}

/// The number of steps of each kind that have happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Frames of the burst have started.
    pub starts: usize,
    /// R_RDYs have come to the sender, including those in flight at the start.
    pub ready_came: usize,
    /// R_RDYs have been sent.
    pub ready: usize,
    /// Frames have come in, including those in flight at the start.
    pub ends: usize,
    /// Frames have been processed, all that were there included.
    pub processed: usize,
    /// The same, stored.
    pub stored: usize,
}
