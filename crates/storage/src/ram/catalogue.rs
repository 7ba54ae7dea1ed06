//! What is to be seen of a RAM disk.

use sansim_describe::catalogue::{Across, Block, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const LATENCY: usize = 1;
    pub const TRANSFER: usize = 2;
    pub const NO_ANSWER: usize = 3;
}

/// What is to be seen of it.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait("drive_data", "drive data", "The data of a write are on their way into the drive."),
        Segment::wait("ram_latency", "RAM latency", "The latency of a RAM disk."),
        Segment::work(
            "ram_transfer",
            "RAM transfer",
            "A RAM disk moves the data, beside those of other commands.",
            &[0],
        ),
        Segment::wait(
            "no_answer",
            "no answer",
            "The drive has the command and does nothing for it, until it is aborted.",
        ),
    ],
    provides: segment::TRANSFER,
    lanes: &[segment::LATENCY, segment::TRANSFER],
    blocks: &[Block {
        name: "memory",
        label: "memory",
        meaning: "The memory of a RAM disk, which moves data.",
    }],
    gauges: &[Gauge { name: "commands", label: "commands", meaning: "Commands that the drive works on." }],
    meters: &[Meter { sampled: Some("drive") }],
    figures: &[Figure {
        name: "utilisation",
        unit: Unit::Share,
        label: "utilisation",
        meaning: "Share of the time in which it moved data.",
        of: Of::Share(0),
        across: Across::MeanAndRange,
    }],
};
