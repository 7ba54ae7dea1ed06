//! The catalogue of a drive: its segments, blocks, gauges, meters and figures.

use crate::firmware::NO_ANSWER;
use sansim_schema::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Segment};

/// Stages of a command in the drive: its segments, by their numbers in the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum DriveStage {
    /// The command waits for other commands to finish.
    Queue,
    /// With a cache: the command waits until the medium has written earlier data, which frees space or lets the medium be positioned anew.
    MediumTaken,
    /// The command is in its access: seek and rotation.
    Access,
    /// The command is in its media transfer.
    Transfer,
    /// The command was accepted and is not answered.
    NoAnswer,
}

const SEGMENTS: &[Segment] = &[
    Segment::wait("drive_queue", "drive queue", "Waiting in the drive for other commands.")
        .coloured("#117733"),
    Segment::wait(
        "media_queue",
        "media queue",
        "Waiting until the medium of a drive with a cache has written earlier data.",
    )
    .coloured("#8CBFDD"),
    Segment::work("access", "access", "Seek and rotation.", &[block::POSITIONING]).coloured("#009E73"),
    Segment::work("media_transfer", "media transfer", "Media transfer.", &[block::MEDIUM])
        .coloured("#0072B2"),
    NO_ANSWER,
];

/// Blocks, by their numbers in the catalogue.
pub(super) mod block {
    pub const POSITIONING: usize = 0;
    pub const MEDIUM: usize = 1;
}

const BLOCKS: &[Block] = &[
    Block::new("positioning", "positioning", "Seek and rotation."),
    Block::new("medium", "medium", "Medium, reading or writing."),
];

const GAUGES: &[Gauge] =
    &[Gauge::new("drive_queue", "drive queue", "Commands that wait in the drive for others.")];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const WORKING: usize = 0;
    pub const OCCUPIED: usize = 1;
}

const METERS: &[Meter] = &[Meter::sampled("drive"), Meter::sampled("occupied")];

const FIGURES: &[Figure] = &[
    Figure::spread(
        "utilisation",
        "utilisation",
        "Share of the time in which it positioned or moved data, per command it may work on.",
        meter::WORKING,
    ),
    Figure::spread(
        "occupied",
        "occupied",
        "Share of the time in which the drive was occupied, from the start of a command until its status was made, per command it may work on. A drive that is always occupied is saturated, however low its utilisation.",
        meter::OCCUPIED,
    ),
];

/// All that can be observed of a drive.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    // Between two sequences of a read the medium does not stop.
    provides: DriveStage::Transfer as usize,
    lanes: &[DriveStage::Access as usize, DriveStage::Transfer as usize],
    blocks: BLOCKS,
    gauges: GAUGES,
    meters: METERS,
    figures: FIGURES,
    ..Catalogue::EMPTY
};
