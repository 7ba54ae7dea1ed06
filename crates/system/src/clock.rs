//! When a run comes to the end of simulated time before its own.

use sansim_kernel::{Span, Time};
use std::fmt;

/// A run that would have gone on after [`Time::HORIZON`]. It has no result: what was measured until then is not what was asked
/// for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockError {
    /// When the last event happened.
    pub at: Time,
    /// When the next one would have, after the horizon.
    pub due: Time,
    /// The station of that one.
    pub place: String,
    /// I/Os completed.
    pub ios: u64,
    /// I/Os to be completed in all.
    pub total_ios: u64,
}

/// A time in days, for spans of many.
fn days(time: Time) -> f64 {
    time.as_s_f64() / Span::from_s(86_400).as_s_f64()
}

impl fmt::Display for ClockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, due, place, ios, total_ios } = self;
        write!(
            f,
            "simulated time ends after {} days, and this run does not: {ios} of {total_ios} I/Os were complete after {:.2} \
             days, when the next event was due after {:.2}, at `{place}`; there is no result\n  help: ",
            days(Time::HORIZON),
            days(*at),
            days(*due),
        )?;
        if *ios > 0 {
            let needed = days(*at) * *total_ios as f64 / *ios as f64;
            write!(
                f,
                "all of them take about {needed:.0} days at this pace; run about {ios}, those left out as warm-up included, or "
            )?;
        }
        write!(f, "make the times of the scenario shorter")
    }
}

impl std::error::Error for ClockError {}
