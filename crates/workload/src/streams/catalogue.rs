//! What is to be seen of a workload of streams.

use sansim_describe::catalogue::{Catalogue, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const BACKLOG: usize = 0;
}

/// What is to be seen of a workload of streams.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[Segment::wait(
        "backlog",
        "backlog",
        "Arrived, and waiting until fewer requests of its stream are outstanding.",
    )],
    ..Catalogue::EMPTY
};
