//! The I/Os of one clone of a job, as a stream asks for them.

use super::addresses::{Addresses, NoRoom};
use super::job::{self, Job};
use super::values::{Direction, Operations};
use crate::aims::{AddressSpace, Aims};
use crate::streams::source::{Source, SourcePlan};
use crate::streams::wanted::Wanted;
use sansim_kernel::Span;

/// What the I/Os of a clone are built from.
#[derive(Clone, Debug, PartialEq)]
pub struct ClonePlan {
    /// The job.
    pub job: Job,
    /// Which of its clones, from 0.
    pub clone: u32,
    /// The stripe unit of the devices, if they are striped.
    pub stripe_bytes: Option<u64>,
}

impl SourcePlan for ClonePlan {
    fn stripe_bytes(&self) -> Option<u64> {
        self.stripe_bytes
    }

    fn largest(&self) -> u64 {
        job::used(&self.job).map(|way| self.job.sizes.of(way).largest()).max().unwrap_or(0)
    }

    fn read_fraction(&self) -> f64 {
        match self.job.rw.operations {
            Operations::Mixed => f64::from(self.job.read_percent) / 100.0,
            _ => f64::from(u8::from(self.job.rw.has(Direction::Read))),
        }
    }

    /// A job that is not based on time ends with its I/Os.
    fn ends(&self) -> bool {
        !self.job.period.time_based
    }
}

/// The I/Os of a clone.
#[derive(Debug)]
pub struct FioClone {
    addresses: Option<Addresses>,
    space: AddressSpace,
    /// A pause of so long after so many I/Os.
    pause: Span,
    blocks: u64,
    issued: u64,
    fault: Option<String>,
}

impl Source for FioClone {
    type Plan = ClonePlan;

    fn new(plan: &ClonePlan, aims: &Aims, seed: u64, path: &str) -> Self {
        let space = AddressSpace::of(aims, plan.stripe_bytes);
        let addresses = Addresses::new(&plan.job, plan.clone, space.bytes(), seed, path);
        let fault = addresses.as_ref().err().map(|why| {
            let why = match why {
                NoRoom::Behind => "its region begins behind the end of the devices",
                NoRoom::TooSmall => "its region is smaller than one I/O",
                NoRoom::TooManyBlocks => {
                    "its region has more blocks than a random map holds; set norandommap"
                }
                NoRoom::Zones => "its zones are larger than its region",
            };
            format!("job {}: {why}", plan.job.name)
        });
        let think = plan.job.think;
        Self {
            addresses: addresses.ok(),
            space,
            pause: think.time,
            blocks: think.blocks.max(1),
            issued: 0,
            fault,
        }
    }

    fn next(&mut self, _device: Option<u32>) -> Option<Wanted> {
        let transfer = self.addresses.as_mut()?.next()?;
        let rests = self.issued > 0 && self.issued.is_multiple_of(self.blocks);
        self.issued += 1;
        let (device, offset_bytes) = self.space.locate(transfer.offset, transfer.bytes);
        Some(Wanted {
            at: Span::ZERO,
            pause: if rests { self.pause } else { Span::ZERO },
            device,
            offset_bytes,
            bytes: transfer.bytes,
            write: transfer.direction == Direction::Write,
            part: 0,
        })
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }
}
