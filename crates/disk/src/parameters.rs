//! The keys of a mechanical disk. Missing keys follow the preset.

use crate::geometry::{DiskGeometry, Zone};
use crate::mechanics::Mechanics;
use crate::overheads::{AfterEither, Overheads};
use crate::presets::Preset;
pub use crate::read_ahead::DriveReadAhead;
use crate::rotation::Rotation;
use crate::scheduling::CommandOrder;
use crate::seek::{Seek, SeekQuantity};
use crate::zones::ZoneQuantity;
use sansim_kernel::Span;
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, Flag, ListOf, OrElse, Time};
use sansim_schema::table;

/// Heads and platters stand still within a tenth of a second.
const MOMENT: Time = Time::between(Span::ZERO, Span::from_ms(100));

table! {
    /// A mechanical disk.
    pub struct DiskParameters {
        /// The drive that it is like in everything that is not written.
        preset: Preset = Choice::<Preset>::ANY, default r#""st39102lw""#, source "DiskSim 2.01.016, validated drives";
        /// Rotational speed of the platters, in revolutions per minute.
        rpm: u32 = Count::<u32>::between(100, 100_000), follows "the preset" |_context| preset.preset_data().rpm, source "data sheet";
        /// Surfaces that hold data, each with a head.
        surfaces: u32 = Count::<u32>::between(1, 255), follows "the preset" |_context| preset.preset_data().surfaces, source "data sheet";
        /// Cylinders, spare ones included.
        cylinders: u32 = Count::<u32>::between(1, 1_000_000), follows "the preset" |_context| preset.preset_data().cylinders, source "data sheet";
        /// The zones from the outside inwards, each as first cylinder, sectors per track, track skew and cylinder skew in sectors, and
        /// how many sectors at its end hold no data.
        zones: Vec<Zone> = ListOf::between(1, 1_000, ZoneQuantity), follows "the preset" |_context| preset.preset_data().zones, source "DiskSim 2.0 manual, zones";
        /// How long the arm takes.
        seek: Seek = SeekQuantity, follows "the preset" |_context| preset.preset_data().seek, source "Lee, Katz 1993; Ruemmler, Wilkes 1994";
        /// Time of a head switch.
        head_switch: Span = MOMENT, follows "the preset" |_context| preset.preset_data().head_switch, source "Ruemmler, Wilkes 1994";
        /// Additional settling time of a write after a movement of the arm.
        write_settle: Span = MOMENT, follows "the preset" |_context| preset.preset_data().write_settle, source "Ruemmler, Wilkes 1994";
        /// Whether a track may be read and written from its middle on.
        zero_latency: bool = Flag, follows "the preset" |_context| preset.preset_data().zero_latency, source "DiskSim 2.0 manual, immediate access";
        /// How long the drive's processor takes from the arrival of a read until the arm may leave, if the command before was a read.
        read_overhead: Span = MOMENT, follows "the preset" |_context| preset.preset_data().read_overhead.read, source "DiskSim 2.0 manual, read miss overhead after read";
        /// The same if the command before was a write.
        read_overhead_after_write: Span = MOMENT, follows "the preset" |_context| preset.preset_data().read_overhead.write, source "DiskSim 2.0 manual, read miss overhead after write";
        /// Processor time of the drive for a read hit in the buffer after a read, until data may be sent.
        hit_overhead: Span = MOMENT, follows "the preset" |_context| preset.preset_data().hit_overhead.read, source "DiskSim 2.0 manual, read hit overhead after read";
        /// The same behind a write.
        hit_overhead_after_write: Span = MOMENT, follows "the preset" |_context| preset.preset_data().hit_overhead.write, source "DiskSim 2.0 manual, read hit overhead after write";
        /// Processor time of the drive for a write after a write, until the arm may leave and data may come.
        write_overhead: Span = MOMENT, follows "the preset" |_context| preset.preset_data().write_overhead.write, source "DiskSim 2.0 manual, write miss overhead after write";
        /// The same behind a read.
        write_overhead_after_read: Span = MOMENT, follows "the preset" |_context| preset.preset_data().write_overhead.read, source "DiskSim 2.0 manual, write miss overhead after read";
        /// Processor time of the drive for a write that continues written data in the buffer, after a write.
        write_hit_overhead: Span = MOMENT, follows "the preset" |_context| preset.preset_data().write_hit_overhead.write, source "DiskSim 2.0 manual, write hit overhead after write";
        /// The same behind a read.
        write_hit_overhead_after_read: Span = MOMENT, follows "the preset" |_context| preset.preset_data().write_hit_overhead.read, source "DiskSim 2.0 manual, write hit overhead after read";
        /// Time of the transfer of one block between the drive and its host. It is zero on a network, where the transfer is simulated.
        block_transfer: Span = MOMENT, follows "the preset" |_context| preset.preset_data().block_transfer, source "DiskSim 2.0 manual, bulk sector transfer time";
        /// Whether the arm may leave for the next command while data of the one before are on their way between drive and host.
        preseek: bool = Flag, default "false", source "DiskSim 2.0 manual, preseeking level";
        /// Number of segments of the buffer; without segments the drive has neither read-ahead nor write-behind.
        segments: u32 = Count::<u32>::between(0, 10_000), follows "the preset" |_context| preset.preset_data().segments, source "data sheet";
        /// How many blocks a segment holds.
        segment_blocks: u32 = Count::<u32>::between(1, 1 << 24), follows "the preset" |_context| preset.preset_data().segment_blocks, source "data sheet";
        /// How many segments may hold data that have been written and are not on the medium.
        write_segments: u32 = Count::<u32>::between(0, 10_000), follows "the preset" |_context| preset.preset_data().write_segments, source "data sheet";
        /// How far the medium reads on behind a read while nothing else is to be done.
        read_ahead: DriveReadAhead = Choice::<DriveReadAhead>::ANY, follows "the preset" |_context| preset.preset_data().read_ahead, source "DiskSim 2.0 manual, buffer continuous read";
        /// Whether read-ahead may overwrite the requested blocks after they were sent; otherwise a segment is full when both fill it.
        read_over: bool = Flag, follows "the preset" |_context| preset.preset_data().read_over, source "DiskSim 2.0 manual, read-ahead over requested";
        /// Whether a write is done when its data are in the buffer, and goes to the medium later. With `"appending"` only a write that
        /// begins where the write before it ended.
        write_behind: Option<bool> = OrElse { quantity: Flag, word: "appending" }, follows "the preset" |_context| preset.preset_data().write_behind, source "DiskSim 2.0 manual, fast write level; SBC-4, WCE of the caching mode page";
    }
    tables {
        /// In which order commands are taken.
        queue: CommandOrder;
    }
    checks(check_geometry, check_seek, check_segment)
}

