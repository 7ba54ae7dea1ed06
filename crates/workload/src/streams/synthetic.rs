//! Requests drawn from distributions: sizes, places, directions and devices each have a random stream of their own.

use super::source::{RequestSource, SourcePlan};
use super::wanted::NextRequest;
use crate::aims::{AddressSpace, TargetDevices};
use crate::flush_pace::FlushPace;
use crate::locations::{Locations, Pattern};
use crate::sizes::{SizeRule, Sizes};
use sansim_kernel::{RandomStream, Span};
use sansim_request::{BLOCK_BYTES, CacheControl, Operation};
use sansim_schema::quantities::Share;
use sansim_schema::words;

words! {
    /// How the requests of a stream are spread over the devices of its workload.
    pub enum Spread {
        /// Each goes to a device drawn at random; a pattern of places goes on at each device by itself.
        Random = "random",
        /// Each goes to the device behind that of the one before, and so round; a pattern goes on at each device by itself.
        Turns = "turns",
        /// The devices are one address space for one pattern: one behind another, or with `stripe` a unit of each in turn. A request that
        /// would cross from one device to the next is moved back to end on the first.
        Concatenated = "concatenated",
    }
}

/// The plan of synthetic requests.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntheticPlan {
    /// The rule for the sizes of requests.
    pub sizes: SizeRule,
    /// The share of reads.
    pub read_fraction: f64,
    /// The share of deallocations among the requests that are no reads.
    pub deallocate_fraction: f64,
    /// The share of writes with forced unit access.
    pub fua_fraction: f64,
    /// The number of writes to a device that a flush of the device follows; no flushes, if none.
    pub flush_every: Option<u64>,
    /// The pattern of the places of requests.
    pub pattern: Pattern,
    /// The part of each device, or of all devices concatenated, to which the requests go.
    pub region: [Share; 2],
    /// The rule by which a request's device is chosen.
    pub spread: Spread,
    /// The stripe unit of concatenated devices, if they are striped.
    pub stripe_bytes: Option<u64>,
}

impl SourcePlan for SyntheticPlan {
    fn stripe_bytes(&self) -> Option<u64> {
        self.stripe_bytes.filter(|_| self.spread == Spread::Concatenated)
    }

    fn largest(&self) -> u64 {
        self.sizes.largest()
    }

    fn read_fraction(&self) -> f64 {
        self.read_fraction
    }

    fn flushes_or_deallocates(&self) -> bool {
        self.read_fraction < 1.0
            && (self.deallocate_fraction > 0.0 || self.fua_fraction > 0.0 || self.flush_every.is_some())
    }
}

/// A part of the address space of a workload, with a pattern of its own.
#[derive(Debug)]
struct Region {
    /// The first byte of the region on the device; with concatenated devices, counted from the beginning of the first.
    first: u64,
    locations: Locations,
}

/// A source of requests whose sizes, places, directions and devices are drawn from distributions.
#[derive(Debug)]
pub struct Synthetic {
    sizes: Sizes,
    read_fraction: f64,
    deallocate_fraction: f64,
    fua_fraction: f64,
    flushes: FlushPace,
    spread: Spread,
    /// The regions: one for each device, or one for all devices.
    regions: Vec<Region>,
    space: AddressSpace,
    turn: u32,
    size: RandomStream,
    direction: RandomStream,
    deallocation: RandomStream,
    force_unit_access: RandomStream,
    choice: RandomStream,
    location: RandomStream,
}

impl RequestSource for Synthetic {
    type Plan = SyntheticPlan;

    /// A source at its beginning. On a device smaller than a request, only the beginning is accessed.
    fn new(plan: &SyntheticPlan, aims: &TargetDevices, seed: u64, path: &str) -> Self {
        let random = |what: &str| RandomStream::new(seed, &format!("{path}/{what}"));
        let mut location = random("location");
        let space = AddressSpace::from_devices(aims, plan.stripe_bytes);
        let mut region = |capacity: u64| {
            let [from, to] = plan.region.map(|share| part(capacity, share));
            let length = to.saturating_sub(from).max(BLOCK_BYTES);
            Region { first: from, locations: plan.pattern.generator(length, &mut location) }
        };
        let regions = match plan.spread {
            Spread::Concatenated => vec![region(space.bytes())],
            Spread::Random | Spread::Turns => {
                (0..space.devices()).map(|device| region(space.bytes_of(device))).collect()
            }
        };
        Self {
            sizes: plan.sizes.generator(),
            read_fraction: plan.read_fraction,
            deallocate_fraction: plan.deallocate_fraction,
            fua_fraction: plan.fua_fraction,
            flushes: FlushPace::new(plan.flush_every, space.devices() as usize),
            spread: plan.spread,
            regions,
            space,
            turn: 0,
            size: random("size"),
            direction: random("direction"),
            deallocation: random("deallocation"),
            force_unit_access: random("force_unit_access"),
            choice: random("device"),
            location,
        }
    }

    fn next(&mut self, device: Option<u32>) -> Option<NextRequest> {
        if let Some(device) = self.flushes.next_due_device(device) {
            return Some(NextRequest::flush_of_device(device));
        }
        let bytes = self.sizes.draw(&mut self.size);
        let write = !self.direction.chance(self.read_fraction);
        let (device, offset_bytes) = match self.spread {
            Spread::Concatenated => {
                let offset = self.offset(0, bytes, write);
                self.space.locate(offset, bytes)
            }
            Spread::Random | Spread::Turns => {
                let device = device.unwrap_or_else(|| self.device());
                let offset = self.offset(device as usize, bytes, write);
                (device, self.within(device, offset, bytes))
            }
        };
        let operation = match write {
            false => Operation::Read,
            // Without deallocations no random number is drawn for them.
            true if self.deallocate_fraction > 0.0 && self.deallocation.chance(self.deallocate_fraction) => {
                Operation::Deallocate
            }
            true => Operation::Write,
        };
        let mut cache_control = CacheControl::NONE;
        if operation == Operation::Write {
            self.flushes.write_issued(device);
            cache_control.force_unit_access =
                self.fua_fraction > 0.0 && self.force_unit_access.chance(self.fua_fraction);
        }
        Some(NextRequest {
            at: Span::ZERO,
            pause: Span::ZERO,
            device,
            offset_bytes,
            bytes,
            operation,
            cache_control,
            part: 0,
        })
    }
}

impl Synthetic {
    fn device(&mut self) -> u32 {
        let devices = self.space.devices();
        if self.spread == Spread::Random {
            return self.choice.draw_below(u64::from(devices)) as u32;
        }
        let device = self.turn;
        self.turn = (self.turn + 1) % devices;
        device
    }

    fn offset(&mut self, region: usize, bytes: u64, write: bool) -> u64 {
        let Region { first, locations } = &mut self.regions[region];
        *first + locations.next(bytes, write, &mut self.location)
    }

    /// An offset on a device at which this many bytes end within the device: a request may be larger than its region.
    fn within(&self, device: u32, offset: u64, bytes: u64) -> u64 {
        let capacity = self.space.bytes_of(device);
        offset.min(capacity.saturating_sub(bytes.next_multiple_of(BLOCK_BYTES)))
    }
}

/// A part of a capacity, rounded to a whole block.
pub(crate) fn part(of: u64, share: Share) -> u64 {
    let bytes = u128::from(of) * u128::from(share.millionths) / 1_000_000;
    bytes as u64 / BLOCK_BYTES * BLOCK_BYTES
}
