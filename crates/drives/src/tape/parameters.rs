//! The keys of a tape drive.

use super::TapeDrive;
use super::presets::TapePreset;
use crate::firmware::FirmwareParameters;
use crate::grouped::DriveGroupKeys;
use sansim_kernel::Span;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{ByteRate, Choice, Count, Percentage, Share, Size, Time};
use sansim_schema::{codes, table};

/// A position on a tape is found within an hour.
const LOCATE: Time = Time::between(Span::ZERO, Span::from_s(3_600));
const RATE: ByteRate = ByteRate { range: (1_000, 1_000_000_000_000) };

table! {
    /// A tape drive. Values without a source are assumptions.
    #[derive(Copy)]
    pub struct TapeDriveParameters {
        /// A drive with published figures, which the others follow.
        preset: TapePreset = Choice::<TapePreset>::ANY, default r#""lto-9""#, source "IBM, see the words";
        /// Capacity of the tape, in logical blocks of 512 bytes.
        capacity: u64 = Size { range: (512, 1 << 60), step: 512 }, follows "the preset" |_context| preset.published().capacity, source "IBM, supported tape drives";
        /// Rate at which data come from or go to the tape at full speed, in bytes per second.
        rate: u64 = RATE, follows "the preset" |_context| preset.published().rate, source "IBM, performance specifications for LTO tape drives";
        /// Rate at the slowest speed, in bytes per second. The drive matches its speed to the host, so that it need not stop.
        slowest_rate: u64 = RATE, follows "the preset, or `rate` if that is another one: then it has one speed" |_context| slowest(preset, rate), source "IBM, speed matching";
        /// Number of speeds of the drive, from the slowest to full speed in even steps.
        speeds: u32 = Count::<u32>::between(1, 64), follows "the preset" |_context| preset.published().speeds, source "IBM, speed matching";
        /// Size of its buffer.
        buffer: u64 = Size { range: (4096, 1 << 40), step: 512 }, default r#""1 GiB""#, source "ours: assumed, see the words of `preset`";
        /// Share of the buffer at which a stopped tape restarts: full for writes, empty for reads.
        restart: Share = Percentage { range: (1, 1_000_000) }, default r#""50 %""#, source "ours: assumed, data sheets do not say";
        /// How long a back-hitch takes: the tape stops and goes back to before the place where it ended, ready to be at speed there.
        back_hitch: Span = LOCATE, default r#""3 s""#, source "ours: assumed, data sheets do not say";
        /// Number of passes of the tape from one end to the other: tracks that are written at once count as one.
        wraps: u32 = Count::<u32>::between(1, 100_000), follows "the preset" |_context| preset.published().wraps, source "LTO format, wraps of four bands";
        /// How long it takes to find a place, beside the way.
        locate: Span = LOCATE, default r#""4 s""#, source "ours: assumed, beside the published mean time to a place";
        /// Time to wind the tape from one end to the other at locate speed.
        end_to_end: Span = LOCATE, follows "the preset" |_context| preset.published().end_to_end(), source "fitted to IBM, average space record time from load point";
    }
    parts {
        /// Commands that it rejects or fails.
        firmware: FirmwareParameters;
    }
    checks(check_rates, check_times)
}

/// The slowest rate of a drive that has this rate at full speed.
fn slowest(preset: TapePreset, rate: u64) -> u64 {
    let published = preset.published();
    if rate == published.rate { published.slowest_rate } else { rate }
}

impl TapeDriveParameters {
    /// The slowest speed is no faster than full speed.
    fn check_rates(&self, keys: &mut Keys<'_, '_>) {
        if self.slowest_rate <= self.rate || !keys.all_readable(&["rate", "slowest_rate"]) {
            return;
        }
        let message =
            format!("the slowest rate is {} B/s, and full speed {} B/s", self.slowest_rate, self.rate);
        let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("slowest_rate"), message)
            .with_label("faster than full speed")
            .with_help("leave it out for a drive with one speed");
        keys.report("slowest_rate", fault);
    }

    /// The buffer is emptied in a time that can be simulated.
    fn check_times(&self, keys: &mut Keys<'_, '_>) {
        if Span::to_move(self.buffer, self.slowest_rate.max(1)) <= Span::LONGEST
            || !keys.all_readable(&["buffer", "rate", "slowest_rate"])
        {
            return;
        }
        let message = format!("a buffer of {} B is not emptied in 30 days", self.buffer);
        let fault = Diagnostic::new(codes::OUT_OF_RANGE, keys.value_position("buffer"), message)
            .with_label("too much for this rate")
            .with_help("give a smaller buffer, or a larger rate");
        keys.report("buffer", fault);
    }

    /// The rate of a speed; speed 0 is the slowest.
    pub(super) fn rate_of(&self, speed: u32) -> u64 {
        let steps = u64::from(self.speeds.max(2) - 1);
        let speed = if self.speeds == 1 { steps } else { u64::from(speed) };
        let more =
            u128::from(self.rate - self.slowest_rate.min(self.rate)) * u128::from(speed) / u128::from(steps);
        self.slowest_rate.min(self.rate) + more as u64
    }

    /// The time to move the tape from one position to another.
    pub(super) fn locate_time(&self, from: u64, to: u64) -> Span {
        let wrap = (self.capacity / u64::from(self.wraps)).max(1);
        // Every other wrap goes backwards.
        let along = |byte: u64| {
            let within = byte % wrap;
            if (byte / wrap).is_multiple_of(2) { within } else { wrap - within }
        };
        let way = u128::from(along(from).abs_diff(along(to)));
        self.locate + Span((u128::from(self.end_to_end.ticks()) * way / u128::from(wrap)) as u64)
    }
}

impl DriveGroupKeys for TapeDriveParameters {
    type Drive = TapeDrive;

    fn fails_by_itself(&self) -> bool {
        self.firmware.faults.fails_every.is_some()
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }
}
