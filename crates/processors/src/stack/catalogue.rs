//! What is to be seen of the processors of an appliance.

use sansim_describe::catalogue::{Across, Block, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    use super::super::parameters::Stage;

    pub const UNNOTICED: usize = 0;
    pub const QUEUE: usize = 1;
    pub const LINK_QUEUE: usize = 2;
    pub const INTERRUPT: usize = 3;
    pub const LINK: usize = 4;
    pub const ON_THE_LINK: usize = 5;

    /// What a network leaves to software; behind the stages.
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

const NOT_SAMPLED: Meter = Meter { sampled: None };

const fn stage(name: &'static str, label: &'static str, meaning: &'static str) -> Segment {
    Segment::work(name, label, meaning, &[block::PROCESSORS])
}

const fn count(name: &'static str, label: &'static str, meaning: &'static str, meter: usize) -> Figure {
    Figure { name, unit: Unit::Count, label, meaning, of: Of::Count(meter), across: Across::Sum }
}

const fn share(name: &'static str, label: &'static str, meaning: &'static str, meter: usize) -> Figure {
    Figure { name, unit: Unit::Share, label, meaning, of: Of::Share(meter), across: Across::Mean }
}

/// What is to be seen of them.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait(
            "stack_unnoticed",
            "unnoticed",
            "An adapter of the appliance has something to do, and no poll or interrupt has found it.",
        ),
        Segment::wait(
            "stack_queue",
            "stack queue",
            "Brought by an interrupt, or to be gone on with, and waiting for its processor.",
        ),
        Segment::wait("node_link_queue", "node link queue", "Waiting for the link to the other node."),
        stage("stack_interrupt", "interrupt", "A processor takes the interrupt that brings it."),
        Segment::work("node_link", "node link", "Sent over the link to the other node.", &[block::LINK]),
        Segment::wait("on_the_node_link", "on the node link", "On its way over the link to the other node."),
        stage("target_emulation", "target emulation", "The command is taken as a disk would take it."),
        stage("authentication", "authentication", "Whether the host may do that is looked up."),
        stage("virtual_mapping", "virtual mapping", "The virtual address becomes one on a device."),
        stage("write_set_up", "write set-up", "The host is asked for the data of a write."),
        stage("host_copy", "host copy", "Data of a host are copied between buffers."),
        stage("cache_layer", "cache layer", "The cache is looked up and kept account of."),
        stage("stack_checks", "checks", "Checks of an array are calculated."),
        stage("fault_tolerance", "fault tolerance", "A write is handed to the other node."),
        stage("device_io", "device I/O", "A command is handed to the driver of a device."),
        stage("device_copy", "device copy", "Data of a device are copied into the memory or out of it."),
        stage("device_completion", "device completion", "The completion of a device is taken."),
        stage("stack_status", "status", "The host is answered."),
        stage(
            "stack_frame_work",
            "frame work",
            "A frame of it is made, or taken, or the interrupt for that, for a network that leaves frames to software.",
        ),
    ],
    provides: segment::QUEUE,
    lanes: &[],
    blocks: &[
        Block {
            name: "stack_processors",
            label: "processors",
            meaning: "Processors of the appliance, at work for requests.",
        },
        Block { name: "node_link", label: "node link", meaning: "Link between the two nodes of a pair." },
    ],
    gauges: &[
        Gauge {
            name: "stack_jobs",
            label: "stack jobs",
            meaning: "Things to do that no processor of the appliance has begun with.",
        },
        Gauge {
            name: "busy_stack_processors",
            label: "busy processors",
            meaning: "Processors of the appliance at work for requests.",
        },
        Gauge { name: "polling_threads", label: "polling threads", meaning: "Threads that poll or work." },
    ],
    stocks: &[],
    meters: &[
        Meter { sampled: Some("stack_processors") },
        Meter { sampled: Some("stack_occupied") },
        Meter { sampled: Some("node_link") },
        NOT_SAMPLED,
        NOT_SAMPLED,
        NOT_SAMPLED,
    ],
    figures: &[
        share(
            "utilisation",
            "utilisation",
            "Share of the time in which a processor was at work for requests, mean of all: stages, interrupts, polls that found something; and what networks leave to software.",
            meter::WORKING,
        ),
        share(
            "occupied",
            "occupied",
            "Share of the time in which a processor was taken, mean of all: at work for requests, by other load, or by polls that found nothing.",
            meter::OCCUPIED,
        ),
        share(
            "node_link",
            "node link",
            "Share of the time in which the link between the two nodes was at work.",
            meter::LINK,
        ),
        count("interrupts", "interrupts", "Interrupts that came.", meter::INTERRUPTS),
        count("productive_polls", "productive polls", "Polls that found something to do.", meter::PRODUCTIVE),
        count(
            "unproductive_polls",
            "unproductive polls",
            "Polls that found nothing to do.",
            meter::UNPRODUCTIVE,
        ),
    ],
};
