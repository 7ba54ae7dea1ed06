//! The catalogue of an arbitrated loop: its segments, blocks, gauges, meters and figures.

use sansim_component::network;
use sansim_fc::moves::{MOVES, STATES};
use sansim_schema::catalogue::{
    Block, Catalogue, Figure, FigureDefinition, FigureUnit, Gauge, Meter, Segment,
};

/// Segments, by their numbers in the catalogue.
pub(crate) mod segment {
    /// The frame is in the queue of a port.
    pub const QUEUE: usize = super::network::segment::QUEUE;
    pub const LOOP: usize = super::network::segment::WAITS;
    pub const ACCESS_WINDOW: usize = 2;
    /// The frame waits for credit.
    pub const CREDIT: usize = 3;
    pub const CIRCUIT_HELD: usize = 4;
    /// The frame is on the wire.
    pub const WIRE: usize = 5;
    /// A frame was lost; only a loop has this segment.
    pub const LOST: usize = 6;
    /// The frame waits for its destination; only a loop switch has this segment, in the place of the segment for lost frames.
    pub const DESTINATION: usize = 6;
}

/// A frame in a port of the loop's protocol, on any network: in its queue.
pub(crate) const PORT_QUEUE: Segment = Segment::wait(
    "port_queue",
    "port queue",
    "Queue of a port: behind other frames, in the gap after a frame, or until as many frames have come from memory as `within_sequence` requires.",
).coloured("#E69F00");
/// A frame in a port of the loop's protocol, on any network: kept back by the fairness algorithm.
pub(crate) const ACCESS_WINDOW: Segment = Segment::wait(
    "access_window",
    "access window",
    "Waiting for the access window of the fairness algorithm to open.",
)
.coloured("#F0E442");
/// A frame in a port of the loop's protocol, on any network: without credit.
pub(crate) const CREDIT: Segment =
    Segment::wait("credit", "credit", "Waiting for credit: OPN or R_RDY is in flight, or no buffer is free.")
        .coloured("#661100");
/// A frame in a port of the loop's protocol, on any network: waiting for memory within a circuit.
pub(crate) const CIRCUIT_HELD: Segment = Segment::wait(
    "circuit_held",
    "circuit held",
    "Waiting for the next frame of a sequence to come from memory, in a circuit that is held open for it.",
)
.coloured("#999933");
/// A frame in a port of the loop's protocol, on any network: on the wire.
pub(crate) const WIRE: Segment = Segment::work(
    "wire",
    "wire",
    "A frame is between its first word at the sender and its last at the receiver.",
    &[0],
)
.coloured("#56B4E9");
/// The block whose work is the segment `wire`.
pub(crate) const FRAMES_AT_WORK: Block = Block {
    name: "wire",
    label: "wire",
    meaning: "A frame is in transfer from its first word at the sender until its last at the receiver. Frames in transfer at the same time count each.",
};
/// The gauge of frames in the queue of a loop port.
pub(crate) const QUEUED: Gauge =
    Gauge::new("port_queue", "port queue", "Frames waiting at the port to be sent.");
/// The gauge of buffers in use at a loop port.
pub(crate) const BUFFERS_IN_USE: Gauge =
    Gauge::new("buffers", "buffers", "Incoming frame buffers that hold a frame.");
/// The gauge of frames that a loop port may send.
pub(crate) const CREDIT_LEFT: Gauge = Gauge::new("credit", "credit", "Frames the port may send now.");

const SEGMENTS: &[Segment] = &[
    PORT_QUEUE,
    Segment::wait(
        "loop",
        "loop",
        "Waiting for the loop: arbitration, another circuit to end, or an initialisation.",
    )
    .coloured("#D55E00"),
    ACCESS_WINDOW,
    CREDIT,
    CIRCUIT_HELD,
    WIRE,
    Segment::wait(
        "lost",
        "lost",
        "A frame was lost: a word of it was damaged, the loop was initialised while it was in flight, or its destination had left the loop.",
    )
    .coloured("#8C564B"),
];

const BLOCKS: &[Block] = &[FRAMES_AT_WORK];

