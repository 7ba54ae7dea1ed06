//! Exact simulated time.
//!
//! One tick is 1/561 ns. As 561 = 3 x 11 x 17, the transmission word of every Fibre Channel rate, from 21 120 ticks at 1.0625 GBd to 170
//! ticks at 112.2 GBd, is a whole number of ticks, and so is every nanosecond. No time is rounded after the conversion into ticks, so no
//! error accumulates and no floating-point number orders events.
//!
//! A `u64` of ticks covers 380 days. All events of a simulation are at or before [`Time::HORIZON`], 300 days, and no span that is added to
//! the instant of an event is longer than [`Span::LONGEST`], 30 days: two spans may therefore be added without a check, and no event has to
//! be checked. The parameters of a system follow the rule for spans, and the loop that pops events from the calendar follows the rule for
//! events.
//!
//! Overflow and negative differences are errors of the caller: like all integer arithmetic they panic in builds with overflow checks.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Rem, Sub, SubAssign};

/// The number of ticks in one nanosecond.
pub const TICKS_PER_NS: u64 = 561;

/// A duration in ticks of 1/561 ns; never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

/// A sum of spans, in ticks: for activities at one place or at many at a time, where the sum may be longer than
/// any [`Span`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Total(pub u128);

/// An instant of simulated time in ticks of 1/561 ns since the start of the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Span {
    /// The span of no time.
    pub const ZERO: Span = Span(0);
    /// The longest span that can be represented, about 380 days.
    pub const MAX: Span = Span(u64::MAX);
    /// The longest span that may be added to an instant of a simulation: 30 days.
    pub const LONGEST: Span = Span::from_s(30 * 86_400);

    /// A span of whole nanoseconds, exact.
    pub const fn from_ns(ns: u64) -> Span {
        Span(ns * TICKS_PER_NS)
    }

    /// A span of whole microseconds, exact.
    pub const fn from_us(us: u64) -> Span {
        Span(us * (1_000 * TICKS_PER_NS))
    }

    /// A span of whole milliseconds, exact.
    pub const fn from_ms(ms: u64) -> Span {
        Span(ms * (1_000_000 * TICKS_PER_NS))
    }

    /// A span of whole seconds, exact.
    pub const fn from_s(s: u64) -> Span {
        Span(s * (1_000_000_000 * TICKS_PER_NS))
    }

    /// A span of `numerator / denominator` nanoseconds, rounded to the nearest tick (halves upwards); exact
    /// whenever the quotient is a whole number of ticks. One word of 40 bits at 2.125 Gbit/s is
    /// `from_ns_ratio(40_000, 2_125)`.
    ///
    /// # Panics
    /// Panics if `denominator` is zero or the result is longer than [`Span::MAX`].
    pub const fn from_ns_ratio(numerator: u64, denominator: u64) -> Span {
        let denominator = denominator as u128;
        let ticks = (numerator as u128 * TICKS_PER_NS as u128 + denominator / 2) / denominator;
        assert!(ticks <= u64::MAX as u128, "span too long");
        Span(ticks as u64)
    }

    /// The time to move `bytes` at a rate, rounded to the nearest tick (halves upwards); [`Span::MAX`] if the time is
    /// longer.
    ///
    /// # Panics
    /// Panics if the rate is zero.
    pub const fn to_move(bytes: u64, bytes_per_second: u64) -> Span {
        const TICKS_PER_S: u64 = Span::from_s(1).0;
        // The product of bytes and ticks hardly ever needs more than 64 bits.
        if let Some(product) = bytes.checked_mul(TICKS_PER_S)
            && let Some(rounded) = product.checked_add(bytes_per_second / 2)
        {
            return Span(rounded / bytes_per_second);
        }
        let rate = bytes_per_second as u128;
        let ticks = (bytes as u128 * TICKS_PER_S as u128 + rate / 2) / rate;
        if ticks > u64::MAX as u128 { Span::MAX } else { Span(ticks as u64) }
    }

    /// A span of `ns` nanoseconds, rounded to the nearest tick. Negative values and NaN give [`Span::ZERO`],
    /// values too large give [`Span::MAX`]. The function is for sampled durations; constants are better written
    /// with the exact constructors.
    pub fn from_ns_f64(ns: f64) -> Span {
        // A float-to-integer `as` saturates and turns NaN into zero.
        Span((ns * TICKS_PER_NS as f64).round() as u64)
    }

    /// The span in ticks.
    pub const fn ticks(self) -> u64 {
        self.0
    }

    /// The span in nanoseconds.
    pub fn as_ns_f64(self) -> f64 {
        self.0 as f64 / TICKS_PER_NS as f64
    }

    /// The span in seconds.
    pub fn as_s_f64(self) -> f64 {
        self.as_ns_f64() / 1e9
    }

    /// Whether the span is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self - other`, or zero if `other` is longer.
    pub const fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }

    /// The middle of two spans, rounded down to a tick.
    pub const fn midpoint(self, other: Span) -> Span {
        Span(self.0.midpoint(other.0))
    }

    /// The smallest multiple of `unit` that is not shorter than `self`.
    ///
    /// # Panics
    /// Panics if `unit` is zero.
    pub const fn round_up_to(self, unit: Span) -> Span {
        Span(self.0.div_ceil(unit.0) * unit.0)
    }
}

