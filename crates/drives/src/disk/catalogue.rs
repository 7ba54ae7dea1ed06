//! The catalogue of a drive with a mechanical disk.

use crate::firmware::NO_ANSWER;
use sansim_schema::catalogue::{Block, Catalogue, Figure, FigureUnit, Gauge, Meter, Of, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const QUEUE: usize = 0;
    pub const ROOM: usize = 1;
    pub const OVERHEAD: usize = 2;
    pub const MEDIA_QUEUE: usize = 3;
    pub const SEEK: usize = 4;
    pub const ROTATION: usize = 5;
    pub const TRANSFER: usize = 6;
    pub const TO_HOST: usize = 7;
    pub const NO_ANSWER: usize = 8;
}

/// Blocks, by their numbers in the catalogue.
pub(super) mod block {
    pub const POSITIONING: usize = 0;
    pub const MEDIUM: usize = 1;
}

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const WORKING: usize = 0;
    pub const SEEKING: usize = 1;
    pub const ROTATING: usize = 2;
    pub const ACCESSES: usize = 3;
    pub const READS: usize = 4;
    pub const HITS: usize = 5;
    pub const STOPS: usize = 6;
}

const SEGMENTS: &[Segment] = &[
    Segment::wait("drive_queue", "drive queue", "Waiting in the drive for other commands.")
        .coloured("#117733"),
    Segment::wait("drive_room", "drive room", "A write waits for room in the buffer of the drive."),
    Segment::wait(
        "drive_overhead",
        "drive overhead",
        "The drive's processor works on the command. It does so for all of them at once, from when they come.",
    ),
    Segment::wait(
        "media_queue",
        "media queue",
        "Waiting for the medium of a drive with a cache to take data that were written before.",
    )
    .coloured("#8CBFDD"),
    Segment::work("seek", "seek", "The arm is on its way, or another head is chosen.", &[block::POSITIONING]),
    Segment::work("rotation", "rotation", "The first block has to come round.", &[block::POSITIONING]),
    Segment::work("media_transfer", "media transfer", "Media transfer.", &[block::MEDIUM])
        .coloured("#0072B2"),
    Segment::wait(
        "host_transfer",
        "host transfer",
        "Blocks between the drive and its host, where no network carries them: those of a write that goes into the buffer, and the last of a read behind the medium.",
    ),
    NO_ANSWER,
];

const BLOCKS: &[Block] = &[
    Block::new("positioning", "positioning", "Seek and rotation."),
    Block::new("medium", "medium", "Medium, reading or writing."),
];

const FIGURES: &[Figure] = &[
    Figure::spread(
        "utilisation",
        "utilisation",
        "Share of the time in which it positioned or moved data, also those that it had taken before. Reading ahead does not count.",
        meter::WORKING,
    ),
    Figure::new(
        "buffer_hits",
        FigureUnit::Share,
        "buffer hits",
        "Share of the reads for which the arm had nowhere to go: the buffer had all of it, or the medium was reading towards it.",
        Of::Ratio(meter::HITS, meter::READS),
    ),
    Figure::new(
        "mean_seek_ns",
        FigureUnit::Nanoseconds,
        "mean seek",
        "Mean seek of the commands for which the arm had to go somewhere.",
        Of::MeanTime(meter::SEEKING, meter::ACCESSES),
    ),
    Figure::new(
        "mean_rotation_ns",
        FigureUnit::Nanoseconds,
        "mean rotation",
        "Mean time in which the first block came round, of the same commands.",
        Of::MeanTime(meter::ROTATING, meter::ACCESSES),
    ),
    Figure::sum(
        "media_stops",
        "media stops",
        "How often the medium stood in a read because its segment was full of data that the host had not taken.",
        meter::STOPS,
    ),
];

/// All that can be observed of it.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: segment::TRANSFER,
    lanes: &[segment::SEEK, segment::ROTATION, segment::TRANSFER],
    blocks: BLOCKS,
    gauges: &[Gauge::new("drive_queue", "drive queue", "Commands that wait in the drive for others.")],
    meters: &Meter::list::<7>(&[(meter::WORKING, "drive")]),
    figures: FIGURES,
    ..Catalogue::EMPTY
};
