//! The plan of a workload of streams, whatever kind it is written as.

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
    /// The streams, by their numbers.
    pub streams: Vec<StreamPlan>,
}

/// A stream: one kind of requests, that come in one way.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamPlan {
    /// Its name; empty if the workload has no others.
    pub name: String,
    /// When requests come.
    pub pace: StreamPace,
    /// The content of their requests.
    pub content: ContentPlan,
    /// How long after the beginning of its stage it begins.
    pub begin: Span,
    /// How long after its own beginning it asks for no more; as long as there is something to ask for, if none.
    pub duration: Option<Span>,
    /// How many requests it makes; no such limit, if none.
    pub ios: Option<u64>,
    /// Its stage: it begins when all streams of the stage before are at their end and have their answers. The first is 0.
    pub stage: u32,
    /// How urgent its requests are, from 0, the most urgent.
    pub priority: u8,
}

impl StreamPlan {
    /// The only stream of a workload: it begins at once and goes on as long as there is something to ask for.
    pub fn whole(pace: StreamPace, content: ContentPlan) -> Self {
        let (name, priority) = (String::new(), NORMAL_PRIORITY);
        Self { name, pace, content, begin: Span::ZERO, duration: None, ios: None, stage: 0, priority }
    }
}

/// When the requests of a stream come.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamPace {
    /// A slot asks again when it has its answer and has thought.
    Closed {
        /// How many slots there are.
        slots: StreamSlots,
        /// From an answer to the next request.
        think: Distribution,
    },
    /// They come whether or not earlier ones are done.
    Open {
        /// When they come.
        timetable: Timetable,
        /// So many are outstanding at most; those that come meanwhile wait, and count from when they came.
        outstanding: u32,
    },
    /// Reads and writes each come at a rate of their own, or as fast as earlier requests are done. The content chooses the next direction
    /// among those that are due.
    Rated {
        /// The rates.
        rates: Rates,
        /// So many are outstanding at most, of both together. A request that comes meanwhile waits, and counts from when it came.
        outstanding: u32,
    },
    /// They come when the content says, counted from the beginning of the stream.
    Recorded {
        /// See [`StreamPace::Open`].
        outstanding: u32,
    },
}

/// How reads and writes come each by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// The rates of reads and of writes; none for a direction that does not occur.
    pub of: [Option<DirectionRate>; 2],
}

/// The rate of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectionRate {
    /// As fast as earlier requests are done.
    None,
    /// So many bytes a second: the next request comes when all bytes before it would be moved at that rate.
    Bytes {
        /// Bytes a second.
        per_s: u64,
        /// Size of the smallest request.
        smallest: u64,
    },
    /// So many requests a second, at any moment as likely as at another.
    Poisson(PoissonParameters),
}

impl Rates {
    /// How many requests come in a second, each taken to be the smallest of its direction; none if one direction has no limit.
    pub fn per_s(&self) -> Option<f64> {
        let per_s = |limit: DirectionRate| match limit {
            DirectionRate::None => None,
            DirectionRate::Bytes { per_s, smallest } => Some(per_s as f64 / smallest.max(1) as f64),
            DirectionRate::Poisson(parameters) => Some(parameters.rate_per_s()),
        };
        self.of.into_iter().flatten().map(per_s).sum()
    }

    /// Whether requests are at any moment as likely as at another.
    pub fn at_random(&self) -> bool {
        self.of.iter().flatten().all(|limit| matches!(limit, DirectionRate::Poisson(_)))
    }
}

/// How many slots a closed stream has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamSlots {
    /// So many for each device, with which they stay.
    PerDevice(u32),
    /// A number of slots for each target of the stream; targets are distinguished by number.
    PerTarget {
        /// For each.
        count: u32,
        /// Targets.
        targets: u32,
    },
    /// So many in all.
    InAll(u32),
}

impl StreamSlots {
    /// How many they are at so many devices.
    pub fn count(self, devices: usize) -> u32 {
        match self {
            Self::PerDevice(count) => count * devices as u32,
            Self::PerTarget { count, targets } => count * targets,
            Self::InAll(count) => count,
        }
    }

    /// The device, or the target, with which a slot stays.
    pub fn stays_with(self, slot: u32, devices: usize) -> Option<u32> {
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
    /// The streams as results have them.
    pub fn names(&self) -> Vec<StreamName> {
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

/// The load that streams offer together, as far as it is known in advance; `size_key` is the key of the size of requests.
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
                load.slots_in_all += u64::from(slots.count(0));
            }
            StreamPace::Closed { slots: StreamSlots::InAll(count), .. } => {
                load.slots_in_all += u64::from(count)
            }
            // The number is unknown; it counts as one.
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
