//! Other load on a processor: slices of one length at regular intervals.
//!
//! While a processor has no work for requests, slices need no events: which of them are over follows from the time.

use crate::parameters::OtherLoad;
use sansim_kernel::{RandomStream, Span, Time, Total};

/// The slices of one processor.
#[derive(Clone, Copy, Debug)]
pub struct Slices {
    slice: Span,
    /// From the beginning of one to that of the next, if they begin in time.
    period: Span,
    /// When the next is to begin that has not.
    next: Time,
    /// How many have begun.
    begun: u64,
    /// The end of the last slice that has begun.
    until: Time,
}

impl Slices {
    /// Slices of a processor; none if nothing else takes it.
    pub fn new(load: &OtherLoad, random: &mut RandomStream) -> Option<Self> {
        let share = u128::from(load.share.millionths);
        let ticks = (u128::from(load.slice.ticks()) * 1_000_000).checked_div(share)?;
        let period = Span(u64::try_from(ticks).unwrap_or(u64::MAX).min(Span::LONGEST.ticks()));
        let next = Time(random.below(period.ticks()));
        Some(Self { slice: load.slice, period, next, begun: 0, until: Time::ZERO })
    }

    /// Nothing has been done for requests since slices were last looked at: lets them pass up to now. Returns until when one has
    /// the processor that goes on.
    pub fn pass(&mut self, now: Time) -> Option<Time> {
        if self.next <= now {
            let over = (now - self.next).ticks() / self.period.ticks();
            let last = self.next + Span(over * self.period.ticks());
            self.begun += over + 1;
            self.next = last + self.period;
            self.until = last + self.slice;
        }
        (self.until > now).then_some(self.until)
    }

    /// The processor is done with what it did. Returns until when a slice has it that was to begin in the meantime.
    pub fn take(&mut self, now: Time) -> Option<Time> {
        if self.next > now {
            return None;
        }
        self.begun += 1;
        self.next += self.period;
        self.until = now + self.slice;
        Some(self.until)
    }

    /// The time of slices up to now. On an idle processor some may have passed unnoticed since they were last looked at.
    pub fn total(&self, now: Time, is_idle: bool) -> Total {
        let mut slices = *self;
        if is_idle {
            slices.pass(now);
        }
        let ahead = if slices.until > now { (slices.until - now).ticks() } else { 0 };
        Total(u128::from(slices.begun) * u128::from(slices.slice.ticks()) - u128::from(ahead))
    }
}
