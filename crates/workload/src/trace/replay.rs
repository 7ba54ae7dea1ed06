//! The requests of a trace, as a stream draws them: read one by one, so that the length of the file does not matter.

use super::parameters::{OutOfRange, ReplayAs, TraceParameters, VolumesTo};
use super::volumes::MOST;
use crate::aims::{AddressSpace, TargetDevices};
use crate::streams::source::{RequestSource, SourcePlan};
use crate::streams::wanted::NextRequest;
use sansim_kernel::{Span, TICKS_PER_NS};
use sansim_request::{BLOCK_BYTES, CacheControl, Operation};
use sansim_trace::{TimeScale, Trace, TraceOperation, TraceRecord, WriteFlags};
use std::collections::VecDeque;
use std::fmt;

/// The plan of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayPlan {
    /// The keys of the replay.
    pub parameters: TraceParameters,
}

impl SourcePlan for ReplayPlan {
    /// The largest request is not known before the trace is read.
    fn largest(&self) -> u64 {
        0
    }

    /// The share of reads is not known before the trace is read.
    fn read_fraction(&self) -> f64 {
        1.0
    }

    /// A trace ends, unless it is replayed again and again.
    fn ends(&self) -> bool {
        self.parameters.passes.is_some()
    }

    /// The volumes of the trace.
    fn parts(&self) -> &[String] {
        &self.parameters.separate_volumes().volumes
    }
}

/// The target of a volume's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// All requests of the volume go to one device.
    Device(u32),
    /// The requests go to all devices, concatenated.
    Space,
    /// The volume is not replayed.
    Nowhere,
}

/// The numbers of requests that were changed so that they can be replayed, and of those omitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Done {
    empty: u64,
    of_others: u64,
    wrapped: u64,
    rejected: u64,
    unaligned: u64,
}

/// A trace that is being replayed.
pub struct Replay {
    plan: ReplayPlan,
    trace: Option<Trace>,
    scale: TimeScale,
    space: AddressSpace,
    /// For each volume, in the order of its first request: its target, and its stream in results.
    targets: Vec<(Target, Option<u32>)>,
    turns: u32,
    /// The number of passes after this one; without end if none.
    passes: Option<u64>,
    /// The number of requests of this pass that were replayed, and the time at which the pass began.
    replayed: u64,
    begun: Span,
    /// The times in the file of the first and of the last replayed request.
    file_first_ns: u64,
    file_last_ns: u64,
    /// The time of the previous request.
    before: Span,
    done: Done,
    /// The flushes of further devices that belong to the last flush.
    further: VecDeque<NextRequest>,
    fault: Option<String>,
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("plan", &self.plan).field("done", &self.done).finish_non_exhaustive()
    }
}

impl RequestSource for Replay {
    type Plan = ReplayPlan;

    /// If a file cannot be read, [`Replay::fault`] reports it.
    fn new(plan: &ReplayPlan, aims: &TargetDevices, _seed: u64, _path: &str) -> Self {
        let keys = &plan.parameters;
        let opened = Trace::open_file(&keys.file.named.path, &keys.options());
        let mut fault = opened.as_ref().err().map(ToString::to_string);
        let devices = aims.devices.len() as u32;
        if let Some((volume, device)) = keys.targets.iter().find(|(_, device)| *device >= devices) {
            fault.get_or_insert_with(|| {
                format!(
                    "volume {volume} is to go to device {device}, but there are {devices}, numbered from 0"
                )
            });
        }
        Self {
            trace: opened.ok().filter(|_| fault.is_none()),
            scale: TimeScale::from_f64(keys.time_scale).unwrap_or(TimeScale::ONE),
            space: AddressSpace::from_devices(aims, None),
            targets: Vec::new(),
            turns: 0,
            passes: keys.passes,
            replayed: 0,
            begun: Span::ZERO,
            file_first_ns: 0,
            file_last_ns: 0,
            before: Span::ZERO,
            done: Done::default(),
            further: VecDeque::new(),
            fault,
            plan: plan.clone(),
        }
    }

