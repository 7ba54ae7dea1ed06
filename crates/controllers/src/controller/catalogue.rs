//! The catalogue of a storage controller: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const QUEUE: usize = 0;
    pub const PROCESSOR: usize = 1;
    pub const DATA: usize = 2;
    pub const FAIL_OVER: usize = 3;
    pub const NO_ANSWER: usize = 4;
    pub const STORAGE_SIDE: usize = 5;
    pub const INTERNAL: usize = 6;
    pub const OWNER: usize = 7;
}

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const BUSY: usize = 0;
    pub const FORWARDED: usize = 1;
    pub const CHANGES: usize = 2;
}

/// All that can be observed of a controller.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait("controller_queue", "controller queue", "Waiting for the processor of the controller."),
        Segment::work("controller", "controller", "Processor of the controller.", &[0]),
        Segment::wait("write_data", "write data", "The data of a write are in flight to the controller."),
        Segment::wait(
            "fail_over",
            "fail-over",
            "Waiting for another path to the device, because one has failed.",
        )
        .coloured("#EE7733"),
        Segment::wait(
            "no_answer",
            "no answer",
            "The controller has the request and does nothing for it, until it is aborted.",
        )
        .coloured("#994455"),
        Segment::wait(
            "storage_side_queue",
            "storage-side queue",
            "Waiting in the controller, which has reached its limit of concurrent requests of hosts.",
        ),
        Segment::wait(
            "internal_queue",
            "internal queue",
            "Waiting in the controller, whose adapters have reached the limit of internal I/Os in flight to the device.",
        ),
        Segment::wait(
            "change_of_owner",
            "change of owner",
            "Waiting until the other controller of a pair owns the device.",
        ),
    ],
    provides: segment::QUEUE,
    blocks: &[Block::new("controller", "controller", "Processor of the controller.")],
    gauges: &[
        Gauge::new(
            "controller_queue",
            "controller queue",
            "Requests that wait for the processor of the controller.",
        ),
        Gauge::new("storage_side_queue", "storage-side queue", "Requests in its storage-side queue."),
        Gauge::new("internal_queue", "internal queue", "Requests in its internal queue."),
    ],
    meters: &Meter::list::<3>(&[(meter::BUSY, "controller")]),
    figures: &[
        Figure::spread(
            "utilisation",
            "utilisation",
            "Share of the time in which its processor was at work.",
            meter::BUSY,
        ),
        Figure::sum(
            "forwarded",
            "forwarded",
            "Requests that arrived at the controller of a pair that does not own their device.",
            meter::FORWARDED,
        ),
        Figure::sum(
            "changes_of_owner",
            "changes of owner",
            "Changes of the owner of a device within a pair.",
            meter::CHANGES,
        ),
    ],
    ..Catalogue::EMPTY
};
