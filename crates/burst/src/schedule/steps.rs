//! The steps of a burst: the times of each kind of step, and the number of steps that have happened.

use sansim_kernel::Time;

/// The largest number of steps to which a schedule looks back: with more buffers, or a longer path, there is
/// no burst.
pub const FURTHEST: usize = 512;

/// The times of one kind of step, in order. The earliest times are removed.
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

    /// The times of the steps from the step `first` on.
    pub(super) fn from(&self, first: usize) -> &[Time] {
        &self.times[first - self.forgotten..]
    }

    pub(super) fn last(&self) -> Option<Time> {
        self.times.last().copied()
    }

    pub(super) fn push(&mut self, at: Time) {
        self.times.push(at);
    }

    /// Removes the steps before the step `before`.
    pub(super) fn forget(&mut self, before: usize) {
        let count = before.saturating_sub(self.forgotten).min(self.times.len());
        self.times.drain(..count);
        self.forgotten += count;
    }

    /// Whether the step with this number is known and before a time.
    #[inline]
    pub(super) fn is_before(&self, number: usize, time: Time) -> bool {
        self.times.get(number - self.forgotten).is_some_and(|&at| at < time)
    }
}

/// The present, for each kind of step: the steps before it have happened.
#[derive(Clone, Copy, Debug)]
pub struct PresentByStepKind {
    /// The present for starts of frames.
    pub start: Time,
    /// The present for R_RDYs that arrive at the sender.
    pub ready_comes: Time,
    /// The present for R_RDYs that are sent.
    pub ready: Time,
    /// The present for first words of frames that arrive.
    pub begin: Time,
    /// The present for last words of frames that arrive.
    pub end: Time,
    /// The present for frames that are processed.
    pub processed: Time,
    /// The present for frames that are stored.
    pub stored: Time,
    /// The present for frames that are fetched.
    pub fetched: Time,
}

impl PresentByStepKind {
    /// The present before all events of an earlier moment.
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
pub struct PassedStepCounts {
    /// The number of frames of the burst that have started.
    pub starts: usize,
    /// The number of R_RDYs that have arrived at the sender, including R_RDYs in flight at the start.
    pub ready_came: usize,
    /// The number of R_RDYs that have been sent.
    pub ready: usize,
    /// The number of frames that have arrived, including frames in flight at the start.
    pub ends: usize,
    /// The number of frames that have been processed, including frames that had arrived before the start.
    pub processed: usize,
    /// The number of frames that have been stored, including frames that had arrived before the start.
    pub stored: usize,
}
