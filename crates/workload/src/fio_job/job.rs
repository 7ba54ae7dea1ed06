//! The meaning of the keys of a fio job when they are combined.

use sansim_kernel::Span;
use sansim_schema::codes;

use super::engine::{Engine, EngineWaits};
use super::files::Files;
use super::keys::{RateProcess, Sequencer, Settings, SubmitMode, ThinkAfter};
use super::priority::IoPriority;
use super::units::FileAmount;
use super::values::{IoDirection, Operations, PerDirection, RandomDistribution, RwValue, Sizes};
use crate::faults::{Faults, FilePosition, WrittenValueError};

/// A job of a job file.
#[derive(Clone, Debug, PartialEq)]
pub struct FioJob {
    /// The name of the job: that of its section.
    pub name: String,
    /// The line of the job's section, from 1.
    pub line: usize,
    /// The operations of the job's I/Os, and whether their places are sequential or drawn.
    pub rw: RwValue,
    /// The placement of I/Os after a drawn place.
    pub sequencer: Sequencer,
    /// The percentage of reads among reads and writes.
    pub read_percent: u8,
    /// The sizes of the I/Os.
    pub sizes: PerDirection<Sizes>,
    /// Drawn places are multiples of this number of bytes.
    pub align_bytes: PerDirection<u64>,
    /// The I/Os that each clone keeps outstanding, if its engine can.
    pub iodepth: u32,
    /// The I/O engine; none, if the file leaves it to the command line.
    pub engine: Option<Engine>,
    /// Whether separate threads submit the I/Os.
    pub offload: bool,
    /// The files of the job.
    pub files: Files,
    /// The priority of the I/Os.
    pub priority: IoPriority,
    /// The number of clones.
    pub numjobs: u32,
    /// The region of the I/Os.
    pub region: Region,
    /// The bytes of I/O in all, if not those of the region.
    pub io_size: Option<FileAmount>,
    /// The distribution of random offsets.
    pub distribution: PerDirection<RandomDistribution>,
    /// Drawn places are all visited once before any is visited again.
    pub random_map: bool,
    /// Share of the I/Os of a random job that go to random offsets, in percent.
    pub percentage_random: PerDirection<u8>,
    /// Whether each pass visits the same places in the same order.
    pub repeatable: bool,
    /// The limits of the rate.
    pub rate: RateLimits,
    /// The think times.
    pub think: ThinkTimes,
    /// The times at which the job begins and ends.
    pub period: Period,
    /// The zones, which are visited one after the other.
    pub zones: Option<Zones>,
    /// The latency for which a queue depth is searched.
    pub latency: Option<LatencyTarget>,
    /// Whether clones, and jobs up to the next barrier, are reported together.
    pub group_reporting: bool,
    /// Whether the job begins when all jobs above it have ended.
    pub stonewall: bool,
    /// Whether the job begins a new group of reporting.
    pub new_group: bool,
    /// Whether writes have forced unit access.
    pub force_unit_access: bool,
    /// The numbers of writes after which the files are flushed, by `fsync` and by `fdatasync`; 0 for never.
    pub flush_every: [u64; 2],
    /// The log that is replayed instead of generated I/Os.
    pub replay: Option<Replay>,
}

impl FioJob {
    /// The engine of the job; `other` is the engine of jobs that leave it to the command line.
    pub fn engine_or(&self, other: &Engine) -> Engine {
        self.engine.clone().unwrap_or_else(|| other.clone())
    }

    /// Whether a clone waits for each I/O; `other` as for [`FioJob::engine_or`]. A character device of `sg` gets I/Os without waiting.
    pub fn is_synchronous(&self, other: &Engine) -> bool {
        let engine = self.engine_or(other);
        let character_devices =
            !self.files.named.is_empty() && self.files.named.iter().all(|name| name.starts_with("/dev/sg"));
        engine.waits == EngineWaits::Synchronous && !(engine.name == "sg" && character_devices)
    }

    /// The most I/Os that each clone has outstanding; `other` as for [`FioJob::engine_or`].
    pub fn queue_depth(&self, other: &Engine) -> u32 {
        if self.is_synchronous(other) && !self.offload { 1 } else { self.iodepth }
    }
}

/// A part of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The bytes of the region, or its share of the device; to the end of the device if not given.
    pub size: Option<FileAmount>,
    /// The offset at which the region begins.
    pub offset: FileAmount,
    /// The distance by which the region of each further clone is shifted.
    pub increment: FileAmount,
    /// An offset in percent is rounded up to a multiple of this number of bytes.
    pub offset_align_bytes: u64,
}

