//! Sets of whole numbers that are adjacent, stored as ranges: bytes of a device, sectors.

use std::collections::BTreeMap;
use std::ops::Range;

/// A set of whole numbers. Ranges that touch are merged into one range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    /// The beginning and the end of each range.
    ranges: BTreeMap<u64, u64>,
}

impl Ranges {
    /// Whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Adds these numbers to the set.
    pub fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let (mut start, mut end) = (range.start, range.end);
        while let Some((&from, &to)) = self.ranges.range(..=end).next_back().filter(|(_, to)| **to >= start) {
            self.ranges.remove(&from);
            (start, end) = (start.min(from), end.max(to));
        }
        self.ranges.insert(start, end);
    }

    /// Removes these numbers from the set.
    pub fn remove(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let (start, end) = (range.start, range.end);
        while let Some((&from, &to)) = self.ranges.range(..end).next_back().filter(|(_, to)| **to > start) {
            self.ranges.remove(&from);
            if from < start {
                self.ranges.insert(from, start);
            }
            if to > end {
                self.ranges.insert(end, to);
            }
        }
    }

    /// The ranges of the set within a range, in order.
    pub fn ranges_within(&self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        let Range { start, end } = range;
        let before = self.ranges.range(..start).next_back().filter(|(_, to)| **to > start);
        let behind = if start < end { Some(self.ranges.range(start..end)) } else { None };
        let all = before.into_iter().chain(behind.into_iter().flatten());
        all.map(move |(&from, &to)| from.max(start)..to.min(end)).filter(|part| !part.is_empty())
    }

    /// The first number of a range that is in the set.
    pub fn first_within(&self, range: Range<u64>) -> Option<u64> {
        self.ranges_within(range).next().map(|part| part.start)
    }

    /// The number of numbers in the set.
    pub fn count(&self) -> u64 {
        self.ranges.iter().map(|(from, to)| to - from).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomStream;

    #[test]
    fn a_set_of_ranges_is_the_set_of_their_numbers() {
        let mut random = RandomStream::new(1, "ranges");
        for _ in 0..200 {
            let (mut ranges, mut numbers) = (Ranges::default(), [false; 40]);
            for _ in 0..30 {
                let start = random.draw_below(40);
                let range = start..start + random.draw_below(41 - start);
                let adds = random.draw_below(2) == 0;
                numbers[range.start as usize..range.end as usize].fill(adds);
                if adds {
                    ranges.add(range)
                } else {
                    ranges.remove(range)
                }
                let start = random.draw_below(40);
                let asked = start..start + random.draw_below(41 - start);
                let found: Vec<u64> = ranges.ranges_within(asked.clone()).flatten().collect();
                let there: Vec<u64> = asked.clone().filter(|number| numbers[*number as usize]).collect();
                assert_eq!(found, there);
                assert_eq!(ranges.first_within(asked), there.first().copied());
                let parts: Vec<Range<u64>> = ranges.ranges_within(0..40).collect();
                assert!(
                    parts.windows(2).all(|two| two[0].end < two[1].start),
                    "{parts:?}: what touches is one"
                );
                assert_eq!(ranges.count(), numbers.iter().filter(|there| **there).count() as u64);
                assert_eq!(ranges.is_empty(), ranges.count() == 0);
            }
        }
    }
}
