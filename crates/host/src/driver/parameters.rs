//! The keys of a driver.

use super::path_checkers::{InFlight, PathCheckerParameters};
use sansim_component::TaskManagement;
use sansim_component::limits::LimitParameters;
use sansim_component::policy::MarginalPaths;
use sansim_component::scheduling::QueueOrder;
use sansim_kernel::Span;
use sansim_request::BLOCK_BYTES;
use sansim_schema::codes;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, CountOr, Dimensioned, ListOf, OrUnlimited, Size, Time};
use sansim_schema::table;
use sansim_schema::table::Tabular;
use sansim_schema::words::Word;
use std::sync::OnceLock;

/// The size up to which requests may be merged.
const MERGED: Size = Size { range: (BLOCK_BYTES, 1 << 30), step: BLOCK_BYTES };

/// The largest transfer of a command: an I/O has at most 65,535 parts.
const TRANSFER: Size = Size { range: (64 << 10, 1 << 31), step: BLOCK_BYTES };

/// A time above zero that has to pass.
const WAIT: Time = Time::between(Span::from_ns(1), Span::LONGEST);

/// The functions of an escalation, each at most once.
const FUNCTIONS: ListOf<Choice<TaskManagement>> = ListOf::between(0, 5, Choice::ANY);

/// A limit that may be left out.
const LIMIT: CountOr<u64> = OrUnlimited::between(1, 1_000_000);

table! {
    /// The driver: how an I/O gets from the application to the adapter and back.
    pub struct DriverParameters {
        /// Time of the arrival process for each I/O.
        arrival_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, 4.3.3.1";
        /// Time of the completion process for each I/O.
        completion_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, 4.3.3.1";
        /// Most I/Os that are outstanding at the adapters together; further ones wait in the driver, in the queue of their device.
        outstanding_limit: u32 = Count::<u32>::between(1, 1_000_000), default "255", source "Wang 2005, 3.2.2" changes;
        /// Most I/Os that are outstanding at each device. If the device announces a `queue_depth`, the smaller of the two counts.
        outstanding_per_device: Option<u64> = LIMIT, default r#""unlimited""#, source "Wang 2005, 4.2.2";
        /// Most I/Os that are outstanding at each adapter. A path through an adapter with this many I/Os is not used.
        outstanding_per_adapter: Option<u64> = LIMIT, default r#""unlimited""#, source "Wang 2005, 3.2.2";
        /// Waiting I/Os of one direction that lie side by side on a device are merged and passed on as one, of so many bytes at most.
        merge: Option<u64> = MERGED.or("none"), default r#""none""#, source "Wang 2005, 4.2.2";
        /// Largest transfer of a command: a longer I/O is split into several, which wait for its device like others and may go by several paths. In Linux,
        /// `max_sectors_kb`: for NVMe the least of MDTS of the controller and of the limit of its transport.
        largest_transfer: Option<u64> = TRANSFER.or("none"), default r#""none""#, source "Linux, block/blk-merge.c; NVMe, MDTS";
        /// Time that an I/O may take after the driver has passed it on to an adapter. After this time the I/O is aborted and retried. Disks
        /// of Linux have 30 s.
        time_out: Option<Span> = WAIT.or("never"), default r#""never""#, source "Wang 2005, 3.1.4; Linux, drivers/scsi/sd.h";
        /// Task management functions by which the driver has a target end commands when an abort is not answered: in turn, each when the one
        /// before has not been answered for `escalation_time`. Linux resets the logical unit and then the target. A function also ends
        /// commands of others: those of the host at the device (`"abort-task-set"`), those of all hosts at the device
        /// (`"clear-task-set"`, `"lun-reset"`), or those of all hosts at the target (`"target-reset"`); hosts repeat them. The last step may be
        /// `"adapter-reset"`, by which the adapter loses all its exchanges (`adapter.reset_time`).
        escalation: Vec<TaskManagement> = FUNCTIONS, default "[]", source "SAM-5, task management functions; Linux, drivers/scsi/scsi_error.c";
        /// Time for which the driver waits for the answer to an abort, or to a function of `escalation`, before the next function.
        escalation_time: Span = WAIT, default r#""10 s""#, source "Linux, FC_SCSI_TM_TOV of libfc";
        /// Number of retries of an I/O that came back with BUSY or CHECK CONDITION, or was aborted after a time-out; then the I/O fails.
        retries: u32 = Count::<u32>::between(0, 1_000_000), default "5", source "Wang 2005, 3.1.4; Linux, drivers/scsi/sd.h";
        /// Time after which the driver retries an I/O that came back with BUSY, or with QUEUE FULL from a device that has no other I/O of
        /// this host.
        busy_wait: Span = WAIT, default r#""3 ms""#, source "Linux, drivers/scsi/scsi_lib.c";
        /// How long the driver takes to report an I/O that fails at the instant at which it came: no path to its device works, or it is
        /// refused in no time. A failed I/O that has taken some simulated time is reported at once.
        refusal_time: Span = WAIT, default r#""1 us""#, source "ours: some thousand instructions of a driver that looks for a path; no source says how many";
        /// The use of paths at whose ends frames come in damaged, of which its fabric sends notices (`switch.congestion.link_errors`).
        marginal_paths: MarginalPaths = Choice::<MarginalPaths>::ANY, default r#""off""#, source "multipath.conf(5), marginal_pathgroups";
        /// After QUEUE FULL a device gets at most as many I/Os at a time as it had then; the limit grows by one each time this time passes
        /// without QUEUE FULL.
        queue_ramp_up_time: Span = Time::ANY, default r#""120 s""#, source "Linux, queue_ramp_up_period";
    }
    tables {
        /// The order in which I/Os that wait for a device are passed on. Among several devices, the one whose oldest I/O has waited longest
        /// is next.
        queue: QueueOrder;
        /// Limits of the rate and bandwidth of all workloads of the host together.
        limits: LimitParameters;
        /// Limits of the rate and bandwidth of each device.
        limits_per_device: LimitParameters;
        /// Checkers of its paths.
        path_checker: PathCheckerParameters;
    }
    checks(check_escalation)
    idle(of_escalation)
}