impl Region {
    /// The first byte of the region of a clone (from 0) on a device, and the region's length; `None` if the region begins behind the end of
    /// the device.
    pub fn region_on_device(&self, clone: u32, device_bytes: u64) -> Option<(u64, u64)> {
        let aligned = |amount: FileAmount| match amount {
            FileAmount::Bytes(bytes) => bytes,
            FileAmount::Percent(_) => amount
                .amount_in_bytes(device_bytes)
                .checked_next_multiple_of(self.offset_align_bytes)
                .unwrap_or(u64::MAX),
        };
        let shift = aligned(self.increment).checked_mul(u64::from(clone))?;
        let begin = aligned(self.offset).checked_add(shift)?;
        let rest = device_bytes.checked_sub(begin).filter(|rest| *rest > 0)?;
        Some((begin, self.size.map_or(rest, |size| size.amount_in_bytes(device_bytes).min(rest))))
    }
}

/// The limits of the rate of a clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// The most I/Os per second. Where a file gives bytes per second, the limit is that divided by the smallest size, as in fio with
    /// Poisson arrivals; with equal gaps fio counts bytes, which is the same for I/Os of one size only.
    pub iops: PerDirection<Option<u64>>,
    /// The most bytes per second, as given.
    pub bytes_per_s: PerDirection<Option<u64>>,
    /// Bytes per second below which fio ends the job with an error.
    pub min_bytes_per_s: PerDirection<Option<u64>>,
    /// I/Os per second below which fio ends the job with an error.
    pub min_iops: PerDirection<Option<u64>>,
    /// The process of the gaps between I/Os.
    pub process: RateProcess,
    /// Whether think times are not made up for.
    pub ignore_thinktime: bool,
}

/// The think times of a clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThinkTimes {
    /// The duration of a pause; zero if there are no pauses.
    pub time: Span,
    /// The number of I/Os after which a pause comes.
    pub blocks: u64,
    /// The event at which an I/O counts for `blocks`.
    pub after: ThinkAfter,
    /// The time of I/Os after which a pause comes; zero if pauses come by `blocks` alone.
    pub iotime: Span,
}

/// The times at which a job begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The job begins between these two times.
    pub start_delay: (Span, Span),
    /// The time at the beginning in which nothing is recorded.
    pub ramp: Span,
    /// The job ends after this time at the latest; zero if it ends by its I/Os alone.
    pub runtime: Span,
    /// Whether the job does not end before `runtime`.
    pub time_based: bool,
    /// The job ends after this many I/Os at the latest, unless it is based on time: `number_ios` for each pass, counted over all passes.
    pub most_ios: Option<u64>,
    /// The number of passes.
    pub loops: u64,
}

/// Zones that are visited one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zones {
    /// The bytes of a zone.
    pub range_bytes: u64,
    /// The bytes of I/O in a zone before the next zone begins.
    pub io_bytes: u64,
    /// The bytes between two zones.
    pub skip_bytes: u64,
}

/// The latency for which a queue depth is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyTarget {
    /// The latency to be kept.
    pub target: Span,
    /// The time for which each depth is tried.
    pub window: Span,
    /// The share of the I/Os that has to keep the latency, in percent.
    pub percentile: f64,
}

/// The replay of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The file of the log.
    pub file: String,
    /// Whether the log is replayed without its pauses.
    pub no_stall: bool,
    /// The percentage by which times of the log are stretched.
    pub time_scale_percent: u64,
    /// The number by which offsets are divided.
    pub scale: u64,
    /// Offsets are rounded down to a multiple of this number of bytes; 0 if they are not rounded.
    pub align_bytes: u64,
    /// The one file to which all I/Os go.
    pub redirect: Option<String>,
}

