//! The catalogue of a workload of streams: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{Catalogue, FigureUnit, Segment, Stock};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const BACKLOG: usize = 0;
}

/// The catalogue of a workload of streams.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[Segment::wait(
        "backlog",
        "backlog",
        "Arrived, and waiting until fewer requests of its stream are outstanding.",
    )],
    stocks: &[Stock {
        name: "under_way",
        unit: FigureUnit::Count,
        meaning: "the number of its requests in flight",
        grows: "more requests arrive than complete",
        shrinks: "fewer requests arrive than complete",
    }],
    ..Catalogue::EMPTY
};