impl Total {
    /// The sum of no durations.
    pub const ZERO: Total = Total(0);

    /// The sum in ticks.
    pub const fn ticks(self) -> u128 {
        self.0
    }

    /// The sum in seconds.
    pub fn as_s_f64(self) -> f64 {
        self.0 as f64 / TICKS_PER_NS as f64 / 1e9
    }
}

impl Time {
    /// The start of the simulation.
    pub const ZERO: Time = Time(0);
    /// A time later than every event, which means "not planned".
    pub const NEVER: Time = Time(u64::MAX);
    /// The last instant at which an event may happen: 300 days after the start. The rule is explained at the
    /// head of the module.
    pub const HORIZON: Time = Time(Span::from_s(300 * 86_400).0);

    /// The number of ticks since the start of the simulation.
    pub const fn ticks(self) -> u64 {
        self.0
    }

    /// The number of nanoseconds since the start of the simulation.
    pub fn as_ns_f64(self) -> f64 {
        Span(self.0).as_ns_f64()
    }

    /// The number of seconds since the start of the simulation.
    pub fn as_s_f64(self) -> f64 {
        Span(self.0).as_s_f64()
    }

    /// The time from `earlier` to `self`; a negative difference is an error of the caller (see the module's
    /// head).
    pub const fn since(self, earlier: Time) -> Span {
        Span(self.0 - earlier.0)
    }

    /// The time from `earlier` to `self`, or zero if `earlier` is later than `self`.
    pub const fn saturating_since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// `self + span`, or [`Time::NEVER`] where that would overflow.
    pub const fn saturating_add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    fn sub(self, span: Span) -> Time {
        Time(self.0 - span.0)
    }
}

impl Sub for Time {
    type Output = Span;
    fn sub(self, earlier: Time) -> Span {
        self.since(earlier)
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        Span(self.0 - other.0)
    }
}

impl SubAssign for Span {
    fn sub_assign(&mut self, other: Span) {
        self.0 -= other.0;
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, times: u64) -> Span {
        Span(self.0 * times)
    }
}

impl Mul<Span> for u64 {
    type Output = Span;
    fn mul(self, span: Span) -> Span {
        span * self
    }
}

/// The quotient is rounded down to a whole tick.
impl Div<u64> for Span {
    type Output = Span;
    fn div(self, parts: u64) -> Span {
        Span(self.0 / parts)
    }
}

/// The number of times that `other` fits into `self` as a whole.
impl Div for Span {
    type Output = u64;
    fn div(self, other: Span) -> u64 {
        self.0 / other.0
    }
}

/// The remainder of `self` after taking out `other` as often as it fits.
impl Rem for Span {
    type Output = Span;
    fn rem(self, other: Span) -> Span {
        Span(self.0 % other.0)
    }
}

impl Sum for Span {
    fn sum<I: Iterator<Item = Span>>(spans: I) -> Span {
        spans.fold(Span::ZERO, Add::add)
    }
}

