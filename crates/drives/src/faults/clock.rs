//! The clock of a drive. That of a slow one runs slower than time: what takes the drive a millisecond by its own clock takes `factor`
//! milliseconds, from the moment on at which it became slow, also of what it is in the middle of.
//!
//! Rounding is to the drive's disadvantage, by less than a tick of its own clock, and what it does at an instant of its own it does
//! at that very one.

use sansim_kernel::{Span, Time};

/// A clock that keeps time.
pub(crate) const NORMAL: u64 = 1_000;

/// See the module text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// The time since which the clock runs at this pace, and its reading then.
    since: Time,
    own: Time,
    /// The pace of the clock: thousandths of a tick of the drive in a tick of simulated time.
    thousandths: u64,
}

impl Default for Clock {
    /// A clock at normal pace.
    fn default() -> Self {
        Self { since: Time::ZERO, own: Time::ZERO, thousandths: NORMAL }
    }
}

impl Clock {
    /// The slowness of the clock: thousandths of the normal time that everything takes.
    pub fn thousandths(&self) -> u64 {
        self.thousandths
    }

    /// The reading of the clock at an instant. Before its last change of pace it counts back at normal speed.
    #[inline]
    pub fn own(&self, now: Time) -> Time {
        let Some(passed) = now.0.checked_sub(self.since.0) else {
            return Time(self.own.0.saturating_sub(self.since.0 - now.0));
        };
        if self.thousandths == NORMAL {
            return self.own + Span(passed);
        }
        let own = u128::from(passed) * u128::from(NORMAL) / u128::from(self.thousandths);
        self.own + Span(own as u64)
    }

    /// When it shows this, at present pace; no later than 30 days from now, when one has to look again.
    #[inline]
    pub fn real(&self, own: Time, now: Time) -> Time {
        let ahead = own.saturating_since(self.own);
        if own == Time::NEVER || self.thousandths == NORMAL {
            return if own == Time::NEVER { own } else { self.since + ahead };
        }
        let at = u128::from(self.since.0) + self.stretched(ahead.0.into(), true);
        u64::try_from(at).map_or(now + Span::LONGEST, |at| Time(at).min(now + Span::LONGEST))
    }

    /// The simulated time of this many ticks of the clock.
    pub fn stretched(&self, own: u128, up: bool) -> u128 {
        let all = own * u128::from(self.thousandths);
        if up { all.div_ceil(NORMAL.into()) } else { all / u128::from(NORMAL) }
    }

    /// From an instant on it runs at another pace.
    pub fn set(&mut self, at: Time, thousandths: u64) {
        (self.own, self.since) = (self.own(at), at);
        self.thousandths = thousandths;
    }
}
