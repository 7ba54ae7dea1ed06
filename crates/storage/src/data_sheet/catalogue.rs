//! What is to be seen of a drive that is described by its data sheet.

use crate::awaited::DRIVE_DATA;
use crate::firmware::NO_ANSWER;
use sansim_describe::catalogue::{Across, Block, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const RESPONSE: usize = 1;
    pub const NO_ANSWER: usize = 2;
}

/// What is to be seen of it.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        DRIVE_DATA,
        Segment::work(
            "drive_response",
            "drive response",
            "The response time of the drive, with all that it has to do.",
            &[0],
        ),
        NO_ANSWER,
    ],
    provides: segment::RESPONSE,
    lanes: &[segment::RESPONSE],
    blocks: &[Block { name: "drive", label: "drive", meaning: "The drive, with whatever it has to do." }],
    gauges: &[Gauge { name: "commands", label: "commands", meaning: "Commands that the drive works on." }],
    stocks: &[],
    meters: &[Meter { sampled: Some("drive") }],
    figures: &[Figure {
        name: "utilisation",
        unit: Unit::Share,
        label: "utilisation",
        meaning: "Share of the time in which it worked on a command at least.",
        of: Of::Share(0),
        across: Across::MeanAndRange,
    }],
};
