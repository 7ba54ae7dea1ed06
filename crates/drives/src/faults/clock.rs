//! The clock of a drive. The clock of a slow drive runs slower than simulated time: what lasts a millisecond by the drive's own clock lasts
//! `factor` milliseconds, from the moment on at which the drive became slow, including work that is in progress.
//!
//! Times are rounded to the drive's disadvantage, by less than a tick of its own clock, and an action at an instant of the drive's own
//! clock happens at exactly that instant.

use sansim_kernel::{Span, Time};

/// The `thousandths` of a clock that keeps simulated time.
pub(crate) const NORMAL: u64 = 1_000;

/// The clock of a drive, which runs slower than simulated time while the drive is slow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// The time since which the clock runs at this pace, and its reading then.
    since: Time,
    own: Time,
    /// The slowness of the clock: thousandths of a tick of simulated time in a tick of the drive.
    thousandths: u64,
}

impl Default for Clock {
    /// A clock at normal pace.
    fn default() -> Self {
        Self { since: Time::ZERO, own: Time::ZERO, thousandths: NORMAL }
    }
}

impl Clock {
    /// The slowness of the clock: thousandths of the normal time that everything lasts.
    pub fn slowness_in_thousandths(&self) -> u64 {
        self.thousandths
    }

    /// The reading of the clock at an instant. Before its last change of pace the clock counts back at normal speed.
    #[inline]
    pub fn medium_clock_time(&self, now: Time) -> Time {
        let Some(passed) = now.0.checked_sub(self.since.0) else {
            return Time(self.own.0.saturating_sub(self.since.0 - now.0));
        };
        if self.thousandths == NORMAL {
            return self.own + Span(passed);
        }
        let own = u128::from(passed) * u128::from(NORMAL) / u128::from(self.thousandths);
        self.own + Span(own as u64)
    }

    /// The simulated time at which the clock shows this time, at its present pace; no later than 30 days from now, at which time the caller
    /// has to ask again.
    #[inline]
    pub fn simulated_time_of(&self, own: Time, now: Time) -> Time {
        let ahead = own.saturating_since(self.own);
        if own == Time::NEVER || self.thousandths == NORMAL {
            return if own == Time::NEVER { own } else { self.since + ahead };
        }
        let at = u128::from(self.since.0) + self.clock_to_simulated_time(ahead.0.into(), true);
        u64::try_from(at).map_or(now + Span::LONGEST, |at| Time(at).min(now + Span::LONGEST))
    }

    /// The simulated time of this many ticks of the clock.
    pub fn clock_to_simulated_time(&self, own: u128, up: bool) -> u128 {
        let all = own * u128::from(self.thousandths);
        if up { all.div_ceil(NORMAL.into()) } else { all / u128::from(NORMAL) }
    }

    /// From an instant on the clock runs at another pace.
    pub fn set_clock_pace(&mut self, at: Time, thousandths: u64) {
        (self.own, self.since) = (self.medium_clock_time(at), at);
        self.thousandths = thousandths;
    }
}
