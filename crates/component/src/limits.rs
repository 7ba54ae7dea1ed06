//! Limits of rate and bandwidth: the requests that may begin in a second, and their bytes.
//!
//! Source: ATM Forum, Traffic Management 4.0, 4.4.2: the generic cell rate algorithm as virtual scheduling, which is a token bucket
//! expressed in times. A request is due when the requests that began before it have been paid for at the limit; it may begin by `burst`
//! earlier than due. Linux limits groups of processes in this manner (`blk-throttle`, `io.max`), before the scheduler of the device.

use sansim_kernel::{Span, Time};
use sansim_schema::idle::IdleKeys;
use sansim_schema::quantities::{ByteRate, Dimensioned, Frequency, PerTime, Time as TimeOf};
use sansim_schema::table;

table! {
    /// Limits of the I/Os and the bytes that may begin in a second. The excess waits, in the order of arrival.
    #[derive(Copy, Eq)]
    pub struct LimitParameters {
        /// Most I/Os that begin in a time.
        rate: Option<Frequency> = PerTime::ANY.or("unlimited"), default r#""unlimited""#, source "Linux, cgroup-v2, io.max" changes;
        /// Most bytes that are asked for in a time.
        bandwidth: Option<u64> = ByteRate { range: (1_000, 1_000_000_000_000) }.or("unlimited"), default r#""unlimited""#, source "Linux, cgroup-v2, io.max" changes;
        /// Time for which an unused allowance is saved up: after a pause, that many I/Os or bytes may begin at once. With zero, I/Os begin
        /// evenly spaced as long as the limit binds.
        burst: Span = TimeOf::ANY, default r#""0 ns""#, source "ATM Forum, Traffic Management 4.0, 4.4.2" changes;
    }
    idle(without_a_limit)
}

impl LimitParameters {
    /// No limit.
    pub const NONE: Self = Self { rate: None, bandwidth: None, burst: Span::ZERO };

    /// Marks `burst` as unused if there is no limit.
    fn without_a_limit(&self, idle: &mut IdleKeys) {
        idle.mark_idle_unless(self.has_limit(), &["burst"], "there is neither a `rate` nor a `bandwidth`");
    }

    /// Whether there is any limit.
    pub fn has_limit(&self) -> bool {
        self.rate.is_some() || self.bandwidth.is_some()
    }
}

/// A time after all requests of a run.
const LATEST: Time = Time(Time::HORIZON.0 + Span::LONGEST.0);

/// The ticks of a second.
const TICKS_PER_S: u128 = Span::from_s(1).ticks() as u128;

/// A rate limit: this many units in a second, and the time at which the next unit is due.
#[derive(Clone, Copy, Debug)]
struct Pace {
    per_s: u64,
    due: Time,
    /// The remainder of the last division into ticks, so that rounding errors do not add up.
    rest: u128,
}

impl Pace {
    fn new(per_s: u64) -> Self {
        Self { per_s, due: Time::ZERO, rest: 0 }
    }

    /// The time from which on the next due request may begin.
    fn earliest(&self, burst: Span) -> Time {
        Time(self.due.0.saturating_sub(burst.0))
    }

    /// Begins this many units at this time.
    fn begin(&mut self, at: Time, count: u64) {
        if self.due < at {
            (self.due, self.rest) = (at, 0);
        }
        let ticks = u128::from(count) * TICKS_PER_S + self.rest;
        let per_s = u128::from(self.per_s);
        self.rest = ticks % per_s;
        let due = u128::from(self.due.0) + ticks / per_s;
        self.due = u64::try_from(due).map_or(LATEST, |due| Time(due).min(LATEST));
    }
}

/// A limit, and the requests that it has let begin.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    burst: Span,
    rate: Option<Pace>,
    bandwidth: Option<Pace>,
}

impl RateLimit {
    /// A limit under which no request has begun yet.
    pub fn new(parameters: &LimitParameters) -> Self {
        Self {
            burst: parameters.burst,
            rate: parameters.rate.map(|rate| Pace::new(rate.micro_per_s)),
            bandwidth: parameters.bandwidth.map(Pace::new),
        }
    }