impl DriverParameters {
    /// Whether the number of requests in flight was limited by a key.
    pub fn has_outstanding_limit(&self) -> bool {
        let limits = [self.outstanding_per_device, self.outstanding_per_adapter];
        self.outstanding_limit < usual_limit() || limits.iter().any(Option::is_some)
    }

    /// The number of commands of an I/O with this mean number of bytes.
    pub(super) fn parts_of(&self, bytes: f64) -> f64 {
        self.largest_transfer.map_or(1.0, |most| (bytes / most as f64).ceil().max(1.0))
    }

    /// Whether the host learns the access states of devices from answers.
    pub fn learns_access_from_answers(&self) -> bool {
        self.path_checker.learns_access_from_answers()
    }

    /// Checks that an escalation has no function twice.
    fn check_escalation(&self, keys: &mut Keys<'_, '_>) {
        let reset = self.escalation.iter().position(|&step| step == TaskManagement::AdapterReset);
        if reset.is_some_and(|place| place + 1 < self.escalation.len()) && keys.all_readable(&["escalation"])
        {
            let fault = Diagnostic::new(
                codes::CONTRADICTION,
                keys.value_position("escalation"),
                "a step follows the reset of the adapter, which ends all commands",
            )
            .with_label("must end with \"adapter-reset\"")
            .with_help("list the resets from the smallest to the largest");
            keys.report("escalation", fault);
            return;
        }
        let is_again = |place: usize| self.escalation[..place].contains(&self.escalation[place]);
        let Some(place) = (0..self.escalation.len()).find(|&place| is_again(place)) else { return };
        let name = self.escalation[place].word();
        let fault = Diagnostic::new(
            codes::OUT_OF_RANGE,
            keys.value_position("escalation"),
            format!("the escalation has {name:?} twice"),
        )
        .with_label("each function once")
        .with_help("the adapter repeats ABTS after `adapter.abort_answer_time`; a function is not repeated");
        keys.report("escalation", fault);
    }

    /// Notes the keys of aborts and of the escalation that have no effect.
    fn of_escalation(&self, idle: &mut IdleKeys) {
        idle.mark_idle_unless(
            self.time_out.is_some(),
            &["escalation", "escalation_time"],
            "no I/O is aborted (`time_out`)",
        );
        idle.mark_idle_unless(
            self.time_out.is_some() || self.path_checker.in_flight == InFlight::Wait,
            &["path_checker.in_flight"],
            "no I/O is aborted (`time_out`)",
        );
        idle.mark_idle_unless(
            !self.escalation.is_empty(),
            &["escalation_time"],
            "no function follows an abort (`escalation`)",
        );
    }

    /// Whether it was given a limit of the requests that begin in a time.
    pub fn has_rate_limit(&self) -> bool {
        self.limits.has_limit() || self.limits_per_device.has_limit()
    }
}

/// The default of `outstanding_limit`, which only large loads reach.
fn usual_limit() -> u32 {
    static USUAL: OnceLock<u32> = OnceLock::new();
    *USUAL.get_or_init(|| {
        DriverParameters::from_toml("", &Facts::default()).map_or(u32::MAX, |usual| usual.outstanding_limit)
    })
}
