//! The keys of an array.

use super::DiskArray;
use sansim_component::component_kind::CheckedRequest;
use sansim_component::layered::LayeredDeviceKeys;
use sansim_component::policy::{PATH, PolicyName};
use sansim_kernel::Span;
use sansim_raid::layout::{LayoutError, RaidLevel};
use sansim_raid::{Array, ArrayParameters};
use sansim_request::BLOCK_BYTES;
use sansim_rules::{RuleName, RuleOf};
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{
    ByteRate, Count, Dimensioned, Flag, Number, OrUnlimited, Size, Time, write_size,
};
use sansim_schema::{codes, table};

/// A rate that may be left out.
const RATE: ByteRate = ByteRate { range: (1_000, 1_000_000_000_000_000) };

/// The size of a piece of background work.
const CHUNK: Size = Size { range: (BLOCK_BYTES, 1 << 40), step: BLOCK_BYTES };

/// A time above zero that has to pass.
const WAIT: Time = Time::between(Span::from_ns(1), Span::LONGEST);

table! {
    /// The rebuild of the content of a failed member.
    #[derive(Copy, Eq)]
    pub struct RebuildParameters {
        /// Time from the moment at which a member can be rebuilt until the rebuild begins.
        delay: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// Most members that are rebuilt at once, if several have failed and have spares; the other keys apply to each rebuild. Declustered
        /// layouts with distributed spares rebuild one at a time.
        members_at_once: Option<u64> = OrUnlimited::between(1, 1_000), default r#""unlimited""#, source "Linux md, md_check_recovery: all spares at once";
        /// Bytes of a member in one rebuild step; at least a stripe unit.
        step: u64 = CHUNK, default r#""64 KiB""#, source "Linux, drivers/md/raid1-10.c, RESYNC_BLOCK_SIZE";
        /// Number of rebuild steps in progress at a time.
        at_once: u32 = Count::<u32>::between(1, 10_000), default "32", source "Linux, drivers/md/raid1.c, RESYNC_DEPTH";
        /// Most bytes of the member that are rebuilt per second.
        rate: Option<u64> = RATE.or("unlimited"), default r#""unlimited""#, source "Linux md, sync_speed_max";
        /// Most bytes of the member that are rebuilt per second while hosts have requests at the array, to which the rebuild yields.
        rate_under_load: Option<u64> = RATE.or("unlimited"), default r#""unlimited""#, source "Linux md, sync_speed_min";
        /// Time after the last request of a host at the array until hosts count as idle.
        idle_after: Span = Time::ANY, default r#""500 ms""#, source "Linux, drivers/md/md.c, md_do_sync: looks again after so long";
        /// Interval at which the array checks, at requests of hosts, whether a failed device works again or was replaced. A device that
        /// works again is empty: it is rebuilt in place, or becomes a spare.
        replacement_check: Option<Span> = WAIT.or("never"), default r#""1 s""#, source "ours: short beside a rebuild";
    }
    idle(of_one_rate)
    renamed("chunk" to "step")
}

impl RebuildParameters {
    /// Marks keys about idle hosts as unused, if the rate does not depend on load.
    fn of_one_rate(&self, idle: &mut IdleKeys) {
        let why = "it goes no slower while hosts have requests there (`rate_under_load`)";
        idle.mark_idle_unless(self.rate_under_load.is_some(), &["idle_after"], why);
    }
}

