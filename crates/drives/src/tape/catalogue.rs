//! The catalogue of a tape drive: its segments, blocks, gauges, meters and figures.

use crate::firmware::NO_ANSWER;
use sansim_schema::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const QUEUE: usize = 0;
    pub const ROOM: usize = 1;
    pub const MEDIA_QUEUE: usize = 2;
    pub const LOCATE: usize = 3;
    pub const BACK_HITCH: usize = 4;
    pub const TRANSFER: usize = 5;
    pub const NO_ANSWER: usize = 6;
}

/// Blocks, by their numbers in the catalogue.
pub(super) mod block {
    pub const POSITIONING: usize = 0;
}

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const STREAMING: usize = 0;
    pub const LOCATING: usize = 1;
    pub const BACK_HITCHING: usize = 2;
    pub const BACK_HITCHES: usize = 3;
}

const FIGURES: &[Figure] = &[
    Figure::spread(
        "utilisation",
        "utilisation",
        "Share of the time in which the tape streamed: data came from it or went to it.",
        meter::STREAMING,
    ),
    Figure::share(
        "locating",
        "locating",
        "Share of the time in which the tape wound to a position.",
        meter::LOCATING,
    ),
    Figure::share(
        "back_hitching",
        "back-hitching",
        "Share of the time in which the tape stopped and went back, because data did not arrive, or were not fetched, fast enough.",
        meter::BACK_HITCHING,
    ),
    Figure::sum(
        "back_hitches",
        "back-hitches",
        "Times that the tape stopped and went back.",
        meter::BACK_HITCHES,
    ),
];

/// All that can be observed of this kind of component.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait("drive_queue", "drive queue", "Waiting in the drive for other commands.")
            .coloured("#117733"),
        Segment::wait("drive_room", "drive room", "A write waits for room in the buffer of the drive."),
        Segment::wait(
            "media_queue",
            "media queue",
            "Waiting until the medium of a drive with a cache has written earlier data.",
        )
        .coloured("#8CBFDD"),
        Segment::work("locate", "locate", "The tape winds to a position.", &[block::POSITIONING]),
        Segment::work("back_hitch", "back-hitch", "The tape stops and goes back.", &[block::POSITIONING]),
        Segment::work("media_transfer", "media transfer", "Media transfer.", &[1]).coloured("#0072B2"),
        NO_ANSWER,
    ],
    provides: segment::TRANSFER,
    lanes: &[segment::LOCATE, segment::BACK_HITCH, segment::TRANSFER],
    blocks: &[
        Block::new("tape_motion", "tape motion", "The tape, winding to a position."),
        Block::new("medium", "medium", "Medium, reading or writing."),
    ],
    gauges: &[Gauge::new("drive_queue", "drive queue", "Commands that wait in the drive for others.")],
    meters: &Meter::list::<4>(&[(meter::STREAMING, "drive")]),
    figures: FIGURES,
    ..Catalogue::EMPTY
};
