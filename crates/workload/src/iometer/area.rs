//! The transfers of one worker at all its targets, as a stream draws them.

use super::access::{self, AccessSpecification, SECTOR_BYTES};
use crate::aims::{AddressSpace, TargetDevices};
use crate::devices::NamedTarget;
use crate::streams::source::{RequestSource, SourcePlan};
use crate::streams::wanted::NextRequest;
use sansim_kernel::{RandomStream, Span};
use sansim_request::{CacheControl, Operation};

/// The plan of the transfers of a worker.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessPlan {
    /// The access specification of the worker.
    pub specification: AccessSpecification,
    /// The first sector of the worker's area at every target, and the number of sectors; 0 for all.
    pub area_sectors: (u64, u64),
    /// The targets of the worker; all devices of the workload, if there are none.
    pub targets: Vec<NamedTarget>,
}

impl SourcePlan for AccessPlan {
    fn largest(&self) -> u64 {
        self.specification.largest_bytes()
    }

    fn read_fraction(&self) -> f64 {
        let reads = self
            .specification
            .lines
            .iter()
            .map(|line| u32::from(line.share_percent) * u32::from(line.read_percent));
        f64::from(reads.sum::<u32>()) / 10_000.0
    }
}

/// The area of a worker at one of its targets.
#[derive(Debug)]
struct Area {
    /// The devices of the target, by their numbers among those of the workload: one, or several as one.
    devices: Vec<u32>,
    space: AddressSpace,
    /// The first byte of the area.
    first: u64,
    transfers: access::IometerStream,
}

/// The transfers of one Iometer worker at all its targets, as a stream draws them.
#[derive(Debug)]
pub struct AccessArea {
    targets: Vec<Area>,
    random: RandomStream,
    fault: Option<String>,
}

impl RequestSource for AccessArea {
    type Plan = AccessPlan;

    fn new(plan: &AccessPlan, aims: &TargetDevices, seed: u64, path: &str) -> Self {
        let (first, most) = plan.area_sectors;
        let first = first.saturating_mul(SECTOR_BYTES);
        let all = (0..aims.devices.len() as u32).map(|device| vec![device]);
        let of_each: Vec<Vec<u32>> = match plan.targets.is_empty() {
            true => all.collect(),
            false => plan.targets.iter().map(|target| target.devices(aims)).collect(),
        };
        let (mut targets, mut fault) = (Vec::new(), None);
        for devices in of_each {
            let blocks: Vec<u64> =
                devices.iter().map(|&device| aims.capacity_blocks[device as usize]).collect();
            let space = AddressSpace::over_devices(&blocks, None);
            let rest = space.bytes().saturating_sub(first);
            let area = if most == 0 { rest } else { rest.min(most.saturating_mul(SECTOR_BYTES)) };
            match access::IometerStream::new(&plan.specification, area) {
                Some(transfers) => targets.push(Area { devices, space, first, transfers }),
                None => {
                    fault = Some(format!(
                        "`{}` has transfers of up to {} B, which the test area of {area} B does not hold",
                        plan.specification.name,
                        plan.largest()
                    ));
                }
            }
        }
        Self { targets, random: RandomStream::new(seed, &format!("{path}/transfers")), fault }
    }

    /// A slot that stays with a target gets a transfer at that target.
    fn next(&mut self, target: Option<u32>) -> Option<NextRequest> {
        if self.fault.is_some() {
            return None;
        }
        let area = self.targets.get_mut(target.unwrap_or(0) as usize)?;
        let transfer = area.transfers.next(&mut self.random);
        let place = area.first + transfer.offset / SECTOR_BYTES * SECTOR_BYTES;
        let (device, offset_bytes) = area.space.locate(place, transfer.bytes);
        Some(NextRequest {
            at: Span::ZERO,
            pause: transfer.delay_before,
            device: area.devices[device as usize],
            offset_bytes,
            bytes: transfer.bytes,
            operation: if transfer.write { Operation::Write } else { Operation::Read },
            cache_control: CacheControl::NONE,
            part: 0,
        })
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }
}
