//! The selection of the measured I/Os, and their counts.
//!
//! Source: Wang 2005, section 6.2.2: the first and the last I/Os (ten for each slot in that source) are left out. Throughput is the number
//! of measured completions divided by the time from the last completion before them to the last of them. With the automatic rule the series
//! of response times is cut where MSER-5 requires; the I/Os that complete after the last I/O was issued are left out too.
//!
//! Where warm-up or length are simulated times, an I/O counts if it completes within the measured interval: at its beginning or later, and
//! before its end. The time at which the I/O was issued does not matter. As long as the interval lasts, I/Os are issued; the I/Os in
//! flight at its end are completed.
//!
//! A run may also continue until its result is precise ([`crate::precision`]). With a number of I/Os per slot left out, its result is, to
//! the last bit, the result of a run with the same number of I/Os requested from the start.

use crate::counted::{IntervalEdgeKind, IoRecord, MeasuredInterval, MeasuredIoCounts, Records};
use crate::extent::SystemExtent;
use crate::precision::{has_required_precision, next_precision_check};
use crate::rows::{BATCH, RowReceiver};
use sansim_assembly::plan::SystemPlan;
use sansim_kernel::{Span, Time, mser5};
use sansim_request::Dwell;
use sansim_scenario::{RunLength, RunSettings, WarmUp};

/// The effect of a completion on the rest of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionEffect {
    /// The completion changes nothing.
    Same,
    /// The measured interval begins now.
    Opens,
    /// The measured interval ends now.
    Closes,
    /// The measured interval may begin now, which is decided at the end of the run; see [`Measurement::finish`].
    MayOpen,
    /// The measured interval may begin now, and from now on only every second of these moments counts,
    /// including this one.
    MayOpenFewer,
}

/// The least number of moments at which the measured interval may begin under the automatic rule; there are at most twice as many.
const OPENINGS: u64 = 1024;

/// The most I/Os of a run of a given duration for which the slowest percent is found among all I/Os; in a longer run it is
/// found among the slowest 100,000.
const MOST_IN_A_DURATION: u64 = 10_000_000;

/// Decides which completions count.
#[derive(Clone, Debug)]
pub struct Measurement {
    run: RunSettings,
    warm_up: WarmUp,
    length: RunLength,
    /// The number of I/Os that complete before the measured ones, as far as it is known (with a time, it is known when the time has
    /// passed), and the number of I/Os that are issued so that some are in flight until the last measured I/O completes.
    skip: u64,
    after: u64,
    /// Whether open workloads continue as long as the measured interval does, because the number of their I/Os in flight is
    /// unknown.
    goes_on: bool,
    /// The number of measured I/Os at which the run ends, or at which precision is checked; no number if the run lasts a
    /// given time.
    goal: u64,
    completed: u64,
    opened: Option<Time>,
    closed: Option<Time>,
    reached: bool,
    counted: MeasuredIoCounts,
    /// Under the automatic rule, the interval begins after a multiple of this many completions.
    stride: u64,
    keep: bool,
    records: Records,
    extent: SystemExtent,
}

/// The result of a measurement.
#[derive(Clone, Debug)]
pub struct MeasurementResult {
    /// The counts of the measured I/Os.
    pub counted: MeasuredIoCounts,
    /// The number of I/Os left out before the measured ones.
    pub left_out: u64,
    /// The measured interval.
    pub interval: MeasuredInterval,
    /// Whether the run ended because the required precision was reached.
    pub reached: bool,
    /// The records that were kept.
    pub records: Records,
}

impl Measurement {
    /// The measurement of a run of this system; a record of each I/O is kept when `keep` is set.
    pub fn new(run: &RunSettings, plan: &SystemPlan, keep: bool) -> Self {
        let (slots, extent) = (plan.slots, SystemExtent::from_scenario(plan));
        let (warm_up, length) = (run.warm_up, run.measured_length());
        let skip = if let WarmUp::IosPerSlot(per_slot) = warm_up { per_slot * slots } else { 0 };
        let after = match (warm_up, length) {
            (WarmUp::IosPerSlot(_), RunLength::Ios(_)) => skip,
            // The last I/O of each slot is left out.
            _ => slots,
        };
        // The number of I/Os within a given time is not known before the run.
        let (ios, most) = match length {
            RunLength::Ios(ios) => (ios, run.precision.map_or(ios, |_| run.most_ios)),
            RunLength::For(_) | RunLength::All => (0, MOST_IN_A_DURATION),
        };
        let at_once = skip == 0 && matches!(warm_up, WarmUp::IosPerSlot(_) | WarmUp::Auto);
        Self {
            run: *run,
            warm_up,
            length,
            skip,
            after,
            goes_on: plan.has_open_loads,
            goal: ios,
            completed: 0,
            opened: at_once.then_some(Time::ZERO),
            closed: None,
            reached: false,
            counted: MeasuredIoCounts::new(ios, most, &extent),
            stride: (2 * ios).div_ceil(OPENINGS).max(1),
            keep: keep || warm_up == WarmUp::Auto,
            records: Records::default(),
            extent,
        }
    }

