//! What is to be seen of a host.

use sansim_describe::catalogue::{Block, Catalogue, Gauge, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const ARRIVAL: usize = 1;
    pub const COMPLETION_QUEUE: usize = 2;
    pub const COMPLETION: usize = 3;
    pub const FAIL_OVER: usize = 4;
    pub const ABORT: usize = 5;
    pub const RETRY: usize = 6;
}

/// Blocks, by their numbers in the catalogue.
pub(super) mod block {
    pub const ARRIVAL: usize = 0;
    pub const COMPLETION: usize = 1;
}

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const WAITING: usize = 0;
    pub const OUTSTANDING: usize = 1;
}

/// What is to be seen of a host.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait(
            "host_queue",
            "host queue",
            "In the driver's queue, because the outstanding limit is reached or an earlier request is being set up.",
        ),
        Segment::work(
            "driver_arrival",
            "driver arrival",
            "Arrival process of the driver.",
            &[block::ARRIVAL],
        ),
        Segment::wait(
            "completion_queue",
            "completion queue",
            "Waiting for the completion process of the driver.",
        ),
        Segment::work(
            "driver_completion",
            "driver completion",
            "Completion process of the driver.",
            &[block::COMPLETION],
        ),
        Segment::wait(
            "fail_over",
            "fail-over",
            "Waiting for another way to the device, because one has failed.",
        ),
        Segment::wait("abort", "abort", "Waiting to be aborted, after a time-out."),
        Segment::wait(
            "retry",
            "retry",
            "Waiting in the driver to be passed on again, after it came back undone.",
        ),
    ],
    blocks: &[
        Block { name: "driver_arrival", label: "driver arrival", meaning: "Arrival process of the driver." },
        Block {
            name: "driver_completion",
            label: "driver completion",
            meaning: "Completion process of the driver.",
        },
    ],
    gauges: &[
        Gauge { name: "waiting", label: "waiting", meaning: "Requests in the driver's queue." },
        Gauge {
            name: "outstanding",
            label: "outstanding",
            meaning: "Requests that the driver has passed on and not back.",
        },
    ],
    ..Catalogue::EMPTY
};