/// Combines the keys of a job. Sizes that contradict each other are reported.
pub fn combine_job_keys(section: &str, spot: FilePosition, set: &Settings, faults: &mut Faults) -> FioJob {
    let name = if set.name.value.is_empty() { section } else { &set.name.value };
    let checks = &mut Checks { section, spot, faults };
    let sizes = sizes(set, checks);
    let region = region(set, &sizes);
    FioJob {
        name: name.to_owned(),
        line: checks.faults.line_of_position(spot),
        rw: set.rw.value,
        sequencer: set.rw_sequencer.value,
        read_percent: read_percent(set),
        align_bytes: align(set, &sizes),
        iodepth: set.iodepth.value,
        engine: set.ioengine.value.clone(),
        offload: set.io_submit_mode.value == SubmitMode::Offload,
        files: Files::files_of_job(
            name,
            (&set.filename.value, &set.directory.value),
            set.file_service_type.value,
            &set.filename_format.value,
        ),
        priority: IoPriority::from_job_keys(set),
        numjobs: set.numjobs.value,
        region,
        io_size: set.io_size.value,
        distribution: set.random_distribution.value.clone(),
        random_map: random_map(set, &sizes),
        percentage_random: set.percentage_random.value.map(|_, percent| percent.unwrap_or(100)),
        repeatable: set.randrepeat.value,
        rate: rate(set, &sizes, checks),
        think: ThinkTimes {
            time: set.thinktime.value,
            blocks: set.thinktime_blocks.value,
            after: set.thinktime_blocks_type.value,
            iotime: set.thinktime_iotime.value,
        },
        period: Period {
            start_delay: set.startdelay.value,
            ramp: set.ramp_time.value,
            runtime: set.runtime.value,
            time_based: set.time_based.value,
            most_ios: Some(set.number_ios.value.saturating_mul(set.loops.value)).filter(|ios| *ios > 0),
            loops: set.loops.value,
        },
        zones: zones(set, checks),
        latency: latency(set, checks),
        group_reporting: set.group_reporting.value,
        stonewall: set.stonewall.value,
        new_group: set.new_group.value,
        flush_every: [set.fsync.value, set.fdatasync.value],
        force_unit_access: set.sync.value || set.writefua.value,
        replay: (!set.read_iolog.value.is_empty()).then(|| Replay {
            file: set.read_iolog.value.clone(),
            no_stall: set.replay_no_stall.value,
            time_scale_percent: set.replay_time_scale.value,
            scale: set.replay_scale.value,
            align_bytes: set.replay_align.value,
            redirect: Some(set.replay_redirect.value.clone()).filter(|file| !file.is_empty()),
        }),
        sizes,
    }
}

/// The place at which contradictions of one job are reported.
pub(super) struct Checks<'a> {
    pub(super) section: &'a str,
    pub(super) spot: FilePosition,
    pub(super) faults: &'a mut Faults,
}

impl Checks<'_> {
    /// Reports that two keys contradict each other, or a key contradicts a default.
    pub(super) fn contradiction(
        &mut self,
        key: &str,
        at: Option<FilePosition>,
        message: &str,
        help: &str,
        with: Option<(FilePosition, &str)>,
    ) {
        let spot = at.unwrap_or(self.spot);
        let wrong = WrittenValueError::new(codes::CONTRADICTION, message, help);
        self.faults.report_with(spot, &format!("{}.{key}", self.section), wrong, with);
    }
}

/// The sizes of each direction; a mix or a range precedes a single size, which is refused beside it.
fn sizes(set: &Settings, checks: &mut Checks<'_>) -> PerDirection<Sizes> {
    let several: [(&str, Option<FilePosition>, bool); 2] = [
        (
            "bssplit",
            set.bssplit.at,
            IoDirection::ALL.iter().any(|way| set.bssplit.value.value_for(*way).is_some()),
        ),
        (
            "bsrange",
            set.bsrange.at,
            IoDirection::ALL.iter().any(|way| set.bsrange.value.value_for(*way).is_some()),
        ),
    ];
    if let (Some(split), Some(range)) = (set.bssplit.at, set.bsrange.at) {
        let help = "leave out one of them; what is set in [global] cannot be unset below";
        let with = Some((range, "a range of sizes"));
        checks.contradiction("bssplit", Some(split), "sizes are given as a mix and as a range", help, with);
    }
    for (key, at, _) in several.iter().filter(|(.., given)| *given) {
        let covers = |way: IoDirection| {
            set.bssplit.value.value_for(way).is_some() || set.bsrange.value.value_for(way).is_some()
        };
        if let (Some(single), Some(mix)) = (set.bs.at, *at)
            && IoDirection::ALL.iter().all(|way| !set.rw.value.has_direction(*way) || covers(*way))
        {
            let message = format!("bs has no effect beside {key}");
            checks.contradiction(
                "bs",
                Some(single),
                &message,
                "leave out bs",
                Some((mix, "the sizes that hold")),
            );
        }
    }
    set.bs.value.map(|way, single| {
        let mix = set.bssplit.value.value_for(way).as_ref().or(set.bsrange.value.value_for(way).as_ref());
        mix.cloned().unwrap_or(Sizes::Fixed(single.unwrap_or(4096)))
    })
}

fn region(set: &Settings, sizes: &PerDirection<Sizes>) -> Region {
    let smallest =
        IoDirection::ALL.iter().map(|way| sizes.value_for(*way).smallest_bytes()).min().unwrap_or(1);
    let align = set.offset_align.value;
    Region {
        size: set.size.value,
        offset: set.offset.value,
        increment: set.offset_increment.value,
        offset_align_bytes: if align > 0 { align } else { smallest.max(1) },
    }
}

/// The percentage of reads; of `rwmixread` and `rwmixwrite` the later one counts.
fn read_percent(set: &Settings) -> u8 {
    if set.rwmixwrite.at.is_some() && set.rwmixwrite.order > set.rwmixread.order {
        100 - set.rwmixwrite.value.min(100)
    } else {
        set.rwmixread.value
    }
}

