//! The keys of a drive.

use super::Drive;
use crate::firmware::FirmwareParameters;
use crate::grouped::DriveGroupKeys;
use sansim_component::component_kind::CheckedRequest;
use sansim_kernel::{Distribution, Span};
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{ByteRate, Choice, Count, Dimensioned, Size, TimeOrDistribution};
use sansim_schema::source::SourceRange;
use sansim_schema::{codes, table, words};

/// The burst length of FCP is a field of 32 bits.
const PIECES: Size = Size::between(1, u32::MAX as u64);

/// A cache segment holds at least one frame.
const SEGMENT: Size = Size::between(2112, 1 << 32);

words! {
    /// The medium of a drive.
    pub enum DriveModel {
        /// A disk: an access time, then data at the transfer rate.
        Disk = "disk",
        /// Memory: data at the transfer rate; no access time unless one is given.
        Ram = "ram",
    }
}

words! {
    /// The moment at which a write pays for its media transfer.
    pub enum WriteTransfer {
        /// Before the drive asks for the data.
        BeforeData = "before-data",
        /// After the data have come.
        AfterData = "after-data",
    }
}

table! {
    /// A drive.
    pub struct DriveParameters {
        /// The medium that stores the data.
        model: DriveModel = Choice::<DriveModel>::ANY, default r#""disk""#, source "Wang 2005, table 6.1: its drives are disks";
        /// Time from receiving a command to the first byte: seek and rotation in one. Must be given for a disk.
        access_time: Distribution = TimeOrDistribution::ANY, default r#""0 ns""#, source "Wang 2005, table 6.1";
        /// Capacity of a drive, in logical blocks of 512 bytes.
        capacity: u64 = Size { range: (512, 1 << 60), step: 512 }, default r#""64 GiB""#, source "ours: where the data are makes no difference to such a drive";
        /// Rate at which data come from or go to the medium, in bytes per second.
        transfer_rate: u64 = ByteRate { range: (1, 1_000_000_000_000) }, required r#""50 MiB/s""#, source "Wang 2005, table 6.1";
        /// Commands that the drive works on at a time; further commands wait in its adapter.
        concurrency: u32 = Count::<u32>::between(1, 1_000_000), default "1", source "Wang 2005, 4.3.3.2";
        /// How much write data one FCP_XFER_RDY asks for, in bytes.
        burst: Option<u64> = PIECES.or("whole"), default r#""whole""#, source "FCP-4; Wang 2005, 4.3.2";
        /// Size of the sequences in which the data of a read are sent, in bytes.
        read_sequence: Option<u64> = PIECES.or("whole"), default r#""whole""#, source "Wang 2005, 4.3.2";
        /// When a write pays for its media transfer: before the drive asks for the data (a command takes access and
        /// transfer time whatever its direction), or after the data have come (no write cache).
        write_transfer: WriteTransfer = Choice::<WriteTransfer>::ANY, default r#""before-data""#, source "Wang 2005, 4.3.2.3";
        /// Size of the cache segment of each drive. With it a read that follows the one before finds what the medium has read
        /// ahead, up to a full segment, and a write is done when its data are in the segment (`write_transfer` then means
        /// nothing). Such commands have no access time; bursts and sequences are at most as long as the segment, and a drive
        /// works on one command at a time.
        cache: Option<u64> = SEGMENT.or("none"), default r#""none""#, source "Ruwart 1999, baseline performance";
    }
    parts {
        /// Commands that it rejects or fails.
        firmware: FirmwareParameters;
    }
    checks(check_cache, check_segment, check_access_time)
}

/// A time in days, as a text for messages.
fn days(seconds: f64) -> String {
    format!("{:.0} days", seconds / 86_400.0)
}

impl DriveParameters {
    /// Size in bytes of the bursts in which the data of a write come; none if they come in one burst.
    pub fn write_burst_bytes(&self) -> Option<u64> {
        self.pieces(self.burst)
    }

