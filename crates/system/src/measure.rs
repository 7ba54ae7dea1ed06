//! Which I/Os count, and what is counted of them.
//!
//! Source: Wang 2005, section 6.2.2: the first and the last I/Os (ten per slot there) are left out. Throughput is the number of
//! measured completions over the time from the last one before them to the last of them. With the automatic rule the series
//! of response times is cut where MSER-5 says; the I/Os that complete after the last was issued are left out too.

use crate::plan::WarmUp;
use sansim_kernel::{Histogram, Interval, Span, Time, mean_interval, mser5};
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

/// Number of batches into which a long series is folded before its interval is estimated.
const FOLDED: u64 = 1024;

/// A series of response times: mean with interval, and distribution.
#[derive(Clone, Debug)]
pub struct Series {
    histogram: Histogram,
    sum_ticks: u128,
    batch_size: u64,
    batch: (u64, u128),
    batches: Vec<f64>,
    /// Bytes moved by the I/Os of the series.
    pub bytes: u64,
    count: u64,
}

impl Series {
    fn new(expected: u64) -> Self {
        Self {
            histogram: Histogram::new(),
            sum_ticks: 0,
            batch_size: expected.div_ceil(FOLDED).max(1),
            batch: (0, 0),
            batches: Vec::with_capacity(FOLDED as usize + 1),
            bytes: 0,
            count: 0,
        }
    }

    fn add(&mut self, record: &IoRecord) {
        let ticks = record.response.ticks();
        self.histogram.record(ticks / sansim_kernel::TICKS_PER_NS);
        self.sum_ticks += u128::from(ticks);
        self.count += 1;
        self.bytes += record.bytes;
        self.batch.0 += 1;
        self.batch.1 += u128::from(ticks);
        if self.batch.0 == self.batch_size {
            self.batches.push(self.batch.1 as f64 / self.batch.0 as f64 / sansim_kernel::TICKS_PER_NS as f64);
            self.batch = (0, 0);
        }
    }

    /// I/Os in the series.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean response time in ns.
    pub fn mean_ns(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        self.sum_ticks as f64 / self.count as f64 / sansim_kernel::TICKS_PER_NS as f64
    }

    /// Interval of the mean in ns by batch means.
    pub fn interval(&self) -> Interval {
        mean_interval(&self.batches)
    }

    /// Distribution in whole ns.
    pub fn histogram(&self) -> &Histogram {
        &self.histogram
    }
}

/// What is counted of the measured I/Os.
#[derive(Clone, Debug)]
pub struct Counted {
    /// All I/Os.
    pub all: Series,
    /// Reads.
    pub reads: Series,
    /// Writes.
    pub writes: Series,
    /// Sum of the ledgers.
    pub spent: [u128; SEGMENTS],
    slowest: BinaryHeap<Reverse<IoRecord>>,
    slowest_size: usize,
}

impl Counted {
    fn new(expected: u64) -> Self {
        let slowest_size = expected.div_ceil(100).max(1) as usize;
        Self {
            all: Series::new(expected),
            reads: Series::new(expected),
            writes: Series::new(expected),
            spent: [0; SEGMENTS],
            slowest: BinaryHeap::with_capacity(slowest_size + 1),
            slowest_size,
        }
    }