table! {
    /// Scrubbing: the content of all members is read and compared.
    #[derive(Copy, Eq)]
    pub struct ScrubParameters {
        /// Time from the beginning of a scrub to the beginning of the next; the first scrub begins this time after the run. A scrub that
        /// takes longer than this time is continued.
        every: Option<Span> = WAIT.or("never"), default r#""never""#, source "none";
        /// Whether a scrub recalculates checks that do not match the data, and overwrites differing copies by the first. Otherwise it only
        /// counts such stripes, again in each pass.
        repair: bool = Flag, default "false", source "Linux md, sync_action: check, repair";
        /// Bytes of data of the array in one scrub step; at least a stripe.
        step: u64 = CHUNK, default r#""64 KiB""#, source "Linux, drivers/md/raid1-10.c, RESYNC_BLOCK_SIZE";
        /// Number of scrub steps in progress at a time.
        at_once: u32 = Count::<u32>::between(1, 10_000), default "1", source "ours: a scrub has time";
        /// Most bytes of data of the array that are scrubbed per second.
        rate: Option<u64> = RATE.or("unlimited"), default r#""unlimited""#, source "Linux md, sync_speed_max";
        /// Most bytes of data of the array that are scrubbed per second while hosts have requests at the array.
        rate_under_load: Option<u64> = RATE.or("unlimited"), default r#""unlimited""#, source "Linux md, sync_speed_min";
        /// Time after the last request of a host at the array until hosts count as idle.
        idle_after: Span = Time::ANY, default r#""500 ms""#, source "Linux, drivers/md/md.c, md_do_sync: looks again after so long";
    }
    idle(of_no_scrub)
    renamed("chunk" to "step")
}

impl ScrubParameters {
    /// Keys of a scrub that never begins.
    fn of_no_scrub(&self, idle: &mut IdleKeys) {
        let keys = ["repair", "step", "at_once", "rate", "rate_under_load", "idle_after"];
        idle.mark_idle_unless(self.every.is_some(), &keys, "nothing is scrubbed (`every`)");
        idle.mark_idle_unless(
            self.every.is_none() || self.rate_under_load.is_some(),
            &["idle_after"],
            "it goes no slower while hosts have requests there (`rate_under_load`)",
        );
    }
}

table! {
    /// Inputs of the mean time to data loss, a figure of the result. The run does not depend on them.
    #[derive(Copy)]
    pub struct ReliabilityParameters {
        /// Mean time to failure of a member, in hours; 0 if it is not known. For a member that is an array itself: its mean time to data
        /// loss.
        mttf_h: f64 = Number::between(0.0, 1e12), default "0.0", source "ours: 0 stands for a time that is not known";
        /// Mean time from the failure of a member until it has been rebuilt, in hours; 0 if it is not known.
        mttr_h: f64 = Number::between(0.0, 1e9), default "0.0", source "ours: 0 stands for a time that is not known";
        /// Unreadable sectors per byte that a rebuild reads: one error in 1e14 bits is 8e-14.
        errors_per_byte: f64 = Number::between(0.0, 1.0), default "0.0", source "ours: no errors unless they are said";
        /// Number of failed members, for RAID 1+0 members of one mirror, at which the mean time begins to count.
        failed_at_start: u32 = Count::<u32>::between(0, 1_000), default "0", source "ours: an array that is whole";
    }
}

table! {
    /// An array of devices.
    pub struct RaidParameters {
        /// Number of hot spares: the last of the named devices, which hold no data until a member fails.
        spares: u32 = Count::<u32>::between(0, 1_000), default "0", source "md(4)";
        /// The policy that chooses the copy to read, where there are several.
        read_policy: RuleName<PolicyName> = RuleOf::<PolicyName>::decision(&PATH), default r#""balanced""#, source "Linux md, drivers/md/raid1.c, read_balance";
        /// Bandwidth of exclusive or, in bytes of input per second.
        xor_bandwidth: Option<u64> = RATE.or("unlimited"), default r#""unlimited""#, source "none";
        /// Bandwidth of calculations over GF(256), for the second check of RAID 6.
        galois_bandwidth: Option<u64> = RATE.or("unlimited"), default r#""unlimited""#, source "none";
        /// Memory for the data of requests that hosts have there; further requests wait.
        memory: Option<u64> = CHUNK.or("unlimited"), default r#""unlimited""#, source "none";
        /// Whether the content of its memory is lost when the array fails. Then data and checks of partly written stripes disagree: the
        /// write hole. Otherwise every write that has begun is written to the end.
        volatile_memory: bool = Flag, default "false", source "Linux md, driver-api/md/raid5-ppl: the write hole";
        /// Time after which the array repeats a background request that a member did not carry out (BUSY).
        busy_wait: Span = WAIT, default r#""3 ms""#, source "Linux, drivers/scsi/scsi_lib.c";
    }
    parts {
        /// The layout of the data and of their redundancy.
        array: ArrayParameters;
    }
    tables {
        /// The rebuild of the data of a failed member.
        rebuild: RebuildParameters;
        /// The scrub, which looks for unreadable sectors.
        scrub: ScrubParameters;
        /// Inputs of the mean time to data loss.
        reliability: ReliabilityParameters;
    }
    idle(of_other_levels)
}

