//! Tape drives with published figures, from which the defaults of other keys follow.
//!
//! | figure | source |
//! |---|---|
//! | capacity, rate at full speed | IBM, TS4500 Tape Library, *Supported tape drives*; half-height drives: IBM, TS2290, *Performance specifications* |
//! | slowest rate, how many speeds | IBM, *Speed matching*, of full-height and half-height drives |
//! | wraps | LTO format: wraps of a band, times four bands |
//! | mean time from the beginning of the tape to a record | IBM, *Performance specifications for LTO tape drives*; half-height drives: the TS2290 |
//!
//! `end_to_end` is *fitted to* the last row: records are uniformly distributed, so on average half of the tape passes, and finding it takes `locate`
//! in addition. Speeds are assumed to be in even steps; published ones differ by at most 3 % of full speed. Figures without a source, `locate`,
//! `back_hitch` and `buffer`, are assumptions.

use sansim_kernel::Span;
use sansim_schema::words;

/// The time to find a position that does not depend on the distance: `end_to_end` of presets is fitted under this assumption.
pub(super) const LOCATE: Span = Span::from_s(4);

words! {
    /// A tape drive with published figures.
    pub enum TapePreset {
        /// IBM LTO Ultrium 9, full height, 18 TB.
        Lto9 = "lto-9" from "IBM, TS4500 Tape Library documentation, supported tape drives; IBM, speed matching, generation 9 media; IBM, performance specifications for LTO tape drives, LTO 9",
        /// IBM LTO Ultrium 8, half height, 12 TB.
        Lto8HalfHeight = "lto-8-half-height" from "IBM, TS4500 Tape Library documentation, supported tape drives (capacity); IBM, speed matching of half-height drives, generation 8 media; IBM TS2290, performance specifications, LTO 8",
        /// IBM LTO Ultrium 7, half height, 6 TB.
        Lto7HalfHeight = "lto-7-half-height" from "IBM, TS4500 Tape Library documentation, supported tape drives (capacity); IBM, speed matching of half-height drives, generation 7 media; IBM TS2290, performance specifications, LTO 7",
    }
}

/// The published figures of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Published {
    /// The capacity of a tape, in bytes.
    pub capacity: u64,
    /// Bytes in a second at full speed, without compression.
    pub rate: u64,
    /// Bytes per second at the slowest speed.
    pub slowest_rate: u64,
    /// The number of speeds.
    pub speeds: u32,
    /// The number of times that the tape passes the heads.
    pub wraps: u32,
    /// Mean time from the beginning of the tape to a record.
    pub to_record: Span,
}

impl Published {
    /// The time for the tape to pass from one end to the other: half of the tape passes in the mean time to a record.
    pub const fn end_to_end(self) -> Span {
        Span(2 * (self.to_record.0 - LOCATE.0))
    }
}

impl TapePreset {
    /// The published figures of the preset.
    pub(super) const fn published(self) -> Published {
        const TB: u64 = 1_000_000_000_000;
        const MB: u64 = 1_000_000;
        let (capacity, [rate, slowest_rate], speeds, wraps, to_record_s) = match self {
            TapePreset::Lto9 => (18 * TB, [400 * MB, 177 * MB], 12, 280, 45),
            TapePreset::Lto8HalfHeight => (12 * TB, [300 * MB, 112 * MB], 9, 208, 59),
            TapePreset::Lto7HalfHeight => (6 * TB, [300 * MB, 101_460_000], 12, 112, 56),
        };
        Published { capacity, rate, slowest_rate, speeds, wraps, to_record: Span::from_s(to_record_s) }
    }
}
