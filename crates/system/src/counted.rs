//! What is counted of the measured I/Os, and the interval in which they complete.

use sansim_kernel::{Edges, Observations, Span, Time};
use sansim_observe::ledger::SEGMENTS;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A completed I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IoRecord {
    /// Response time.
    pub response: Span,
    /// Completion.
    pub completed: Time,
    /// Time in each segment of the ledger.
    pub spent: [Span; SEGMENTS],
    /// Bytes of data.
    pub bytes: u64,
    /// Its number in order of issue, warm-up included.
    pub io: u64,
    /// First logical block.
    pub lba: u64,
    /// Workload by number.
    pub workload: u32,
    /// Slot of the workload.
    pub slot: u32,
    /// Station of the drive.
    pub drive: u32,
    /// Write or read.
    pub write: bool,
}

/// Reads and writes, as [`Observations`] tell them apart.
pub const ALL: [usize; 2] = [READS, WRITES];
/// Reads.
pub const READS: usize = 0;
/// Writes.
pub const WRITES: usize = 1;

/// What is counted of the measured I/Os.
#[derive(Clone, Debug)]
pub struct Counted {
    /// Response times and bytes.
    pub observations: Observations<2>,
    /// Sum of the ledgers.
    pub spent: [u128; SEGMENTS],
    slowest: BinaryHeap<Reverse<IoRecord>>,
    slowest_size: usize,
}

impl Counted {
    /// Expects so many I/Os, and so many at most.
    pub(crate) fn new(expected: u64, most: u64) -> Self {
        let slowest_size = |ios: u64| ios.div_ceil(100).max(1) as usize;
        Self {
            observations: Observations::new(expected),
            spent: [0; SEGMENTS],
            slowest: BinaryHeap::with_capacity(slowest_size(expected) + 1),
            // Which I/Os will belong to the slowest percent is known only when their number is.
            slowest_size: slowest_size(most),
        }
    }

    /// Counts these and no others.
    pub(crate) fn of(records: &[IoRecord]) -> Self {
        let mut counted = Self::new(records.len() as u64, records.len() as u64);
        records.iter().for_each(|record| counted.add(record));
        counted
    }

    pub(crate) fn add(&mut self, record: &IoRecord) {
        let kind = if record.write { WRITES } else { READS };
        self.observations.add(record.completed, kind, record.response, record.bytes);
        for (sum, spent) in self.spent.iter_mut().zip(&record.spent) {
            *sum += u128::from(spent.ticks());
        }
        if self.slowest.len() < self.slowest_size {
            self.slowest.push(Reverse(*record));
        } else if self.slowest.peek().is_some_and(|least| least.0.response < record.response) {
            self.slowest.pop();
            self.slowest.push(Reverse(*record));
        }
    }

    /// Mean time per segment of the slowest percent, in ticks.
    pub fn slowest_spent(&self) -> [f64; SEGMENTS] {
        let mut sums = [0.0; SEGMENTS];
        let take = (self.observations.count().div_ceil(100) as usize).min(self.slowest.len());
        let mut slowest: Vec<&IoRecord> = self.slowest.iter().map(|r| &r.0).collect();
        slowest.sort_unstable_by(|a, b| b.cmp(a));
        for record in &slowest[..take] {
            for (sum, spent) in sums.iter_mut().zip(&record.spent) {
                *sum += spent.ticks() as f64;
            }
        }
        sums.map(|s| if take == 0 { 0.0 } else { s / take as f64 })
    }
}

/// What kind of moment one end of a measured interval is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// That of a completion. At the beginning it is the last one before the interval, at the end the last one in it.
    Completion,
    /// Any. What completes just then is in the interval that begins, and not in the one that ends.
    Time,
}

/// A measured interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measuring {
    /// Its beginning.
    pub opened: Time,
    /// Its end.
    pub closed: Time,
    /// Which kind of moment these two are.
    pub edges: [Edge; 2],
}

impl Measuring {
    /// Whether what happens at this moment lies within.
    pub fn holds(&self, at: Time) -> bool {
        (at > self.opened || at == self.opened && self.edges[0] == Edge::Time)
            && (at < self.closed || at == self.closed && self.edges[1] == Edge::Completion)
    }

    /// The ends, as intervals of rates need to know them.
    pub fn rate_edges(&self) -> Edges {
        if self.edges == [Edge::Completion; 2] { Edges::Completions } else { Edges::Times }
    }

    /// Its length.
    pub fn length(&self) -> Span {
        self.closed - self.opened
    }
}