    /// The number of completions that are needed for this number of measured I/Os. The automatic rule cuts at
    /// most half of the series.
    fn series(&self, ios: u64) -> u64 {
        if self.warm_up == WarmUp::Auto { 2 * ios } else { ios }
    }

    /// The number of I/Os to be issued in all, as far as it is known; where times decide, it is estimated from the completions
    /// in the time until now.
    pub fn planned_io_count(&self, now: Time) -> u64 {
        let in_time = |span: Span| {
            let passed = (now - Time::ZERO).ticks().max(1);
            let ios = u128::from(self.completed) * u128::from(span.ticks()) / u128::from(passed);
            u64::try_from(ios).unwrap_or(u64::MAX)
        };
        let before = match self.warm_up {
            WarmUp::Until(time) if self.opened.is_none() => in_time(time),
            _ => self.skip,
        };
        let measured = match self.length {
            RunLength::Ios(_) => self.series(self.goal),
            RunLength::For(_) if self.closed.is_some() => self.counted.observations.count(),
            RunLength::For(time) => in_time(time),
            // The number of I/Os still to come is not known before they arrive.
            RunLength::All => return self.completed,
        };
        (before + measured + self.after).max(self.completed)
    }

    /// Whether more I/Os than the known total may be needed until the result is precise.
    pub fn has_open_end(&self) -> bool {
        self.closed.is_none() && self.run.precision.is_some() && self.goal < self.run.most_ios
    }

    /// The most I/Os that may be issued; there is no limit as long as a time has to pass before the limit is
    /// known.
    pub fn io_limit(&self) -> u64 {
        let waits_for_time = match self.length {
            RunLength::For(_) => self.closed.is_none(),
            RunLength::All => true,
            RunLength::Ios(_) => {
                self.goes_on && self.closed.is_none()
                    || self.opened.is_none() && matches!(self.warm_up, WarmUp::Until(_))
            }
        };
        match (self.length, self.run.precision) {
            _ if waits_for_time => u64::MAX,
            // The interval is over, and no more I/Os are issued.
            (RunLength::For(_) | RunLength::All, _) => 0,
            _ if self.goes_on => 0,
            (RunLength::Ios(_), Some(_)) if self.closed.is_none() => {
                self.skip + self.series(self.run.most_ios) + self.after
            }
            (RunLength::Ios(_), _) => self.skip + self.series(self.goal) + self.after,
        }
    }

    /// The next time at which the measured interval begins or ends because the scenario gives that time.
    pub fn next_edge(&self) -> Time {
        match (self.warm_up, self.length, self.opened) {
            (WarmUp::Until(time), _, None) => Time::ZERO + time,
            (_, RunLength::For(time), Some(opened)) if self.closed.is_none() => opened.saturating_add(time),
            _ => Time::NEVER,
        }
    }

    /// Begins or ends the measured interval at the time of [`Self::next_edge`]. The caller calls this
    /// function before any other event of this time.
    pub fn pass_interval_edge(&mut self) -> CompletionEffect {
        let at = self.next_edge();
        if self.opened.is_none() {
            self.skip = self.completed;
            self.opened = Some(at);
            CompletionEffect::Opens
        } else {
            self.closed = Some(at);
            CompletionEffect::Closes
        }
    }

    /// The number of I/Os completed so far.
    pub fn completed_io_count(&self) -> u64 {
        self.completed
    }

    /// Whether the next completion may count.
    pub fn is_open(&self) -> bool {
        self.opened.is_some() && self.closed.is_none()
    }

    /// An I/O has completed.
    pub fn complete(&mut self, now: Time, record: &IoRecord, stays: &[Dwell]) -> CompletionEffect {
        self.completed += 1;
        if self.is_open() {
            if self.warm_up != WarmUp::Auto {
                self.counted.add(record, stays);
            }
            if self.keep {
                self.records.push(record, stays);
            }
        }
        if self.is_open()
            && matches!(self.length, RunLength::Ios(_))
            && self.completed == self.skip + self.series(self.goal)
            && self.is_enough(now)
        {
            self.closed = Some(now);
            CompletionEffect::Closes
        } else if self.completed == self.skip
            && self.opened.is_none()
            && matches!(self.warm_up, WarmUp::IosPerSlot(_))
        {
            self.opened = Some(now);
            CompletionEffect::Opens
        } else if self.warm_up == WarmUp::Auto
            && self.closed.is_none()
            && self.completed.is_multiple_of(self.stride)
        {
            if self.completed == 2 * OPENINGS * self.stride {
                self.stride *= 2;
                return CompletionEffect::MayOpenFewer;
            }
            CompletionEffect::MayOpen
        } else {
            CompletionEffect::Same
        }
    }

