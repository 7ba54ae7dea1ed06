//! The catalogue of a flash drive.

use crate::awaited::DRIVE_DATA;
use crate::firmware::NO_ANSWER;
use sansim_schema::catalogue::{Block, Catalogue, Figure, FigureUnit, Gauge, Meter, Of, Segment, Stock};

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

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const DIES: usize = 0;
    pub const CHANNELS: usize = 1;
    pub const COLLECTING: usize = 2;
    pub const WRITTEN: usize = 3;
    pub const BY_HOSTS: usize = 4;
    pub const ERASES: usize = 5;
}

const SEGMENTS: &[Segment] = &[
    DRIVE_DATA,
    Segment::wait(
        "flash_command",
        "flash command",
        "The flash drive has the command. Where its time goes there is known when it is done.",
    ),
    Segment::wait(
        "flash_controller",
        "flash controller",
        "In the controller of the flash drive, and before it for commands that came before.",
    ),
    Segment::wait("flash_link", "flash link", "On the link of the flash drive, and before it."),
    Segment::wait(
        "flash_mapping",
        "flash mapping",
        "For entries of the mapping that had to be read from flash.",
    ),
    Segment::wait(
        "flash_buffer",
        "flash buffer",
        "In the buffer of the flash drive, and before it for room.",
    ),
    Segment::wait(
        "flash_collection",
        "garbage collection",
        "Before a die that worked for garbage collection, or for a free block.",
    ),
    Segment::wait("flash_queue", "flash queue", "Before a die that did something else."),
    Segment::work("flash_array", "flash array", "Pages are read or programmed.", &[block::DIES]),
    Segment::wait(
        "channel_queue",
        "channel queue",
        "Data that were read wait for their channel, or what others of the same command have goes first.",
    ),
    Segment::work("flash_channel", "flash channel", "Commands and data on a channel.", &[block::CHANNELS]),
    NO_ANSWER,
];

const BLOCKS: &[Block] = &[
    Block::new(
        "dies",
        "dies",
        "Chips, dies or planes, whichever do one thing at a time; of those that one command has work together each.",
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
        "Share of the time in which its channels were taken, for each of them.",
        meter::CHANNELS,
    ),
    Figure::share(
        "garbage_collection",
        "garbage collection",
        "Share of the time in which its dies were at work for garbage collection, for each of them.",
        meter::COLLECTING,
    ),
    Figure::new(
        "write_amplification",
        FigureUnit::Number,
        "write amplification",
        "Units programmed for each that hosts wrote; 0 if they wrote none.",
        Of::Ratio(meter::WRITTEN, meter::BY_HOSTS),
    ),
    Figure::sum("erases", "erases", "Blocks that were erased.", meter::ERASES),
];

/// All that can be observed of it.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: segment::COMMAND,
    lanes: &[segment::COMMAND],
    blocks: BLOCKS,
    stocks: &[Stock {
        name: "used_blocks",
        unit: FigureUnit::Bytes,
        meaning: "flash in blocks that are not free",
        grows: "no garbage is collected yet, or less than is written: dies have less to do than they will have, and writes take less",
        shrinks: "more is erased than is written: dies have more to do than they will have",
    }],
    gauges: &[Gauge::new("commands", "commands", "Commands that the drive works on.")],
    meters: &Meter::list::<6>(&[(meter::DIES, "drive")]),
    figures: FIGURES,
};