    /// The limit has other values from now on; none if there is no limit any more. Requests that it has let begin at a later time do so.
    pub fn change(this: Option<Self>, parameters: &LimitParameters) -> Option<Self> {
        let Some(before) = this else { return parameters.has_limit().then(|| Self::new(parameters)) };
        let pace = |before: Option<Pace>, after: Option<Pace>| match (before, after) {
            (Some(before), Some(after)) if before.per_s != after.per_s => {
                Some(Pace { due: before.due, ..after })
            }
            (Some(before), Some(_)) => Some(before),
            (_, after) => after,
        };
        let after = Self::new(parameters);
        parameters.has_limit().then(|| Self {
            burst: after.burst,
            rate: pace(before.rate, after.rate),
            bandwidth: pace(before.bandwidth, after.bandwidth),
        })
    }

    /// The time at which the next request, of this many bytes, begins if it is there now. Requests for which `next` is called later do not
    /// begin earlier.
    pub fn next_start_time(&mut self, now: Time, bytes: u64) -> Time {
        let earliest = |pace: &Option<Pace>| pace.map_or(Time::ZERO, |pace| pace.earliest(self.burst));
        let at = now.max(earliest(&self.rate)).max(earliest(&self.bandwidth));
        if let Some(pace) = &mut self.rate {
            // A frequency is given in units per million seconds.
            pace.begin(at, 1_000_000);
        }
        if let Some(pace) = &mut self.bandwidth {
            pace.begin(at, bytes);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::instant_at_us;

    fn limit(rate: Option<u64>, bandwidth: Option<u64>, burst: Span) -> RateLimit {
        RateLimit::new(&LimitParameters { rate: rate.map(Frequency::per_s), bandwidth, burst })
    }

    #[test]
    fn requests_begin_evenly_spaced_and_exactly_as_often_as_the_limit_says() {
        let mut at_most = limit(Some(7), None, Span::ZERO);
        let begin: Vec<Time> = (0..=7_000).map(|_| at_most.next_start_time(Time::ZERO, 512)).collect();
        assert_eq!((begin[0], begin[7_000]), (Time::ZERO, Time::ZERO + Span::from_s(1_000)), "to the tick");
        for pair in begin.windows(2) {
            let gap = (pair[1] - pair[0]).ticks();
            assert!((gap as f64 - TICKS_PER_S as f64 / 7.0).abs() <= 1.0, "{gap}");
        }
    }

    #[test]
    fn the_next_start_is_not_before_the_last_and_its_bytes_at_the_limit() {
        let mut at_most = limit(None, Some(1_000_000), Span::ZERO);
        let begin = [500, 1_000, 250, 1].map(|bytes| at_most.next_start_time(Time::ZERO, bytes));
        assert_eq!(begin, [0, 500, 1_500, 1_750].map(instant_at_us));
        // After a pause no time is owed and none is saved up.
        assert_eq!(
            [1, 1].map(|_| at_most.next_start_time(instant_at_us(9_000), 1_000)),
            [instant_at_us(9_000), instant_at_us(10_000)]
        );
    }

    #[test]
    fn of_two_limits_the_one_that_binds_counts() {
        let mut both = limit(Some(1_000), Some(1_000_000), Span::ZERO);
        let begin = [100, 100, 5_000, 100].map(|bytes| both.next_start_time(Time::ZERO, bytes));
        assert_eq!(begin, [0, 1_000, 2_000, 7_000].map(instant_at_us));
    }

    #[test]
    fn what_was_saved_up_begins_at_once_and_the_rest_at_the_limit() {
        let mut at_most = limit(Some(1_000), None, Span::from_ms(3));
        let begin = [0; 6].map(|_| at_most.next_start_time(Time::ZERO, 512));
        assert_eq!(
            begin,
            [0, 0, 0, 0, 1_000, 2_000].map(instant_at_us),
            "one, and as many as fit into the burst"
        );
        let never_more = |begin: &[Time]| begin.windows(5).all(|five| five[4] - five[0] >= Span::from_ms(1));
        assert!(never_more(&begin));
    }

    #[test]
    fn a_limit_that_does_not_bind_holds_nothing_back() {
        let mut at_most = limit(Some(1_000), Some(512_000), Span::ZERO);
        for ms in 0..1_000 {
            assert_eq!(at_most.next_start_time(instant_at_us(1_000 * ms), 512), instant_at_us(1_000 * ms));
        }
    }

    #[test]
    fn what_would_begin_after_the_end_of_time_does_not_overflow() {
        let mut at_most = RateLimit::new(&LimitParameters {
            rate: Some(Frequency { micro_per_s: 1 }),
            bandwidth: Some(1_000),
            burst: Span::ZERO,
        });
        let last = (0..1_000).map(|_| at_most.next_start_time(Time::ZERO, u64::from(u32::MAX))).max();
        assert_eq!(last, Some(LATEST));
    }
}