    /// Whether the run may end, when it has measured as many I/Os as planned; if not, the planned number
    /// grows.
    fn is_enough(&mut self, now: Time) -> bool {
        if self.run.precision.is_none() {
            return true;
        }
        self.reached = if self.warm_up == WarmUp::Auto {
            let cut = self.cut();
            let interval = self.interval(self.opened_at(cut), now);
            !is_long_warm_up(cut as u64, self.records.len() as u64)
                && has_required_precision(
                    &self.run,
                    &MeasuredIoCounts::of(&self.records, cut, &self.extent),
                    interval,
                )
        } else {
            has_required_precision(&self.run, &self.counted, self.interval(self.opened.unwrap_or(now), now))
        };
        if self.reached || self.goal >= self.run.most_ios {
            return true;
        }
        self.goal = next_precision_check(&self.run, self.goal);
        false
    }

    /// Hands over the records that are not needed any more, in batches.
    pub fn hand_over_records(&mut self, to: &mut dyn RowReceiver) {
        while self.warm_up != WarmUp::Auto && self.records.len() >= BATCH {
            to.take_ios(&self.records, 0..BATCH);
            self.records.leave_out(BATCH);
        }
    }

    /// The times at which the measured interval began and ended, as far as it has; none if they are known only at the
    /// end of the run.
    pub fn interval_edges(&self) -> Option<(Option<Time>, Option<Time>)> {
        (self.warm_up != WarmUp::Auto).then_some((self.opened, self.closed))
    }

    /// The measured interval between these two times, with the kinds of its edges.
    fn interval(&self, opened: Time, closed: Time) -> MeasuredInterval {
        let begins = match self.warm_up {
            WarmUp::Until(_) => IntervalEdgeKind::Time,
            // The interval begins with the run.
            _ if opened == Time::ZERO => IntervalEdgeKind::Time,
            _ => IntervalEdgeKind::Completion,
        };
        let is_over =
            self.closed.is_some() || self.goal > 0 && self.completed == self.skip + self.series(self.goal);
        let ends = match self.length {
            RunLength::Ios(_) if is_over => IntervalEdgeKind::Completion,
            // The last of all I/Os has completed.
            RunLength::All => IntervalEdgeKind::Completion,
            // The run was stopped, or a time decides.
            _ => IntervalEdgeKind::Time,
        };
        MeasuredInterval { opened, closed, edges: [begins, ends] }
    }

    /// The number of I/Os that the automatic rule leaves out: up to the next moment at which the measurement
    /// returned [`CompletionEffect::MayOpen`].
    fn cut(&self) -> usize {
        let series: Vec<f64> = self.records.rows.iter().map(|r| r.response.as_ns_f64()).collect();
        mser5(&series).next_multiple_of(self.stride as usize).min(self.records.len())
    }

    /// The beginning of the measured interval if this many I/Os are left out.
    fn opened_at(&self, cut: usize) -> Time {
        cut.checked_sub(1).map_or(Time::ZERO, |last| self.records.rows[last].completed)
    }

    /// The number of the moment of [`CompletionEffect::MayOpen`] at which the measured interval begins; none if it begins with the
    /// run, or if the rule is not the automatic one. Call this function before [`Self::finish`].
    pub fn interval_begin_number(&self) -> Option<usize> {
        let cut = if self.warm_up == WarmUp::Auto { self.cut() } else { 0 };
        (cut / self.stride as usize).checked_sub(1)
    }

    /// Ends the measurement, perhaps before the planned end.
    pub fn finish(mut self, now: Time) -> MeasurementResult {
        let mut opened = self.opened.unwrap_or(now);
        let mut left_out = if self.opened.is_some() { self.skip } else { self.completed };
        if self.warm_up == WarmUp::Auto {
            let cut = self.cut();
            opened = self.opened_at(cut);
            self.records.leave_out(cut);
            left_out = cut as u64;
            self.counted = MeasuredIoCounts::of(&self.records, 0, &self.extent);
        }
        let interval = self.interval(opened, self.closed.unwrap_or(now));
        MeasurementResult {
            counted: self.counted,
            left_out,
            interval,
            reached: self.reached,
            records: self.records,
        }
    }
}

/// Whether the automatic rule left out so many I/Os that it may have wanted more than half, which is its
/// limit.
pub fn is_long_warm_up(cut: u64, of: u64) -> bool {
    cut * 5 > of * 2
}
