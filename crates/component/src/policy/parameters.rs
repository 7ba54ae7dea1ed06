//! The path that a host or a controller takes to a device where there are several, and its failover.

use super::{PATH, PolicyName};
use sansim_kernel::Span;
use sansim_rules::{RuleName, RuleOf};
use sansim_schema::idle::IdleKeys;
use sansim_schema::quantities::{Choice, Count, Dimensioned, Size, Time};
use sansim_schema::{table, words};

table! {
    /// How one of several paths to a device is chosen, and what happens when paths fail.
    pub struct PathParameters {
        /// The policy that chooses among several paths to a device, as adapters and networks provide them. Paths through adapters whose
        /// `access` is `"non-optimised"` are used only when there is no other.
        path: RuleName<PolicyName> = RuleOf::<PolicyName>::decision(&PATH), default r#""first""#, source "ours: the only one that needs no second way";
        /// I/Os for which a path has its turn with `path = "round-robin-ios"`.
        path_turn_ios: u32 = Count::<u32>::between(1, 1_000_000), default "1000", source "VMware ESXi, VMW_PSP_RR: iops";
        /// Bytes for which a path has its turn with `path = "round-robin-bytes"`.
        path_turn_bytes: u64 = Size::between(512, 1 << 40), default r#""10 MiB""#, source "VMware ESXi, VMW_PSP_RR: bytes";
        /// NUMA nodes of the host, on which its I/Os are issued in turn, with `path = "numa"`.
        numa_nodes: u32 = Count::<u32>::between(1, 1024), default "1", source "ours: processes run evenly on all nodes";
        /// Time from the failure of a path until it counts as failed. Requests that come back from it until then wait, and are then sent on
        /// another path. Linux takes 5 s with a Fibre Channel port that is lost.
        fail_over_time: Span = Time::ANY, default r#""0 ns""#, source "multipath.conf(5), fast_io_fail_tmo";
        /// Time from the repair of a path until requests use it again, if another path works; with `"never"` they use it only if no other
        /// works. Linux checks every 5 s whether a failed path works again.
        fail_back_time: Option<Span> = Time::ANY.or("never"), default r#""0 ns""#, source "multipath.conf(5), failback and polling_interval";
        /// How long a request waits if no path to its device works, before it is answered as failed.
        no_way_time: Option<Span> = Time::ANY.or("unlimited"), default r#""0 ns""#, source "multipath.conf(5), no_path_retry";
    }
    idle(of_other_policies)
}

impl PathParameters {
    /// Marks the keys of other policies as idle.
    fn of_other_policies(&self, idle: &mut IdleKeys) {
        let why = "ways are not chosen by it (`path`)";
        idle.mark_idle_unless(self.path.is(PolicyName::Numa), &["numa_nodes"], why);
        idle.mark_idle_unless(self.path.is(PolicyName::TurnsOfIos), &["path_turn_ios"], why);
        idle.mark_idle_unless(self.path.is(PolicyName::TurnsOfBytes), &["path_turn_bytes"], why);
    }
}

words! {
    /// The access state of a device through an adapter in front of it (SPC asymmetric logical unit access).
    pub enum AccessState {
        /// A host prefers this path.
        Optimised = "optimised",
        /// A host uses this path only while no optimised path works.
        NonOptimised = "non-optimised",
        /// A host does not use this path.
        Unavailable = "unavailable",
    }
}

table! {
    /// The keys of an adapter that serves, for the paths that end at it.
    #[derive(Copy, Eq)]
    pub struct TargetPathKeys {
        /// How well the devices behind this adapter can be reached through it, as ALUA of SCSI and ANA of NVMe report to hosts: paths to
        /// `"non-optimised"` adapters are used only when no other works, those to `"unavailable"` adapters (of NVMe: inaccessible) never.
        /// Requests that an adapter has when its state changes are carried out.
        access: AccessState = Choice::<AccessState>::ANY, default r#""optimised""#, source "SPC-4, asymmetric logical unit access" changes;
    }
}

table! {
    /// The keys of an adapter that asks, for the paths that begin at it.
    #[derive(Copy, Eq)]
    pub struct InitiatorPathKeys {
        /// Throughput of the paths through this adapter relative to the others of its host, for `path = "service-time"`; a path with 0 is
        /// the last resort.
        relative_throughput: u32 = Count::<u32>::between(0, 100), default "1", source "Linux, dm-service-time";
        /// NUMA node of the host at which the adapter is, from 0, for `path = "numa"`: it is nearer to its own node (distance 10) than to all
        /// others (20).
        numa_node: u32 = Count::<u32>::between(0, 1023), default "0", source "Linux, drivers/nvme/host/multipath.c; include/linux/topology.h, LOCAL_DISTANCE and REMOTE_DISTANCE";
    }
}

impl TargetPathKeys {
    /// The access state of an adapter without the key.
    pub const PLAIN: Self = Self { access: AccessState::Optimised };
}

impl InitiatorPathKeys {
    /// The keys of an adapter without them.
    pub const PLAIN: Self = Self { relative_throughput: 1, numa_node: 0 };
}