    /// Size in bytes of the sequences in which the data of a read go; none if they go in one sequence.
    pub fn read_sequence_bytes(&self) -> Option<u64> {
        self.pieces(self.read_sequence)
    }

    /// The pieces are limited by the size of the cache.
    fn pieces(&self, described: Option<u64>) -> Option<u64> {
        [described, self.cache].into_iter().flatten().min()
    }

    /// The cache serves one command at a time.
    fn check_cache(&self, keys: &mut Keys<'_, '_>) {
        if self.cache.is_none() || self.concurrency == 1 || !keys.all_readable(&["cache", "concurrency"]) {
            return;
        }
        let fault = Diagnostic::new(
            codes::NOT_BUILT,
            keys.value_position("concurrency"),
            "a drive with a cache works on one command at a time in this version",
        )
        .with_label(format!("{} commands at a time", self.concurrency))
        .with_help(format!(
            "leave out {}, or {}",
            keys.full_path("concurrency"),
            keys.full_path("cache")
        ));
        let cache = keys.value_position("cache");
        keys.report_with("concurrency", fault, Some((cache, "the cache")));
    }

    /// The medium fills a whole cache segment by itself.
    fn check_segment(&self, keys: &mut Keys<'_, '_>) {
        let Some(segment) = self.cache else { return };
        if !keys.all_readable(&["cache", "transfer_rate"]) {
            return;
        }
        let place = keys.value_position("cache");
        if let Some(fault) =
            self.too_long(segment, "a cache segment", (&keys.full_path("cache"), place), keys.path())
        {
            let related = keys.written_position("transfer_rate").map(|place| (place, "the rate"));
            keys.report_with("cache", fault, related);
        }
    }

    /// A disk has an access time.
    fn check_access_time(&self, keys: &mut Keys<'_, '_>) {
        if self.model != DriveModel::Disk
            || keys.written_position("access_time").is_some()
            || !keys.all_readable(&["model"])
        {
            return;
        }
        let fault = Diagnostic::new(
            codes::MISSING_KEY,
            keys.header_position(),
            format!("`{}` lacks the key `access_time`", keys.path()),
        )
        .with_label("a disk needs an access time")
        .with_help("add access_time = \"2 ms\", or model = \"ram\" for a drive without one");
        keys.report("access_time", fault);
    }

    /// No transfer may take longer than [`Span::LONGEST`], the longest time that simulated time can count: returns the fault of a transfer
    /// of `bytes` bytes. `what` describes the bytes and `name` the drives, for the message; the key with the number of bytes is named too.
    fn too_long(
        &self,
        bytes: u64,
        what: &str,
        (key, place): (&str, SourceRange),
        name: &str,
    ) -> Option<Diagnostic> {
        let rate = self.transfer_rate;
        if Span::to_move(bytes, rate) <= Span::LONGEST {
            return None;
        }
        let takes = days(bytes as f64 / rate as f64);
        let message =
            format!("{what} of {bytes} B keeps the medium of `{name}` busy for {takes} at {rate} B/s");
        let fault = Diagnostic::new(codes::OUT_OF_RANGE, place, message)
            .with_label(format!("must take at most {}", days(Span::LONGEST.as_s_f64())))
            .with_help(format!("give a smaller {key}, or a larger {name}.transfer_rate"));
        Some(fault)
    }
}

impl DriveGroupKeys for DriveParameters {
    type Drive = Drive;

    fn fails_by_itself(&self) -> bool {
        self.firmware.faults.fails_every.is_some()
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Whether a drive can move a request of this size in a time that can be simulated.
    fn check_request(&self, request: &CheckedRequest<'_>, keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["transfer_rate"]) {
            return;
        }
        let at = (request.key, request.place);
        if let Some(fault) = self.too_long(request.bytes, "an I/O", at, keys.path()) {
            let related = keys.written_position("transfer_rate").map(|place| (place, "the rate"));
            keys.report_elsewhere(request.key, fault, related);
        }
    }
}
