//! The keys of a drive with a mechanical disk.

use super::DiskDrive;
use crate::firmware::FirmwareParameters;
use crate::grouped::DriveGroupKeys;
use sansim_component::component_kind::CheckedRequest;
use sansim_disk::{BLOCK_BYTES, DiskParameters};
use sansim_kernel::Span;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Dimensioned, Size};
use sansim_schema::{codes, table};

/// The burst length of FCP is a field of 32 bits.
const PIECES: Size = Size::between(512, u32::MAX as u64);

table! {
    /// A drive with a mechanical disk.
    pub struct DiskDriveParameters {
        /// Size of the pieces in which the data of a read are sent while the medium still reads, in bytes.
        read_sequence: Option<u64> = PIECES.or("whole"), default r#""16 KiB""#, source "ours: a few frames at a time";
        /// Buffer space for the data of unfinished writes: the size of the write segments, and at least two segments.
        write_room: Option<u64> = Size { range: (1024, 1 << 40), step: 512 }.or("segments"), default r#""segments""#, source "ours: what the segments hold";
    }
    parts {
        /// The mechanics, and the buffer before it.
        disk: DiskParameters;
        /// Commands that it rejects or fails.
        firmware: FirmwareParameters;
    }
}

impl DiskDriveParameters {
    /// The buffer space for data of writes, in bytes.
    pub fn write_buffer_bytes(&self) -> u64 {
        let segments = u64::from(self.disk.write_segments.max(2));
        self.write_room.unwrap_or(segments * u64::from(self.disk.segment_blocks) * BLOCK_BYTES)
    }
}

impl DriveGroupKeys for DiskDriveParameters {
    type Drive = DiskDrive;

    const LARGER: &'static str = "cylinders";

    fn fails_by_itself(&self) -> bool {
        self.firmware.faults.fails_every.is_some()
    }

    fn capacity(&self) -> u64 {
        self.disk.capacity()
    }

    /// Whether the medium moves a request of this size in a time that can be simulated.
    fn check_request(&self, request: &CheckedRequest<'_>, keys: &mut Keys<'_, '_>) {
        let blocks = u32::try_from(request.bytes.div_ceil(BLOCK_BYTES));
        let in_time = blocks.is_ok_and(|blocks| self.disk.longest_command_time(blocks) <= Span::LONGEST);
        if in_time || !keys.all_readable(&["rpm", "cylinders", "surfaces", "zones", "seek"]) {
            return;
        }
        let message = format!(
            "an I/O of {} B may keep the medium of `{}` busy for more than 30 days",
            request.bytes,
            keys.path()
        );
        let fault = Diagnostic::new(codes::OUT_OF_RANGE, request.place, message)
            .with_label("too much for one I/O")
            .with_help("give a smaller size");
        keys.report_elsewhere(request.key, fault, None);
    }
}
