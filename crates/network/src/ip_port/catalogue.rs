//! The catalogue of an IP port: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{Catalogue, Figure, Gauge, Meter, Segment};

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
const GAUGES: &[Gauge] =
    &[Gauge::new("queued_datagrams", "queued datagrams", "IP datagrams that wait in the port or leave it.")];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const SENT: usize = 0;
    pub const RECEIVED: usize = 1;
    pub const DROPPED: usize = 2;
}

const FIGURES: &[Figure] = &[
    Figure::count("sent_datagrams", "datagrams sent", "IP datagrams that left the port.", meter::SENT),
    Figure::count(
        "received_datagrams",
        "datagrams received",
        "IP datagrams that came in at the port.",
        meter::RECEIVED,
    ),
    Figure::count(
        "dropped_datagrams",
        "datagrams dropped",
        "IP datagrams that the port dropped because its queue had no space.",
        meter::DROPPED,
    ),
];

/// The catalogue of an IP port.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: segment::SENDING,
    gauges: GAUGES,
    meters: &Meter::list::<3>(&[]),
    figures: FIGURES,
    ..Catalogue::EMPTY
};
