//! Groups of equal drives, each with its own port and adapter.

use crate::model::{Adapter, Port};
use crate::quantity::{CacheSize, Choice, Count, Flag, Rate, Size, SplitInto, TimeOrDistribution};
use crate::table::table;
use crate::values::{DriveModel, Split, WriteTransfer};
use sansim_storage::drive::AccessTime;

table! {
    /// A group of equal drives. Their ports stand side by side on the loop.
    pub struct DriveGroup {
        /// How many drives.
        count: u32 = Count::<u32>::between(0, 1_000_000), default "1", source "";
        /// What stores the data.
        model: DriveModel = Choice::<DriveModel>::ANY, default r#""disk""#, source "";
        /// Time from receiving a command to the first byte: seek and rotation in one. Must be given for a disk.
        access_time: AccessTime = TimeOrDistribution, default r#""0 ns""#, source "Wang 2005, table 6.1";
        /// How much a drive holds, in logical blocks of 512 bytes.
        capacity: u64 = Size { range: (512, 1 << 60), step: 512 }, default r#""64 GiB""#, source "";
        /// Rate at which data come from or go to the medium, in bytes per second.
        transfer_rate: u64 = Rate { range: (1, 1_000_000_000_000) }, required r#""50 MiB/s""#, source "Wang 2005, table 6.1";
        /// Commands that are in the drive at a time; further ones wait in its adapter.
        concurrency: u32 = Count::<u32>::between(1, 1_000_000), default "1", source "Wang 2005, 4.3.3.2";
        /// How much write data one FCP_XFER_RDY asks for, in bytes.
        burst: Split = SplitInto, default r#""whole""#, source "FCP-4; Wang 2005, 4.3.2";
        /// Size of the sequences in which the data of a read are sent, in bytes.
        read_sequence: Split = SplitInto, default r#""whole""#, source "Wang 2005, 4.3.2";
        /// When a write pays for its media transfer: before the drive asks for the data (a command takes access and
        /// transfer time whatever its direction), or after the data have come (no write cache).
        write_transfer: WriteTransfer = Choice::<WriteTransfer>::ANY, default r#""before-data""#, source "Wang 2005, 4.3.2.3";
        /// Size of the cache segment of each drive. With it a read that follows the one before finds what the medium has read
        /// ahead, up to a full segment, and a write is done when its data are in the segment (`write_transfer` then means
        /// nothing). Such commands have no access time; bursts and sequences are at most as long as the segment, and a drive
        /// works on one command at a time.
        cache: Option<u64> = CacheSize, default r#""none""#, source "Ruwart 1999, baseline performance";
        /// Whether the drives keep to the fairness window of the loop.
        fair: bool = Flag, default "true", source "FC-AL-2";
    }
    tables {
        /// The port of each drive.
        port: Port;
        /// The adapter of each drive.
        adapter: Adapter;
    }
    computed {
        /// Name of the component.
        name: String = String::new();
    }
}
