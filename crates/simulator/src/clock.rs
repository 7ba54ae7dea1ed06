//! Errors of a run that does not end: simulated time is exhausted, or does not advance.

use sansim_kernel::{Span, Time};
use std::fmt;

/// The error of a run that does not end within simulated time. The run has no result, because its measurement is
/// incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockError {
    /// The time of the last event.
    pub at: Time,
    /// The problem.
    pub fault: ClockFault,
    /// The number of completed I/Os.
    pub ios: u64,
    /// The number of I/Os that the run has to complete.
    pub total_ios: u64,
}

/// A problem with simulated time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClockFault {
    /// Simulated time ends, at [`Time::HORIZON`], before the run.
    Ends {
        /// The time of the next event, which did not happen.
        due: Time,
        /// The station of the next event.
        place: String,
    },
    /// Time does not advance: components send each other messages at one instant without end.
    StandsStill {
        /// The number of messages at that instant before the run was ended.
        messages: u32,
        /// The components of the ring, from one to the next and back to the first.
        ring: Vec<String>,
    },
    /// A frame burst with its own clock was computed beyond its horizon, where it affects other components.
    RunsAhead {
        /// The time at which this was noticed.
        at: Time,
        /// The loop of the circuit.
        place: String,
    },
}

/// A time in days, for long times.
fn days(time: Time) -> f64 {
    time.as_s_f64() / Span::from_s(86_400).as_s_f64()
}

impl fmt::Display for ClockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, fault, ios, total_ios } = self;
        match fault {
            ClockFault::Ends { due, place } => {
                write!(
                    f,
                    "simulated time ends after {} days, and this run does not: {ios} of {total_ios} I/Os were complete \
                     after {:.2} days, when the next event was due after {:.2}, at `{place}`; there is no result\n  help: ",
                    days(Time::HORIZON),
                    days(*at),
                    days(*due),
                )?;
                if *ios > 0 {
                    let needed = days(*at) * *total_ios as f64 / *ios as f64;
                    write!(
                        f,
                        "all of them take about {needed:.0} days at this pace; run about {ios}, those left out as warm-up \
                         included, or "
                    )?;
                }
                write!(f, "make the times of the scenario shorter")
            }
            ClockFault::StandsStill { messages, ring } => write!(
                f,
                "simulated time stands still at {at}, where {messages} messages were sent and no end is in sight; they go \
                 round: {}; {ios} of {total_ios} I/Os were complete; there is no result\n  help: give one of these a time \
                 that is not 0; if none of them has one, this is an error of sansim",
                ring.join(" -> ")
            ),
            ClockFault::RunsAhead { at, place } => write!(
                f,
                "on `{place}` a train of frames was worked out past the moment up to which it concerns nobody else, which was \
                 seen at {at}; {ios} of {total_ios} I/Os were complete; there is no result\n  help: this is an error of sansim; \
                 please report it with the scenario"
            ),
        }
    }
}

impl std::error::Error for ClockError {}
