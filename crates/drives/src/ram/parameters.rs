//! The keys of a RAM disk.

use super::RamDisk;
use crate::firmware::FirmwareParameters;
use crate::grouped::DriveGroupKeys;
use sansim_kernel::Span;
use sansim_schema::quantities::{ByteRate, Size, Time};
use sansim_schema::table;

table! {
    /// A RAM disk.
    pub struct RamDiskParameters {
        /// Time from a command, of a write from the last of its data, until data are moved.
        latency: Span = Time::between(Span::ZERO, Span::from_s(1)), default r#""1 us""#, source "ours: assumed, a few accesses to memory";
        /// Rate at which data are moved, in bytes per second, of all commands together.
        bandwidth: u64 = ByteRate { range: (1_000_000, 10_000_000_000_000) }, required r#""10 GB/s""#, source "";
        /// Capacity of a RAM disk, in logical blocks of 512 bytes.
        capacity: u64 = Size { range: (512, 1 << 60), step: 512 }, default r#""64 GiB""#, source "ours: small enough to be filled in a run, large enough for any load";
    }
    parts {
        /// Commands that it rejects or fails.
        firmware: FirmwareParameters;
    }
}

impl DriveGroupKeys for RamDiskParameters {
    type Drive = RamDisk;

    fn fails_by_itself(&self) -> bool {
        self.firmware.faults.fails_every.is_some()
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }
}
