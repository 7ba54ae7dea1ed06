//! The keys of a closed workload.

use crate::aims::{FROM, TO};
use crate::priority::PRIORITY;
use sansim_component::groups::WorkloadGroup;
use sansim_component::limits::LimitParameters;
use sansim_kernel::Span;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, Fraction, OrUnlimited, Size, Time};
use sansim_schema::{codes, table, words};

words! {
    /// The scope of a queue depth: each device, or all of them.
    pub enum QueueDepthPer {
        /// So many outstanding I/Os for each drive.
        Drive = "drive",
        /// So many outstanding I/Os in all, each to a random drive.
        All = "all",
    }
}

words! {
    /// The places on a drive to which the I/Os go.
    pub enum Pattern {
        /// To a place drawn at random, a multiple of the size of an I/O.
        Random = "random",
        /// To the place behind the one before on the same drive.
        Sequential = "sequential",
    }
}

table! {
    /// A closed workload: a fixed number of I/Os is outstanding; when one is done the next one follows.
    pub struct WorkloadParameters {
        /// The host that the I/Os go through. From a group of hosts, or from several, there is a workload for each of them.
        from: Vec<String> = FROM, required r#""host""#, source "";
        /// The drives that the I/Os go to: groups, or chosen members: `"drives[3]"` is one of them, `"drives[4..8]"` are members 4 to 7.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// Size of each I/O, in bytes.
        size: u64 = Size::between(1, u32::MAX as u64), required r#""64 KiB""#, source "Wang 2005, table 6.4";
        /// Share of reads; the other I/Os are writes. 1.0 is pure read, 0.0 pure write.
        read_fraction: f64 = Fraction, default "1.0", source "Wang 2005, table 6.4" changes;
        /// Share of deallocations (UNMAP, Deallocate; often called trim) among the I/Os that are no reads; the others are writes.
        deallocate_fraction: f64 = Fraction, default "0.0", source "ours: no deallocations unless they are asked for";
        /// Share of writes with forced unit access (FUA): answered only when their data are on the medium, or where they survive a loss of
        /// power. Tapes have no such writes.
        fua_fraction: f64 = Fraction, default "0.0", source "Linux, REQ_FUA; fio(1): sync=none";
        /// How many writes to a device a flush of that device follows (SYNCHRONIZE CACHE, Flush), as `fsync` of fio has it.
        flush_every: Option<u64> = Count::<u64>::between(1, 1_000_000_000).or("never"), default r#""never""#, source "fio(1): fsync=0";
        /// The places on a drive to which the I/Os go. A drive with a given access time takes the same time for all of them.
        pattern: Pattern = Choice::<Pattern>::ANY, default r#""random""#, source "Wang 2005, 6.2: random accesses";
        /// How many I/Os are outstanding.
        queue_depth: u32 = Count::<u32>::between(1, 65_536), default "1", source "Wang 2005, table 6.4" changes;
        /// Whether `queue_depth` is for each drive or in all.
        queue_depth_per: QueueDepthPer = Choice::<QueueDepthPer>::ANY, default r#""drive""#, source "Wang 2005, table 6.4: the depth is that of each drive";
        /// Time between the end of an I/O and the request of the one that follows it.
        think_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, table 6.1" changes;
        /// Priority of the requests, from 0, the most urgent, to 7, for a host or a device that schedules by priority.
        priority: u8 = PRIORITY, default "4", source "Linux, ioprio_set(2)";
        /// Number of I/Os to each drive in a pass. A drive that has finished waits for the others; then all begin the next pass. The
        /// summary lists when each drive finished. The run ends by `run.measured_ios` all the same.
        ios_per_pass: Option<u64> = OrUnlimited::between(1, 1_000_000_000), default r#""unlimited""#, source "Ruwart 1999, xdd";
    }
    parts {
        /// The number of equal workloads.
        group: WorkloadGroup;
    }
    tables {
        /// How much of it the host lets begin in a time.
        limits: LimitParameters;
    }
    checks(check_passes)
    idle(of_writes)
}

impl WorkloadParameters {
    /// The number of I/Os that are outstanding with this many drives.
    pub fn outstanding_io_count(&self, drives: u64) -> u64 {
        let each = if self.queue_depth_per == QueueDepthPer::Drive { drives } else { 1 };
        u64::from(self.queue_depth) * each
    }

    /// Whether the workload makes flushes, deallocations or writes with forced unit access.
    pub fn flushes_or_deallocates(&self) -> bool {
        self.read_fraction < 1.0
            && (self.deallocate_fraction > 0.0 || self.fua_fraction > 0.0 || self.flush_every.is_some())
    }

    /// Marks keys as unused that apply to writes, if there are none.
    fn of_writes(&self, idle: &mut IdleKeys) {
        let keys = ["deallocate_fraction", "fua_fraction", "flush_every"];
        idle.mark_idle_unless(self.read_fraction < 1.0, &keys, "all I/Os are reads (`read_fraction = 1.0`)");
    }

    /// Passes need a queue depth for each drive, because in a pass each drive has I/Os of its own.
    fn check_passes(&self, keys: &mut Keys<'_, '_>) {
        let in_all = self.queue_depth_per == QueueDepthPer::All;
        if self.ios_per_pass.is_none() || !in_all || !keys.all_readable(&["ios_per_pass", "queue_depth_per"])
        {
            return;
        }
        let fault = Diagnostic::new(
            codes::CONTRADICTION,
            keys.value_position("ios_per_pass"),
            "in a pass each drive has I/Os of its own, but here they go to random drives",
        )
        .with_label("I/Os to each drive")
        .with_help(format!(
            "set {} = \"drive\", or {} = \"unlimited\"",
            keys.full_path("queue_depth_per"),
            keys.full_path("ios_per_pass")
        ));
        let random = keys.value_position("queue_depth_per");
        keys.report_with("ios_per_pass", fault, Some((random, "random drives")));
    }
}
