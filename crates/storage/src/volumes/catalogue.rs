//! What is to be seen of volumes.

use sansim_describe::catalogue::{Across, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const VOLUME: usize = 0;
    pub const FAIL_OVER: usize = 1;
}

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const REQUESTS: usize = 0;
    pub const SPLIT: usize = 1;
}

const fn counted(name: &'static str, label: &'static str, meaning: &'static str, meter: usize) -> Figure {
    Figure { name, unit: Unit::Count, label, meaning, of: Of::Count(meter), across: Across::Sum }
}

/// What is to be seen of volumes.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait("volume", "volume", "In the volume, before the devices behind have the request."),
        Segment::wait(
            "fail_over",
            "fail-over",
            "Waiting for another way to the device behind, because one has failed.",
        ),
    ],
    provides: segment::VOLUME,
    lanes: &[],
    blocks: &[],
    gauges: &[Gauge {
        name: "behind",
        label: "behind",
        meaning: "Requests that the volumes have under way at devices behind.",
    }],
    stocks: &[],
    meters: &[Meter { sampled: None }, Meter { sampled: None }],
    figures: &[
        counted("requests", "requests", "Requests that came.", meter::REQUESTS),
        counted(
            "split_requests",
            "split requests",
            "Requests that are on several devices behind, or at several places of one.",
            meter::SPLIT,
        ),
    ],
};