/// Gauges, by their numbers in the catalogue; read at each port.
pub(super) mod gauge {
    pub const PORT_QUEUE: usize = 0;
    pub const BUFFERS: usize = 1;
    pub const CREDIT: usize = 2;
}

const GAUGES: &[Gauge] = &[QUEUED, BUFFERS_IN_USE, CREDIT_LEFT];

/// Meters, by their numbers in the catalogue.
pub(crate) mod meter {
    pub const OWNED: usize = 0;
    pub const CARRYING: usize = 1;
    pub const BOTH_WAYS: usize = 2;
    pub const TENANCIES: usize = 3;
    pub const FRAMES: usize = 4;
    pub const INITIALISATIONS: usize = 5;
    pub const INITIALISING: usize = 6;
    pub const LOST: usize = 7;
}

pub(crate) const METERS: &[Meter] = &[
    Meter { sampled: Some("owned") },
    Meter { sampled: Some("frames") },
    Meter { sampled: Some("both_ways") },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
];

/// Figures, by their numbers in the catalogue.
pub(crate) mod figure {
    pub const ROUND_TRIP: usize = 8;
}

pub(crate) const FIGURES: &[Figure] = &[
    Figure::new(
        "utilisation",
        FigureUnit::Share,
        "utilisation",
        "Share of the time in which frames were sent, in one direction or in both.",
        FigureDefinition::Share(meter::CARRYING),
    ),
    Figure::new(
        "both_ways",
        FigureUnit::Share,
        "full duplex",
        "Share of the time in which frames were sent in both directions at once (full duplex).",
        FigureDefinition::Share(meter::BOTH_WAYS),
    ),
    Figure::new(
        "owned",
        FigureUnit::Share,
        "owned",
        "Share of the time in which some port owned the loop.",
        FigureDefinition::Share(meter::OWNED),
    ),
    Figure::new(
        "tenancies",
        FigureUnit::Count,
        "tenancies",
        "Tenancies begun.",
        FigureDefinition::Count(meter::TENANCIES),
    ),
    Figure::new(
        "frames",
        FigureUnit::Count,
        "frames",
        "Frames sent.",
        FigureDefinition::Count(meter::FRAMES),
    ),
    Figure::new(
        "initialisations",
        FigureUnit::Count,
        "initialisations",
        "Initialisations of the loop that began.",
        FigureDefinition::Count(meter::INITIALISATIONS),
    ),
    Figure::new(
        "initialising",
        FigureUnit::Share,
        "initialising",
        "Share of the time in which the loop was initialised, from the first LIP to the end of CLS.",
        FigureDefinition::Share(meter::INITIALISING),
    ),
    Figure::new(
        "frames_lost",
        FigureUnit::Count,
        "frames lost",
        "Frames lost by damaged words and by initialisations, and by ports that left the loop.",
        FigureDefinition::Count(meter::LOST),
    ),
    Figure::new(
        "round_trip_ns",
        FigureUnit::Nanoseconds,
        "round trip",
        "Time of one round trip of the loop.",
        FigureDefinition::Constant,
    ),
    Figure::new("ports", FigureUnit::Count, "ports", "Ports on the loop.", FigureDefinition::Constant),
];

/// The catalogue of a loop.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: 0,
    lanes: &[],
    blocks: BLOCKS,
    gauges: GAUGES,
    stocks: &[],
    states: STATES,
    moves: MOVES,
    meters: METERS,
    figures: FIGURES,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_catalogue() {
        assert_eq!(SEGMENTS[segment::QUEUE].name, "port_queue");
        assert_eq!(SEGMENTS[segment::LOOP].name, "loop");
        assert_eq!(SEGMENTS[segment::WIRE].name, "wire");
        assert_eq!(SEGMENTS[segment::CIRCUIT_HELD].name, "circuit_held");
        assert_eq!(GAUGES[gauge::CREDIT].name, "credit");
        assert_eq!(METERS[meter::CARRYING].sampled, Some("frames"));
        assert_eq!(SEGMENTS[segment::LOST].name, "lost");
        assert_eq!(METERS.len(), meter::LOST + 1);
        assert_eq!(FIGURES[figure::ROUND_TRIP].name, "round_trip_ns");
    }
}
