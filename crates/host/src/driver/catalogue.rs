//! The catalogue of a host: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{
    Block, Catalogue, Figure, FigureDefinition, FigureUnit, Gauge, Meter, Segment,
};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const QUEUE: usize = 0;
    pub const ARRIVAL: usize = 1;
    pub const COMPLETION_QUEUE: usize = 2;
    pub const COMPLETION: usize = 3;
    pub const FAIL_OVER: usize = 4;
    pub const HELD_BACK: usize = 5;
    pub const ABORT: usize = 6;
    pub const RETRY: usize = 7;
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

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const WAITING: usize = 0;
    pub const OUTSTANDING: usize = 1;
    pub const MERGED: usize = 2;
}

/// The metrics of a host.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait(
            "host_queue",
            "host queue",
            "In the driver's queue, because the outstanding limit is reached or an earlier request is being set up.",
        ).coloured("#BBBBBB"),
        Segment::work(
            "driver_arrival",
            "driver arrival",
            "Arrival process of the driver.",
            &[block::ARRIVAL],
        ).coloured("#999999"),
        Segment::wait(
            "completion_queue",
            "completion queue",
            "Waiting for the completion process of the driver.",
        ).coloured("#CFCFCF"),
        Segment::work(
            "driver_completion",
            "driver completion",
            "Completion process of the driver.",
            &[block::COMPLETION],
        ).coloured("#555555"),
        Segment::wait(
            "fail_over",
            "fail-over",
            "Waiting for another path to the device, because one has failed.",
        ).coloured("#EE7733"),
        Segment::wait(
            "held_back",
            "held back",
            "Held back by a limit of rate or bandwidth: of its workload, of its device, or of the host.",
        ).coloured("#DDDDDD"),
        Segment::wait("abort", "abort", "Waiting to be aborted, after a time-out.").coloured("#CC3311"),
        Segment::wait(
            "retry",
            "retry",
            "Waiting in the driver for its next attempt, after a failed one.",
        ).coloured("#EE99AA"),
    ],
    blocks: &[
        Block::new("driver_arrival", "driver arrival", "Arrival process of the driver."),
        Block::new("driver_completion", "driver completion", "Completion process of the driver."),
    ],
    gauges: &[
        Gauge::new("waiting", "waiting", "Requests in the driver's queue."),
        Gauge::new("outstanding", "outstanding", "Requests that the driver has sent and that are not answered."),
    ],
    meters: &Meter::list::<3>(&[]),
    figures: &[
        Figure::new(
            "waiting",
            FigureUnit::Number,
            "requests waiting",
            "Mean number of requests in the driver's queues.",
            FigureDefinition::Share(meter::WAITING),
        ),
        Figure::new(
            "outstanding",
            FigureUnit::Number,
            "requests outstanding",
            "Mean number of requests that the driver has sent and that are not answered; merged requests count as one.",
            FigureDefinition::Share(meter::OUTSTANDING),
        ),
        Figure::sum(
            "merged",
            "merged requests",
            "Requests that the driver merged into another.",
            meter::MERGED,
        ),
    ],
    ..Catalogue::EMPTY
};
