//! The catalogue of a client of a metadata controller: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const CLIENT: usize = 0;
    pub const SESSION: usize = 1;
    pub const LOCK: usize = 2;
    pub const EXTENT: usize = 3;
    pub const QUEUE: usize = 4;
    pub const MAPPING: usize = 5;
    pub const FAIL_OVER: usize = 6;
}

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const UNDER_WAY: usize = 0;
    pub const WAITING: usize = 1;
}

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const BUSY: usize = 0;
    pub const REQUESTS: usize = 1;
    pub const MESSAGES: usize = 2;
    pub const UNANSWERED: usize = 3;
    pub const LAPSES: usize = 4;
    pub const BROKEN_OFF: usize = 5;
    pub const SPLIT: usize = 6;
    pub const REFUSED: usize = 7;
}

/// The segments, blocks, gauges, meters and figures of a client.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait(
            "metadata_client",
            "metadata client",
            "In the client, before the devices have the request.",
        ),
        Segment::wait(
            "session",
            "session",
            "Waiting for a session at the metadata controller, or for the end of a move of the volume.",
        ),
        Segment::wait("lock", "lock", "Waiting for a lock that covers its blocks."),
        Segment::wait("extent", "extent", "Waiting for the location of an extent."),
        Segment::wait(
            "translation_queue",
            "translation queue",
            "Waiting until the client has translated earlier requests.",
        ),
        Segment::work(
            "translation",
            "translation",
            "The client translates the address of the request to devices and blocks.",
            &[0],
        ),
        Segment::wait(
            "fail_over",
            "fail-over",
            "Waiting for another path to the device, because one has failed.",
        )
        .coloured("#EE7733"),
    ],
    provides: segment::CLIENT,
    blocks: &[Block::new("translation", "translation", "Software of the client that translates requests.")],
    gauges: &[
        Gauge::new("direct", "direct accesses", "Requests of the client in flight at devices."),
        Gauge::new(
            "waiting_for_leave",
            "waiting for leave",
            "Requests that wait in the client for a session, a lock or an extent.",
        ),
    ],
    meters: &Meter::list::<8>(&[(meter::BUSY, "translation")]),
    figures: &[
        Figure::share(
            "utilisation",
            "utilisation",
            "Share of the time in which it translated a request.",
            meter::BUSY,
        ),
        Figure::sum("requests", "requests", "Requests that came.", meter::REQUESTS),
        Figure::sum(
            "messages",
            "messages",
            "Messages that it sent to the metadata controller.",
            meter::MESSAGES,
        ),
        Figure::sum(
            "unanswered",
            "unanswered messages",
            "Messages to the metadata controller that got an error, or no answer in time.",
            meter::UNANSWERED,
        ),
        Figure::sum(
            "lapses",
            "lapsed sessions",
            "Sessions that ended before the client closed them: the lease had expired, or the controller no longer had the session.",
            meter::LAPSES,
        ),
        Figure::sum(
            "broken_off",
            "accesses broken off",
            "Requests that were in flight at devices when a session lapsed. The client repeats those that did not complete.",
            meter::BROKEN_OFF,
        ),
        Figure::sum(
            "split_requests",
            "split requests",
            "Requests that span several devices, or several ranges of one.",
            meter::SPLIT,
        ),
        Figure::sum(
            "refused_requests",
            "refused requests",
            "Requests that were refused with the session for them.",
            meter::REFUSED,
        ),
    ],
    ..Catalogue::EMPTY
};
