//! The sender's knowledge of the bytes that have arrived beyond a gap (selective acknowledgement: RFC 2018, RFC 6675).

/// The number of segments behind a gap, or of ranges, from which on the bytes of the gap are taken for lost (DupThresh).
pub const LOST_AFTER: usize = 3;

/// The most ranges in one acknowledgement: the options of TCP have room for three beside a time stamp (RFC 2018, 3).
pub const MOST_BLOCKS: usize = 3;

/// Ranges of bytes that have arrived beyond a gap; empty ones mean nothing.
pub type Blocks = [(u64, u64); MOST_BLOCKS];

/// The bytes in flight of one direction of a connection.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    /// The ranges that have arrived, in order; none touches the next.
    arrived: Vec<(u64, u64)>,
    /// Bytes below this place that have not arrived are lost, unless they are below `resent_upto` and in flight again.
    lost_below: u64,
    resent_upto: u64,
}

impl Scoreboard {
    /// An acknowledgement of all bytes up to a place, and of ranges beyond.
    pub fn acknowledged(&mut self, upto: u64, blocks: &Blocks) {
        for &(begin, end) in blocks.iter().filter(|(begin, end)| begin < end) {
            let first = self.arrived.partition_point(|&(_, other)| other < begin);
            let behind = self.arrived.partition_point(|&(other, _)| other <= end);
            let mut range = (begin, end);
            for &(from, to) in &self.arrived[first..behind] {
                range = (range.0.min(from), range.1.max(to));
            }
            self.arrived.splice(first..behind, [range]);
        }
        let gone = self.arrived.partition_point(|&(_, end)| end <= upto);
        self.arrived.drain(..gone);
    }

    /// The place below which the ranges that have arrived show all other bytes as lost; none if they show none.
    fn shown_lost_below(&self, segment: u64) -> Option<u64> {
        let mut bytes = 0;
        for (number, &(begin, end)) in self.arrived.iter().rev().enumerate() {
            bytes += end - begin;
            if number + 1 >= LOST_AFTER || bytes > (LOST_AFTER as u64 - 1) * segment {
                return Some(begin);
            }
        }
        None
    }

    /// Takes the bytes for lost that the ranges show as lost. Returns whether there are any.
    pub fn find_lost(&mut self, segment: u64) -> bool {
        let shown = self.shown_lost_below(segment);
        self.lost_below = self.lost_below.max(shown.unwrap_or(0));
        shown.is_some()
    }

    /// Takes all bytes from one place to another for lost that have not arrived, and none of them for sent again.
    pub fn all_lost(&mut self, from: u64, below: u64) {
        (self.resent_upto, self.lost_below) = (from, below);
    }

    /// The first bytes that are lost and are to be sent again: where they begin, and where they end at the latest.
    pub fn next_lost(&self, acked: u64) -> Option<(u64, u64)> {
        let mut begin = self.resent_upto.max(acked);
        for &(from, to) in &self.arrived {
            if begin < from {
                return (begin < self.lost_below).then_some((begin, from.min(self.lost_below)));
            }
            begin = begin.max(to);
        }
        (begin < self.lost_below).then_some((begin, self.lost_below))
    }

    /// Lost bytes up to this place have been sent again.
    pub fn sent_again(&mut self, upto: u64) {
        self.resent_upto = upto;
    }

    /// The bytes between two places that have not arrived.
    fn outstanding(&self, from: u64, to: u64) -> u64 {
        let arrived = self.arrived.iter().map(|&(begin, end)| end.min(to).saturating_sub(begin.max(from)));
        to.saturating_sub(from) - arrived.sum::<u64>()
    }

    /// The bytes that are in the network, as far as the sender knows (the pipe of RFC 6675, section 4).
    pub fn in_flight(&self, acked: u64, next: u64) -> u64 {
        let lost_below = self.lost_below.clamp(acked, next);
        self.outstanding(acked, self.resent_upto.clamp(acked, lost_below))
            + self.outstanding(lost_below, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: (u64, u64) = (0, 0);

    #[test]
    fn ranges_that_touch_become_one_and_acknowledged_ones_are_forgotten() {
        let mut of = Scoreboard::default();
        of.acknowledged(10, &[(30, 40), (20, 25), NONE]);
        of.acknowledged(10, &[(25, 30), (50, 60), NONE]);
        assert_eq!(of.arrived, [(20, 40), (50, 60)]);
        assert_eq!(of.in_flight(10, 70), 10 + 10 + 10);
        of.acknowledged(45, &[NONE; 3]);
        assert_eq!(of.arrived, [(50, 60)]);
    }

    #[test]
    fn bytes_are_lost_when_more_than_two_segments_have_arrived_behind_them() {
        let mut of = Scoreboard::default();
        of.acknowledged(10, &[(20, 40), NONE, NONE]);
        assert!(!of.find_lost(10), "two segments are not enough");
        of.acknowledged(10, &[(50, 60), NONE, NONE]);
        assert!(of.find_lost(10));
        // The gap before 20 has three segments behind it, the gap before 50 has one.
        assert_eq!((of.next_lost(10), of.in_flight(10, 70)), (Some((10, 20)), 20));
        of.sent_again(20);
        assert_eq!((of.next_lost(10), of.in_flight(10, 70)), (None, 30));
        of.all_lost(10, 70);
        assert_eq!((of.next_lost(10), of.in_flight(10, 80)), (Some((10, 20)), 10));
        of.sent_again(20);
        assert_eq!((of.next_lost(10), of.in_flight(10, 80)), (Some((40, 50)), 20));
        of.sent_again(50);
        assert_eq!(of.next_lost(10), Some((60, 70)));
    }
}
