//! What is to be seen of a storage controller.

use sansim_describe::catalogue::{Across, Block, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const QUEUE: usize = 0;
    pub const PROCESSOR: usize = 1;
    pub const DATA: usize = 2;
    pub const FAIL_OVER: usize = 3;
    pub const NO_ANSWER: usize = 4;
}

/// What is to be seen of a controller.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait("controller_queue", "controller queue", "Waiting for the processor of the controller."),
        Segment::work("controller", "controller", "Processor of the controller.", &[0]),
        Segment::wait(
            "write_data",
            "write data",
            "The data of a write are on their way into the controller.",
        ),
        Segment::wait(
            "fail_over",
            "fail-over",
            "Waiting for another way to the device behind, because one has failed.",
        ),
        Segment::wait(
            "no_answer",
            "no answer",
            "The controller has the request and does nothing for it, until it is aborted.",
        ),
    ],
    provides: segment::QUEUE,
    lanes: &[],
    blocks: &[Block { name: "controller", label: "controller", meaning: "Processor of the controller." }],
    gauges: &[Gauge {
        name: "controller_queue",
        label: "controller queue",
        meaning: "Requests that wait for the processor of the controller.",
    }],
    meters: &[Meter { sampled: Some("controller") }],
    figures: &[Figure {
        name: "utilisation",
        unit: Unit::Share,
        label: "utilisation",
        meaning: "Share of the time in which its processor was at work.",
        of: Of::Share(0),
        across: Across::MeanAndRange,
    }],
};
