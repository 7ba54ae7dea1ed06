//! When the slowest measured I/Os were in the system, whatever the length of the run.

use crate::observer::{IoStep, Observer, Wants};
use sansim_fc::frame::ExchangeId;
use sansim_fcp::exchange::ExchangeTable;
use sansim_kernel::{Span, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An I/O by its rank: response time, then the earlier number; and its time in the system.
type Ranked = (Span, Reverse<u64>, Time, Time);

/// Keeps the times of so many slowest I/Os.
#[derive(Clone, Debug)]
pub struct Slowest {
    count: usize,
    issued: Vec<Time>,
    kept: BinaryHeap<Reverse<Ranked>>,
}

impl Slowest {
    /// None seen yet.
    pub fn new(count: usize) -> Self {
        Self { count, issued: Vec::new(), kept: BinaryHeap::new() }
    }

    /// An I/O that was issued and completed at these times.
    pub fn add(&mut self, io: u64, issued: Time, completed: Time) {
        self.kept.push(Reverse((completed - issued, Reverse(io), issued, completed)));
        if self.kept.len() > self.count {
            self.kept.pop();
        }
    }

    /// The times in which they were in the system, their completions included.
    pub fn into_spans(self) -> Vec<(Time, Time)> {
        self.kept
            .into_iter()
            .map(|Reverse((_, _, issued, completed))| (issued, completed + Span(1)))
            .collect()
    }
}

impl Observer for Slowest {
    fn wants(&self) -> Wants {
        Wants { ios: true, ..Wants::default() }
    }

    fn at_io(&mut self, now: Time, exchange: ExchangeId, what: IoStep, exchanges: &ExchangeTable) {
        let index = exchange.0 as usize;
        match what {
            IoStep::Issued { .. } => {
                if index >= self.issued.len() {
                    self.issued.resize(index + 1, now);
                }
                self.issued[index] = now;
            }
            IoStep::Completed { measured: true } => self.add(exchanges[exchange].io, self.issued[index], now),
            IoStep::Completed { measured: false } | IoStep::Enters(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_are_kept_and_of_equals_the_earlier() {
        let mut slowest = Slowest::new(2);
        for (io, takes) in [(0, 5), (1, 9), (2, 7), (3, 9), (4, 9)] {
            slowest.add(io, Time(100 * io), Time(100 * io + takes));
        }
        let mut spans = slowest.into_spans();
        spans.sort_unstable();
        assert_eq!(spans, [(Time(100), Time(110)), (Time(300), Time(310))]);
    }
}
