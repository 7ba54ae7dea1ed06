//! The places of the requests of one of the eight SPC-1 streams, for all business scaling units together.
//!
//! Each business scaling unit has a stream of its own, with a position in a run or on its walk. The streams of all units together are a
//! Poisson process of that many times the rate, of which each arrival belongs to any of the units with the same probability; so one stream
//! is simulated and the unit drawn. All units share the progress of reads in the leaves of a walk.

use super::streams::{ASU_PERCENT, BLOCK, STREAMS, Spc1Stream, StreamRegion};
use crate::aims::{AddressSpace, TargetDevices};
use crate::locations::runs::{RunsParameters, SequentialRuns};
use crate::locations::walk::{LeafReadProgress, WalkStyle, Walker};
use crate::sizes::mix::SizeMix;
use crate::streams::source::{RequestSource, SourcePlan};
use crate::streams::wanted::NextRequest;
use sansim_kernel::{RandomStream, Span};
use sansim_request::{CacheControl, Operation};
use sansim_schema::quantities::Share;

/// The plan of the requests of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Spc1Plan {
    /// The number of the stream among the eight.
    pub stream: usize,
    /// The number of business scaling units.
    pub units: u32,
    /// The style of the walk.
    pub walk: WalkStyle,
    /// The stripe unit of the devices, if they are striped.
    pub stripe_bytes: Option<u64>,
}

impl Spc1Plan {
    fn stream(&self) -> &'static Spc1Stream {
        &STREAMS[self.stream]
    }
}

impl SourcePlan for Spc1Plan {
    fn stripe_bytes(&self) -> Option<u64> {
        self.stripe_bytes
    }

    fn largest(&self) -> u64 {
        self.stream().sizes.parts.iter().map(|(size, _)| *size).max().unwrap_or(BLOCK)
    }

    fn read_fraction(&self) -> f64 {
        f64::from(self.stream().read_percent) / 100.0
    }
}

/// The positions of the streams of all units.
#[derive(Debug)]
enum Places {
    Anywhere,
    Walks(LeafReadProgress, Vec<Walker>),
    Runs(Vec<SequentialRuns>),
}

/// The requests of one of the eight streams.
#[derive(Debug)]
pub struct Spc1 {
    space: AddressSpace,
    /// The first byte of the application storage unit, and its length; for a walk those of its region.
    first: u64,
    length: u64,
    units: u32,
    read_fraction: f64,
    sizes: SizeMix,
    places: Places,
    random: RandomStream,
}

impl RequestSource for Spc1 {
    type Plan = Spc1Plan;

    fn new(plan: &Spc1Plan, aims: &TargetDevices, seed: u64, path: &str) -> Self {
        let stream = plan.stream();
        let space = AddressSpace::from_devices(aims, plan.stripe_bytes);
        let mut random = RandomStream::new(seed, &format!("{path}/places"));
        let before: u32 = ASU_PERCENT[..stream.asu].iter().sum();
        let mut first = per_cent(space.bytes(), before);
        let mut length = per_cent(space.bytes(), ASU_PERCENT[stream.asu]).max(BLOCK);
        let places = match stream.place {
            StreamRegion::Anywhere => Places::Anywhere,
            StreamRegion::Walk { from, to } => {
                let (begin, end) = (per_cent(length, from), per_cent(length, to));
                (first, length) = (first + begin, (end - begin).max(BLOCK));
                let leaves = LeafReadProgress::new(plan.walk, length);
                let walkers = (0..plan.units).map(|_| Walker::new(&leaves, &mut random)).collect();
                Places::Walks(leaves, walkers)
            }
            StreamRegion::Runs { from, to, length: of } => {
                let align = if plan.walk == WalkStyle::Classic { 16 * BLOCK } else { BLOCK };
                let keys = RunsParameters { from: share(from), to: share(to), length: share(of), align };
                Places::Runs(
                    (0..plan.units).map(|_| SequentialRuns::new(&keys, length, &mut random)).collect(),
                )
            }
        };
        let (units, read_fraction, sizes) =
            (plan.units, plan.read_fraction(), SizeMix::from_weighted_sizes(stream.sizes.parts));
        Self { space, first, length, units, read_fraction, sizes, places, random }
    }

    fn next(&mut self, _device: Option<u32>) -> Option<NextRequest> {
        let random = &mut self.random;
        let unit = random.draw_below(u64::from(self.units)) as usize;
        let write = !random.chance(self.read_fraction);
        let bytes = self.sizes.draw(random);
        let offset = match &mut self.places {
            Places::Anywhere => random.draw_below((self.length / BLOCK).max(1)) * BLOCK,
            Places::Walks(leaves, walkers) => walkers[unit].next_block(leaves, write, random) * BLOCK,
            Places::Runs(runs) => runs[unit].next(bytes, write, random),
        };
        let offset = self.first + offset.min(self.length.saturating_sub(bytes) / BLOCK * BLOCK);
        let (device, offset_bytes) = self.space.locate(offset, bytes);
        let operation = if write { Operation::Write } else { Operation::Read };
        Some(NextRequest {
            at: Span::ZERO,
            pause: Span::ZERO,
            device,
            offset_bytes,
            bytes,
            operation,
            cache_control: CacheControl::NONE,
            part: 0,
        })
    }
}

/// A percentage of a capacity, rounded to a whole block.
fn per_cent(of: u64, percent: u32) -> u64 {
    (u128::from(of) * u128::from(percent) / 100) as u64 / BLOCK * BLOCK
}

fn share(percent: u32) -> Share {
    Share { millionths: u64::from(percent) * 10_000 }
}
