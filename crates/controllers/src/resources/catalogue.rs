//! The catalogue of the resources of a controller: its segments, blocks, gauges, meters and figures.

use sansim_component::Module;
use sansim_schema::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Segment};

/// The resources, in the order in which a job uses them. Each resource has a wait segment, a block, a gauge, a meter and a figure with its
/// own number.
pub(super) mod resource {
    pub const PROCESSOR: usize = 0;
    pub const BRIDGE: usize = 1;
    pub const SYSTEM_BUS: usize = 2;
    pub const MEMORY: usize = 3;
    pub const LINK: usize = 4;
    /// The number of resources.
    pub const ALL: usize = 5;
}

use resource::{ALL, BRIDGE, LINK, MEMORY, PROCESSOR, SYSTEM_BUS};

/// The number of the first segment of processors, after those of the other resources.
const FIRST: usize = 2 * ALL - 1;

/// The segment of a message that is in flight on the link.
pub(super) const ON_THE_WAY: usize = FIRST + 6;

/// The segment of a job of a module at a resource. Calculations and data have no segment at processors: their initiator records their time.
pub(super) fn at_work(resource: usize, module: Module) -> usize {
    if resource != PROCESSOR {
        return ALL + resource - 1;
    }
    let place = match module {
        Module::Command
        | Module::SetUp
        | Module::SetUpSent
        | Module::Xor
        | Module::Data
        | Module::InternalData
        | Module::Link
        | Module::Network => 0,
        Module::LookUp => 1,
        Module::Mapping => 2,
        Module::InternalCommand => 3,
        Module::InternalCompletion => 4,
        Module::Completion => 5,
    };
    FIRST + place
}

const PROCESSORS: &[usize] = &[PROCESSOR];

/// All that can be observed of the resources.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait(
            "controller_processor_queue",
            "processor queue",
            "Waiting for a processor of the controller.",
        ),
        Segment::wait("bridge_queue", "bridge queue", "Waiting for the bridge of the controller."),
        Segment::wait(
            "system_bus_queue",
            "system bus queue",
            "Waiting for the system bus of the controller.",
        ),
        Segment::wait("controller_memory_queue", "memory queue", "Waiting for the memory of the controller."),
        Segment::wait("link_queue", "link queue", "Waiting for the link to the other controller."),
        Segment::work(
            "bridge",
            "bridge",
            "Data go over the bridge between the I/O buses and the system bus.",
            &[BRIDGE],
        ),
        Segment::work("system_bus", "system bus", "Data go over the system bus.", &[SYSTEM_BUS]),
        Segment::work("controller_memory", "memory", "Data go into the memory or out of it.", &[MEMORY]),
        Segment::work("link", "link", "Sent over the link to the other controller.", &[LINK]),
        Segment::work(
            "host_command",
            "host command",
            "A processor handles the command of a host.",
            PROCESSORS,
        ),
        Segment::work(
            "cache_look_up",
            "cache look-up",
            "A processor looks up what is in the cache.",
            PROCESSORS,
        ),
        Segment::work(
            "raid_mapping",
            "RAID mapping",
            "A processor maps the request to members of an array.",
            PROCESSORS,
        ),
        Segment::work(
            "internal_command",
            "internal command",
            "A processor hands a command for a drive to an adapter.",
            PROCESSORS,
        ),
        Segment::work(
            "internal_completion",
            "internal completion",
            "A processor handles the completion of a drive.",
            PROCESSORS,
        ),
        Segment::work("host_completion", "host completion", "A processor answers a host.", PROCESSORS),
        Segment::wait("on_the_link", "on the link", "In flight on the link to the other controller."),
    ],
    provides: PROCESSOR,
    blocks: &[
        Block::new("controller_processors", "processors", "Processors of the controller."),
        Block::new("bridge", "bridge", "Bridge between its I/O buses and its system bus."),
        Block::new("system_bus", "system bus", "System bus of the controller."),
        Block::new("controller_memory", "memory", "Memory of the controller."),
        Block::new("link", "link", "Link between the two controllers of a pair."),
    ],
    gauges: &[
        Gauge::new("processor_jobs", "processor jobs", "Jobs that wait for a processor of the controller."),
        Gauge::new("bridge_jobs", "bridge jobs", "Jobs that wait for the bridge."),
        Gauge::new("system_bus_jobs", "system bus jobs", "Jobs that wait for the system bus."),
        Gauge::new("memory_jobs", "memory jobs", "Jobs that wait for the memory."),
        Gauge::new("link_jobs", "link jobs", "Jobs that wait for the link."),
    ],
    meters: &[
        Meter::sampled("controller_processors"),
        Meter::sampled("bridge"),
        Meter::sampled("system_bus"),
        Meter::sampled("controller_memory"),
        Meter::sampled("link"),
    ],
    figures: &[
        Figure::share(
            "controller_processors",
            "processors",
            "Share of the time in which a processor was at work, of all of them.",
            PROCESSOR,
        ),
        Figure::share("bridge", "bridge", "Share of the time in which the bridge was at work.", BRIDGE),
        Figure::share(
            "system_bus",
            "system bus",
            "Share of the time in which the system bus was at work.",
            SYSTEM_BUS,
        ),
        Figure::share(
            "link",
            "link",
            "Share of the time in which the link between the two controllers was at work.",
            LINK,
        ),
        Figure::share(
            "controller_memory",
            "memory",
            "Share of the time in which the memory was at work.",
            MEMORY,
        ),
    ],
    ..Catalogue::EMPTY
};
