//! Other load on a processor: slices of one length at regular intervals.
//!
//! While a processor has no work for requests, slices need no events: the number of slices that are over follows from the time.

use crate::parameters::OtherLoad;
use sansim_kernel::{RandomStream, Span, Time, Total};

/// The slices of one processor.
#[derive(Clone, Copy, Debug)]
pub struct OtherLoadSlices {
    slice: Span,
    /// The time from the beginning of a slice to that of the next, if slices begin in time.
    period: Span,
    /// The time at which the next slice is to begin.
    next: Time,
    /// The number of slices that have begun.
    begun: u64,
    /// The end of the last slice that has begun.
    until: Time,
}

impl OtherLoadSlices {
    /// The slices of a processor; none if there is no other load.
    pub fn new(load: &OtherLoad, random: &mut RandomStream) -> Option<Self> {
        let share = u128::from(load.share.millionths);
        let ticks = (u128::from(load.slice.ticks()) * 1_000_000).checked_div(share)?;
        let period = Span(u64::try_from(ticks).unwrap_or(u64::MAX).min(Span::LONGEST.ticks()));
        let next = Time(random.draw_below(period.ticks()));
        Some(Self { slice: load.slice, period, next, begun: 0, until: Time::ZERO })
    }

    /// Lets slices pass up to now, if the processor has done nothing for requests since slices were last handled. Returns the end of the
    /// slice that has the processor now, if there is one.
    pub fn let_slices_pass(&mut self, now: Time) -> Option<Time> {
        if self.next <= now {
            let over = (now - self.next).ticks() / self.period.ticks();
            let last = self.next + Span(over * self.period.ticks());
            self.begun += over + 1;
            self.next = last + self.period;
            self.until = last + self.slice;
        }
        (self.until > now).then_some(self.until)
    }

    /// Begins a slice that was due while the processor worked, when the work is done. Returns the end of that slice, if one was due.
    pub fn begin_due_slice(&mut self, now: Time) -> Option<Time> {
        if self.next > now {
            return None;
        }
        self.begun += 1;
        self.next += self.period;
        self.until = now + self.slice;
        Some(self.until)
    }

    /// The time of slices up to now. On an idle processor some slices may have passed since they were last handled.
    pub fn slice_time(&self, now: Time, is_idle: bool) -> Total {
        let mut slices = *self;
        if is_idle {
            slices.let_slices_pass(now);
        }
        let ahead = if slices.until > now { (slices.until - now).ticks() } else { 0 };
        Total(u128::from(slices.begun) * u128::from(slices.slice.ticks()) - u128::from(ahead))
    }
}
