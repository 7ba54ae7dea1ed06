//! The catalogue of a RAM disk: its segments, blocks, gauges, meters and figures.

use crate::awaited::DRIVE_DATA;
use crate::firmware::NO_ANSWER;
use sansim_schema::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const LATENCY: usize = 1;
    pub const TRANSFER: usize = 2;
    pub const SHARED: usize = 3;
    pub const NO_ANSWER: usize = 4;
}

/// All that can be observed of this kind of component.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        DRIVE_DATA,
        Segment::wait("ram_latency", "RAM latency", "The latency of a RAM disk."),
        Segment::work(
            "ram_transfer",
            "RAM transfer",
            "A RAM disk moves the data: the time that it needs for them alone.",
            &[0],
        ),
        Segment::wait(
            "ram_shared",
            "RAM shared",
            "A RAM disk shares its bandwidth with other commands: the time beyond the transfer of these data alone.",
        ),
        NO_ANSWER,
    ],
    provides: segment::TRANSFER,
    lanes: &[segment::LATENCY, segment::SHARED],
    blocks: &[Block::new("memory", "memory", "The memory of a RAM disk, which moves data.")],
    gauges: &[Gauge::new("commands", "commands", "Commands that the drive works on.")],
    meters: &[Meter::sampled("drive")],
    figures: &[Figure::spread("utilisation", "utilisation", "Share of the time in which it moved data.", 0)],
    ..Catalogue::EMPTY
};