impl DiskParameters {
    /// A drive with all values of its preset.
    pub fn of(preset: Preset) -> Self {
        let data = preset.preset_data();
        Self {
            preset,
            rpm: data.rpm,
            surfaces: data.surfaces,
            cylinders: data.cylinders,
            zones: data.zones,
            seek: data.seek,
            head_switch: data.head_switch,
            write_settle: data.write_settle,
            zero_latency: data.zero_latency,
            read_overhead: data.read_overhead.read,
            read_overhead_after_write: data.read_overhead.write,
            hit_overhead: data.hit_overhead.read,
            hit_overhead_after_write: data.hit_overhead.write,
            write_overhead: data.write_overhead.write,
            write_overhead_after_read: data.write_overhead.read,
            write_hit_overhead: data.write_hit_overhead.write,
            write_hit_overhead_after_read: data.write_hit_overhead.read,
            block_transfer: data.block_transfer,
            preseek: false,
            segments: data.segments,
            segment_blocks: data.segment_blocks,
            write_segments: data.write_segments,
            read_ahead: data.read_ahead,
            read_over: data.read_over,
            write_behind: data.write_behind,
            queue: CommandOrder::default(),
        }
    }

    /// The processor time for each sort of command.
    pub fn overheads(&self) -> Overheads {
        let behind = |read, write| AfterEither { read, write };
        Overheads {
            read: behind(self.read_overhead, self.read_overhead_after_write),
            hit: behind(self.hit_overhead, self.hit_overhead_after_write),
            write: behind(self.write_overhead_after_read, self.write_overhead),
            write_hit: behind(self.write_hit_overhead_after_read, self.write_hit_overhead),
        }
    }

