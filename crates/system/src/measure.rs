//! Which I/Os count, and what is counted of them.
//!
//! Source: Wang 2005, section 6.2.2: the first and the last I/Os (ten per slot there) are left out. Throughput is the number of
//! measured completions over the time from the last one before them to the last of them. With the automatic rule the series
//! of response times is cut where MSER-5 says; the I/Os that complete after the last was issued are left out too.
//! A run may also go on until its result is precise ([`crate::precision`]). With I/Os left out per slot it is then, to the last
//! bit, as if it had been asked from the start for as many I/Os as it came to.

use crate::plan::WarmUp;
use crate::precision::Precision;
use sansim_kernel::{Observations, Span, Time, mser5};
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
    fn new(expected: u64, most: u64) -> Self {
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
    fn of(records: &[IoRecord]) -> Self {
        let mut counted = Self::new(records.len() as u64, records.len() as u64);
        records.iter().for_each(|record| counted.add(record));
        counted
    }

    fn add(&mut self, record: &IoRecord) {
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
    /// The same; and of all such moments, this one included, only every second one still counts.
    MayOpenFewer,
}

/// How many moments there are at least, with the automatic rule, at which the measured interval may begin; twice as many at
/// most.
const OPENINGS: u64 = 1024;

/// Decides which completions count.
#[derive(Clone, Debug)]
pub struct Measurement {
    warm_up: WarmUp,
    precision: Option<Precision>,
    /// I/Os that complete before the measured ones, and I/Os that are issued so that some are under way while the last of
    /// the measured ones are.
    skip: u64,
    after: u64,
    /// The run ends, or it is looked at whether it may, after so many measured I/Os.
    goal: u64,
    completed: u64,
    opened: Option<Time>,
    closed: Option<Time>,
    reached: bool,
    counted: Counted,
    /// With the automatic rule the interval begins after a multiple of so many completions.
    stride: u64,
    keep: bool,
    records: Vec<IoRecord>,
}

/// What a measurement leaves.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What was counted.
    pub counted: Counted,
    /// I/Os left out before.
    pub left_out: u64,
    /// Beginning of the measured interval.
    pub opened: Time,
    /// Its end.
    pub closed: Time,
    /// Whether the precision that was asked for ended it.
    pub reached: bool,
    /// The records that were kept.
    pub records: Vec<IoRecord>,
}

impl Measurement {
    /// Measures `ios` I/Os of a system with `slots` slots, or more until the result is precise; keeps a record of each when
    /// `keep` is set.
    pub fn new(warm_up: WarmUp, ios: u64, precision: Option<Precision>, slots: u64, keep: bool) -> Self {
        let (skip, after) = match warm_up {
            WarmUp::PerSlot(per_slot) => (per_slot * slots, per_slot * slots),
            // The last I/O of each slot is left out.
            WarmUp::Automatic => (0, slots),
        };
        Self {
            warm_up,
            precision,
            skip,
            after,
            goal: ios,
            completed: 0,
            opened: (skip == 0).then_some(Time::ZERO),
            closed: None,
            reached: false,
            counted: Counted::new(ios, precision.map_or(ios, |precision| precision.most_ios)),
            stride: (2 * ios).div_ceil(OPENINGS).max(1),
            keep: keep || warm_up == WarmUp::Automatic,
            records: Vec::new(),
        }
    }

    /// How many completions belong to so many measured I/Os. The automatic rule cuts at most half of the series.
    fn series(&self, ios: u64) -> u64 {
        if self.warm_up == WarmUp::Automatic { 2 * ios } else { ios }
    }

    /// I/Os to be issued in all, as far as is known.
    pub fn total(&self) -> u64 {
        self.skip + self.series(self.goal) + self.after
    }

    /// The most I/Os that may be issued.
    pub fn most(&self) -> u64 {
        match self.precision {
            Some(precision) if self.closed.is_none() => {
                self.skip + self.series(precision.most_ios) + self.after
            }
            _ => self.total(),
        }
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
        if self.completed == self.skip + self.series(self.goal) && self.is_enough(now) {
            self.closed = Some(now);
            Window::Closes
        } else if self.completed == self.skip {
            self.opened = Some(now);
            Window::Opens
        } else if self.warm_up == WarmUp::Automatic
            && self.closed.is_none()
            && self.completed.is_multiple_of(self.stride)
        {
            if self.completed == 2 * OPENINGS * self.stride {
                self.stride *= 2;
                return Window::MayOpenFewer;
            }
            Window::MayOpen
        } else {
            Window::Same
        }
    }

    /// Whether the run may end, of which as many I/Os as was aimed at are measured; if not, it aims higher.
    fn is_enough(&mut self, now: Time) -> bool {
        let Some(precision) = self.precision else { return true };
        self.reached = if self.warm_up == WarmUp::Automatic {
            let cut = self.cut();
            !is_long(cut as u64, self.records.len() as u64)
                && precision.is_reached(&Counted::of(&self.records[cut..]), self.opened_at(cut), now)
        } else {
            precision.is_reached(&self.counted, self.opened.unwrap_or(now), now)
        };
        if self.reached || self.goal >= precision.most_ios {
            return true;
        }
        self.goal = precision.next_look(self.goal);
        false
    }

    /// How many I/Os the automatic rule leaves out: up to the next moment at which it said [`Window::MayOpen`].
    fn cut(&self) -> usize {
        let series: Vec<f64> = self.records.iter().map(|r| r.response.as_ns_f64()).collect();
        mser5(&series).next_multiple_of(self.stride as usize).min(self.records.len())
    }

    /// When the measured interval begins if so many I/Os are left out.
    fn opened_at(&self, cut: usize) -> Time {
        cut.checked_sub(1).map_or(Time::ZERO, |last| self.records[last].completed)
    }

    /// At which of the moments of [`Window::MayOpen`] the measured interval begins; none if it begins with the run, or if
    /// the rule is not the automatic one. To be asked before [`Self::finish`].
    pub fn opening(&self) -> Option<usize> {
        let cut = if self.warm_up == WarmUp::Automatic { self.cut() } else { 0 };
        (cut / self.stride as usize).checked_sub(1)
    }

    /// Ends the measurement, perhaps early.
    pub fn finish(mut self, now: Time) -> Measured {
        let mut opened = self.opened.unwrap_or(now);
        let mut left_out = self.skip.min(self.completed);
        if self.warm_up == WarmUp::Automatic {
            let cut = self.cut();
            opened = self.opened_at(cut);
            self.records.drain(..cut);
            left_out = cut as u64;
            self.counted = Counted::of(&self.records);
        }
        Measured {
            counted: self.counted,
            left_out,
            opened,
            closed: self.closed.unwrap_or(now),
            reached: self.reached,
            records: self.records,
        }
    }
}

/// Whether the automatic rule left out so much that it may have wanted more: it may take no more than half.
pub fn is_long(cut: u64, of: u64) -> bool {
    cut * 5 > of * 2
}
