//! The keys of a RAM disk.

use super::RamDisk;
use crate::faults::FaultParameters;
use crate::grouped::Grouped;
use sansim_component::errors::ErrorParameters;
use sansim_describe::quantities::{OrUnlimited, Rate, Size, Time};
use sansim_describe::table;
use sansim_kernel::Span;

table! {
    /// A RAM disk.
    pub struct RamDiskParameters {
        /// Time from a command, of a write from the last of its data, until data are moved.
        latency: Span = Time::between(Span::ZERO, Span::from_s(1)), default r#""1 us""#, source "";
        /// Rate at which data are moved, in bytes per second, of all commands together.
        bandwidth: u64 = Rate { range: (1_000_000, 10_000_000_000_000) }, required r#""10 GB/s""#, source "";
        /// How much a RAM disk holds, in logical blocks of 512 bytes.
        capacity: u64 = Size { range: (512, 1 << 60), step: 512 }, default r#""64 GiB""#, source "";
        /// Commands that a RAM disk takes in all; to a further one it says QUEUE FULL. It announces `queue_depth`.
        queue_limit: Option<u64> = OrUnlimited::between(1, 65_536), default r#""unlimited""#, source "SAM-5, TASK SET FULL";
    }
    tables {
        /// The errors that each RAM disk makes.
        errors: ErrorParameters;
        /// What goes wrong with the medium of each RAM disk.
        faults: FaultParameters;
    }
}

impl Grouped for RamDiskParameters {
    type Drive = RamDisk;

    fn capacity(&self) -> u64 {
        self.capacity
    }
}
