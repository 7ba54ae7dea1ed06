//! The catalogue of an adapter: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{
    Block, Catalogue, Figure, FigureDefinition, FigureUnit, Gauge, GroupAggregation, Meter, Segment,
};

/// Blocks of an adapter, by their numbers in the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AdapterBlock {
    /// Bus interface towards the adapter.
    MessageIn,
    /// Interrupt towards the host or firmware.
    MessageOut,
    /// FCP main processor.
    Processor,
    /// DMA scheduler and transfer; with `dma_bidirectional` only for data from the host (or from the drive's
    /// buffer).
    Dma,
    /// With `dma_bidirectional`: DMA of incoming data.
    DmaIn,
    /// Incoming frame process.
    Incoming,
    /// Single frame transfer.
    SingleFrame,
}

impl AdapterBlock {
    /// Every block, in order.
    pub const ALL: [Self; 7] = [
        Self::MessageIn,
        Self::MessageOut,
        Self::Processor,
        Self::Dma,
        Self::DmaIn,
        Self::Incoming,
        Self::SingleFrame,
    ];
}

const BLOCKS: &[Block] = &[
    Block { name: "message_in", label: "messages in", meaning: "Bus interface towards the adapter." },
    Block { name: "message_out", label: "messages out", meaning: "Interrupts towards host or firmware." },
    Block { name: "processor", label: "processor", meaning: "FCP main processor." },
    Block { name: "dma", label: "dma", meaning: "DMA scheduler and transfer." },
    Block {
        name: "dma_in",
        label: "dma in",
        meaning: "DMA of incoming data, if both directions are separate.",
    },
    Block { name: "incoming", label: "incoming", meaning: "Incoming frame process." },
    Block { name: "single_frame", label: "single frame", meaning: "Single frame transfer." },
];

const PROCESSOR: &[usize] = &[AdapterBlock::Processor as usize];
const MESSAGE: &[usize] = &[AdapterBlock::MessageIn as usize, AdapterBlock::MessageOut as usize];
const DMA: &[usize] = &[AdapterBlock::Dma as usize, AdapterBlock::DmaIn as usize];

/// The stage of a request in an adapter: the queue of a block, or its service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AdapterStage {
    /// The request waits behind other messages or interrupts.
    MessageQueue,
    /// A message to the adapter, or an interrupt from it, is in progress.
    Message,
    /// The request waits until fewer commands are in execution.
    CommandLimit,
    /// The request waits for the main processor.
    ProcessorQueue,
    /// The main processor handles a command.
    Command,
    /// The request waits for room among the outgoing buffers.
    OutgoingBuffer,
    /// The request is in the queue of the DMA.
    DmaQueue,
    /// The DMA moves data of the request.
    Dma,
    /// A frame of the request waits for the incoming frame process.
    IncomingQueue,
    /// The incoming frame process handles a frame of the request.
    Incoming,
    /// A frame of the request waits for the single frame transfer.
    SingleFrameQueue,
    /// The single frame transfer handles a frame of the request.
    SingleFrame,
    /// The main processor handles FCP_XFER_RDY.
    TransferReady,
    /// The main processor handles FCP_RSP: a target generates it, an initiator completes the command with it.
    Response,
    /// A frame of the request was discarded.
    FrameLost,
    /// The command waits until the initiator has logged in with its target.
    Login,
    /// The command or the status waits because the adapter is slow.
    Slow,
    /// The command waits because its fabric has reported congestion.
    Throttled,
}

/// The segments, in the order of [`AdapterStage`].
const SEGMENTS: &[Segment] = &[
    Segment::wait("message_queue", "message queue", "Behind other messages or interrupts.")
        .coloured("#B3B3B3"),
    Segment::work(
        "message",
        "message",
        "Message over the bus to the adapter's registers, or interrupt from it.",
        MESSAGE,
    )
    .coloured("#777777"),
    Segment::wait(
        "command_limit",
        "command limit",
        "In the adapter, which has reached its limit of commands in execution.",
    )
    .coloured("#C9C3E3"),
    Segment::wait("processor_queue", "processor queue", "Waiting for the main processor, for any task.")
        .coloured("#A79FCB"),
    Segment::work("command_execution", "command execution", "Main processor: a command.", PROCESSOR)
        .coloured("#332288"),
    Segment::wait(
        "outgoing_buffer",
        "outgoing buffer",
        "Waiting for a free outgoing frame buffer, into which the next data are fetched.",
    )
    .coloured("#F4A582"),
    Segment::wait("dma_queue", "DMA queue", "In the DMA queue, behind other requests.").coloured("#E8C3D6"),
    Segment::work("dma", "DMA", "DMA scheduler and transfer.", DMA).coloured("#CC79A7"),
    Segment::wait(
        "frame_process_queue",
        "frame process queue",
        "In a frame buffer, behind other received frames.",
    )
    .coloured("#A9D8D0"),
    Segment::work(
        "frame_process",
        "frame process",
        "Incoming frame process.",
        &[AdapterBlock::Incoming as usize],
    )
    .coloured("#44AA99"),
    Segment::wait("single_frame_queue", "single frame queue", "Waiting for the single frame transfer.")
        .coloured("#EFE7BE"),
    Segment::work(
        "single_frame",
        "single frame",
        "Single frame transfer.",
        &[AdapterBlock::SingleFrame as usize],
    )
    .coloured("#DDCC77"),
    Segment::work(
        "transfer_ready",
        "transfer ready",
        "Handling of FCP_XFER_RDY by the initiator.",
        PROCESSOR,
    )
    .coloured("#AA4499"),
    Segment::work(
        "response",
        "response",
        "Generation of FCP_RSP by the target, or completion of an I/O by the initiator.",
        PROCESSOR,
    )
    .coloured("#882255"),
    Segment::wait(
        "frame_lost",
        "frame lost",
        "A frame of it was lost here, damaged or because the adapter is silent; it waits for a time-out.",
    )
    .coloured("#BB5566"),
    Segment::wait(
        "login",
        "login",
        "The command waits until the initiator has logged in with the target (PLOGI, PRLI), or until a reset of the adapter is over.",
    )
    .coloured("#6A3D9A"),
    Segment::wait(
        "slow",
        "slow adapter",
        "The command, at an initiator the status, waits for the `delay` of an adapter that an event has made slow.",
    )
    .coloured("#8C6D31"),
    Segment::wait(
        "throttled",
        "throttled",
        "The command waits because the fabric has reported congestion, after which the adapter has fewer commands in flight (`congestion_profile`).",
    )
    .coloured("#66A182"),
];

