//! The catalogue of an FL_Port: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{Catalogue, Figure, Gauge, Meter};

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const TO_FABRIC: usize = 0;
}

const GAUGES: &[Gauge] = &[
    Gauge::new(
        "held_for_fabric",
        "held for the fabric",
        "Frames from the loop that the fabric has not accepted.",
    ),
    Gauge::new(
        "held_for_loop",
        "held for the loop",
        "Frames from the fabric that the loop has not accepted.",
    ),
];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const TO_FABRIC: usize = 0;
    pub const TO_LOOP: usize = 1;
}

const METERS: &[Meter] = &Meter::list::<2>(&[]);

const FIGURES: &[Figure] = &[
    Figure::count(
        "to_fabric",
        "to the fabric",
        "Frames that came from the loop and went to the fabric.",
        meter::TO_FABRIC,
    ),
    Figure::count(
        "to_loop",
        "to the loop",
        "Frames that came from the fabric and went to the loop.",
        meter::TO_LOOP,
    ),
];

/// The catalogue of an FL_Port.
pub(super) const CATALOGUE: Catalogue =
    Catalogue { gauges: GAUGES, meters: METERS, figures: FIGURES, ..Catalogue::EMPTY };
