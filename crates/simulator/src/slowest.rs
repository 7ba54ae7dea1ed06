//! The time of the slowest percent of I/Os, by place.
//!
//! The number of I/Os determines which of them belong to the slowest percent. Up to a million I/Os, the slowest ten thousand are kept with
//! their ledgers, so the result is exact. With more I/Os, all are put into buckets of response time, each with the sum of its ledgers; the
//! slowest percent is then the uppermost buckets, with a share of the last of them. A bucket is at most 0.8 % of its response time wide.
//! The memory therefore does not grow with the number of I/Os.

use crate::record::IoRecord;
use sansim_kernel::Span;
use sansim_request::Dwell;
use sansim_request::ledger::ROOM;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most I/Os for which the slowest percent is exact.
const EXACT: u64 = 1_000_000;

/// The number of buckets for each doubling of the response time.
const PER_OCTAVE: u32 = 128;

/// The slowest I/Os of a run.
#[derive(Clone, Debug)]
pub struct SlowestRows {
    count: u64,
    lines: usize,
    /// The most I/Os that are kept.
    most: usize,
    /// The I/Os that are kept, the fastest on top, each with the place of its dwells.
    kept: BinaryHeap<Reverse<(IoRecord, u32)>>,
    /// The dwells of the kept I/Os; memory for all of them is reserved at the beginning, and is reused.
    stays: Vec<Vec<Dwell>>,
    /// The buckets, if there may be more I/Os than the exact method allows.
    buckets: Option<Buckets>,
}

/// The number of I/Os in each bucket, and the sums of their ledgers, ledger line by ledger line. Both lists grow by whole octaves,
/// so they grow only a few times.
#[derive(Clone, Debug, Default)]
struct Buckets {
    counts: Vec<u64>,
    spent: Vec<u128>,
}

impl Buckets {
    fn add(&mut self, response: Span, stays: &[Dwell], lines: usize) {
        let bucket = bucket_of(response);
        if bucket >= self.counts.len() {
            let count = (bucket + 1).next_multiple_of(PER_OCTAVE as usize);
            self.counts.resize(count, 0);
            self.spent.resize(count * lines, 0);
        }
        self.counts[bucket] += 1;
        for stay in stays {
            self.spent[bucket * lines + stay.line.0 as usize] += u128::from(stay.spent.ticks());
        }
    }
}

/// The bucket of a response time.
fn bucket_of(response: Span) -> usize {
    let ticks = response.ticks();
    let shift = (u64::BITS - ticks.leading_zeros()).saturating_sub(PER_OCTAVE.ilog2() + 1);
    (shift * PER_OCTAVE + (ticks >> shift) as u32) as usize
}

impl SlowestRows {
    /// A collector for at most this number of I/Os, in a system whose ledger has this number of lines.
    pub(crate) fn new(most: u64, lines: usize) -> Self {
        let percent = |ios: u64| ios.min(EXACT).div_ceil(100).max(1) as usize;
        Self {
            count: 0,
            lines,
            most: percent(most),
            kept: BinaryHeap::with_capacity(percent(most) + 1),
            stays: (0..percent(most)).map(|_| Vec::with_capacity(ROOM)).collect(),
            buckets: (most > EXACT).then(Buckets::default),
        }
    }

    pub(crate) fn add(&mut self, record: &IoRecord, stays: &[Dwell]) {
        self.count += 1;
        if self.kept.len() < self.most {
            self.keep(record, stays, self.kept.len());
        } else if self.kept.peek().is_some_and(|least| least.0.0.response < record.response)
            && let Some(Reverse((_, place))) = self.kept.pop()
        {
            self.keep(record, stays, place as usize);
        }
        if let Some(buckets) = &mut self.buckets {
            buckets.add(record.response, stays, self.lines);
        }
    }

    /// Keeps an I/O, with its dwells in a free place.
    fn keep(&mut self, record: &IoRecord, stays: &[Dwell], place: usize) {
        self.stays[place].clear();
        self.stays[place].extend_from_slice(stays);
        self.kept.push(Reverse((*record, place as u32)));
    }

    /// Whether the slowest percent is exact.
    pub fn is_exact(&self) -> bool {
        self.count <= EXACT || self.buckets.is_none()
    }