impl<'a> Sum<&'a Span> for Span {
    fn sum<I: Iterator<Item = &'a Span>>(spans: I) -> Span {
        spans.copied().sum()
    }
}

impl From<Span> for Total {
    fn from(span: Span) -> Total {
        Total(span.0.into())
    }
}

impl Add for Total {
    type Output = Total;
    fn add(self, other: Total) -> Total {
        Total(self.0 + other.0)
    }
}

impl AddAssign<Span> for Total {
    fn add_assign(&mut self, span: Span) {
        self.0 += u128::from(span.0);
    }
}

impl Sub for Total {
    type Output = Total;
    fn sub(self, other: Total) -> Total {
        Total(self.0 - other.0)
    }
}

/// The quotient is rounded down to a whole tick.
impl Div<u64> for Total {
    type Output = Total;
    fn div(self, parts: u64) -> Total {
        Total(self.0 / u128::from(parts))
    }
}

impl Sum for Total {
    fn sum<I: Iterator<Item = Total>>(totals: I) -> Total {
        totals.fold(Total::ZERO, Add::add)
    }
}

impl Sum<Span> for Total {
    fn sum<I: Iterator<Item = Span>>(spans: I) -> Total {
        spans.map(Total::from).sum()
    }
}

/// A span is shown in the largest of s, ms, us, ns that gives a number of at least one, with up to three
/// decimals: `43.9 us`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The span is converted to thousandths of a nanosecond, rounded, and then split as an integer so that
        // the text is exact.
        let pico = (u128::from(self.0) * 1_000 + u128::from(TICKS_PER_NS / 2)) / u128::from(TICKS_PER_NS);
        let mut unit = 0;
        let mut scale = 1_u128;
        // The next larger unit is used where rounding to three decimals would show "1000".
        while unit < 3 && (pico + scale / 2) / scale >= 1_000_000 {
            unit += 1;
            scale *= 1_000;
        }
        let thousandths = (pico + scale / 2) / scale;
        let mut text = format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000);
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
        text.push_str([" ns", " us", " ms", " s"][unit]);
        f.pad(&text)
    }
}

/// A time is shown like the [`Span`] since the start of the simulation; [`Time::NEVER`] is shown as `never`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Time::NEVER { f.pad("never") } else { Span(self.0).fmt(f) }
    }
}

