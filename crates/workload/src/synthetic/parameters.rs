//! The keys of a synthetic workload and of its streams.

use crate::aims::{FROM, TO};
use crate::arrivals::Coming;
use crate::locations::Pattern;
use crate::priority::PRIORITY;
use crate::sizes::{SizeOrMix, SizeRule};
use crate::streams::synthetic::Spread;
use sansim_component::groups::WorkloadGroup;
use sansim_component::limits::LimitParameters;
use sansim_kernel::{Span, TICKS_PER_NS};
use sansim_request::BLOCK_BYTES;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{
    Choice, Count, Dimensioned, Fraction, LONGEST, OrUnlimited, Percentage, Share, Size, Time,
};
use sansim_schema::{codes, table};

/// A part of a device, which may be empty or the whole.
const PART: Percentage = Percentage { range: (0, 1_000_000) };

/// The range of the duration of a stream.
const LASTING: Time = Time { range: (TICKS_PER_NS, LONGEST) };

table! {
    /// A stream of requests of one kind.
    pub struct StreamParameters {
        /// Size of each request: one for all, a mix of several, or a range.
        size: SizeRule = SizeOrMix, default r#""4 KiB""#, source "Wang 2005, 4.2.1";
        /// Share of reads; the others are writes.
        read_fraction: f64 = Fraction, default "1.0", source "Wang 2005, 4.2.1";
        /// Share of deallocations (UNMAP, Deallocate; often called trim) among the requests that are no reads; the others are writes.
        deallocate_fraction: f64 = Fraction, default "0.0", source "ours: no deallocations unless they are asked for";
        /// Share of writes with forced unit access (FUA): answered only when their data are on the medium, or where they survive a loss of
        /// power. Tapes have no such writes.
        fua_fraction: f64 = Fraction, default "0.0", source "Linux, REQ_FUA; fio(1): sync=none";
        /// How many writes to a device a flush of that device follows (SYNCHRONIZE CACHE, Flush), as `fsync` of fio has it.
        flush_every: Option<u64> = Count::<u64>::between(1, 1_000_000_000).or("never"), default r#""never""#, source "fio(1): fsync=0";
        /// How requests are spread over the devices. Slots of a closed stream with `queue_depth_per = "device"` stay with theirs.
        spread: Spread = Choice::<Spread>::ANY, default r#""random""#, source "ours: every device is as likely as another";
        /// With `spread = "concatenated"`: size of the stripe unit in which the devices are one address space, a unit of each in turn; one
        /// behind another without it.
        stripe_unit: Option<u64> = Size { range: (BLOCK_BYTES, 1 << 40), step: BLOCK_BYTES }.or("none"), default r#""none""#, source "none";
        /// Where the part of each device (of all, if they are concatenated) begins that requests go to.
        region_from: Share = PART, default r#""0 %""#, source "ours: the whole of each device";
        /// Where the part of each device (of all, if they are concatenated) ends that requests go to.
        region_to: Share = PART, default r#""100 %""#, source "ours: the whole of each device";
        /// For requests that arrive by themselves: the most that are outstanding. Further arrivals wait in the backlog of the stream, and
        /// their response times count from their arrival.
        outstanding: u32 = Count::<u32>::between(1, 65_536), default "4096", source "ours: far more than a stable load has in flight";
        /// Priority of the requests, from 0, the most urgent, to 7, for a host or a device that schedules by priority.
        priority: u8 = PRIORITY, default "4", source "Linux, ioprio_set(2)";
        /// How long after the beginning of the run the stream begins.
        begin: Span = Time::ANY, default r#""0 ns""#, source "ours: with the run";
        /// Time after its beginning at which the stream issues no more requests.
        duration: Option<Span> = LASTING.or("unlimited"), default r#""unlimited""#, source "none";
        /// How many requests it makes.
        ios: Option<u64> = OrUnlimited::between(1, 1_000_000_000), default r#""unlimited""#, source "none";
    }
    tables {
        /// When requests come.
        arrivals: Coming;
        /// Where they go.
        location: Pattern;
    }
    checks(check_region)
    idle(of_other_streams)
    renamed("stripe" to "stripe_unit")
}

table! {
    /// Requests drawn from distributions, in one stream or several. The keys of a single stream stand in the table itself; those of several
    /// in tables of their own, `[NAME.streams.STREAM]`.
    pub struct SyntheticParameters {
        /// The host that the I/Os go through. From a group of hosts, or from several, there is a workload for each of them.
        from: Vec<String> = FROM, required r#""host""#, source "";
        /// The devices that the I/Os go to: groups, or chosen members: `"drives[3]"` is one of them, `"drives[4..8]"` are members 4 to 7.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
    }
    parts {
        /// The only stream.
        stream: StreamParameters;
        /// The number of equal workloads.
        group: WorkloadGroup;
    }
    tables {
        /// How much of it the host lets begin in a time.
        limits: LimitParameters;
    }
    named {
        /// The streams, if there are several.
        streams: StreamParameters;
    }
}

impl StreamParameters {
    /// Marks keys as unused that apply to streams of other paces.
    fn of_other_streams(&self, idle: &mut IdleKeys) {
        let writes = self.read_fraction < 1.0;
        let keys = ["deallocate_fraction", "fua_fraction", "flush_every"];
        idle.mark_idle_unless(writes, &keys, "all requests are reads (`read_fraction = 1.0`)");
        let is_one_space = self.spread == Spread::Concatenated;
        idle.mark_idle_unless(
            is_one_space,
            &["stripe_unit"],
            "the devices are not one address space (`spread` is not \"concatenated\")",
        );
        let is_closed = matches!(self.arrivals, Coming::Closed(_));
        idle.mark_idle_unless(
            !is_closed,
            &["outstanding"],
            "no requests come by themselves (`arrivals.process = \"closed\"`)",
        );
    }

    /// Checks that the region is not empty.
    fn check_region(&self, keys: &mut Keys<'_, '_>) {
        if self.region_from < self.region_to || !keys.all_readable(&["region_from", "region_to"]) {
            return;
        }
        let fault =
            Diagnostic::new(codes::CONTRADICTION, keys.value_position("region_to"), "the region is empty")
                .with_label(format!("must be behind {}", keys.full_path("region_from")));
        keys.report("region_to", fault);
    }
}
