//! The plan of a workload of streams, whatever kind of workload it is.

use super::content::ContentPlan;
use super::source::SourcePlan;
use crate::arrivals::Timetable;
use crate::arrivals::poisson::PoissonParameters;
use sansim_component::component_kind::{OfferedLoad, StreamName};
use sansim_kernel::{Distribution, Span};
use sansim_request::NORMAL_PRIORITY;

/// The plan of a workload of streams.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamsPlan {
    /// The streams of the workload, by their numbers.
    pub streams: Vec<StreamPlan>,
}

/// The plan of a stream: requests of one kind, with one pace.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamPlan {
    /// The name of the stream; empty if the workload has no other stream.
    pub name: String,
    /// The pace of the stream: when its requests come.
    pub pace: StreamPace,
    /// The content of the stream's requests.
    pub content: ContentPlan,
    /// The time from the beginning of its stage to the beginning of the stream.
    pub begin: Span,
    /// The time from the beginning of the stream after which it issues no more requests; without it the stream goes on as long as its
    /// content has requests.
    pub duration: Option<Span>,
    /// The most requests that the stream makes; no limit, if none.
    pub ios: Option<u64>,
    /// The stage of the stream: it begins when all streams of the stage before have ended and have their answers. The first stage has the
    /// number 0.
    pub stage: u32,
    /// The priority of the stream's requests; 0 is the most urgent.
    pub priority: u8,
}

impl StreamPlan {
    /// The only stream of a workload: it begins at once and goes on as long as its content has requests.
    pub fn only_stream(pace: StreamPace, content: ContentPlan) -> Self {
        let (name, priority) = (String::new(), NORMAL_PRIORITY);
        Self { name, pace, content, begin: Span::ZERO, duration: None, ios: None, stage: 0, priority }
    }
}

/// The pace of a stream: when its requests come.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamPace {
    /// A slot issues its next request when it has its answer and the think time is over.
    Closed {
        /// The number of slots.
        slots: StreamSlots,
        /// The think time from an answer to the next request.
        think: Distribution,
    },
    /// Requests come whether or not earlier requests are done.
    Open {
        /// The timetable of the arrivals.
        timetable: Timetable,
        /// The most outstanding requests; requests that arrive meanwhile wait, and their response times count from their arrival.
        outstanding: u32,
    },
    /// Reads and writes each come at a rate of their own, or as fast as earlier requests are done. The content chooses the next direction
    /// among those that are due.
    Rated {
        /// The rates of both directions.
        rates: DirectionRates,
        /// The most outstanding requests, of both directions together. A request that arrives while there is no room waits, and its
        /// response time counts from its arrival.
        outstanding: u32,
    },
    /// Requests come at the times that the content records, counted from the beginning of the stream.
    Recorded {
        /// See [`StreamPace::Open`].
        outstanding: u32,
    },
}

/// The rates at which reads and writes come, each independently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectionRates {
    /// The rates of reads and of writes; none for a direction that does not occur.
    pub of: [Option<DirectionRate>; 2],
}

/// The rate of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectionRate {
    /// Requests of the direction come as fast as earlier requests are done.
    None,
    /// Requests come at this many bytes a second: the next request comes when all bytes before it would be moved at that rate.
    Bytes {
        /// The bytes a second.
        per_s: u64,
        /// The size of the smallest request.
        smallest: u64,
    },
    /// Requests come at this rate, at any moment as likely as at another.
    Poisson(PoissonParameters),
}

impl DirectionRates {
    /// The number of requests that come in a second, each counted with the smallest size of its direction; none if a direction has no
    /// limit.
    pub fn requests_per_second(&self) -> Option<f64> {
        let per_s = |limit: DirectionRate| match limit {
            DirectionRate::None => None,
            DirectionRate::Bytes { per_s, smallest } => Some(per_s as f64 / smallest.max(1) as f64),
            DirectionRate::Poisson(parameters) => Some(parameters.rate_per_s()),
        };
        self.of.into_iter().flatten().map(per_s).sum()
    }

