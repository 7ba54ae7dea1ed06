//! What calculates checks and lost units: one job at a time, in the order in which they come.

use sansim_kernel::{Span, Time, TimeWeighted, Total};
use std::collections::VecDeque;

/// See the module text.
#[derive(Clone, Debug, Default)]
pub(super) struct Engine {
    current: Option<u32>,
    waiting: VecDeque<(u32, Span)>,
    busy: TimeWeighted,
}

impl Engine {
    /// A job comes. Returns when it is done if it is begun with now.
    pub fn comes(&mut self, now: Time, job: u32, takes: Span) -> Option<Time> {
        if self.current.is_some() {
            self.waiting.push_back((job, takes));
            return None;
        }
        self.current = Some(job);
        self.busy.set(now, 1);
        Some(now + takes)
    }

    /// The one in work is done. Returns it, and the next one with when that is done.
    pub fn done(&mut self, now: Time) -> (Option<u32>, Option<(u32, Time)>) {
        let done = self.current.take();
        let next = self.waiting.pop_front().map(|(job, takes)| (job, now + takes));
        self.current = next.map(|(job, _)| job);
        self.busy.set(now, u64::from(next.is_some()));
        (done, next)
    }

    /// Whether a job is in work.
    pub fn works_on(&self, job: u32) -> bool {
        self.current == Some(job)
    }

    /// Time in which it was at work.
    pub fn busy(&self, now: Time) -> Total {
        self.busy.total(now)
    }
}
