//! The I/Os of one clone of a job, as a stream draws them.

use super::addresses::{CloneAddresses, FioTransfer, NoIosReason};
use super::files::FileServiceType;
use super::job::{self, FioJob};
use super::units::FileAmount;
use super::values::{IoDirection, Operations};
use crate::aims::{AddressSpace, TargetDevices};
use crate::devices::NamedTarget;
use crate::streams::source::{RequestSource, SourcePlan};
use crate::streams::wanted::{DueDirections, NextRequest};
use sansim_kernel::{RandomStream, Span};
use sansim_request::{CacheControl, Operation};
use std::collections::VecDeque;

/// The plan of the I/Os of a clone.
#[derive(Clone, Debug, PartialEq)]
pub struct ClonePlan {
    /// The job of the clone.
    pub job: FioJob,
    /// The number of the clone in its job, from 0.
    pub clone: u32,
    /// The position of the clone's files.
    pub place: FilePlace,
    /// The stripe unit of devices that together are one file, if they are striped.
    pub stripe_bytes: Option<u64>,
}

/// The position of the files of a clone.
#[derive(Clone, Debug, PartialEq)]
pub enum FilePlace {
    /// All devices of the workload together are the file.
    Whole,
    /// The file has this many bytes on all devices concatenated, beginning with this byte.
    Part {
        /// The first byte of the file.
        begin: u64,
        /// The length of the file.
        bytes: u64,
    },
    /// Each file is a device.
    Devices(Vec<NamedTarget>),
}

impl SourcePlan for ClonePlan {
    fn stripe_bytes(&self) -> Option<u64> {
        let alone = |target: &NamedTarget| matches!(target, NamedTarget::Numbered(_));
        match &self.place {
            FilePlace::Devices(targets) if targets.iter().all(alone) => None,
            _ => self.stripe_bytes,
        }
    }

    fn largest(&self) -> u64 {
        job::used_directions(&self.job).map(|way| self.job.sizes.value_for(way).largest()).max().unwrap_or(0)
    }

    fn read_fraction(&self) -> f64 {
        match self.job.rw.operations {
            Operations::Mixed => f64::from(self.job.read_percent) / 100.0,
            _ => f64::from(u8::from(self.job.rw.has_direction(IoDirection::Read))),
        }
    }

    fn flushes_or_deallocates(&self) -> bool {
        let flushes = self.job.flush_every != [0; 2] && self.job.rw.has_direction(IoDirection::Write);
        let forces = self.job.force_unit_access && self.job.rw.has_direction(IoDirection::Write);
        flushes || forces || self.job.rw.has_direction(IoDirection::Trim)
    }

    /// A job that is not based on time ends with its I/Os.
    fn ends(&self) -> bool {
        !self.job.period.time_based
    }
}

/// A file, and the clone's I/Os to it.
#[derive(Debug)]
struct File {
    /// The devices of the file, by their numbers among those of the workload.
    devices: Vec<u32>,
    space: AddressSpace,
    /// The byte at which the file begins on its devices.
    begin: u64,
    addresses: CloneAddresses,
    is_over: bool,
}

/// The I/Os of a clone.
#[derive(Debug)]
pub struct FioClone {
    files: Vec<File>,
    service: FileServiceType,
    /// The file of the next I/O, and the number of I/Os to it before the next file.
    turn: usize,
    left: u32,
    random: RandomStream,
    /// The most I/Os of the clone; no limit, if none.
    most: Option<u64>,
    /// The duration of a pause, and the number of I/Os after which it comes.
    pause: Span,
    blocks: u64,
    issued: u64,
    /// Whether writes have forced unit access.
    force_unit_access: bool,
    /// The numbers of writes after which the files are flushed, the number of writes so far, and the flushes that are due.
    flush_every: [u64; 2],
    writes: u64,
    flushes: VecDeque<NextRequest>,
    fault: Option<String>,
}

/// The devices of a file by their numbers, and, for a part of them, its first byte and its length.
type Laid = (Vec<u32>, Option<(u64, u64)>);

impl File {
    /// The devices of each file, with the file's beginning and length on them.
    fn places(plan: &ClonePlan, aims: &TargetDevices) -> Vec<Laid> {
        let all = (0..aims.devices.len() as u32).collect();
        match &plan.place {
            FilePlace::Whole => vec![(all, None)],
            FilePlace::Part { begin, bytes } => vec![(all, Some((*begin, *bytes)))],
            FilePlace::Devices(targets) => {
                targets.iter().map(|target| (target.devices(aims), None)).collect()
            }
        }
    }

    fn new(
        (devices, part): Laid,
        plan: &ClonePlan,
        job: &FioJob,
        aims: &TargetDevices,
        (seed, path): (u64, &str),
    ) -> Result<Self, String> {
        if devices.is_empty() {
            return Err("there is no such device".to_owned());
        }
        let blocks: Vec<u64> = devices.iter().map(|&device| aims.capacity_blocks[device as usize]).collect();
        let space = AddressSpace::over_devices(&blocks, plan.stripe_bytes.filter(|_| blocks.len() > 1));
        let (begin, bytes) = part.unwrap_or((0, space.bytes()));
        if begin.saturating_add(bytes) > space.bytes() {
            return Err(format!(
                "its file of {bytes} B, behind those of other clones from byte {begin} on, ends behind the {} B of the devices; give larger devices, or a smaller size",
                space.bytes()
            ));
        }
        let why = |why: NoIosReason| match why {
            NoIosReason::Behind => "its region begins behind the end of the devices",
            NoIosReason::TooSmall => "its region is smaller than one I/O",
            NoIosReason::TooManyBlocks => {
                "its region has more blocks than a random map holds; set norandommap"
            }
            NoIosReason::Zones => "its zones are larger than its region",
        };
        let addresses =
            CloneAddresses::new(job, plan.clone, bytes, seed, path).map_err(|fault| why(fault).to_owned())?;
        Ok(Self { devices, space, begin, addresses, is_over: false })
    }
}

