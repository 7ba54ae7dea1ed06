//! What is to be seen of an IP port.

use sansim_describe::catalogue::{Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const SENDING: usize = 0;
}

const SEGMENTS: &[Segment] = &[Segment::wait(
    "sending_ip",
    "sending IP",
    "The port sends IP datagrams: it has one request for all of them, which is no I/O.",
)];

/// Gauges, by their numbers in the catalogue.
const GAUGES: &[Gauge] = &[Gauge {
    name: "queued_datagrams",
    label: "queued datagrams",
    meaning: "IP datagrams that wait in the port or leave it.",
}];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const SENT: usize = 0;
    pub const RECEIVED: usize = 1;
    pub const DROPPED: usize = 2;
}

const NOT_SAMPLED: Meter = Meter { sampled: None };

const FIGURES: &[Figure] = &[
    Figure::new(
        "sent_datagrams",
        Unit::Count,
        "datagrams sent",
        "IP datagrams that left the port.",
        Of::Count(meter::SENT),
    ),
    Figure::new(
        "received_datagrams",
        Unit::Count,
        "datagrams received",
        "IP datagrams that came in at the port.",
        Of::Count(meter::RECEIVED),
    ),
    Figure::new(
        "dropped_datagrams",
        Unit::Count,
        "datagrams dropped",
        "IP datagrams that found the queue of the port full.",
        Of::Count(meter::DROPPED),
    ),
];

/// What is to be seen of an IP port.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: segment::SENDING,
    lanes: &[],
    blocks: &[],
    gauges: GAUGES,
    stocks: &[],
    meters: &[NOT_SAMPLED, NOT_SAMPLED, NOT_SAMPLED],
    figures: FIGURES,
};
