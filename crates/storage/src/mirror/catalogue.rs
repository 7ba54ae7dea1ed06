//! What is to be seen of a mirror.

use sansim_describe::catalogue::{Across, Catalogue, Figure, Gauge, Of, Segment, Unit};

/// What is to be seen of a mirror.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[Segment::wait("mirror", "mirror", "In the mirror, before its copies have the request.")],
    gauges: &[Gauge { name: "copies", label: "copies", meaning: "Copies that work." }],
    figures: &[Figure {
        name: "copies",
        unit: Unit::Count,
        label: "copies",
        meaning: "Copies that work at the end.",
        of: Of::Constant,
        across: Across::Mean,
    }],
    ..Catalogue::EMPTY
};
