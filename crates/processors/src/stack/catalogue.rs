//! The catalogue of the processors of an appliance: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    use super::super::parameters::Stage;

    pub const UNNOTICED: usize = 0;
    pub const QUEUE: usize = 1;
    pub const LINK_QUEUE: usize = 2;
    pub const INTERRUPT: usize = 3;
    pub const LINK: usize = 4;
    pub const ON_THE_LINK: usize = 5;

    /// The segment of the software part of a network; it follows the stages.
    pub const FRAME_WORK: usize = of(Stage::Status) + 1;

    /// The segment of a stage.
    pub const fn of(stage: Stage) -> usize {
        6 + stage as usize
    }
}

/// Blocks, by their numbers in the catalogue.
pub(super) mod block {
    pub const PROCESSORS: usize = 0;
    pub const LINK: usize = 1;
}

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const WAITING: usize = 0;
    pub const WORKING: usize = 1;
}

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const WORKING: usize = 0;
    pub const OCCUPIED: usize = 1;
    pub const LINK: usize = 2;
    pub const INTERRUPTS: usize = 3;
    pub const PRODUCTIVE: usize = 4;
    pub const UNPRODUCTIVE: usize = 5;
}

const fn stage(name: &'static str, label: &'static str, meaning: &'static str) -> Segment {
    Segment::work(name, label, meaning, &[block::PROCESSORS])
}

/// All that can be observed of the processors.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait(
            "stack_unnoticed",
            "unnoticed",
            "An adapter of the appliance has work pending that no poll or interrupt has found.",
        ),
        Segment::wait(
            "stack_queue",
            "stack queue",
            "Signalled by an interrupt, or ready for its next stage, and waiting for its processor.",
        ),
        Segment::wait("node_link_queue", "node link queue", "Waiting for the link to the other node."),
        stage("stack_interrupt", "interrupt", "A processor handles the interrupt that signals it."),
        Segment::work("node_link", "node link", "Sent over the link to the other node.", &[block::LINK]),
        Segment::wait("on_the_node_link", "on the node link", "In flight on the link to the other node."),
        stage("target_emulation", "target emulation", "Software handles the command as a disk would."),
        stage("authentication", "authentication", "Software checks whether the host has access."),
        stage("virtual_mapping", "virtual mapping", "Software maps the virtual address to a device."),
        stage("write_set_up", "write set-up", "Software requests the data of a write from the host."),
        stage("host_copy", "host copy", "Data of a host are copied between buffers."),
        stage("cache_layer", "cache layer", "Software looks up the cache and updates its state."),
        stage("stack_checks", "checks", "Checks of an array are calculated."),
        stage("fault_tolerance", "fault tolerance", "Software passes a write to the other node."),
        stage("device_io", "device I/O", "A command is handed to the driver of a device."),
        stage("device_copy", "device copy", "Data of a device are copied into the memory or out of it."),
        stage("device_completion", "device completion", "Software handles the completion of a device."),
        stage("stack_status", "status", "The host is answered."),
        stage(
            "stack_frame_work",
            "frame work",
            "Software builds a frame of it, or handles a received frame or its interrupt, for a network whose frames software handles.",
        ),
    ],
    provides: segment::QUEUE,
    blocks: &[
        Block::new("stack_processors", "processors", "Processors of the appliance, at work for requests."),
        Block::new("node_link", "node link", "Link between the two nodes of a pair."),
    ],
    gauges: &[
        Gauge::new("stack_jobs", "stack jobs", "Pending work that no processor of the appliance has begun."),
        Gauge::new(
            "busy_stack_processors",
            "busy processors",
            "Processors of the appliance at work for requests.",
        ),
        Gauge::new("polling_threads", "polling threads", "Threads that poll or work."),
    ],
    meters: &Meter::list::<6>(&[
        (meter::WORKING, "stack_processors"),
        (meter::OCCUPIED, "stack_occupied"),
        (meter::LINK, "node_link"),
    ]),
    figures: &[
        Figure::share(
            "utilisation",
            "utilisation",
            "Share of the time in which a processor worked for requests, mean of all: stages, interrupts, polls that found work, and frames that software handles.",
            meter::WORKING,
        ),
        Figure::share(
            "occupied",
            "occupied",
            "Share of the time in which a processor was busy, mean of all: with requests, with other load, or with polls that found no work.",
            meter::OCCUPIED,
        ),
        Figure::share(
            "node_link",
            "node link",
            "Share of the time in which the link between the two nodes was at work.",
            meter::LINK,
        ),
        Figure::sum("interrupts", "interrupts", "Interrupts that came.", meter::INTERRUPTS),
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
