//! The bytes that a receiver has beyond a gap.

use crate::scoreboard::{Blocks, MOST_BLOCKS};

/// Ranges of bytes that have arrived beyond a gap.
#[derive(Clone, Debug, Default)]
pub struct BeyondGaps {
    /// The ranges in order, each with the number of the last segment that came into it.
    ranges: Vec<(u64, u64, u64)>,
    segments: u64,
}

impl BeyondGaps {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// A segment has arrived beyond a gap.
    pub fn keep(&mut self, begin: u64, end: u64) {
        self.segments += 1;
        let first = self.ranges.partition_point(|&(_, other, _)| other < begin);
        let behind = self.ranges.partition_point(|&(other, _, _)| other <= end);
        let mut range = (begin, end, self.segments);
        for &(from, to, _) in &self.ranges[first..behind] {
            (range.0, range.1) = (range.0.min(from), range.1.max(to));
        }
        self.ranges.splice(first..behind, [range]);
    }

    /// All bytes up to a place have arrived. Returns the place up to which all bytes have arrived, counting the ranges that join there.
    pub fn join(&mut self, upto: u64) -> u64 {
        let joined = self.ranges.iter().take_while(|&&(begin, _, _)| begin <= upto).count();
        let last = self.ranges.drain(..joined).map(|(_, end, _)| end).next_back();
        last.map_or(upto, |end| end.max(upto))
    }

    /// The ranges that an acknowledgement reports: those into which a segment came last (RFC 2018, 4).
    pub fn blocks(&self) -> Blocks {
        let mut blocks = [(0, 0); MOST_BLOCKS];
        let mut before = u64::MAX;
        for block in &mut blocks {
            let latest = self.ranges.iter().filter(|range| range.2 < before).max_by_key(|range| range.2);
            let Some(&(begin, end, segment)) = latest else { break };
            (*block, before) = ((begin, end), segment);
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acknowledgement_reports_the_latest_ranges_first() {
        let mut of = BeyondGaps::default();
        for begin in [20, 60, 40, 80, 30] {
            of.keep(begin, begin + 10);
        }
        assert_eq!(of.blocks(), [(20, 50), (80, 90), (60, 70)]);
        assert_eq!(of.join(20), 50);
        assert_eq!(of.blocks(), [(80, 90), (60, 70), (0, 0)]);
        assert_eq!(of.join(55), 55);
        assert_eq!(of.join(60), 70);
    }
}
