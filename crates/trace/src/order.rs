//! Requests in the order of their times: requests of the same whole second are spread over it, and requests that are out of order by a few
//! places are sorted.

use crate::record::TraceRecord;
use std::collections::VecDeque;

/// The number of steps back in time, and the largest of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct BackwardSteps {
    /// The number of steps.
    pub count: u64,
    /// The largest step, in nanoseconds.
    pub largest_ns: u64,
}

impl BackwardSteps {
    pub(crate) fn add(&mut self, by_ns: u64) {
        self.count += 1;
        self.largest_ns = self.largest_ns.max(by_ns);
    }
}

/// The most requests of one second that are kept until the next second begins. The limit bounds memory: when there are more requests, the
/// kept ones are spread over the first half of the rest of the second.
const MOST_OF_A_SECOND: usize = 1 << 20;

/// Spreads requests whose times are whole seconds (`unit`) evenly over their second, in the order of the file: of n, the
/// k-th from 0 comes k/n later.
#[derive(Debug)]
pub(crate) struct Spread {
    unit: u64,
    /// The requests with the same time.
    same: Vec<TraceRecord>,
    /// The share of the second that has been filled already.
    filled: u64,
}

impl Spread {
    pub(crate) fn new(unit: u64) -> Spread {
        Spread { unit, same: Vec::new(), filled: 0 }
    }

    /// Adds a request, and returns the requests before if it is of another second.
    pub(crate) fn push(&mut self, record: TraceRecord, sorted: &mut Sorted) {
        if self.same.last().is_some_and(|last| last.at_ns != record.at_ns) {
            self.end(sorted);
        } else if self.same.len() == MOST_OF_A_SECOND {
            let half = (self.unit - self.filled) / 2;
            self.give(half, sorted);
            self.filled += half;
        }
        self.same.push(record);
    }

    /// Returns the kept requests.
    pub(crate) fn end(&mut self, sorted: &mut Sorted) {
        self.give(self.unit - self.filled, sorted);
        self.filled = 0;
    }

    fn give(&mut self, room: u64, sorted: &mut Sorted) {
        let count = self.same.len().max(1) as u128;
        for (k, record) in self.same.drain(..).enumerate() {
            let later = self.filled + (k as u128 * u128::from(room) / count) as u64;
            sorted.push(TraceRecord { at_ns: record.at_ns.saturating_add(later), ..record });
        }
    }
}

/// A window in which requests are sorted by time; equal times keep the order of the file.
#[derive(Debug)]
pub(crate) struct Sorted {
    window: usize,
    waiting: VecDeque<TraceRecord>,
    /// The latest time so far.
    latest: u64,
    /// The number and the largest of the steps by which time went back in the file.
    pub(crate) back: BackwardSteps,
}

impl Sorted {
    pub(crate) fn new(window: usize) -> Sorted {
        Sorted { window, waiting: VecDeque::new(), latest: 0, back: BackwardSteps::default() }
    }

    #[inline]
    pub(crate) fn push(&mut self, record: TraceRecord) {
        if record.at_ns >= self.latest {
            self.latest = record.at_ns;
            self.waiting.push_back(record);
            return;
        }
        self.back.add(self.latest - record.at_ns);
        if self.window == 0 {
            return self.waiting.push_back(record);
        }
        let at = self.waiting.partition_point(|other| other.at_ns <= record.at_ns);
        self.waiting.insert(at, record);
    }

    /// The next request, if no request that may still come within the window can be before it.
    #[inline]
    pub(crate) fn pop(&mut self, ended: bool) -> Option<TraceRecord> {
        if self.waiting.len() > self.window || ended { self.waiting.pop_front() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{TraceOperation, WriteFlags};

    fn record(at_ns: u64, offset: u64) -> TraceRecord {
        TraceRecord {
            at_ns,
            volume: 0,
            operation: TraceOperation::Read,
            offset,
            bytes: 512,
            latency_ns: None,
            flags: WriteFlags::NONE,
        }
    }

    fn sorted(window: usize, times: &[u64]) -> (Vec<(u64, u64)>, BackwardSteps) {
        let mut sorted = Sorted::new(window);
        let mut out = Vec::new();
        for (number, &at) in times.iter().enumerate() {
            sorted.push(record(at, number as u64));
            out.extend(sorted.pop(false));
        }
        out.extend(std::iter::from_fn(|| sorted.pop(true)));
        (out.iter().map(|record| (record.at_ns, record.offset)).collect(), sorted.back)
    }

    #[test]
    fn what_is_out_of_order_by_less_than_the_window_is_sorted_and_counted() {
        let (out, back) = sorted(2, &[5, 7, 6, 7, 9, 5, 12]);
        assert_eq!(out, [(5, 0), (6, 2), (7, 1), (5, 5), (7, 3), (9, 4), (12, 6)]);
        assert_eq!(back, BackwardSteps { count: 2, largest_ns: 4 });
    }

    #[test]
    fn without_a_window_the_order_of_the_file_stays() {
        let (out, back) = sorted(0, &[5, 4, 6]);
        assert_eq!(out, [(5, 0), (4, 1), (6, 2)]);
        assert_eq!(back, BackwardSteps { count: 1, largest_ns: 1 });
    }

    fn spread(times: &[u64]) -> Vec<u64> {
        let mut sorted = Sorted::new(0);
        let mut spread = Spread::new(1_000);
        times.iter().for_each(|&at| spread.push(record(at, 0), &mut sorted));
        spread.end(&mut sorted);
        std::iter::from_fn(|| sorted.pop(true)).map(|record| record.at_ns).collect()
    }

    #[test]
    fn requests_of_a_second_are_spread_evenly_over_it() {
        assert_eq!(spread(&[0, 0, 0, 0, 3_000, 5_000, 5_000]), [0, 250, 500, 750, 3_000, 5_000, 5_500]);
        assert_eq!(spread(&[]), [0; 0]);
    }

    #[test]
    fn a_second_with_more_requests_than_are_kept_stays_in_order_and_within_itself() {
        let times = spread(&vec![2_000; 3 * MOST_OF_A_SECOND + 7]);
        assert_eq!(times.len(), 3 * MOST_OF_A_SECOND + 7);
        assert!(times.is_sorted());
        assert!(times.iter().all(|at| (2_000..3_000).contains(at)));
    }
}