impl RaidParameters {
    /// Marks keys as unused that apply only to other levels.
    fn of_other_levels(&self, idle: &mut IdleKeys) {
        let level = self.array.layout.word();
        let has_two = matches!(level, "6" | "declustered");
        let has_checks = has_two || matches!(level, "4" | "5");
        let of_checks = ["xor_bandwidth", "read_modify_write", "partial_units", "volatile_memory"];
        idle.mark_idle_unless(has_checks, &of_checks, "this level has no checks (`layout.level`)");
        idle.mark_idle_unless(
            has_two,
            &["galois_bandwidth"],
            "this level has no second check (`layout.level`)",
        );
    }

    /// The number of members among this number of devices.
    pub(super) fn members(&self, devices: usize) -> usize {
        devices.saturating_sub(self.spares as usize)
    }

    /// The number of devices, out of `devices`, that a small write occupies at a time: the device of its data, and those of their copies or
    /// checks.
    pub fn devices_per_small_write(&self, devices: usize) -> u64 {
        let level = self.array.layout.with_member_count(self.members(devices) as u32);
        level.map_or(1, |level| 1 + u64::from(level.code().checks()))
    }

    /// The array over devices of these capacities in bytes. A spare must be as large as a member.
    pub(super) fn array(&self, behind: &[u64]) -> Result<Array, LayoutError> {
        Array::new(&self.array, &behind[..self.members(behind.len())])
    }
}

impl LayeredDeviceKeys for RaidParameters {
    type Device = DiskArray;

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        vec![self.array(behind).map_or(0, |array| array.layout.capacity())]
    }

    fn least_behind(&self) -> usize {
        1 + self.spares as usize
    }

    fn check_behind(&self, behind: &[u64], keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["spares", "stripe_unit", "layout"]) {
            return;
        }
        match self.array(behind) {
            Err(error) => {
                let fault =
                    Diagnostic::new(codes::CONTRADICTION, keys.value_position("to"), error.to_string())
                        .with_label("the members, without spares")
                        .with_help(
                            "name as many devices as the level needs, or choose another `layout.level`",
                        );
                keys.report("to", fault);
            }
            Ok(array) => {
                let needs = array.layout.rows_per_member() * array.layout.stripe_unit_bytes();
                let spares = &behind[self.members(behind.len())..];
                if let Some(&small) = spares.iter().find(|bytes| **bytes < needs) {
                    let message = format!(
                        "a spare has {}, but {} of each member are used",
                        write_size(small),
                        write_size(needs)
                    );
                    let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("to"), message)
                        .with_label("the last of these are spares")
                        .with_help("give spares the capacity of the members");
                    keys.report("to", fault);
                }
            }
        }
    }

    fn check_request(&self, request: &CheckedRequest<'_>, keys: &mut Keys<'_, '_>) {
        let Some(memory) = self.memory.filter(|memory| request.bytes > *memory) else { return };
        let message = format!("an I/O of {} B is larger than the memory of `{}`", request.bytes, keys.path());
        let fault = Diagnostic::new(codes::CONTRADICTION, request.place, message)
            .with_label(format!("it has {}", write_size(memory)))
            .with_help(format!("give a smaller size, or a larger {}", keys.full_path("memory")));
        keys.report_elsewhere(request.key, fault, None);
    }
}