    fn add(&mut self, record: &IoRecord) {
        self.all.add(record);
        if record.write {
            self.writes.add(record)
        } else {
            self.reads.add(record)
        }
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
        let take = (self.all.count().div_ceil(100) as usize).min(self.slowest.len());
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

/// What the rest of the simulation has to do at a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Nothing.
    Same,
    /// The measured interval begins now.
    Opens,
    /// The measured interval ends now.
    Closes,
    /// It may turn out later that the measured interval begins now; see [`Measurement::finish`].
    MayOpen,
}

/// How many moments there are, with the automatic rule, at which the measured interval may begin.
const OPENINGS: u64 = 1024;

/// Decides which completions count.
#[derive(Clone, Debug)]
pub struct Measurement {
    warm_up: WarmUp,
    skip: u64,
    measured: u64,
    total: u64,
    completed: u64,
    opened: Option<Time>,
    closed: Option<Time>,
    counted: Counted,
    /// With the automatic rule the interval begins after a multiple of so many completions.
    stride: u64,
    keep: bool,
    records: Vec<IoRecord>,
}

impl Measurement {
    /// Measures `measured` I/Os of a system with `slots` slots; keeps a record of each when `keep` is set.
    pub fn new(warm_up: WarmUp, measured: u64, slots: u64, keep: bool) -> Self {
        let (skip, total) = match warm_up {
            WarmUp::PerSlot(per_slot) => (per_slot * slots, measured + 2 * per_slot * slots),
            // The rule cuts at most half of the series; the last I/O of each slot is left out.
            WarmUp::Automatic => (0, 2 * measured + slots),
        };
        Self {
            warm_up,
            skip,
            measured: if warm_up == WarmUp::Automatic { 2 * measured } else { measured },
            total,
            completed: 0,
            opened: (skip == 0).then_some(Time::ZERO),
            closed: None,
            counted: Counted::new(measured),
            stride: (2 * measured).div_ceil(OPENINGS).max(1),
            keep: keep || warm_up == WarmUp::Automatic,
            records: Vec::new(),
        }
    }

    /// I/Os to be issued in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// I/Os completed so far.
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// Whether the next completion may count.
    pub fn is_open(&self) -> bool {
        self.opened.is_some() && self.closed.is_none()
    }

    /// An I/O is complete.
    pub fn complete(&mut self, now: Time, record: &IoRecord) -> Window {
        self.completed += 1;
        if self.is_open() {
            if self.warm_up != WarmUp::Automatic {
                self.counted.add(record);
            }
            if self.keep {
                self.records.push(*record);
            }
        }
        let may_open = self.warm_up == WarmUp::Automatic && self.completed.is_multiple_of(self.stride);
        if may_open && self.completed < self.measured {
            Window::MayOpen
        } else if self.completed == self.skip {
            self.opened = Some(now);
            Window::Opens
        } else if self.completed == self.skip + self.measured {
            self.closed = Some(now);
            Window::Closes
        } else {
            Window::Same
        }
    }

    /// How many I/Os the automatic rule leaves out: up to the next moment at which it said [`Window::MayOpen`].
    fn cut(&self) -> usize {
        let series: Vec<f64> = self.records.iter().map(|r| r.response.as_ns_f64()).collect();
        mser5(&series).next_multiple_of(self.stride as usize).min(self.records.len())
    }

    /// At which of the moments of [`Window::MayOpen`] the measured interval begins; none if it begins with the run, or if
    /// the rule is not the automatic one. To be asked before [`Self::finish`].
    pub fn opening(&self) -> Option<usize> {
        let cut = if self.warm_up == WarmUp::Automatic { self.cut() } else { 0 };
        (cut / self.stride as usize).checked_sub(1)
    }

    /// Ends the measurement, perhaps early. Returns what was counted, how many I/Os were left out before, the measured
    /// interval and the records that were kept.
    pub fn finish(mut self, now: Time) -> (Counted, u64, Time, Time, Vec<IoRecord>) {
        let mut opened = self.opened.unwrap_or(now);
        let closed = self.closed.unwrap_or(now);
        let mut left_out = self.skip.min(self.completed);
        if self.warm_up == WarmUp::Automatic {
            let cut = self.cut();
            if cut > 0 {
                opened = self.records[cut - 1].completed;
            }
            self.records.drain(..cut);
            left_out = cut as u64;
            self.counted = Counted::new(self.records.len() as u64);
            for record in &self.records {
                self.counted.add(record);
            }
        }
        (self.counted, left_out, opened, closed, self.records)
    }
}
