//! The catalogue of a drive with a mechanical disk: its segments, blocks, gauges, meters and figures.

use crate::firmware::NO_ANSWER;
use sansim_schema::catalogue::{
    Block, Catalogue, Figure, FigureDefinition, FigureUnit, Gauge, Meter, Segment,
};

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
        "The drive's processor works on the command: on all commands at once, from their arrival.",
    ),
    Segment::wait(
        "media_queue",
        "media queue",
        "Waiting until the medium of a drive with a cache has written earlier data.",
    )
    .coloured("#8CBFDD"),
    Segment::work(
        "seek",
        "seek",
        "The arm moves to the cylinder, or another head is selected.",
        &[block::POSITIONING],
    ),
    Segment::work("rotation", "rotation", "The first block rotates to the head.", &[block::POSITIONING]),
    Segment::work("media_transfer", "media transfer", "Media transfer.", &[block::MEDIUM])
        .coloured("#0072B2"),
    Segment::wait(
        "host_transfer",
        "host transfer",
        "Blocks between the drive and its host, where no network carries them: those of a write into the buffer, and the last of a read after the medium.",
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
        "Share of the time in which the drive positioned or moved data, buffered writes included. Reading ahead does not count.",
        meter::WORKING,
    ),
    Figure::new(
        "buffer_hits",
        FigureUnit::Share,
        "buffer hits",
        "Share of the reads without a seek: the buffer had all blocks, or the medium was reading towards them.",
        FigureDefinition::Ratio(meter::HITS, meter::READS),
    ),
    Figure::new(
        "mean_seek_ns",
        FigureUnit::Nanoseconds,
        "mean seek",
        "Mean seek time of the commands with a seek.",
        FigureDefinition::MeanTime(meter::SEEKING, meter::ACCESSES),
    ),
    Figure::new(
        "mean_rotation_ns",
        FigureUnit::Nanoseconds,
        "mean rotation",
        "Mean rotational latency of the commands with a seek.",
        FigureDefinition::MeanTime(meter::ROTATING, meter::ACCESSES),
    ),
    Figure::sum(
        "media_stops",
        "media stops",
        "Times that the medium paused in a read because its segment held only data that the host had not fetched.",
        meter::STOPS,
    ),
];

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const CYLINDER: usize = 1;
}

const GAUGES: &[Gauge] = &[
    Gauge::new("drive_queue", "drive queue", "Commands that wait in the drive for others."),
    Gauge::position(
        "cylinder",
        "cylinder",
        "Cylinder at which the arm is, or to which it moves; 0 is the outermost.",
    ),
];

/// All that can be observed of this kind of component.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: segment::TRANSFER,
    lanes: &[segment::SEEK, segment::ROTATION, segment::TRANSFER],
    blocks: BLOCKS,
    gauges: GAUGES,
    meters: &Meter::list::<7>(&[(meter::WORKING, "drive")]),
    figures: FIGURES,
    ..Catalogue::EMPTY
};