    /// The mean time of the slowest percent by ledger line, in ticks.
    pub fn mean_time_by_segment(&self) -> Vec<f64> {
        let percent = self.count.div_ceil(100);
        match &self.buckets {
            Some(buckets) if self.count > EXACT => self.spent_by_buckets(buckets, percent),
            _ => self.spent_exactly(percent as usize),
        }
    }

    fn spent_exactly(&self, percent: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.lines];
        let take = percent.min(self.kept.len());
        let mut slowest: Vec<&(IoRecord, u32)> = self.kept.iter().map(|kept| &kept.0).collect();
        slowest.sort_unstable_by(|a, b| b.cmp(a));
        for (_, place) in &slowest[..take] {
            for stay in &self.stays[*place as usize] {
                sums[stay.line.0 as usize] += stay.spent.ticks() as f64;
            }
        }
        sums.iter_mut().for_each(|sum| *sum = if take == 0 { 0.0 } else { *sum / take as f64 });
        sums
    }

    fn spent_by_buckets(&self, buckets: &Buckets, percent: u64) -> Vec<f64> {
        let mut sums = vec![0.0; self.lines];
        let mut left = percent;
        for (bucket, &count) in buckets.counts.iter().enumerate().rev().filter(|(_, count)| **count > 0) {
            let taken = left.min(count);
            let share = taken as f64 / count as f64;
            let spent = &buckets.spent[bucket * self.lines..(bucket + 1) * self.lines];
            sums.iter_mut().zip(spent).for_each(|(sum, spent)| *sum += *spent as f64 * share);
            left -= taken;
            if left == 0 {
                break;
            }
        }
        sums.iter_mut().for_each(|sum| *sum /= percent as f64);
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_kernel::Time;
    use sansim_request::LedgerLine;

    fn io(number: u64, response: u64) -> IoRecord {
        IoRecord {
            response: Span(response),
            completed: Time(response),
            bytes: 512,
            io: number,
            lba: 0,
            workload: 0,
            stream: 0,
            slot: 0,
            drive: 0,
            device: 0,
            operation: sansim_request::Operation::Read,
            failed: false,
        }
    }

    /// The I/Os take 1, 2, ... ticks: a third of the time is in line 0, the remainder in line 1.
    fn filled(count: u64, most: u64) -> SlowestRows {
        let mut slowest = SlowestRows::new(most, 2);
        // The I/Os are not in order of their response time.
        for number in 0..count {
            let response = 3 * ((number * 7_919) % count + 1);
            let stays = [(0, response / 3), (1, response / 3 * 2)]
                .map(|(line, spent)| Dwell { line: LedgerLine(line), spent: Span(spent) });
            slowest.add(&io(number, response), &stays);
        }
        slowest
    }

    #[test]
    fn the_slowest_percent_of_up_to_a_million_is_exact() {
        let slowest = filled(10_000, 10_000);
        let mean = (9_901..=10_000).map(f64::from).sum::<f64>() / 100.0;
        assert_eq!(slowest.mean_time_by_segment(), [mean, 2.0 * mean]);
        assert!(slowest.is_exact());
        assert_eq!(
            filled(10_000, 10_000_000).mean_time_by_segment(),
            slowest.mean_time_by_segment(),
            "though there might have been more"
        );
    }

    #[test]
    fn of_more_it_is_found_by_buckets_that_are_narrow() {
        let count = 1_200_000;
        let slowest = filled(count, 2_000_000);
        let exact = count as f64 * 0.995;
        let found = slowest.mean_time_by_segment();
        assert!((found[0] / exact - 1.0).abs() < 0.004, "{} against {exact}", found[0]);
        assert!((found[1] / found[0] - 2.0).abs() < 1e-9, "shares are those of the ledgers");
        assert!(!slowest.is_exact());
        assert_eq!(slowest.stays.len(), 10_000, "memory does not grow");
    }

    #[test]
    fn buckets_are_in_order_and_less_than_a_percent_wide() {
        let mut last = 0;
        for ticks in (1..1_000_000_u64).step_by(997) {
            let bucket = bucket_of(Span(ticks));
            assert!(bucket >= last);
            last = bucket;
        }
        let wide = bucket_of(Span(1 << 40)) + 1;
        assert_eq!(bucket_of(Span((1 << 40) + (1 << 40) / 128)), wide);
    }
}
