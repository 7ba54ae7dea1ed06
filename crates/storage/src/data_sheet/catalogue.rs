//! What is to be seen of a drive that is described by its data sheet.

use sansim_describe::catalogue::{Across, Block, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const RESPONSE: usize = 1;
    pub const NO_ANSWER: usize = 2;
}

/// What is to be seen of it.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait("drive_data", "drive data", "The data of a write are on their way into the drive."),
        Segment::work(
            "drive_response",
            "drive response",
            "The response time of the drive, with all that it has to do.",
            &[0],
        ),
        Segment::wait(
            "no_answer",
            "no answer",
            "The drive has the command and does nothing for it, until it is aborted.",
        ),
    ],
    provides: segment::RESPONSE,
    lanes: &[segment::RESPONSE],
    blocks: &[Block { name: "drive", label: "drive", meaning: "The drive, with whatever it has to do." }],
    gauges: &[Gauge { name: "commands", label: "commands", meaning: "Commands that the drive works on." }],
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
