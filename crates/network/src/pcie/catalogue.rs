//! The catalogue of PCI Express: its segments, blocks, gauges, meters and figures.

use super::packets::Step;
use sansim_component::network;
use sansim_schema::catalogue::{
    Block, Catalogue, Figure, FigureDefinition, FigureUnit, Gauge, Meter, MoveKind, Segment,
    move_colour as colour,
};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const QUEUE: usize = super::network::segment::QUEUE;
    pub const SUBMISSION: usize = super::network::segment::WAITS;
    pub const LINK: usize = 2;
    pub const TRANSIT: usize = 3;
    pub const COALESCING: usize = 4;
}

const SEGMENTS: &[Segment] = &[
    Segment::wait("pcie_queue", "PCIe queue", "Waiting for a link of PCI Express behind other packets."),
    Segment::wait(
        "submission_queue",
        "submission queue",
        "In a submission queue, or waiting for an entry of it: the controller has fetched other commands.",
    ),
    Segment::work(
        "pcie_link",
        "PCIe link",
        "Packets are on a link of PCI Express: doorbells, queue entries, lists of pages, data, interrupts.",
        &[0],
    ),
    Segment::wait(
        "pcie_transit",
        "PCIe transit",
        "Packets pass the ends of a link, or the memory of the host answers a read.",
    ),
    Segment::wait(
        "interrupt_coalescing",
        "interrupt coalescing",
        "In the completion queue: the controller waits for more completions before it interrupts.",
    ),
];

const BLOCKS: &[Block] = &[Block::new(
    "pcie_links",
    "PCIe links",
    "Links of PCI Express; each direction of a link counts by itself.",
)];

/// Gauges, by their numbers in the catalogue; read at each port.
pub(super) mod gauge {
    pub const PORT_QUEUE: usize = 0;
}

const GAUGES: &[Gauge] = &[Gauge::new(
    "pcie_queue",
    "PCIe queue",
    "Steps of commands that wait for the link of a drive, in either direction.",
)];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const TO_DRIVES: usize = 0;
    pub const FROM_DRIVES: usize = 1;
    pub const LINK_BYTES: usize = 2;
    pub const DATA_BYTES: usize = 3;
    pub const INTERRUPTS: usize = 4;
    pub const COMPLETIONS: usize = 5;
}

const METERS: &[Meter] =
    &Meter::list::<6>(&[(meter::TO_DRIVES, "to_drives"), (meter::FROM_DRIVES, "from_drives")]);

const FIGURES: &[Figure] = &[
    Figure::share(
        "to_drives",
        "to drives",
        "Share of the time in which packets were on their way to drives, for each link.",
        meter::TO_DRIVES,
    ),
    Figure::share(
        "from_drives",
        "from drives",
        "Share of the time in which packets were on their way from drives, for each link.",
        meter::FROM_DRIVES,
    ),
    Figure::new(
        "link_bytes",
        FigureUnit::Bytes,
        "on links",
        "Bytes of packets on links, with all that they have beside data.",
        FigureDefinition::Count(meter::LINK_BYTES),
    ),
    Figure::new(
        "moved_bytes",
        FigureUnit::Bytes,
        "moved",
        "Bytes of the data of commands that packets moved.",
        FigureDefinition::Count(meter::DATA_BYTES),
    ),
    Figure::count("interrupts", "interrupts", "Interrupts that controllers sent.", meter::INTERRUPTS),
    Figure::new(
        "completions_per_interrupt",
        FigureUnit::Number,
        "completions an interrupt",
        "Completions for each interrupt; 0 if there were none.",
        FigureDefinition::Ratio(meter::COMPLETIONS, meter::INTERRUPTS),
    ),
    Figure::constant("ports", FigureUnit::Count, "ports", "Ports of the network."),
];

/// The kinds of moves, by the numbers of [`move_of`].
const MOVES: &[MoveKind] = &[
    MoveKind::unit("DOORBELL", "The host writes the tail or the head of a queue.", colour::COMMAND),
    MoveKind::unit("FETCH", "The controller asks for a queue entry or a list of pages.", colour::ASK),
    MoveKind::unit(
        "ENTRY",
        "The host's memory answers with a queue entry or a list of pages.",
        colour::COMMAND,
    ),
    MoveKind::unit("READ REQUEST", "The controller asks for the data of a write.", colour::ASK),
    MoveKind::unit("DATA", "Data of a command.", colour::DATA),
    MoveKind::unit("COMPLETION", "The controller writes a completion queue entry.", colour::STATUS),
    MoveKind::unit("INTERRUPT", "The controller interrupts (MSI-X).", colour::STATUS),
];

/// The kind of the move of a step, by its place in the catalogue.
pub(super) fn move_of(step: Step) -> u8 {
    match step {
        Step::Doorbell | Step::HeadDoorbell => 0,
        Step::FetchEntry | Step::FetchList => 1,
        Step::Entry | Step::List => 2,
        Step::AskData => 3,
        Step::WriteData | Step::ReadData => 4,
        Step::Completion => 5,
        Step::Interrupt => 6,
    }
}

/// The catalogue of PCI Express.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    blocks: BLOCKS,
    gauges: GAUGES,
    moves: MOVES,
    meters: METERS,
    figures: FIGURES,
    ..Catalogue::EMPTY
};