fn align(set: &Settings, sizes: &PerDirection<Sizes>) -> PerDirection<u64> {
    let random = set.rw.value.random;
    set.blockalign
        .value
        .map(|way, given| given.filter(|_| random).unwrap_or(sizes.value_for(way).smallest_bytes()))
}

/// With a distribution other than the uniform one, or an alignment other than the smallest size, there is no map (`init.c`).
fn random_map(set: &Settings, sizes: &PerDirection<Sizes>) -> bool {
    let aligned = align(set, sizes);
    let plain =
        IoDirection::ALL.iter().all(|way| *aligned.value_for(*way) == sizes.value_for(*way).smallest_bytes());
    let uniform = IoDirection::ALL
        .iter()
        .all(|way| *set.random_distribution.value.value_for(*way) == RandomDistribution::Uniform);
    !set.norandommap.value && plain && uniform
}

fn rate(set: &Settings, sizes: &PerDirection<Sizes>, checks: &mut Checks<'_>) -> RateLimits {
    for (key, bytes, ios) in
        [("rate", set.rate.at, set.rate_iops.at), ("rate_min", set.rate_min.at, set.rate_iops_min.at)]
    {
        if let (Some(bytes), Some(ios)) = (bytes, ios) {
            let message = "a rate is given in bytes and in I/Os per second";
            let with = Some((ios, "in I/Os"));
            checks.contradiction(key, Some(bytes), message, "leave out one of them", with);
        }
    }
    for (key, least, most) in
        [("rate_min", &set.rate_min, &set.rate), ("rate_iops_min", &set.rate_iops_min, &set.rate_iops)]
    {
        let exceeds = |way: &IoDirection| matches!((least.value.value_for(*way), most.value.value_for(*way)), (Some(a), Some(b)) if a > b);
        if IoDirection::ALL.iter().any(exceeds) {
            let with = most.at.map(|at| (at, "the highest rate"));
            checks.contradiction(key, least.at, "the lowest rate is above the highest", "lower it", with);
        }
    }
    RateLimits {
        iops: set.rate.value.map(|way, bytes| {
            let by_size = bytes.map(|bytes| (bytes / sizes.value_for(way).smallest_bytes().max(1)).max(1));
            set.rate_iops.value.value_for(way).or(by_size)
        }),
        bytes_per_s: set.rate.value,
        min_bytes_per_s: set.rate_min.value,
        min_iops: set.rate_iops_min.value,
        process: set.rate_process.value,
        ignore_thinktime: set.rate_ignore_thinktime.value,
    }
}

fn zones(set: &Settings, checks: &mut Checks<'_>) -> Option<Zones> {
    let Some(io_bytes) = set.zonesize.value else {
        if set.zonemode.value == Some(true) {
            let help = "add zonesize, the bytes of I/O in each zone";
            checks.contradiction("zonemode", set.zonemode.at, "strided zones have no size", help, None);
        }
        return None;
    };
    if set.zonemode.value == Some(false) {
        let with = set.zonemode.at.map(|at| (at, "no zones"));
        let help = "leave out zonesize, or write zonemode=strided";
        checks.contradiction(
            "zonesize",
            set.zonesize.at,
            "a zone has a size, and there are none",
            help,
            with,
        );
        return None;
    }
    Some(Zones {
        range_bytes: set.zonerange.value.unwrap_or(io_bytes),
        io_bytes,
        skip_bytes: set.zoneskip.value,
    })
}

fn latency(set: &Settings, checks: &mut Checks<'_>) -> Option<LatencyTarget> {
    let (target, window) = (set.latency_target.value, set.latency_window.value);
    let percentile = set.latency_percentile.value;
    if !(percentile > 0.0 && percentile <= 100.0) {
        let help = "write more than 0 and at most 100";
        let message = "latency_percentile is no percentage";
        checks.contradiction("latency_percentile", set.latency_percentile.at, message, help, None);
    }
    if target.is_zero() {
        return None;
    }
    if window.is_zero() {
        let help = "add latency_window, how long each depth is tried";
        let message = "a latency is to be kept for no time";
        checks.contradiction("latency_target", set.latency_target.at, message, help, None);
    }
    Some(LatencyTarget { target, window, percentile })
}

/// The directions that a job has.
pub fn used_directions(job: &FioJob) -> impl Iterator<Item = IoDirection> + '_ {
    let rw = job.rw;
    IoDirection::ALL.into_iter().filter(move |way| rw.has_direction(*way) && !never(job, *way))
}

/// A mixed job of 0 or 100 % reads has only one direction.
fn never(job: &FioJob, way: IoDirection) -> bool {
    let share = match way {
        IoDirection::Read => job.read_percent,
        IoDirection::Write => 100 - job.read_percent.min(100),
        IoDirection::Trim => 100,
    };
    job.rw.operations == Operations::Mixed && share == 0
}
