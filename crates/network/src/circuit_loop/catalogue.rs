//! What is to be seen of a loop that carries circuits.

use crate::arbitrated_loop::catalogue::{FIGURES, METERS};
pub(super) use crate::arbitrated_loop::catalogue::{figure, meter};
use sansim_component::network;
use sansim_describe::catalogue::{Catalogue, Gauge, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const QUEUE: usize = super::network::segment::QUEUE;
    pub const LOOP: usize = super::network::segment::WAITS;
    pub const CIRCUIT: usize = 2;
}

const SEGMENTS: &[Segment] = &[
    Segment::wait("port_queue", "port queue", "Queue of a port, behind other sequences."),
    Segment::wait(
        "loop",
        "loop",
        "Waiting for the loop: the access window of the fairness algorithm, arbitration, another circuit to end.",
    ),
    Segment::wait(
        "circuit",
        "circuit",
        "A circuit carries the sequence: OPN, credit, frames and their gaps, and what goes before it, until the last word is at the receiver.",
    ),
];

/// Gauges, by their numbers in the catalogue; read at each port.
pub(super) mod gauge {
    pub const PORT_QUEUE: usize = 0;
}

const GAUGES: &[Gauge] = &[
    Gauge { name: "port_queue", label: "port queue", meaning: "Sequences waiting at the port to be sent." },
    Gauge {
        name: "buffers",
        label: "buffers",
        meaning: "Sequences that have come in and of which the last frame is in its buffer.",
    },
];

/// What is to be seen of such a loop: what a loop of words shows, as far as there is something like it.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: 0,
    lanes: &[],
    blocks: &[],
    gauges: GAUGES,
    stocks: &[],
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
        assert_eq!(SEGMENTS[segment::CIRCUIT].name, "circuit");
        assert_eq!(GAUGES[gauge::PORT_QUEUE].name, "port_queue");
    }
}