// The horizon plus two longest spans is an instant, and is not "never".
const _: () = assert!(Time::HORIZON.0 + 2 * Span::LONGEST.0 < Time::NEVER.0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_every_fibre_channel_rate_is_a_whole_number_of_ticks() {
        // The word is 40 bits (8b/10b) at 1.0625, 2.125, 4.25, 8.5 GBd and 33 bits (half a 66-bit block) at
        // 14.025 GBd, as nanoseconds over MBd.
        for (bits, mbd, ticks) in [
            (40, 1_062.5, 21_120),
            (40, 2_125.0, 10_560),
            (40, 4_250.0, 5_280),
            (40, 8_500.0, 2_640),
            (33, 14_025.0, 1_320),
        ] {
            let numerator = bits * 10_000;
            let denominator = (mbd * 10.0) as u64;
            assert_eq!(numerator * TICKS_PER_NS % denominator, 0, "exact at {mbd} MBd");
            assert_eq!(Span::from_ns_ratio(numerator, denominator).ticks(), ticks);
        }
    }

    #[test]
    fn constructors_agree_with_each_other() {
        assert_eq!(Span::from_us(3), Span::from_ns(3_000));
        assert_eq!(Span::from_ms(3), Span::from_us(3_000));
        assert_eq!(Span::from_s(3), Span::from_ms(3_000));
        assert_eq!(Span::from_ns_f64(43_900.0), Span::from_ns(43_900));
        assert_eq!(Span::from_ns_ratio(1, 2), Span(281), "280.5 ticks round upwards");
        assert_eq!(Span::from_ns_f64(-1.0), Span::ZERO);
        assert_eq!(Span::from_ns_f64(f64::NAN), Span::ZERO);
        assert_eq!(Span::from_ns_f64(1e300), Span::MAX);
        assert_eq!(Span::from_s(2).as_s_f64(), 2.0);
        assert_eq!((Time::ZERO + Span::from_ns(7)).as_ns_f64(), 7.0);
    }

    #[test]
    fn instants_and_spans_calculate_as_expected() {
        let start = Time(1_000);
        let later = start + Span(234);
        assert_eq!(later - start, Span(234));
        assert_eq!(later.since(start), Span(234));
        assert_eq!(start.saturating_since(later), Span::ZERO);
        assert_eq!(later - Span(234), start);
        assert_eq!(Time::NEVER.saturating_add(Span(1)), Time::NEVER);
        assert_eq!(Span(10) * 3 + Span(5) - Span(1), Span(34));
        assert_eq!(3 * Span(10), Span(30));
        assert_eq!(Span(34) / 3, Span(11));
        assert_eq!(Span(34) / Span(10), 3);
        assert_eq!(Span(34) % Span(10), Span(4));
        assert_eq!([Span(1), Span(2)].iter().sum::<Span>(), Span(3));
        assert_eq!([Span(1), Span(2)].into_iter().sum::<Span>(), Span(3));
        assert_eq!(Span(21).round_up_to(Span(10)), Span(30));
        let days: Total = [Span::MAX, Span::MAX, Span(2)].into_iter().sum();
        assert_eq!(days, Total(1 << 65));
        assert_eq!((days - Span(2).into()) / 2, Span::MAX.into());
        assert_eq!(Total::from(Span::from_s(3)).as_s_f64(), 3.0);
        assert_eq!(Span(20).round_up_to(Span(10)), Span(20));
        assert_eq!(Span(7).midpoint(Span(10)), Span(8));
        assert_eq!(Span::MAX.midpoint(Span::MAX), Span::MAX);
    }

    #[test]
    fn moving_takes_bytes_over_the_rate_however_many_they_are() {
        assert_eq!(Span::to_move(2_000, 1_000_000_000), Span::from_us(2));
        assert_eq!(Span::to_move(1, 2_000_000_000), Span(281), "280.5 ticks round upwards");
        assert_eq!(Span::to_move(0, 1), Span::ZERO);
        // The nanoseconds, or intermediate products, do not fit into 64 bits.
        assert_eq!(Span::to_move(1 << 60, 1 << 50), Span::from_s(1 << 10));
        assert_eq!(Span::to_move(u64::from(u32::MAX), 1), Span::MAX, "136 years");
        assert_eq!(Span::to_move(u64::MAX, 1), Span::MAX);
    }

    #[test]
    fn the_time_to_move_bytes_is_rounded_alike_on_either_side_of_64_bits() {
        let second = u128::from(Span::from_s(1).0);
        // The product fits for the last value, and then no more; in the last case only half of the rate does not
        // fit.
        let last = u64::MAX / Span::from_s(1).0;
        for bytes in [0, 1, 2_112, last - 1, last, last + 1, 2 * last] {
            for rate in [1 << 20, 999_999_937, 1_064_000_000, u64::MAX / 3] {
                let exact = (u128::from(bytes) * second + u128::from(rate) / 2) / u128::from(rate);
                assert_eq!(u128::from(Span::to_move(bytes, rate).0), exact, "{bytes} at {rate}");
            }
        }
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic]
    fn a_negative_difference_is_caught_in_debug_builds() {
        let _ = Time(1) - Time(2);
    }

    #[test]
    fn display_picks_a_readable_unit() {
        assert_eq!(Span::from_ns(19).to_string(), "19 ns");
        assert_eq!(Span(10_560).to_string(), "18.824 ns");
        assert_eq!(Span(1).to_string(), "0.002 ns");
        assert_eq!(Span::from_ns(43_900).to_string(), "43.9 us");
        assert_eq!(Span::from_ms(2).to_string(), "2 ms");
        assert_eq!(Span::from_s(90).to_string(), "90 s");
        assert_eq!(Span::from_ns(999_999_999).to_string(), "1 s");
        assert_eq!(Span::ZERO.to_string(), "0 ns");
        assert_eq!(format!("{:>8}", Span::from_ns(19)), "   19 ns");
        assert_eq!(Time::NEVER.to_string(), "never");
        assert_eq!((Time::ZERO + Span::from_us(5)).to_string(), "5 us");
    }
}