    /// Whether requests are at any moment as likely to come as at another.
    pub fn is_at_random(&self) -> bool {
        self.of.iter().flatten().all(|limit| matches!(limit, DirectionRate::Poisson(_)))
    }
}

/// The number of slots of a closed stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamSlots {
    /// The number of slots for each device; a slot stays with its device.
    PerDevice(u32),
    /// A number of slots for each target of the stream; targets are distinguished by number.
    PerTarget {
        /// The slots for each target.
        count: u32,
        /// The number of targets.
        targets: u32,
    },
    /// The number of slots for all devices together.
    InAll(u32),
}

impl StreamSlots {
    /// The number of slots with this many devices.
    pub fn slot_count(self, devices: usize) -> u32 {
        match self {
            Self::PerDevice(count) => count * devices as u32,
            Self::PerTarget { count, targets } => count * targets,
            Self::InAll(count) => count,
        }
    }

    /// The device, or the target, with which a slot stays.
    pub fn device_of_slot(self, slot: u32, devices: usize) -> Option<u32> {
        match self {
            Self::PerDevice(_) => Some(slot % (devices as u32).max(1)),
            Self::PerTarget { targets, .. } => Some(slot % targets.max(1)),
            Self::InAll(_) => None,
        }
    }
}

impl StreamPace {
    /// Whether requests come whether or not earlier ones are done.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::Closed { .. })
    }
}

impl StreamsPlan {
    /// Whether any stream makes flushes or deallocations, as far as this is known in advance.
    pub fn flushes_or_deallocates(&self) -> bool {
        self.streams.iter().any(|stream| stream.content.flushes_or_deallocates())
    }

    /// The streams with their names in results.
    pub fn parse_names(&self) -> Vec<StreamName> {
        let told = |stream: &StreamPlan| -> Vec<StreamName> {
            let name = |name: &String| StreamName {
                name: name.clone(),
                is_open: stream.pace.is_open(),
                by_direction: matches!(stream.pace, StreamPace::Rated { .. }),
            };
            match stream.content.parts() {
                [] => vec![name(&stream.name)],
                parts => parts.iter().map(name).collect(),
            }
        };
        self.streams.iter().flat_map(told).collect()
    }
}

/// The load that streams offer together, as far as the load is known in advance; `size_key` is the key of the size of requests.
pub fn load_of(plan: &StreamsPlan, size_key: &'static str) -> OfferedLoad {
    let largest = plan.streams.iter().map(|stream| stream.content.largest()).max();
    let mut load = OfferedLoad {
        size: largest.unwrap_or(0),
        size_key,
        read_fraction: 1.0,
        slots_per_device: 0,
        slots_in_all: 0,
        is_open: false,
        ends: plan
            .streams
            .iter()
            .all(|stream| stream.duration.is_some() || stream.ios.is_some() || stream.content.ends()),
    };
    for stream in &plan.streams {
        match stream.pace {
            StreamPace::Closed { slots: StreamSlots::PerDevice(count), .. } => {
                load.slots_per_device += u64::from(count)
            }
            StreamPace::Closed { slots: slots @ StreamSlots::PerTarget { .. }, .. } => {
                load.slots_in_all += u64::from(slots.slot_count(0));
            }
            StreamPace::Closed { slots: StreamSlots::InAll(count), .. } => {
                load.slots_in_all += u64::from(count)
            }
            // The number of outstanding requests is unknown; it counts as one.
            StreamPace::Open { .. } | StreamPace::Rated { .. } | StreamPace::Recorded { .. } => {
                load.is_open = true;
                load.slots_in_all += 1;
            }
        }
    }
    let reads: f64 = plan.streams.iter().map(|stream| stream.content.read_fraction()).sum();
    load.read_fraction = reads / plan.streams.len().max(1) as f64;
    load
}