/// Gauges, by their numbers in the catalogue.
pub(crate) mod gauge {
    pub const PROCESSOR: usize = 0;
    pub const DMA: usize = 1;
}

const GAUGES: &[Gauge] = &[
    Gauge::new("processor_queue", "processor queue", "Tasks of the FCP main processor."),
    Gauge::new("dma_queue", "DMA queue", "Requests in the DMA queue."),
];

/// Meters, by their numbers in the catalogue.
pub(crate) mod meter {
    pub const PROCESSOR: usize = 0;
    pub const DMA: usize = 1;
    pub const INCOMING: usize = 2;
    pub const SINGLE_FRAME: usize = 3;
    pub const COMMANDS: usize = 4;
    pub const RECOVERED: usize = 5;
    pub const STATUS_REPORTS: usize = 6;
}

const METERS: &[Meter] = &[
    Meter { sampled: Some("processor") },
    Meter { sampled: Some("dma") },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
];

const fn share(
    name: &'static str,
    label: &'static str,
    meaning: &'static str,
    of: FigureDefinition,
) -> Figure {
    Figure::new(name, FigureUnit::Share, label, meaning, of)
}

const FIGURES: &[Figure] = &[
    share(
        "utilisation",
        "utilisation",
        "Share of the time in which the busiest of its blocks was at work.",
        FigureDefinition::GreatestShare(&[
            meter::PROCESSOR,
            meter::DMA,
            meter::INCOMING,
            meter::SINGLE_FRAME,
        ]),
    ),
    share(
        "processor",
        "processor",
        "Use of the FCP main processor.",
        FigureDefinition::Share(meter::PROCESSOR),
    ),
    share(
        "dma",
        "DMA",
        "Use of the DMA; of two separate directions the mean.",
        FigureDefinition::Share(meter::DMA),
    ),
    share(
        "incoming",
        "frame process",
        "Use of the incoming frame process.",
        FigureDefinition::Share(meter::INCOMING),
    ),
    share(
        "single_frame",
        "single frame",
        "Use of the single frame transfer.",
        FigureDefinition::Share(meter::SINGLE_FRAME),
    ),
    Figure {
        name: "commands",
        unit: FigureUnit::Count,
        label: "commands",
        meaning: "Commands that the adapter sent, or received as a target; of several paths to a device, the commands on this one.",
        of: FigureDefinition::Count(meter::COMMANDS),
        across: GroupAggregation::Sum,
    },
    Figure {
        name: "recovered",
        unit: FigureUnit::Count,
        label: "recovered commands",
        meaning: "Commands of which an initiator had lost frames sent again, after REC.",
        of: FigureDefinition::Count(meter::RECOVERED),
        across: GroupAggregation::Sum,
    },
    Figure {
        name: "status_reports",
        unit: FigureUnit::Count,
        label: "status reports",
        meaning: "Status reports of the adapter that the driver has asked for and read.",
        of: FigureDefinition::Count(meter::STATUS_REPORTS),
        across: GroupAggregation::Sum,
    },
];

/// The catalogue of an adapter.
pub const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: 0,
    lanes: &[],
    blocks: BLOCKS,
    gauges: GAUGES,
    meters: METERS,
    figures: FIGURES,
    ..Catalogue::EMPTY
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_and_blocks_are_in_the_order_of_the_catalogue() {
        assert_eq!(SEGMENTS[AdapterStage::Response as usize].name, "response");
        assert_eq!(SEGMENTS[AdapterStage::SingleFrame as usize].name, "single_frame");
        assert_eq!(SEGMENTS.len(), AdapterStage::Throttled as usize + 1);
        for (number, block) in AdapterBlock::ALL.into_iter().enumerate() {
            assert_eq!(block as usize, number);
        }
        assert_eq!(BLOCKS.len(), AdapterBlock::ALL.len());
    }
}
