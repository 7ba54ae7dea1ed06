//! The keys of a driver.

use sansim_component::limits::LimitParameters;
use sansim_component::scheduling::QueueOrder;
use sansim_kernel::Span;
use sansim_request::BLOCK_BYTES;
use sansim_schema::context::Facts;
use sansim_schema::quantities::{Count, CountOr, Dimensioned, OrUnlimited, Size, Time};
use sansim_schema::table;
use sansim_schema::table::Tabular;
use std::sync::OnceLock;

/// The size up to which requests may be merged.
const MERGED: Size = Size { range: (BLOCK_BYTES, 1 << 30), step: BLOCK_BYTES };

/// A time above zero that has to pass.
const WAIT: Time = Time::between(Span::from_ns(1), Span::LONGEST);

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
        outstanding_limit: u32 = Count::<u32>::between(1, 1_000_000), default "255", source "Wang 2005, 3.2.2";
        /// Most I/Os that are outstanding at each device. If the device announces a `queue_depth`, the smaller of the two counts.
        outstanding_per_device: Option<u64> = LIMIT, default r#""unlimited""#, source "Wang 2005, 4.2.2";
        /// Most I/Os that are outstanding at each adapter. A way through one that is full is not taken.
        outstanding_per_adapter: Option<u64> = LIMIT, default r#""unlimited""#, source "Wang 2005, 3.2.2";
        /// Waiting I/Os of one direction that lie side by side on a device are merged and passed on as one, of so many bytes at most.
        merge: Option<u64> = MERGED.or("none"), default r#""none""#, source "Wang 2005, 4.2.2";
        /// How long an I/O may take from when it is passed on to an adapter. Then it is aborted, and tried again. Disks of Linux have 30 s.
        time_out: Option<Span> = WAIT.or("never"), default r#""never""#, source "Wang 2005, 3.1.4; Linux, drivers/scsi/sd.h";
        /// How often an I/O is tried again that came back with BUSY or CHECK CONDITION or was aborted after a time-out; then it fails.
        retries: u32 = Count::<u32>::between(0, 1_000_000), default "5", source "Wang 2005, 3.1.4; Linux, drivers/scsi/sd.h";
        /// How long the driver waits after BUSY until it tries again, and after QUEUE FULL of a device that has nothing else of this host.
        busy_wait: Span = WAIT, default r#""3 ms""#, source "Linux, drivers/scsi/scsi_lib.c";
        /// How long the driver takes to report an I/O that fails at the instant at which it came: no path to its device works, or it is refused in no
        /// time. An I/O that has taken any time is not held back.
        refusal_time: Span = WAIT, default r#""1 us""#, source "ours: some thousand instructions of a driver that looks for a path; no source says how many";
        /// After QUEUE FULL a device gets no more I/Os at a time than it had then, and one more whenever this time has passed without another.
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
    }
}

impl DriverParameters {
    /// Whether the number of requests in flight was limited by a key.
    pub fn limits_outstanding(&self) -> bool {
        let limits = [self.outstanding_per_device, self.outstanding_per_adapter];
        self.outstanding_limit < usual_limit() || limits.iter().any(Option::is_some)
    }

    /// Whether it was given a limit of the requests that begin in a time.
    pub fn limits_rate(&self) -> bool {
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
