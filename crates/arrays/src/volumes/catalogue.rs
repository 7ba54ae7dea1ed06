//! The catalogue of volumes: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{Catalogue, Figure, Gauge, Meter, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const VOLUME: usize = 0;
    pub const FAIL_OVER: usize = 1;
}

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const REQUESTS: usize = 0;
    pub const SPLIT: usize = 1;
    pub const WITHOUT_SPACE: usize = 2;
    pub const OF_ZEROS: usize = 3;
}

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const TAKEN: usize = 1;
}

/// All that can be observed of volumes.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait("volume", "volume", "In the volume, before the devices behind have the request."),
        Segment::wait(
            "fail_over",
            "fail-over",
            "Waiting for another path to the device, because one has failed.",
        )
        .coloured("#EE7733"),
    ],
    provides: segment::VOLUME,
    gauges: &[
        Gauge::new("behind", "behind", "Requests of the volumes in flight at the devices behind."),
        Gauge::new("taken", "chunks taken", "Chunks that volumes on write have taken from the pool."),
    ],
    meters: &Meter::list::<4>(&[]),
    figures: &[
        Figure::sum("requests", "requests", "Requests that came.", meter::REQUESTS),
        Figure::sum(
            "split_requests",
            "split requests",
            "Requests that span several devices behind, or several ranges of one.",
            meter::SPLIT,
        ),
        Figure::sum(
            "writes_without_space",
            "writes without space",
            "Writes that failed because the pool had no chunk left.",
            meter::WITHOUT_SPACE,
        ),
        Figure::sum(
            "reads_of_zeros",
            "reads of zeros",
            "Reads of what was never written, which go to no device.",
            meter::OF_ZEROS,
        ),
    ],
    ..Catalogue::EMPTY
};
