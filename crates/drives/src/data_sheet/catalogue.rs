//! The catalogue of a drive that is described by its data sheet: its segments, blocks, gauges, meters and figures.

use crate::awaited::DRIVE_DATA;
use crate::firmware::NO_ANSWER;
use sansim_schema::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const RESPONSE: usize = 1;
    pub const NO_ANSWER: usize = 2;
}

/// All that can be observed of this kind of component.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        DRIVE_DATA,
        Segment::work(
            "drive_response",
            "drive response",
            "The response time of the drive, with all of its work.",
            &[0],
        ),
        NO_ANSWER,
    ],
    provides: segment::RESPONSE,
    lanes: &[segment::RESPONSE],
    blocks: &[Block::new("drive", "drive", "The drive as a whole.")],
    gauges: &[Gauge::new("commands", "commands", "Commands that the drive works on.")],
    meters: &[Meter::sampled("drive")],
    figures: &[Figure::spread(
        "utilisation",
        "utilisation",
        "Share of the time in which it worked on a command at least.",
        0,
    )],
    ..Catalogue::EMPTY
};