    /// None at the end of the trace, or at a line that cannot be read.
    fn next(&mut self, _device: Option<u32>) -> Option<NextRequest> {
        if let Some(next) = self.further.pop_front() {
            return Some(NextRequest { pause: Span::ZERO, ..next });
        }
        loop {
            let record = match self.trace.as_mut()?.next_record() {
                Ok(Some(record)) => record,
                Ok(None) if self.begin_again() => continue,
                Ok(None) => return None,
                Err(error) => return self.fail(error.to_string()),
            };
            let operation = match record.operation {
                TraceOperation::Read => Operation::Read,
                TraceOperation::Write => Operation::Write,
                TraceOperation::Trim => Operation::Deallocate,
                TraceOperation::Flush => Operation::Flush,
            };
            if record.bytes == 0 && operation != Operation::Flush {
                self.done.empty += 1;
                continue;
            }
            let (target, part) = self.target(record.volume)?;
            if target == Target::Nowhere {
                self.done.of_others += 1;
                continue;
            }
            let placed = match (operation, target) {
                (Operation::Flush, Target::Device(device)) => Some((device, 0)),
                // A flush of all devices together goes to each of them.
                (Operation::Flush, _) => Some((0, 0)),
                _ => self.place(target, &record),
            };
            let Some((device, offset_bytes)) = placed else {
                if self.fault.is_some() {
                    return None;
                }
                continue;
            };
            let since_begin =
                self.scale.scale_time(record.at_ns).and_then(|ns| ns.checked_mul(TICKS_PER_NS)).map(Span);
            let Some(at) = since_begin.and_then(|span| span.0.checked_add(self.begun.0)).map(Span) else {
                return self.fail(format!(
                    "a request comes {} ns after the first, and simulated time ends before",
                    record.at_ns
                ));
            };
            let gap = at - self.before.min(at);
            self.before = at;
            if self.replayed == 0 {
                self.file_first_ns = record.at_ns;
            }
            self.file_last_ns = record.at_ns;
            self.replayed += 1;
            let pause = if self.plan.parameters.replay == ReplayAs::Dependent { gap } else { Span::ZERO };
            let bytes = if operation == Operation::Flush { 0 } else { record.bytes };
            let WriteFlags { preflush, force_unit_access } = record.flags;
            let cache_control = CacheControl { preflush, force_unit_access };
            let next = NextRequest { at, pause, device, offset_bytes, bytes, operation, cache_control, part };
            if operation == Operation::Flush && target == Target::Space {
                let others = (1..self.space.devices()).map(|device| NextRequest { device, ..next });
                self.further.extend(others);
            }
            return Some(next);
        }
    }

    /// The omissions and changes of the replay, and oddities of the trace.
    fn remarks(&self) -> Vec<String> {
        let keys = &self.plan.parameters;
        let file = keys.file.named.name();
        let Done { empty, of_others, wrapped, rejected, unaligned } = self.done;
        let counts = [
            (empty, "requests of no bytes left out"),
            (of_others, "requests of volumes that `only` does not name left out"),
            (wrapped, "requests did not fit on their device and were wrapped"),
            (rejected, "requests did not fit on their device and were left out"),
            (unaligned, "requests did not begin at a block of 512 B and begin at the one before"),
        ];
        let mut remarks: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{file}: {count} {what}"))
            .collect();
        if keys.separate_volumes().too_many {
            remarks.push(format!(
                "{file}: there are more than {MOST} volumes, so its results are those of all together; `only` has some of them replayed and told apart"
            ));
        }
        if let Some(trace) = &self.trace {
            let known = trace.volume_names_so_far().volume_names();
            let named = keys.targets.iter().map(|(volume, _)| volume).chain(&keys.only);
            let missing = named.filter(|volume| !known.contains(volume));
            remarks.extend(missing.map(|volume| format!("{file}: there was no volume {volume}")));
            let counts = trace.line_counts();
            if let Some(first) = counts.examples.first() {
                remarks.push(format!("{file}: {} broken lines left out, the first: {first}", counts.bad));
            }
            remarks
                .extend(trace.warning_sentences().into_iter().map(|sentence| format!("{file}: {sentence}")));
        }
        remarks
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }
}

