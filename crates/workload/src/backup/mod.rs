//! `kind = "backup"`: devices are read, or written, from the beginning to the end, as fast as possible or at the pace of a tape.

use crate::aims::{FROM, TO};
use crate::arrivals::deterministic::DeterministicParameters;
use crate::arrivals::{Process, Timetable};
use crate::priority::PRIORITY;
use crate::streams::content::ContentPlan;
use crate::streams::kind::kind_of_streams;
use crate::streams::plan::{StreamPace, StreamPlan, StreamSlots, StreamsPlan};
use crate::streams::sweep::SweepPlan;
use sansim_component::groups::WorkloadGroup;
use sansim_component::limits::LimitParameters;
use sansim_kernel::{Distribution, Span};
use sansim_request::BLOCK_BYTES;
use sansim_schema::quantities::{ByteRate, Choice, Count, Dimensioned, Frequency, OrUnlimited, Size, Time};
use sansim_schema::{table, words};

words! {
    /// The direction of the data.
    pub enum BackupDirection {
        /// The devices are read.
        Backup = "backup",
        /// They are written.
        Restore = "restore",
    }
}

table! {
    /// Devices, one behind another, are read from the beginning to the end, or written: a backup or a restore, in one stream or several
    /// side by side. With a `rate` each stream has the pace of a tape that streams: its requests come at that rate, and wait if too many
    /// are outstanding.
    pub struct BackupParameters {
        /// The host that the I/Os go through. From a group of hosts, or from several, there is a workload for each of them.
        from: Vec<String> = FROM, required r#""host""#, source "";
        /// The devices that the I/Os go to: groups, or chosen members: `"drives[3]"` is one of them, `"drives[4..8]"` are members 4 to 7.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// The direction of the data.
        direction: BackupDirection = Choice::<BackupDirection>::ANY, default r#""backup""#, source "ours: what the kind is called after";
        /// Size of each request.
        size: u64 = Size::between(512, u32::MAX as u64), default r#""256 KiB""#, source "ours: a common size of backup software";
        /// Size of the stripe unit in which the devices are one address space, a unit of each in turn; one behind another without it.
        stripe_unit: Option<u64> = Size { range: (BLOCK_BYTES, 1 << 40), step: BLOCK_BYTES }.or("none"), default r#""none""#, source "none";
        /// How many streams go side by side, each through its part of the devices.
        streams: u32 = Count::<u32>::between(1, 1_000), default "1", source "ours: one, unless the file says otherwise";
        /// How many requests each stream has outstanding; with a `rate` at most.
        queue_depth: u32 = Count::<u32>::between(1, 65_536), default "4", source "ours: enough to keep one device busy";
        /// Data of each stream per second.
        rate: Option<u64> = ByteRate { range: (1, 1_000_000_000_000) }.or("unlimited"), default r#""unlimited""#, source "none";
        /// How often it is done.
        passes: Option<u64> = OrUnlimited::between(1, 1_000_000_000), default "1", source "ours: one, unless the file says otherwise";
        /// Priority of the requests, from 0, the most urgent, to 7, for a host or a device that schedules by priority.
        priority: u8 = PRIORITY, default "4", source "Linux, ioprio_set(2)";
        /// Time from the beginning of the run to the first request.
        begin: Span = Time::ANY, default r#""0 ns""#, source "ours: with the run";
    }
    parts {
        /// The number of equal workloads.
        group: WorkloadGroup;
    }
    tables {
        /// How much of it the host lets begin in a time.
        limits: LimitParameters;
    }
    renamed("way" to "direction", "stripe" to "stripe_unit")
}

impl BackupParameters {
    /// The plan from which the workload is built.
    pub fn plan(&self) -> StreamsPlan {
        let stream = |number: u32| {
            let pace = match self.rate {
                Some(rate) => {
                    let micro_per_s = (u128::from(rate) * 1_000_000 / u128::from(self.size)).max(1) as u64;
                    let process =
                        Process::Deterministic(DeterministicParameters { rate: Frequency { micro_per_s } });
                    StreamPace::Open { timetable: Timetable::Process(process), outstanding: self.queue_depth }
                }
                None => StreamPace::Closed {
                    slots: StreamSlots::InAll(self.queue_depth),
                    think: Distribution::Fixed(Span::ZERO),
                },
            };
            let content = SweepPlan {
                bytes: self.size,
                read_fraction: f64::from(u8::from(self.direction == BackupDirection::Backup)),
                part: (number, self.streams),
                passes: self.passes,
                stripe_bytes: self.stripe_unit,
            };
            let name = if self.streams > 1 { format!("stream {number}") } else { String::new() };
            let whole = StreamPlan::only_stream(pace, ContentPlan::Sweep(content));
            StreamPlan { name, begin: self.begin, priority: self.priority, ..whole }
        };
        StreamsPlan { streams: (0..self.streams).map(stream).collect() }
    }
}

kind_of_streams!(BackupParameters, "size");
