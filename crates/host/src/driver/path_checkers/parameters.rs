//! The keys of path checkers.

use sansim_kernel::Span;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Dimensioned, Time};
use sansim_schema::{codes, table, words};

/// A time above zero that has to pass.
const WAIT: Time = Time::between(Span::from_ns(1), Span::LONGEST);

words! {
    /// The paths that one checker checks.
    pub enum CheckedUnit {
        /// Each path to each device, as multipathd does.
        Path = "path",
        /// Each adapter of the host with each adapter of the storage, for all devices together, as NVMe does with its controllers.
        Adapters = "adapters",
    }
}

words! {
    /// How a host learns the access states of devices (ALUA, ANA).
    pub enum AccessNotice {
        /// At the moment at which they change: an assumption, which means notices that take no time.
        AtOnce = "at-once",
        /// From answers: of each check, and of a command that comes back because its device is unavailable; that path is then checked at once.
        Answers = "answers",
    }
}

words! {
    /// The fate of the I/Os in flight on a path of which a check was not answered.
    pub enum InFlight {
        /// They wait for their own time-outs, as those of SCSI do.
        Wait = "wait",
        /// They are aborted, and sent on another path, as NVMe does that resets the controller.
        Abort = "abort",
    }
}

table! {
    /// Checkers of the paths of a host. Each path on a network is checked by a command without data, TEST UNIT READY or Keep Alive, which the
    /// adapter in front of the device answers. A path whose check is not answered in time, on which an I/O times out, or on which one comes back
    /// as unreachable, counts as failed; it is used again only after a check of it has been answered, and after `fail_back_time`. The defaults
    /// are those of Linux dm; NVMe checks with `interval = "5 s"`, `longest_interval = "5 s"`, `failed_interval = "10 s"`, `time_out = "5 s"`,
    /// `lost_after = "600 s"`, `each = "adapters"` and `in_flight = "abort"`.
    #[derive(Copy, Eq)]
    pub struct PathCheckerParameters {
        /// Time between two checks of a path. Without it no path is checked, and a failed path works again when its network reports so.
        interval: Option<Span> = WAIT.or("none"), default r#""none""#, source "multipath.conf(5), polling_interval (5 s); Linux, drivers/nvme/host/nvme.h, NVME_DEFAULT_KATO (5 s)";
        /// Time up to which the interval of a path doubles, each time that a check finds it working.
        longest_interval: Span = Time::ANY, follows "4 times `interval`" |_context| interval.map_or(Span::ZERO, |interval| (interval * 4).min(Span::LONGEST)), source "multipath.conf(5), max_polling_interval";
        /// Time between two checks of a path that counts as failed.
        failed_interval: Span = Time::ANY, follows "`interval`" |_context| interval.unwrap_or(Span::ZERO), source "multipath.conf(5), polling_interval; Linux, drivers/nvme/host/fabrics.h, NVMF_DEF_RECONNECT_DELAY (10 s)";
        /// Time for which a check is awaited.
        time_out: Span = WAIT, default r#""30 s""#, source "multipath.conf(5), checker_timeout: by default that of a disk; Linux, drivers/scsi/sd.h (30 s)";
        /// Time after which a path that counts as failed is not checked, and not used, any more.
        lost_after: Option<Span> = WAIT.or("never"), default r#""never""#, source "Linux, drivers/nvme/host/fabrics.h, NVMF_DEF_CTRL_LOSS_TMO (600 s); dev_loss_tmo of SCSI";
        /// The paths that one checker checks.
        each: CheckedUnit = Choice::<CheckedUnit>::ANY, default r#""path""#, source "multipathd";
        /// The fate of the I/Os in flight on a path of which a check was not answered.
        in_flight: InFlight = Choice::<InFlight>::ANY, default r#""wait""#, source "Linux, drivers/scsi/scsi_error.c; drivers/nvme/host/fc.c, deletion of the association (abort)";
        /// How the host learns of other access states.
        access: AccessNotice = Choice::<AccessNotice>::ANY, default r#""at-once""#, source "ours: notices take no time; Linux, drivers/nvme/host/multipath.c and drivers/scsi/device_handler/scsi_dh_alua.c (answers)";
    }
    checks(check_intervals)
    idle(of_no_checks)
}

impl PathCheckerParameters {
    /// Whether the host learns the access states of devices from answers.
    pub fn learns_access_from_answers(&self) -> bool {
        self.interval.is_some() && self.access == AccessNotice::Answers
    }

    /// Checks that intervals do not shrink, and that a failed path is checked again later.
    fn check_intervals(&self, keys: &mut Keys<'_, '_>) {
        let Some(interval) = self.interval else { return };
        let faults = [
            ("longest_interval", self.longest_interval < interval, "is shorter than `interval`"),
            (
                "failed_interval",
                self.failed_interval == Span::ZERO,
                "lets a failed path be checked again in no time",
            ),
        ];
        for (key, is_wrong, what) in faults {
            if is_wrong && keys.all_readable(&[key, "interval"]) {
                let fault = Diagnostic::new(
                    codes::CONTRADICTION,
                    keys.value_position(key),
                    format!("`{key}` {what}"),
                )
                .with_label("must be longer")
                .with_help("leave it out, or give at least `interval`");
                keys.report(key, fault);
            }
        }
    }

    /// Marks the keys that have no effect without checks.
    fn of_no_checks(&self, idle: &mut IdleKeys) {
        let keys =
            ["longest_interval", "failed_interval", "time_out", "lost_after", "each", "in_flight", "access"];
        idle.mark_idle_unless(self.interval.is_some(), &keys, "no path is checked (`interval`)");
    }
}
