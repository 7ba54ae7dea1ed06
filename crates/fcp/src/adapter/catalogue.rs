//! What is to be seen of an adapter.

use sansim_describe::catalogue::{Across, Block, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

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
    /// DMA scheduler and transfer; with `dma_bidirectional` only from the host (or the drive's buffer).
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
    Block { name: "dma_in", label: "dma in", meaning: "DMA of incoming data, if both directions are apart." },
    Block { name: "incoming", label: "incoming", meaning: "Incoming frame process." },
    Block { name: "single_frame", label: "single frame", meaning: "Single frame transfer." },
];

const PROCESSOR: &[usize] = &[AdapterBlock::Processor as usize];
const MESSAGE: &[usize] = &[AdapterBlock::MessageIn as usize, AdapterBlock::MessageOut as usize];
const DMA: &[usize] = &[AdapterBlock::Dma as usize, AdapterBlock::DmaIn as usize];

/// Where a request is in an adapter: in the queue of a block, or in its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AdapterStage {
    /// Behind other messages or interrupts.
    MessageQueue,
    /// Message to the adapter, or interrupt from it.
    Message,
    /// Waiting until fewer commands are in execution.
    CommandLimit,
    /// Waiting for the main processor.
    ProcessorQueue,
    /// Main processor: a command.
    Command,
    /// Waiting for room among the outgoing buffers.
    OutgoingBuffer,
    /// In the DMA queue.
    DmaQueue,
    /// DMA.
    Dma,
    /// Waiting for the incoming frame process.
    IncomingQueue,
    /// Incoming frame process.
    Incoming,
    /// Waiting for the single frame transfer.
    SingleFrameQueue,
    /// Single frame transfer.
    SingleFrame,
    /// Main processor: FCP_XFER_RDY.
    TransferReady,
    /// Main processor: FCP_RSP.
    Response,
    /// A frame of it was thrown away.
    FrameLost,
}

/// The segments, in the order of [`AdapterStage`].
const SEGMENTS: &[Segment] = &[
    Segment::wait("message_queue", "message queue", "Behind other messages or interrupts."),
    Segment::work(
        "message",
        "message",
        "Message over the bus to the adapter, or interrupt from it.",
        MESSAGE,
    ),
    Segment::wait(
        "command_limit",
        "command limit",
        "In the adapter, because as many commands are in execution as it takes.",
    ),
    Segment::wait("processor_queue", "processor queue", "Waiting for the main processor, whatever for."),
    Segment::work("command_execution", "command execution", "Main processor: a command.", PROCESSOR),
    Segment::wait(
        "outgoing_buffer",
        "outgoing buffer",
        "Waiting for room among the outgoing frame buffers, so that the next data can be fetched.",
    ),
    Segment::wait("dma_queue", "DMA queue", "In the DMA queue, behind other requests."),
    Segment::work("dma", "DMA", "DMA scheduler and transfer.", DMA),
    Segment::wait(
        "frame_process_queue",
        "frame process queue",
        "In a frame buffer, behind other received frames.",
    ),
    Segment::work(
        "frame_process",
        "frame process",
        "Incoming frame process.",
        &[AdapterBlock::Incoming as usize],
    ),
    Segment::wait("single_frame_queue", "single frame queue", "Waiting for the single frame transfer."),
    Segment::work(
        "single_frame",
        "single frame",
        "Single frame transfer.",
        &[AdapterBlock::SingleFrame as usize],
    ),
    Segment::work(
        "transfer_ready",
        "transfer ready",
        "Handling of FCP_XFER_RDY by the initiator.",
        PROCESSOR,
    ),
    Segment::work("response", "response", "Generation of FCP_RSP.", PROCESSOR),
    Segment::wait(
        "frame_lost",
        "frame lost",
        "A frame of it came in damaged and was thrown away; it waits for a time-out.",
    ),
];

/// Gauges, by their numbers in the catalogue.
pub(crate) mod gauge {
    pub const PROCESSOR: usize = 0;
    pub const DMA: usize = 1;
}

const GAUGES: &[Gauge] = &[
    Gauge { name: "processor_queue", label: "processor queue", meaning: "Tasks of the FCP main processor." },
    Gauge { name: "dma_queue", label: "DMA queue", meaning: "Requests in the DMA queue." },
];

/// Meters, by their numbers in the catalogue.
pub(crate) mod meter {
    pub const PROCESSOR: usize = 0;
    pub const DMA: usize = 1;
    pub const INCOMING: usize = 2;
    pub const SINGLE_FRAME: usize = 3;
    pub const COMMANDS: usize = 4;
}

const METERS: &[Meter] = &[
    Meter { sampled: Some("processor") },
    Meter { sampled: Some("dma") },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
];

const fn share(name: &'static str, label: &'static str, meaning: &'static str, of: Of) -> Figure {
    Figure::new(name, Unit::Share, label, meaning, of)
}

const FIGURES: &[Figure] = &[
    share(
        "utilisation",
        "utilisation",
        "Share of the time in which the busiest of its blocks was at work.",
        Of::GreatestShare(&[meter::PROCESSOR, meter::DMA, meter::INCOMING, meter::SINGLE_FRAME]),
    ),
    share("processor", "processor", "Use of the FCP main processor.", Of::Share(meter::PROCESSOR)),
    share("dma", "DMA", "Use of the DMA; of two directions that are apart the mean.", Of::Share(meter::DMA)),
    share("incoming", "frame process", "Use of the incoming frame process.", Of::Share(meter::INCOMING)),
    share(
        "single_frame",
        "single frame",
        "Use of the single frame transfer.",
        Of::Share(meter::SINGLE_FRAME),
    ),
    Figure {
        name: "commands",
        unit: Unit::Count,
        label: "commands",
        meaning: "Commands that it sent, or took if it serves; of several ways to a device, how many went by this one.",
        of: Of::Count(meter::COMMANDS),
        across: Across::Sum,
    },
];

/// What is to be seen of an adapter.
pub const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: 0,
    lanes: &[],
    blocks: BLOCKS,
    gauges: GAUGES,
    meters: METERS,
    figures: FIGURES,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_and_blocks_are_in_the_order_of_the_catalogue() {
        assert_eq!(SEGMENTS[AdapterStage::Response as usize].name, "response");
        assert_eq!(SEGMENTS[AdapterStage::SingleFrame as usize].name, "single_frame");
        assert_eq!(SEGMENTS.len(), AdapterStage::FrameLost as usize + 1);
        for (number, block) in AdapterBlock::ALL.into_iter().enumerate() {
            assert_eq!(block as usize, number);
        }
        assert_eq!(BLOCKS.len(), AdapterBlock::ALL.len());
    }
}