/// The job as it is at each of `files` files: sizes in bytes are for all files together.
fn at_each(job: &FioJob, files: usize) -> FioJob {
    let share = |amount: FileAmount| match amount {
        FileAmount::Bytes(bytes) => FileAmount::Bytes(bytes / files.max(1) as u64),
        percent @ FileAmount::Percent(_) => percent,
    };
    let mut job = job.clone();
    if files > 1 {
        job.region.size = job.region.size.map(share);
        job.io_size = job.io_size.map(share);
        job.period.most_ios = None;
    }
    job
}

impl FioClone {
    /// The file of the next I/O; none, when all files have ended.
    fn file(&mut self) -> Option<usize> {
        let count = self.files.len();
        let goes_on = self.left > 0 && !self.files[self.turn].is_over;
        if count > 1 && !goes_on {
            let open: Vec<usize> = (1..=count)
                .map(|step| (self.turn + step) % count)
                .filter(|&file| !self.files[file].is_over)
                .collect();
            match self.service {
                FileServiceType::Random(ios) => {
                    let drawn = self.random.draw_below(open.len().max(1) as u64) as usize;
                    (self.turn, self.left) = (*open.get(drawn)?, ios);
                }
                FileServiceType::RoundRobin(ios) => (self.turn, self.left) = (*open.first()?, ios),
                FileServiceType::Sequential | FileServiceType::Skewed => {
                    (self.turn, self.left) = (*open.first()?, u32::MAX)
                }
            }
        }
        (self.turn < count && !self.files[self.turn].is_over).then_some(self.turn)
    }

    fn ask(
        &mut self,
        mut transfer: impl FnMut(&mut CloneAddresses) -> Option<FioTransfer>,
    ) -> Option<NextRequest> {
        if let Some(flush) = self.flushes.pop_front() {
            return Some(flush);
        }
        if self.fault.is_some() || self.most.is_some_and(|most| self.issued >= most) {
            return None;
        }
        loop {
            let number = self.file()?;
            let file = &mut self.files[number];
            let Some(found) = transfer(&mut file.addresses) else {
                file.is_over = true;
                continue;
            };
            if self.service != FileServiceType::Sequential {
                self.left = self.left.saturating_sub(1);
            }
            let rests = self.issued > 0 && self.issued.is_multiple_of(self.blocks);
            self.issued += 1;
            let operation = match found.direction {
                IoDirection::Read => Operation::Read,
                IoDirection::Write => Operation::Write,
                IoDirection::Trim => Operation::Deallocate,
            };
            if operation == Operation::Write {
                self.writes += 1;
                let is_due = |every: &&u64| **every > 0 && self.writes.is_multiple_of(**every);
                // As in fio a job with both keys flushes once where both are due.
                if self.flush_every.iter().find(is_due).is_some() {
                    let flushes = file.devices.iter().map(|&device| NextRequest::flush_of_device(device));
                    self.flushes.extend(flushes);
                }
            }
            let (device, offset_bytes) = file.space.locate(file.begin + found.offset, found.bytes);
            return Some(NextRequest {
                at: Span::ZERO,
                pause: if rests { self.pause } else { Span::ZERO },
                device: file.devices[device as usize],
                offset_bytes,
                bytes: found.bytes,
                operation,
                cache_control: CacheControl {
                    preflush: false,
                    force_unit_access: self.force_unit_access && operation == Operation::Write,
                },
                part: 0,
            });
        }
    }
}

impl RequestSource for FioClone {
    type Plan = ClonePlan;

    fn new(plan: &ClonePlan, aims: &TargetDevices, seed: u64, path: &str) -> Self {
        let places = File::places(plan, aims);
        let (count, job) = (places.len(), at_each(&plan.job, places.len()));
        let mut files = Vec::new();
        let mut fault = None;
        for (number, place) in places.into_iter().enumerate() {
            let path = if count > 1 { format!("{path}/{number}") } else { path.to_owned() };
            match File::new(place, plan, &job, aims, (seed, &path)) {
                Ok(file) => files.push(file),
                Err(why) => {
                    fault.get_or_insert(format!("job {}: {why}", plan.job.name));
                }
            }
        }
        let think = plan.job.think;
        let period = plan.job.period;
        Self {
            turn: files.len().saturating_sub(1),
            files,
            service: plan.job.files.service,
            left: 0,
            random: RandomStream::new(seed, &format!("{path}/files")),
            most: period.most_ios.filter(|_| count > 1 && !period.time_based),
            pause: think.time,
            blocks: think.blocks.max(1),
            issued: 0,
            force_unit_access: plan.job.force_unit_access,
            flush_every: plan.job.flush_every,
            writes: 0,
            flushes: VecDeque::new(),
            fault,
        }
    }

    fn next(&mut self, _device: Option<u32>) -> Option<NextRequest> {
        self.ask(Iterator::next)
    }

    fn next_due(&mut self, due: DueDirections) -> Option<NextRequest> {
        self.ask(|addresses| addresses.next_due(due))
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }
}
