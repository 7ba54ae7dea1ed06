//! The catalogue of processors: its segments, blocks, gauges, meters and figures.

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
            "Work is pending that no processor has noticed: waiting for the interrupt, or for a poll.",
        ),
        Segment::work("submission", "submission", "A processor sets it up.", &[PROCESSOR]),
        Segment::work(
            "interrupt",
            "interrupt",
            "A processor handles the interrupt that signals this completion, and maybe others.",
            &[PROCESSOR],
        ),
        Segment::work("completion", "completion", "A processor handles its completion.", &[PROCESSOR]),
        Segment::work(
            "frame_work",
            "frame work",
            "A processor builds a frame of it, or handles a received frame or its interrupt, for a network whose frames software handles.",
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
            "Requests that wait for a processor, or until a processor notices them.",
        ),
        Gauge::new("busy_processors", "busy processors", "Processors at work for requests."),
    ],
    meters: &Meter::list::<6>(&[(meter::WORKING, "processors"), (meter::OCCUPIED, "occupied")]),
    figures: &[
        Figure::share(
            "utilisation",
            "utilisation",
            "Share of the time in which a processor worked for requests, mean of all: submissions, interrupts, completions, polls that found one, and frames that software handles.",
            meter::WORKING,
        ),
        Figure::share(
            "occupied",
            "occupied",
            "Share of the time in which a processor was busy, mean of all: with requests, with other load, or with polls that found no work.",
            meter::OCCUPIED,
        ),
        Figure::sum("interrupts", "interrupts", "Interrupts that came.", meter::INTERRUPTS),
        Figure::sum(
            "noticed_completions",
            "completions noticed",
            "Completions that processors noticed by interrupts or polls.",
            meter::COMPLETIONS,
        ),
        Figure::sum("productive_polls", "productive polls", "Polls that found work.", meter::PRODUCTIVE),
        Figure::sum(
            "unproductive_polls",
            "unproductive polls",
            "Polls that found no work.",
            meter::UNPRODUCTIVE,
        ),
    ],
    ..Catalogue::EMPTY
};