impl Replay {
    /// Begins the next pass, if there is one; a trace without requests to replay has no next pass, and a fault.
    fn begin_again(&mut self) -> bool {
        let keys = &self.plan.parameters;
        if self.replayed == 0 {
            let of_others = self.done.of_others > 0;
            let why = self.trace.as_ref().and_then(Trace::why_empty).unwrap_or_else(|| match of_others {
                true => "there is no request of the volumes that `only` names in it".to_owned(),
                false => "there is no request in it that can be replayed".to_owned(),
            });
            self.fail(format!("{} asks for nothing: {why}", keys.file.named.name()));
            return false;
        }
        self.passes = self.passes.map(|passes| passes - 1);
        if self.passes == Some(0) {
            return false;
        }
        match Trace::open_file(&keys.file.named.path, &keys.options()) {
            Ok(trace) => self.trace = Some(trace),
            Err(error) => {
                self.fail(error.to_string());
                return false;
            }
        }
        // The pause after the last request equals the mean gap between requests; the first request of the file may be one that is not
        // replayed.
        let span_ns = self.file_last_ns - self.file_first_ns;
        let gap_ns = span_ns / (self.replayed - 1).max(1);
        let first_ns = self.scale.scale_time(self.file_first_ns).unwrap_or(0);
        let gap_ns = self.scale.scale_time(gap_ns).unwrap_or(0);
        let begun = self.before.0.saturating_add(gap_ns.saturating_mul(TICKS_PER_NS));
        self.begun = Span(begun.saturating_sub(first_ns.saturating_mul(TICKS_PER_NS)));
        self.replayed = 0;
        true
    }

    fn fail(&mut self, why: String) -> Option<NextRequest> {
        self.fault.get_or_insert(why);
        None
    }

    /// The target of a volume's requests, and its stream in results; none if the volume is not replayed.
    fn target(&mut self, volume: u32) -> Option<(Target, u32)> {
        while self.targets.len() <= volume as usize {
            let number = self.targets.len() as u32;
            let name =
                self.trace.as_ref().map_or("", |trace| trace.volume_names_so_far().volume_name(number));
            let keys = &self.plan.parameters;
            let devices = self.space.devices();
            let target = if !keys.only.is_empty() && !keys.only.iter().any(|only| only == name) {
                Target::Nowhere
            } else if let Some((_, device)) = keys.targets.iter().find(|(known, _)| known == name) {
                Target::Device(*device)
            } else {
                match keys.volumes {
                    VolumesTo::Concatenated => Target::Space,
                    VolumesTo::Hash => Target::Device((hash(name) % u64::from(devices)) as u32),
                    VolumesTo::Turns => {
                        self.turns += 1;
                        Target::Device((self.turns - 1) % devices)
                    }
                }
            };
            self.targets.push((target, keys.separate_volumes().stream(name)));
        }
        match self.targets[volume as usize] {
            (Target::Nowhere, _) => Some((Target::Nowhere, 0)),
            (target, Some(part)) => Some((target, part)),
            (_, None) => {
                let name =
                    self.trace.as_ref().map_or("", |trace| trace.volume_names_so_far().volume_name(volume));
                self.fail(format!("the file has changed since the run began: volume {name} was not in it"));
                None
            }
        }
    }

    /// The device and the offset there of a request, which begins at a block; none if the request is left out, or the replay cannot
    /// continue.
    fn place(&mut self, target: Target, record: &TraceRecord) -> Option<(u32, u64)> {
        let capacity = match target {
            Target::Device(device) => self.space.bytes_of(device),
            _ => self.space.bytes(),
        };
        let offset = record.offset / BLOCK_BYTES * BLOCK_BYTES;
        self.done.unaligned += u64::from(offset != record.offset);
        let length = record.bytes.saturating_add(record.offset - offset).next_multiple_of(BLOCK_BYTES);
        let mut place = offset;
        if offset.saturating_add(length) > capacity {
            if self.plan.parameters.out_of_range == OutOfRange::Fail {
                let volume = self
                    .trace
                    .as_ref()
                    .map_or("", |trace| trace.volume_names_so_far().volume_name(record.volume));
                self.fail(format!(
                    "a request of volume {volume} goes to byte {} with {} B, but its device holds {capacity} B; give larger devices, or out_of_range = \"wrap\" or \"reject\"",
                    record.offset, record.bytes
                ));
                return None;
            }
            if length > capacity || self.plan.parameters.out_of_range == OutOfRange::Reject {
                self.done.rejected += 1;
                return None;
            }
            self.done.wrapped += 1;
            place = (offset % capacity).min(capacity - length) / BLOCK_BYTES * BLOCK_BYTES;
        }
        Some(match target {
            Target::Device(device) => (device, place),
            _ => self.space.locate(place, record.bytes),
        })
    }
}

/// The 64-bit FNV-1a hash of a name.
fn hash(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
