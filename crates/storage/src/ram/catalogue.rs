//! What is to be seen of a RAM disk.

use crate::awaited::DRIVE_DATA;
use crate::firmware::NO_ANSWER;
use sansim_describe::catalogue::{Across, Block, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const LATENCY: usize = 1;
    pub const TRANSFER: usize = 2;
    pub const SHARED: usize = 3;
    pub const NO_ANSWER: usize = 4;
}

/// What is to be seen of it.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        DRIVE_DATA,
        Segment::wait("ram_latency", "RAM latency", "The latency of a RAM disk."),
        Segment::work(
            "ram_transfer",
            "RAM transfer",
            "A RAM disk moves the data: so long as it takes for them alone.",
            &[0],
        ),
        Segment::wait(
            "ram_shared",
            "RAM shared",
            "A RAM disk moves data of other commands meanwhile; until it is done, with what it takes for its own.",
        ),
        NO_ANSWER,
    ],
    provides: segment::TRANSFER,
    lanes: &[segment::LATENCY, segment::SHARED],
    blocks: &[Block {
        name: "memory",
        label: "memory",
        meaning: "The memory of a RAM disk, which moves data.",
    }],
    gauges: &[Gauge { name: "commands", label: "commands", meaning: "Commands that the drive works on." }],
    stocks: &[],
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
