//! The transfers of one worker at all its targets, as a stream asks for them.

use super::access::{self, AccessSpecification, SECTOR_BYTES};
use crate::aims::{AddressSpace, Aims};
use crate::streams::source::{Source, SourcePlan};
use crate::streams::wanted::Wanted;
use sansim_kernel::{RandomStream, Span};

/// What the transfers of a worker are built from.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessPlan {
    /// What it does.
    pub specification: AccessSpecification,
    /// The first sector of its area at every target, and how many there are; 0 for all.
    pub area_sectors: (u64, u64),
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

/// See the module text.
#[derive(Debug)]
pub struct Access {
    /// Of each target its area's first byte, and the transfers there.
    targets: Vec<(u64, access::Stream)>,
    random: RandomStream,
    fault: Option<String>,
}

impl Source for Access {
    type Plan = AccessPlan;

    fn new(plan: &AccessPlan, aims: &Aims, seed: u64, path: &str) -> Self {
        let space = AddressSpace::of(aims, None);
        let (first, most) = plan.area_sectors;
        let first = first.saturating_mul(SECTOR_BYTES);
        let (mut targets, mut fault) = (Vec::new(), None);
        for device in 0..space.devices() {
            let rest = space.bytes_of(device).saturating_sub(first);
            let area = if most == 0 { rest } else { rest.min(most.saturating_mul(SECTOR_BYTES)) };
            match access::Stream::new(&plan.specification, area) {
                Some(stream) => targets.push((first, stream)),
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

    fn next(&mut self, device: Option<u32>) -> Option<Wanted> {
        let device = device.unwrap_or(0);
        if self.fault.is_some() {
            return None;
        }
        let (first, stream) = self.targets.get_mut(device as usize)?;
        let transfer = stream.next(&mut self.random);
        Some(Wanted {
            at: Span::ZERO,
            pause: transfer.delay_before,
            device,
            offset_bytes: *first + transfer.offset / SECTOR_BYTES * SECTOR_BYTES,
            bytes: transfer.bytes,
            write: transfer.write,
            part: 0,
        })
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }
}
