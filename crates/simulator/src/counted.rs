//! The counts of the measured I/Os, and the interval in which they complete.

use crate::extent::SystemExtent;
pub use crate::record::{ALL, DEALLOCATIONS, FLUSHES, IoRecord, KINDS, READS, Records, WRITES};
use crate::slowest::SlowestRows;
use crate::tally::Tallies;
use sansim_kernel::{Edges, Observations, Span, Time};
use sansim_request::Dwell;

/// The counts of the measured I/Os.
#[derive(Clone, Debug)]
pub struct MeasuredIoCounts {
    /// Response times and bytes.
    pub observations: Observations<KINDS>,
    /// The sum of the ledgers in ticks, by ledger line.
    pub spent: Vec<u128>,
    /// The ledgers of the slowest I/Os.
    pub slowest: SlowestRows,
    /// The tallies of each workload, each host and each device.
    pub tallies: Tallies,
    /// The smallest and the largest size of each kind, in bytes.
    pub sizes: [Option<(u64, u64)>; KINDS],
    /// The number of failed I/Os.
    pub failed: u64,
}

impl MeasuredIoCounts {
    /// Counts for the expected number of I/Os, and for at most `most` I/Os, in a system of this extent.
    pub(crate) fn new(expected: u64, most: u64, extent: &SystemExtent) -> Self {
        let lines = extent.lines;
        Self {
            observations: Observations::new(expected),
            spent: vec![0; lines],
            slowest: SlowestRows::new(most, lines),
            tallies: Tallies::new(expected, extent),
            sizes: [None; KINDS],
            failed: 0,
        }
    }

    /// Counts the records from the index `from` on, and no earlier records.
    pub(crate) fn of(records: &Records, from: usize, extent: &SystemExtent) -> Self {
        let count = (records.len() - from) as u64;
        let mut counted = Self::new(count, count, extent);
        for (number, record) in records.rows.iter().enumerate().skip(from) {
            counted.add(record, records.dwells_of_io(number));
        }
        counted
    }

    pub(crate) fn add(&mut self, record: &IoRecord, stays: &[Dwell]) {
        let kind = record.operation as usize;
        // Deallocated bytes are no data that move.
        let moved = if kind == DEALLOCATIONS { 0 } else { record.bytes };
        self.observations.add(record.completed, kind, record.response, moved);
        for stay in stays {
            self.spent[stay.line.0 as usize] += u128::from(stay.spent.ticks());
        }
        self.slowest.add(record, stays);
        self.tallies.add(record, kind);
        let (least, most) = self.sizes[kind].unwrap_or((record.bytes, record.bytes));
        self.sizes[kind] = Some((least.min(record.bytes), most.max(record.bytes)));
        self.failed += u64::from(record.failed);
    }
}

/// The kind of an end of a measured interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalEdgeKind {
    /// The edge is the time of a completion. At the beginning this is the last completion before the interval, at
    /// the end the last completion in it.
    Completion,
    /// The edge is a time. A completion at that time belongs to the interval that begins then, and not to an interval
    /// that ends then.
    Time,
}

/// A measured interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredInterval {
    /// The beginning of the measured interval.
    pub opened: Time,
    /// The end of the measured interval.
    pub closed: Time,
    /// The kinds of the beginning and the end.
    pub edges: [IntervalEdgeKind; 2],
}

impl MeasuredInterval {
    /// Whether an event at this time lies within the interval.
    pub fn contains_event(&self, at: Time) -> bool {
        (at > self.opened || at == self.opened && self.edges[0] == IntervalEdgeKind::Time)
            && (at < self.closed || at == self.closed && self.edges[1] == IntervalEdgeKind::Completion)
    }

    /// The kind of edges for the intervals of rates.
    pub fn rate_edges(&self) -> Edges {
        if self.edges == [IntervalEdgeKind::Completion; 2] { Edges::Completions } else { Edges::Times }
    }

    /// The length of the measured interval.
    pub fn measured_length(&self) -> Span {
        self.closed - self.opened
    }
}
