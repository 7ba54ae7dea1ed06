//! The way of chosen I/Os through the system: when they entered each segment of their ledger.
//!
//! Chosen are the slowest of all, and others evenly over the run, so that their number is bounded however long it is.

use crate::ledger::Segment;
use crate::observer::{IoStep, Observer, Wants};
use sansim_fc::frame::ExchangeId;
use sansim_fcp::exchange::ExchangeTable;
use sansim_kernel::{Span, Time};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// How many of the slowest are kept.
const SLOWEST: usize = 20;

/// When there are this many others, every second of them is dropped.
const MOST: usize = 128;

/// The way of one I/O.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// Number of the I/O in order of issue.
    pub io: u64,
    /// Segments with the time at which the I/O entered them, in order of time.
    pub steps: Vec<(Time, Segment)>,
    /// When it was complete.
    pub completed: Time,
}

impl Path {
    /// Every stay in a segment: from when to when. Stays of no length are left out.
    pub fn stays(&self) -> impl Iterator<Item = (Segment, Time, Time)> {
        let ends = self.steps.iter().skip(1).map(|step| step.0).chain([self.completed]);
        self.steps
            .iter()
            .zip(ends)
            .map(|(&(from, segment), to)| (segment, from, to))
            .filter(|stay| stay.1 < stay.2)
    }
}

/// Notes the ways of chosen I/Os.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    open: Vec<Vec<(Time, Segment)>>,
    slowest: BinaryHeap<Reverse<(Span, Reverse<u64>, Path)>>,
    others: Vec<Path>,
    stride: u64,
}

impl Paths {
    /// Nothing noted yet.
    pub fn new() -> Self {
        Self { stride: 1, ..Self::default() }
    }

    /// The ways in order of the numbers of their I/Os.
    pub fn into_rows(self) -> Vec<Path> {
        let slowest = self.slowest.into_iter().map(|Reverse((_, _, path))| path);
        let rows: BTreeMap<u64, Path> = self.others.into_iter().chain(slowest).map(|p| (p.io, p)).collect();
        rows.into_values().collect()
    }

    fn complete(&mut self, now: Time, io: u64, steps: Vec<(Time, Segment)>) {
        let Some(&(issued, _)) = steps.first() else { return };
        let rank = (now - issued, Reverse(io));
        let path = Path { io, steps, completed: now };
        if io.is_multiple_of(self.stride) {
            self.others.push(path.clone());
            if self.others.len() == MOST {
                self.stride *= 2;
                self.others.retain(|path| path.io.is_multiple_of(self.stride));
            }
        }
        let is_slow = |least: &Reverse<(Span, Reverse<u64>, Path)>| (least.0.0, least.0.1) < rank;
        if self.slowest.len() < SLOWEST {
            self.slowest.push(Reverse((rank.0, rank.1, path)));
        } else if self.slowest.peek().is_some_and(is_slow) {
            self.slowest.pop();
            self.slowest.push(Reverse((rank.0, rank.1, path)));
        }
    }
}

impl Observer for Paths {
    fn wants(&self) -> Wants {
        Wants { ios: true, ..Wants::default() }
    }

    fn at_io(&mut self, now: Time, exchange: ExchangeId, what: IoStep, exchanges: &ExchangeTable) {
        let index = exchange.0 as usize;
        if index >= self.open.len() {
            self.open.resize(index + 1, Vec::new());
        }
        match what {
            IoStep::Issued { .. } => {
                self.open[index].clear();
                self.open[index].push((now, Segment::HostQueue));
            }
            IoStep::Enters(segment) => self.open[index].push((now, segment)),
            IoStep::Completed { measured } => {
                let steps = std::mem::take(&mut self.open[index]);
                if measured {
                    self.complete(now, exchanges[exchange].io, steps);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_and_some_others_are_kept_however_many_there_are() {
        let mut paths = Paths::new();
        for io in 0..10_000_u64 {
            let issued = Time(io * 10);
            // Twenty of them take long, by their number.
            let takes = if io % 500 == 7 { 1000 + io } else { 5 };
            let steps = vec![(issued, Segment::HostQueue), (issued + Span(2), Segment::Wire)];
            paths.complete(issued + Span(takes), io, steps);
        }
        let rows = paths.into_rows();
        assert!((64 + 20..MOST + 20).contains(&rows.len()), "{}", rows.len());
        assert!((0..20).all(|k| rows.iter().any(|path| path.io == 500 * k + 7)), "all of the slow ones");
        assert!(rows.windows(2).all(|pair| pair[0].io < pair[1].io));
        let stays: Vec<_> = rows[0].stays().collect();
        assert_eq!(stays, [(Segment::HostQueue, Time(0), Time(2)), (Segment::Wire, Time(2), Time(5))]);
    }
}
