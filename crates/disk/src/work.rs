//! The busy times of the arm and the medium. The duration of a piece of work is known when it begins, so recorded work may lie in the
//! future.

use sansim_kernel::{Span, Time, Total};
use std::collections::VecDeque;

/// The busy part of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// The arm: seek and rotation.
    Positioning,
    /// The medium: blocks pass under a head, including the moves from track to track in between.
    Transfer,
}

/// The busy times of the arm or of the medium of a disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    positioning: Total,
    transfer: Total,
    /// Recorded work that may lie in the future, in order of time.
    ahead: VecDeque<(At, Time, Time)>,
}

impl Work {
    /// Records that the arm or the medium is busy from one instant to another, after all work recorded before.
    pub fn add_busy_time(&mut self, at: At, from: Time, to: Time) {
        if to <= from {
            return;
        }
        match at {
            At::Positioning => self.positioning += to - from,
            At::Transfer => self.transfer += to - from,
        }
        self.ahead.push_back((at, from, to));
    }

    /// Cancels all work that is still in the future at an instant.
    pub fn cancel_work_after(&mut self, now: Time) {
        for (at, from, to) in self.ahead.iter_mut().filter(|(_, _, to)| *to > now) {
            let ends = (*from).max(now);
            let sum = if *at == At::Positioning { &mut self.positioning } else { &mut self.transfer };
            *sum = *sum - Total::from(*to - ends);
            *to = ends;
        }
    }

    /// Drops earlier work: no earlier instants are queried.
    pub fn drop_earlier_work(&mut self, now: Time) {
        while self.ahead.front().is_some_and(|(_, _, to)| *to <= now) {
            self.ahead.pop_front();
        }
    }

    /// The busy time of the arm or the medium up to an instant.
    pub fn busy_time_until(&self, at: At, now: Time) -> Total {
        let begun = if at == At::Positioning { self.positioning } else { self.transfer };
        let ahead = self.ahead.iter().filter(|(other, _, _)| *other == at);
        let to_come: Span = ahead.map(|&(_, from, to)| to.saturating_since(from.max(now))).sum();
        begun - Total::from(to_come)
    }
}
