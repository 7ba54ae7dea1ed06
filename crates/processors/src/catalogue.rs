//! The catalogue of processors.

use sansim_schema::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Segment};

/// Segments, by their numbers in the catalogue.
pub(crate) mod segment {
    pub const QUEUE: usize = 0;
    pub const UNNOTICED: usize = 1;
    pub const SUBMISSION: usize = 2;
    pub const INTERRUPT: usize = 3;
    pub const COMPLETION: usize = 4;
    pub const FRAME_WORK: usize = 5;
}

/// The only block.
const PROCESSOR: usize = 0;

/// Gauges, by their numbers in the catalogue.
pub(crate) mod gauge {
    pub const WAITING: usize = 0;
}

/// Meters, by their numbers in the catalogue.
pub(crate) mod meter {
    pub const WORKING: usize = 0;
    pub const OCCUPIED: usize = 1;
    pub const INTERRUPTS: usize = 2;
    pub const COMPLETIONS: usize = 3;
    pub const PRODUCTIVE: usize = 4;
    pub const UNPRODUCTIVE: usize = 5;
}

/// All that can be observed of processors.
pub(crate) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait("run_queue", "run queue", "Waiting for a processor of the host."),
        Segment::wait(
            "unnoticed",
            "unnoticed",
            "There is something to do, and no processor knows of it: waiting for the interrupt, or for a poll.",
        ),
        Segment::work("submission", "submission", "A processor sets it up.", &[PROCESSOR]),
        Segment::work(
            "interrupt",
            "interrupt",
            "A processor takes the interrupt by which it learns of this completion and maybe others.",
            &[PROCESSOR],
        ),
        Segment::work("completion", "completion", "A processor looks at its completion.", &[PROCESSOR]),
        Segment::work(
            "frame_work",
            "frame work",
            "A processor makes a frame of it, or takes one or the interrupt for that, for a network that leaves frames to software.",
            &[PROCESSOR],
        ),
    ],
    provides: segment::QUEUE,
    lanes: &[segment::SUBMISSION, segment::INTERRUPT, segment::COMPLETION, segment::FRAME_WORK],
    blocks: &[Block::new("processors", "processors", "Processors of the host, at work for requests.")],
    gauges: &[
        Gauge::new(
            "run_queue",
            "run queue",
            "Requests that wait for a processor, or for one to learn of them.",
        ),
        Gauge::new("busy_processors", "busy processors", "Processors at work for requests."),
    ],
    meters: &Meter::list::<6>(&[(meter::WORKING, "processors"), (meter::OCCUPIED, "occupied")]),
    figures: &[
        Figure::share(
            "utilisation",
            "utilisation",
            "Share of the time in which a processor was at work for requests, mean of all: submissions, interrupts, completions, polls that found one; and what networks leave to software.",
            meter::WORKING,
        ),
        Figure::share(
            "occupied",
            "occupied",
            "Share of the time in which a processor was taken, mean of all: at work for requests, by other load, or by polls that found nothing.",
            meter::OCCUPIED,
        ),
        Figure::sum("interrupts", "interrupts", "Interrupts that came.", meter::INTERRUPTS),
        Figure::sum(
            "noticed_completions",
            "completions noticed",
            "Completions that processors learned of, by interrupts or polls.",
            meter::COMPLETIONS,
        ),
        Figure::sum(
            "productive_polls",
            "productive polls",
            "Polls that found something to do.",
            meter::PRODUCTIVE,
        ),
        Figure::sum(
            "unproductive_polls",
            "unproductive polls",
            "Polls that found nothing to do.",
            meter::UNPRODUCTIVE,
        ),
    ],
    ..Catalogue::EMPTY
};
