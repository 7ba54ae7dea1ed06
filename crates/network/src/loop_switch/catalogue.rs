//! The catalogue of a loop switch: its segments, blocks, gauges, meters and figures.

use crate::arbitrated_loop::catalogue::{
    ACCESS_WINDOW, BUFFERS_IN_USE, CIRCUIT_HELD, CREDIT, CREDIT_LEFT, FRAMES_AT_WORK, PORT_QUEUE, QUEUED,
    WIRE,
};
use sansim_fc::moves::{MOVES, STATES};
use sansim_schema::catalogue::{Block, Catalogue, Figure, FigureUnit, Gauge, Meter, Segment};

const SEGMENTS: &[Segment] = &[
    PORT_QUEUE,
    Segment::wait("switch", "switch", "Waiting until the port of the switch releases the station."),
    ACCESS_WINDOW,
    CREDIT,
    CIRCUIT_HELD,
    WIRE,
    Segment::wait(
        "destination",
        "destination",
        "An OPN waits in the switch for the destination, which is in another conversation.",
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
    Gauge::new(
        "waiting_for",
        "waiting for it",
        "OPNs that wait in the switch for the port to which the station is attached.",
    ),
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

const METERS: &[Meter] = &Meter::list::<6>(&[(meter::CARRYING, "frames"), (meter::TALKING, "talking")]);

/// Figures, by their numbers in the catalogue.
pub(super) mod figure {
    pub const ROUND_TRIP: usize = 6;
    pub const SWITCH_PORTS: usize = 8;
    pub const DRIVERS: usize = 9;
}

const FIGURES: &[Figure] = &[
    Figure::share(
        "utilisation",
        "utilisation",
        "Share of the time in which frames were sent by one station at least.",
        meter::CARRYING,
    ),
    Figure::share(
        "talking",
        "talking",
        "Concurrent conversations as a share of the possible number: one for every two ports of the switch.",
        meter::TALKING,
    ),
    Figure::share(
        "busy",
        "busy",
        "Share of the time in which at least one conversation was open.",
        meter::BUSY,
    ),
    Figure::count("conversations", "conversations", "Conversations begun.", meter::CONVERSATIONS),
    Figure::count("refused", "refused", "OPNs that the switch answered with CLS.", meter::REFUSED),
    Figure::count("frames", "frames", "Frames sent.", meter::FRAMES),
    Figure::constant(
        "round_trip_ns",
        FigureUnit::Nanoseconds,
        "round trip",
        "Longest round trip of two ports that the switch can join.",
    ),
    Figure::constant("ports", FigureUnit::Count, "ports", "Ports of stations."),
    Figure::constant("switch_ports", FigureUnit::Count, "switch ports", "Ports of the switch."),
    Figure::constant(
        "drivers",
        FigureUnit::Count,
        "drivers",
        "Optical drivers that its links need, one for each that transmits.",
    ),
];

/// The catalogue of a switch.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    blocks: BLOCKS,
    gauges: GAUGES,
    states: STATES,
    moves: MOVES,
    meters: METERS,
    figures: FIGURES,
    ..Catalogue::EMPTY
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
