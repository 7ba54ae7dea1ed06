//! The order in which a rebuild or a scrub works through an array: rows of a member, or stripes, from the first to the last, a number of
//! them at a time, several pieces at once.

use std::collections::VecDeque;
use std::ops::Range;

/// Iterates once over the numbers from 0, in ranges. Ranges that were given out may be completed in any order; all numbers below the mark
/// are complete.
#[derive(Clone, Debug)]
pub struct NumberSweep {
    next: u64,
    end: u64,
    mark: u64,
    /// Ranges that were given out from the mark on, in order, and whether each is complete.
    out: VecDeque<(Range<u64>, bool)>,
}

impl NumberSweep {
    /// A sweep over the numbers below `end`.
    pub fn new(end: u64) -> Self {
        Self { next: 0, end, mark: 0, out: VecDeque::new() }
    }

    /// The next `many` numbers, or the remaining ones if fewer; none when all have been given out.
    pub fn next_numbers(&mut self, many: u64) -> Option<Range<u64>> {
        if self.next >= self.end {
            return None;
        }
        let range = self.next..self.next.saturating_add(many.max(1)).min(self.end);
        self.next = range.end;
        self.out.push_back((range.clone(), false));
        Some(range)
    }

    /// Notes that a range is complete, and returns the mark below which all numbers are complete.
    pub fn range_completed(&mut self, range: &Range<u64>) -> u64 {
        if let Some(out) = self.out.iter_mut().find(|out| out.0 == *range) {
            out.1 = true;
        }
        while let Some((first, true)) = self.out.front() {
            self.mark = first.end;
            self.out.pop_front();
        }
        self.mark
    }

    /// The mark below which all numbers are complete.
    pub fn completed_below(&self) -> u64 {
        self.mark
    }

    /// The range from the mark up to the last number given out: the part of a rebuild that writes must not touch. Ranges completed in the
    /// window count as not rebuilt until the mark is beyond them, so a write would bypass them.
    pub fn range_in_progress(&self) -> Range<u64> {
        self.mark..self.next
    }

    /// Whether all numbers are complete.
    pub fn is_complete(&self) -> bool {
        self.mark >= self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_waits_for_the_first_that_is_not_done() {
        let mut sweep = NumberSweep::new(10);
        assert_eq!(sweep.range_in_progress(), 0..0);
        let [a, b, c] = [4, 4, 4].map(|many| sweep.next_numbers(many).unwrap_or_default());
        assert_eq!([&a, &b, &c], [&(0..4), &(4..8), &(8..10)]);
        assert_eq!(sweep.next_numbers(1), None);
        assert_eq!(sweep.range_completed(&b), 0);
        assert_eq!(
            sweep.range_in_progress(),
            0..10,
            "writes keep away from what is done behind the mark as well"
        );
        assert_eq!(sweep.range_completed(&a), 8);
        assert_eq!(sweep.range_in_progress(), 8..10);
        assert!(!sweep.is_complete());
        assert_eq!(sweep.range_completed(&c), 10);
        assert!(sweep.is_complete());
    }

    #[test]
    fn nothing_is_complete_at_once() {
        assert!(NumberSweep::new(0).is_complete());
        assert_eq!(NumberSweep::new(0).next_numbers(5), None);
    }
}
