//! What is to be seen of a loop switch.

use crate::arbitrated_loop::catalogue::{
    ACCESS_WINDOW, BUFFERS_IN_USE, CIRCUIT_HELD, CREDIT, CREDIT_LEFT, FRAMES_AT_WORK, PORT_QUEUE, QUEUED,
    WIRE,
};
use sansim_describe::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

const SEGMENTS: &[Segment] = &[
    PORT_QUEUE,
    Segment::wait("switch", "switch", "Waiting for the port of the switch to let the station go."),
    ACCESS_WINDOW,
    CREDIT,
    CIRCUIT_HELD,
    WIRE,
    Segment::wait(
        "destination",
        "destination",
        "An OPN waits in the switch for the destination, which talks to another.",
    ),
];

const BLOCKS: &[Block] = &[FRAMES_AT_WORK];

/// Gauges, by their numbers in the catalogue; read at each station.
pub(super) mod gauge {
    pub const PORT_QUEUE: usize = 0;
    pub const BUFFERS: usize = 1;
    pub const CREDIT: usize = 2;
    pub const WAITING_FOR: usize = 3;
}

const GAUGES: &[Gauge] = &[
    QUEUED,
    BUFFERS_IN_USE,
    CREDIT_LEFT,
    Gauge {
        name: "waiting_for",
        label: "waiting for it",
        meaning: "OPNs that wait in the switch for the port that the station stands at.",
    },
];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const CARRYING: usize = 0;
    pub const TALKING: usize = 1;
    pub const BUSY: usize = 2;
    pub const CONVERSATIONS: usize = 3;
    pub const REFUSED: usize = 4;
    pub const FRAMES: usize = 5;
}

const METERS: &[Meter] = &[
    Meter { sampled: Some("frames") },
    Meter { sampled: Some("talking") },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
];

/// Figures, by their numbers in the catalogue.
pub(super) mod figure {
    pub const ROUND_TRIP: usize = 6;
    pub const SWITCH_PORTS: usize = 8;
    pub const DRIVERS: usize = 9;
}

const FIGURES: &[Figure] = &[
    Figure::new(
        "utilisation",
        Unit::Share,
        "utilisation",
        "Share of the time in which frames were sent by one station at least.",
        Of::Share(meter::CARRYING),
    ),
    Figure::new(
        "talking",
        Unit::Share,
        "talking",
        "Conversations that went on, as a share of those that could: one for every two ports of the switch.",
        Of::Share(meter::TALKING),
    ),
    Figure::new(
        "busy",
        Unit::Share,
        "busy",
        "Share of the time in which one conversation at least went on.",
        Of::Share(meter::BUSY),
    ),
    Figure::new(
        "conversations",
        Unit::Count,
        "conversations",
        "Conversations begun.",
        Of::Count(meter::CONVERSATIONS),
    ),
    Figure::new(
        "refused",
        Unit::Count,
        "refused",
        "OPNs that the switch answered with CLS.",
        Of::Count(meter::REFUSED),
    ),
    Figure::new("frames", Unit::Count, "frames", "Frames sent.", Of::Count(meter::FRAMES)),
    Figure::new(
        "round_trip_ns",
        Unit::Nanoseconds,
        "round trip",
        "Time of the longest way round two ports that the switch can join.",
        Of::Constant,
    ),
    Figure::new("ports", Unit::Count, "ports", "Ports of stations.", Of::Constant),
    Figure::new("switch_ports", Unit::Count, "switch ports", "Ports of the switch.", Of::Constant),
    Figure::new(
        "drivers",
        Unit::Count,
        "drivers",
        "Optical drivers that its links need, one for each that transmits.",
        Of::Constant,
    ),
];

/// What is to be seen of a switch.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: 0,
    lanes: &[],
    blocks: BLOCKS,
    gauges: GAUGES,
    stocks: &[],
    meters: METERS,
    figures: FIGURES,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arbitrated_loop::catalogue::segment;

    #[test]
    fn numbers_are_those_of_the_catalogue() {
        assert_eq!(SEGMENTS[segment::QUEUE].name, "port_queue");
        assert_eq!(SEGMENTS[segment::LOOP].name, "switch");
        assert_eq!(SEGMENTS[segment::WIRE].name, "wire");
        assert_eq!(SEGMENTS[segment::CIRCUIT_HELD].name, "circuit_held");
        assert_eq!(SEGMENTS[segment::DESTINATION].name, "destination");
        assert_eq!(GAUGES[gauge::WAITING_FOR].name, "waiting_for");
        assert_eq!(METERS.len(), meter::FRAMES + 1);
        assert_eq!(FIGURES[figure::ROUND_TRIP].name, "round_trip_ns");
        assert_eq!(FIGURES[figure::SWITCH_PORTS].name, "switch_ports");
        assert_eq!(FIGURES[figure::DRIVERS].name, "drivers");
    }
}
