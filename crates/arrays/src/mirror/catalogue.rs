//! The catalogue of a mirror: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{Catalogue, Figure, FigureUnit, Gauge, Segment};

/// All that can be observed of a mirror.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[Segment::wait("mirror", "mirror", "In the mirror, before its copies have the request.")],
    gauges: &[Gauge::new("copies", "copies", "Copies that work.")],
    figures: &[Figure::constant("copies", FigureUnit::Count, "copies", "Copies that work at the end.")],
    ..Catalogue::EMPTY
};
