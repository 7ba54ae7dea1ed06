//! What is to be seen of the resources of a controller.

use sansim_component::Module;
use sansim_describe::catalogue::{Across, Block, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// The resources, in the order in which a job goes through them. Waiting for each is a segment of the same number, each is a block, a gauge,
/// a meter and a figure of the same number.
pub(super) mod resource {
    pub const PROCESSOR: usize = 0;
    pub const BRIDGE: usize = 1;
    pub const SYSTEM_BUS: usize = 2;
    pub const MEMORY: usize = 3;
    /// How many there are.
    pub const ALL: usize = 4;
}

use resource::{ALL, BRIDGE, MEMORY, PROCESSOR, SYSTEM_BUS};

/// The segment of a job of a module that a resource works for.
pub(super) fn at_work(resource: usize, module: Module) -> usize {
    if resource != PROCESSOR {
        return ALL + resource - 1;
    }
    const FIRST: usize = 2 * ALL - 1;
    FIRST
        + match module {
            Module::Command | Module::Data => 0,
            Module::LookUp => 1,
            Module::Mapping => 2,
            Module::Xor => 3,
            Module::InternalCommand | Module::InternalData => 4,
            Module::InternalCompletion => 5,
            Module::Completion => 6,
        }
}

const PROCESSORS: &[usize] = &[PROCESSOR];

const fn share(number: usize, name: &'static str, label: &'static str, meaning: &'static str) -> Figure {
    Figure { name, unit: Unit::Share, label, meaning, of: Of::Share(number), across: Across::Mean }
}

const fn jobs(name: &'static str, label: &'static str, meaning: &'static str) -> Gauge {
    Gauge { name, label, meaning }
}

/// What is to be seen of them.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait("processor_queue", "processor queue", "Waiting for a processor of the controller."),
        Segment::wait("bridge_queue", "bridge queue", "Waiting for the bridge of the controller."),
        Segment::wait(
            "system_bus_queue",
            "system bus queue",
            "Waiting for the system bus of the controller.",
        ),
        Segment::wait("controller_memory_queue", "memory queue", "Waiting for the memory of the controller."),
        Segment::work(
            "bridge",
            "bridge",
            "Data go over the bridge between the I/O buses and the system bus.",
            &[BRIDGE],
        ),
        Segment::work("system_bus", "system bus", "Data go over the system bus.", &[SYSTEM_BUS]),
        Segment::work("controller_memory", "memory", "Data go into the memory or out of it.", &[MEMORY]),
        Segment::work("host_command", "host command", "A processor takes the command of a host.", PROCESSORS),
        Segment::work(
            "cache_look_up",
            "cache look-up",
            "A processor looks up what is in the cache.",
            PROCESSORS,
        ),
        Segment::work(
            "raid_mapping",
            "RAID mapping",
            "A processor finds out which members of an array are to be asked.",
            PROCESSORS,
        ),
        Segment::work("processor_xor", "XOR", "A processor calculates checks or what was lost.", PROCESSORS),
        Segment::work(
            "internal_command",
            "internal command",
            "A processor hands a command for a drive to an adapter.",
            PROCESSORS,
        ),
        Segment::work(
            "internal_completion",
            "internal completion",
            "A processor takes the completion of a drive.",
            PROCESSORS,
        ),
        Segment::work("host_completion", "host completion", "A processor answers a host.", PROCESSORS),
    ],
    provides: PROCESSOR,
    lanes: &[],
    blocks: &[
        Block { name: "processors", label: "processors", meaning: "Processors of the controller." },
        Block {
            name: "bridge",
            label: "bridge",
            meaning: "Bridge between its I/O buses and its system bus.",
        },
        Block { name: "system_bus", label: "system bus", meaning: "System bus of the controller." },
        Block { name: "memory", label: "memory", meaning: "Memory of the controller." },
    ],
    gauges: &[
        jobs("processor_jobs", "processor jobs", "Jobs that wait for a processor of the controller."),
        jobs("bridge_jobs", "bridge jobs", "Jobs that wait for the bridge."),
        jobs("system_bus_jobs", "system bus jobs", "Jobs that wait for the system bus."),
        jobs("memory_jobs", "memory jobs", "Jobs that wait for the memory."),
    ],
    meters: &[
        Meter { sampled: Some("processors") },
        Meter { sampled: Some("bridge") },
        Meter { sampled: Some("system_bus") },
        Meter { sampled: Some("memory") },
    ],
    figures: &[
        share(
            PROCESSOR,
            "processors",
            "processors",
            "Share of the time in which a processor was at work, of all of them.",
        ),
        share(BRIDGE, "bridge", "bridge", "Share of the time in which the bridge was at work."),
        share(
            SYSTEM_BUS,
            "system_bus",
            "system bus",
            "Share of the time in which the system bus was at work.",
        ),
        share(MEMORY, "memory", "memory", "Share of the time in which the memory was at work."),
    ],
};
