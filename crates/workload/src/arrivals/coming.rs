//! Timetables: arrivals by one process or by a schedule of several; and, in place of arrivals, the pace of a closed stream.

use super::schedule::{ArrivalSchedule, ScheduleParameters};
use super::{Arrivals, Process};
use sansim_kernel::{Distribution, RandomStream, Span};
use sansim_schema::quantities::{Choice, Count, TimeOrDistribution};
use sansim_schema::{table, words};

words! {
    /// The scope of a queue depth: each device, or all of them.
    pub enum DepthPer {
        /// So many outstanding requests for each device; each slot stays with one.
        Device = "device",
        /// So many outstanding requests in all.
        All = "all",
    }
}

table! {
    /// Closed load: a request follows when an earlier request is answered and its think time is over, so the number of requests is
    /// constant.
    pub struct ClosedParameters {
        /// How many requests are outstanding.
        queue_depth: u32 = Count::<u32>::between(1, 65_536), default "1", source "Wang 2005, table 6.4";
        /// Whether `queue_depth` is for each device or in all.
        queue_depth_per: DepthPer = Choice::<DepthPer>::ANY, default r#""all""#, source "ours: a stream is one process";
        /// Time between an answer and the request that follows it.
        think_time: Distribution = TimeOrDistribution::ANY, default r#""0 ns""#, source "Wang 2005, table 6.1" changes;
    }
}

/// A timetable: the times at which requests arrive by themselves.
#[derive(Clone, Debug, PartialEq)]
pub enum Timetable {
    /// Requests arrive by one process.
    Process(Process),
    /// Requests arrive by several processes, one after the other.
    Schedule(ScheduleParameters),
}

/// The generator of a timetable's arrivals.
#[derive(Clone, Debug)]
pub enum ArrivalClock {
    /// The arrivals of one process; see [`Timetable`].
    Process(Arrivals),
    /// The arrivals of a schedule; see [`Timetable`].
    Schedule(ArrivalSchedule),
    /// No request ever arrives.
    Never,
}

impl Timetable {
    /// The generator at its beginning.
    pub fn generator(&self) -> ArrivalClock {
        match self {
            Timetable::Process(process) => ArrivalClock::Process(process.generator()),
            Timetable::Schedule(schedule) => {
                schedule.generator().map_or(ArrivalClock::Never, ArrivalClock::Schedule)
            }
        }
    }

    /// The mean number of arrivals per second.
    pub fn rate_per_s(&self) -> f64 {
        match self {
            Timetable::Process(process) => process.rate_per_s(),
            Timetable::Schedule(schedule) => schedule.rate_per_s(),
        }
    }
}

impl ArrivalClock {
    /// The rates of a timetable change. `left` is the time that was left to the next arrival; the result is the time that is left from now
    /// on. A process goes on as if time passed faster or slower; in a schedule the next arrival keeps its time.
    pub fn change(&mut self, before: &Timetable, after: &Timetable, left: Span) -> Span {
        match (self, before, after) {
            (ArrivalClock::Process(arrivals), Timetable::Process(was), Timetable::Process(is)) => {
                *arrivals = is.generator();
                was.time_left_at_rate_of(is, left)
            }
            (ArrivalClock::Schedule(arrivals), Timetable::Schedule(was), Timetable::Schedule(is)) => {
                arrivals.change(&was.phases(), &is.phases());
                left
            }
            _ => left,
        }
    }

    /// The time to the next arrival; none if there are no more arrivals.
    pub fn gap(&mut self, random: &mut RandomStream) -> Option<Span> {
        match self {
            ArrivalClock::Process(arrivals) => Some(arrivals.gap(random)),
            ArrivalClock::Schedule(schedule) => schedule.gap(random),
            ArrivalClock::Never => None,
        }
    }
}
