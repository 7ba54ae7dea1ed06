//! The catalogue of a flash drive: its segments, blocks, gauges, meters and figures.

use crate::awaited::DRIVE_DATA;
use crate::firmware::NO_ANSWER;
use sansim_schema::catalogue::{
    Block, Catalogue, Figure, FigureDefinition, FigureUnit, Gauge, Meter, Segment, Stock,
};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const COMMAND: usize = 1;
    pub const CONTROLLER: usize = 2;
    pub const LINK: usize = 3;
    pub const MAPPING: usize = 4;
    pub const BUFFER: usize = 5;
    pub const COLLECTION: usize = 6;
    pub const QUEUE: usize = 7;
    pub const ARRAY: usize = 8;
    pub const CHANNEL_QUEUE: usize = 9;
    pub const CHANNEL: usize = 10;
    pub const NO_ANSWER: usize = 11;
}

/// Blocks, by their numbers in the catalogue.
pub(super) mod block {
    pub const DIES: usize = 0;
    pub const CHANNELS: usize = 1;
}

/// Stocks, by their numbers in the catalogue.
pub(super) mod stock {
    pub const SLC_CACHE: usize = 1;
}

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const DIES: usize = 0;
    pub const CHANNELS: usize = 1;
    pub const COLLECTING: usize = 2;
    pub const WRITTEN: usize = 3;
    pub const BY_HOSTS: usize = 4;
    pub const ERASES: usize = 5;
    pub const TO_SLC: usize = 6;
    pub const FOLDED: usize = 7;
}

const SEGMENTS: &[Segment] = &[
    DRIVE_DATA,
    Segment::wait(
        "flash_command",
        "flash command",
        "The flash drive has the command. The segments of its time are known at its completion.",
    ),
    Segment::wait(
        "flash_controller",
        "flash controller",
        "In the controller of the flash drive, and in its queue behind earlier commands.",
    ),
    Segment::wait("flash_link", "flash link", "On the link of the flash drive, and in its queue."),
    Segment::wait(
        "flash_mapping",
        "flash mapping",
        "Waiting for entries of the mapping that had to be read from flash.",
    ),
    Segment::wait(
        "flash_buffer",
        "flash buffer",
        "In the buffer of the flash drive, or waiting for space in it.",
    ),
    Segment::wait(
        "flash_collection",
        "garbage collection",
        "Waiting for a die that collects garbage or empties the SLC cache, or for a free block.",
    ),
    Segment::wait("flash_queue", "flash queue", "Waiting for a die that serves another operation."),
    Segment::work("flash_array", "flash array", "Pages are read or programmed.", &[block::DIES]),
    Segment::wait(
        "channel_queue",
        "channel queue",
        "Data that were read wait for their channel, or for other data of the same command.",
    ),
    Segment::work("flash_channel", "flash channel", "Commands and data on a channel.", &[block::CHANNELS]),
    NO_ANSWER,
];

const BLOCKS: &[Block] = &[
    Block::new(
        "dies",
        "dies",
        "Chips, dies or planes, whichever do one operation at a time; those that one command uses together count each.",
    ),
    Block::new("channels", "channels", "Channels between the dies and the controller."),
];

const FIGURES: &[Figure] = &[
    Figure::spread(
        "utilisation",
        "utilisation",
        "Share of the time in which its dies were at work, for each of them.",
        meter::DIES,
    ),
    Figure::share(
        "channel_utilisation",
        "channel utilisation",
        "Share of the time in which its channels were busy, for each of them.",
        meter::CHANNELS,
    ),
    Figure::share(
        "garbage_collection",
        "garbage collection",
        "Share of the time in which its dies were at work for garbage collection, or to empty the SLC cache, for each of them.",
        meter::COLLECTING,
    ),
    Figure::new(
        "write_amplification",
        FigureUnit::Number,
        "write amplification",
        "Units programmed for each that hosts wrote; 0 if they wrote none.",
        FigureDefinition::Ratio(meter::WRITTEN, meter::BY_HOSTS),
    ),
    Figure::sum("erases", "erases", "Blocks that were erased.", meter::ERASES),
    Figure::new(
        "slc_writes",
        FigureUnit::Share,
        "SLC writes",
        "Share of the units that hosts wrote for which the SLC cache had room.",
        FigureDefinition::Ratio(meter::TO_SLC, meter::BY_HOSTS),
    ),
    Figure::sum(
        "folded_units",
        "folded units",
        "Units that were moved from the SLC cache to other blocks.",
        meter::FOLDED,
    ),
];

/// All that can be observed of this kind of component.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: segment::COMMAND,
    lanes: &[segment::COMMAND],
    blocks: BLOCKS,
    stocks: &[
        Stock {
            name: "used_blocks",
            unit: FigureUnit::Bytes,
            meaning: "the amount of flash in blocks that are not free",
            grows: "the drive collects less garbage than hosts write, or none yet: dies have less to do than in the steady state, and writes are faster",
            shrinks: "the drive erases more than hosts write: dies have more to do than in the steady state",
        },
        Stock {
            name: "slc_cache",
            unit: FigureUnit::Bytes,
            meaning: "what is in the SLC cache",
            grows: "hosts write faster than dies empty the SLC cache: when it is full, writes have the rate of other blocks",
            shrinks: "dies empty the SLC cache faster than hosts write: later writes find room",
        },
    ],
    gauges: &[Gauge::new("commands", "commands", "Commands that the drive works on.")],
    meters: &Meter::list::<8>(&[(meter::DIES, "drive")]),
    figures: FIGURES,
    ..Catalogue::EMPTY
};
