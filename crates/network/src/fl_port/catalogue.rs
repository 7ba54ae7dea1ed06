//! What is to be seen of an FL_Port.

use sansim_describe::catalogue::{Catalogue, Figure, Gauge, Meter, Of, Unit};

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const TO_FABRIC: usize = 0;
}

const GAUGES: &[Gauge] = &[
    Gauge {
        name: "held_for_fabric",
        label: "held for the fabric",
        meaning: "Frames from the loop that the fabric has not taken.",
    },
    Gauge {
        name: "held_for_loop",
        label: "held for the loop",
        meaning: "Frames from the fabric that the loop has not taken.",
    },
];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const TO_FABRIC: usize = 0;
    pub const TO_LOOP: usize = 1;
}

const METERS: &[Meter] = &[Meter { sampled: None }, Meter { sampled: None }];

const FIGURES: &[Figure] = &[
    Figure::new(
        "to_fabric",
        Unit::Count,
        "to the fabric",
        "Frames that came from the loop and went to the fabric.",
        Of::Count(meter::TO_FABRIC),
    ),
    Figure::new(
        "to_loop",
        Unit::Count,
        "to the loop",
        "Frames that came from the fabric and went to the loop.",
        Of::Count(meter::TO_LOOP),
    ),
];

/// What is to be seen of an FL_Port.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[],
    provides: 0,
    lanes: &[],
    blocks: &[],
    gauges: GAUGES,
    stocks: &[],
    meters: METERS,
    figures: FIGURES,
};
