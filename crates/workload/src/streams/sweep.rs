//! Sweeps: requests of one size that cover a part of the devices from its beginning to its end, once or again and again.

use super::source::{RequestSource, SourcePlan};
use super::wanted::NextRequest;
use crate::aims::{AddressSpace, TargetDevices};
use sansim_kernel::{RandomStream, Span};
use sansim_request::{BLOCK_BYTES, CacheControl, Operation};

/// The plan of a sweep. The devices of a sweep are concatenated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepPlan {
    /// The size of each request in bytes; the last request of a pass may be smaller.
    pub bytes: u64,
    /// The share of reads.
    pub read_fraction: f64,
    /// The number of the sweep's part, and the number of equal parts of the devices.
    pub part: (u32, u32),
    /// The number of passes; without end, if none.
    pub passes: Option<u64>,
    /// The stripe unit of the devices, if they are striped.
    pub stripe_bytes: Option<u64>,
}

impl SourcePlan for SweepPlan {
    fn stripe_bytes(&self) -> Option<u64> {
        self.stripe_bytes
    }

    fn largest(&self) -> u64 {
        self.bytes
    }

    fn read_fraction(&self) -> f64 {
        self.read_fraction
    }

    fn ends(&self) -> bool {
        self.passes.is_some()
    }
}

/// A source of requests of one size that cover a part of the devices from its beginning to its end.
#[derive(Debug)]
pub struct Sweep {
    plan: SweepPlan,
    space: AddressSpace,
    begin: u64,
    end: u64,
    next: u64,
    passes: u64,
    direction: RandomStream,
}

impl RequestSource for Sweep {
    type Plan = SweepPlan;

    fn new(plan: &SweepPlan, aims: &TargetDevices, seed: u64, path: &str) -> Self {
        let space = AddressSpace::from_devices(aims, plan.stripe_bytes);
        let (number, parts) = plan.part;
        let border = |number: u32| {
            let bytes = u128::from(space.bytes()) * u128::from(number) / u128::from(parts.max(1));
            bytes as u64 / BLOCK_BYTES * BLOCK_BYTES
        };
        let (begin, end) = (border(number), border(number + 1));
        let direction = RandomStream::new(seed, &format!("{path}/direction"));
        Self { plan: *plan, begin, end, next: begin, passes: 0, direction, space }
    }

    /// The next request of the sweep; none when all passes have been made.
    fn next(&mut self, _device: Option<u32>) -> Option<NextRequest> {
        if self.next >= self.end {
            (self.next, self.passes) = (self.begin, self.passes + 1);
        }
        if self.end <= self.begin || self.plan.passes.is_some_and(|passes| self.passes >= passes) {
            return None;
        }
        // A request ends where a device or the part ends.
        let (device, offset_bytes, rest) = self.space.locate_piece(self.next);
        let bytes = self.plan.bytes.min(rest).min(self.end - self.next);
        self.next += bytes.next_multiple_of(BLOCK_BYTES);
        let write = !self.direction.chance(self.plan.read_fraction);
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
