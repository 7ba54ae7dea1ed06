//! Locks of stripes: one write at a time works on a stripe, as each reads what the other writes.
//!
//! A job locks all its stripes at once, or waits for all of them, so no two jobs wait for each other for ever. Waiting jobs get their locks
//! in the order of their arrival; a job that has no stripe in common with waiting jobs, or shares it with them, overtakes them.

use std::collections::VecDeque;
use std::ops::Range;

/// The locks that a job needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// Ranges of stripes.
    pub stripes: Vec<Range<u64>>,
    /// Whether no other job may hold one of these stripes; a shared lock excludes only exclusive ones.
    pub exclusive: bool,
}

impl Wanted {
    fn conflicts(&self, other: &Self) -> bool {
        if !self.exclusive && !other.exclusive {
            return false;
        }
        let meets = |range: &Range<u64>| {
            other.stripes.iter().any(|other| range.start < other.end && other.start < range.end)
        };
        self.stripes.iter().any(meets)
    }
}

/// Jobs that hold locks on stripes, and jobs that wait for them, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Locks {
    held: Vec<u32>,
    waiting: VecDeque<u32>,
}

impl Locks {
    /// Locks stripes for a job. Returns whether the job has the locks; otherwise it waits.
    pub fn lock_stripes<'a>(&mut self, job: u32, wanted: impl Fn(u32) -> &'a Wanted) -> bool {
        let own = wanted(job);
        let free = !self.held.iter().chain(&self.waiting).any(|&other| own.conflicts(wanted(other)));
        if free {
            self.held.push(job);
        } else {
            self.waiting.push_back(job);
        }
        free
    }

    /// A job releases its stripes, whether it has their locks or waits for them. Jobs that get their locks by the release are added to
    /// `granted`.
    pub fn release_stripes<'a>(
        &mut self,
        job: u32,
        wanted: impl Fn(u32) -> &'a Wanted,
        granted: &mut VecDeque<u32>,
    ) {
        self.held.retain(|&other| other != job);
        self.waiting.retain(|&other| other != job);
        let mut place = 0;
        while let Some(&next) = self.waiting.get(place) {
            let own = wanted(next);
            let before = self.waiting.iter().take(place);
            if self.held.iter().chain(before).any(|&other| own.conflicts(wanted(other))) {
                place += 1;
                continue;
            }
            self.waiting.remove(place);
            self.held.push(next);
            granted.push_back(next);
        }
    }

    /// The number of locked stripes; a stripe that several jobs share counts for each.
    pub fn locked_stripe_count<'a>(&self, wanted: impl Fn(u32) -> &'a Wanted) -> u64 {
        let all = self.held.iter().flat_map(|&job| &wanted(job).stripes);
        all.map(|range| range.end - range.start).sum()
    }

    /// Whether no job holds or wants a lock.
    pub fn is_unlocked(&self) -> bool {
        self.held.is_empty() && self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(ranges: &[(Range<u64>, bool)]) -> Vec<Wanted> {
        let one = |(stripes, exclusive): &(Range<u64>, bool)| Wanted {
            stripes: vec![stripes.clone()],
            exclusive: *exclusive,
        };
        ranges.iter().map(one).collect()
    }

    #[test]
    fn one_at_a_time_has_a_stripe_unless_they_share_it() {
        let jobs =
            wanted(&[(0..2, true), (2..3, true), (1..2, true), (5..6, false), (5..7, false), (6..7, true)]);
        let mut locks = Locks::default();
        let of = |job: u32| &jobs[job as usize];
        let taken: Vec<bool> = (0..6).map(|job| locks.lock_stripes(job, of)).collect();
        assert_eq!(taken, [true, true, false, true, true, false]);
        assert_eq!(locks.locked_stripe_count(of), 2 + 1 + 1 + 2);
        let mut granted = VecDeque::new();
        locks.release_stripes(1, of, &mut granted);
        locks.release_stripes(3, of, &mut granted);
        assert!(granted.is_empty());
        locks.release_stripes(0, of, &mut granted);
        locks.release_stripes(4, of, &mut granted);
        assert_eq!(granted, [2, 5]);
    }

    #[test]
    fn who_came_later_does_not_pass_who_waits_for_the_same() {
        // The first job holds stripe 0, the second waits for 0 and 1, the third wants 1, the fourth 2.
        let jobs = wanted(&[(0..1, true), (0..2, true), (1..2, true), (2..3, true)]);
        let mut locks = Locks::default();
        let of = |job: u32| &jobs[job as usize];
        let taken: Vec<bool> = (0..4).map(|job| locks.lock_stripes(job, of)).collect();
        assert_eq!(taken, [true, false, false, true]);
        let mut granted = VecDeque::new();
        locks.release_stripes(0, of, &mut granted);
        assert_eq!(granted, [1]);
        // A waiting job that is withdrawn blocks no other.
        locks.release_stripes(1, of, &mut granted);
        assert_eq!(granted, [1, 2]);
        locks.release_stripes(2, of, &mut granted);
        locks.release_stripes(3, of, &mut granted);
        assert!(locks.is_unlocked());
    }
}