    /// The mechanics with these keys, with the platters at phase 0.
    ///
    /// # Errors
    /// A sentence about the error in the keys, the same that [`check`](sansim_schema::table::Tabular::check) reports.
    pub fn mechanics(&self) -> Result<Mechanics, String> {
        Ok(Mechanics {
            geometry: DiskGeometry::new(self.surfaces, self.cylinders, &self.zones)?,
            seek: self.seek.seek_curve(self.cylinders)?,
            rotation: Rotation::new(self.rpm, 0),
            head_switch: self.head_switch,
            write_settle: self.write_settle,
            zero_latency: self.zero_latency,
        })
    }

    /// The capacity in bytes; 0 if there is no disk with these keys.
    pub fn capacity(&self) -> u64 {
        let geometry = DiskGeometry::new(self.surfaces, self.cylinders, &self.zones);
        geometry.map_or(0, |geometry| geometry.blocks() * crate::BLOCK_BYTES)
    }

    /// The longest time that a command of this many blocks may last from when it is begun, whatever is in the buffer: for checks that time
    /// does not overflow, not for estimates. [`Span::MAX`] if the longest time does not fit into a span, or if there is no disk with these
    /// keys.
    pub fn longest_command_time(&self, blocks: u32) -> Span {
        let Ok(mechanics) = self.mechanics() else { return Span::MAX };
        let fewest = self.zones.iter().map(|zone| zone.sectors).min().unwrap_or(1);
        let ticks = |span: Span| u128::from(span.ticks());
        let revolution = ticks(mechanics.rotation.revolution_time());
        let longest = ticks(mechanics.seek.seek_time(u32::MAX).max(self.head_switch) + self.write_settle);
        // The bound counts for every track of a transfer a seek, a wait for the rotation, and one pass.
        let transfer = |blocks: u32| (u128::from(blocks / fewest) + 2) * (longest + 2 * revolution);
        let written = u128::from(self.write_segments) * transfer(self.segment_blocks);
        let overhead = ticks(self.overheads().longest_overhead());
        let host = u128::from(blocks) * ticks(self.block_transfer);
        let all = written + transfer(blocks) + overhead + host;
        Span(u64::try_from(all).unwrap_or(u64::MAX))
    }

    /// All data in the buffer are written, and the buffer is filled, in a time that can be simulated.
    fn check_segment(&self, keys: &mut Keys<'_, '_>) {
        let all = ["rpm", "cylinders", "surfaces", "zones", "seek", "segment_blocks", "write_segments"];
        if self.mechanics().is_err()
            || self.longest_command_time(self.segment_blocks) <= Span::LONGEST
            || !keys.all_readable(&all)
        {
            return;
        }
        let message = format!(
            "{} segments of {} blocks may take longer to be written than the 30 days that a simulation adds up",
            self.write_segments.max(1),
            self.segment_blocks
        );
        let fault = Diagnostic::new(codes::OUT_OF_RANGE, keys.value_position("segment_blocks"), message)
            .with_label("too large for a disk as slow")
            .with_help("give smaller segments, or fewer write segments");
        keys.report("segment_blocks", fault);
    }

    /// Zones follow each other and have room for data.
    fn check_geometry(&self, keys: &mut Keys<'_, '_>) {
        if let Err(wrong) = DiskGeometry::new(self.surfaces, self.cylinders, &self.zones)
            && keys.all_readable(&["surfaces", "cylinders", "zones"])
        {
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("zones"), wrong)
                .with_label("these zones");
            let related = keys.written_position("cylinders").map(|place| (place, "the cylinders"));
            keys.report_with("zones", fault, related);
        }
    }

    /// The seek curve exists, and rises.
    fn check_seek(&self, keys: &mut Keys<'_, '_>) {
        if let Err(wrong) = self.seek.seek_curve(self.cylinders)
            && keys.all_readable(&["cylinders", "seek"])
        {
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("seek"), wrong)
                .with_label("this curve");
            keys.report("seek", fault);
        }
    }
}

#[cfg(test)]
mod tests;
