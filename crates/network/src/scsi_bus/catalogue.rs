//! The catalogue of a parallel SCSI bus: its segments, blocks, gauges, meters and figures.

use sansim_component::network;
use sansim_pdu::PduKind;
use sansim_schema::catalogue::{
    Block, Catalogue, Figure, FigureDefinition, FigureUnit, Gauge, Meter, MoveKind, Segment,
    move_colour as colour,
};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const QUEUE: usize = super::network::segment::QUEUE;
    pub const BUS: usize = super::network::segment::WAITS;
    pub const ARBITRATION: usize = 2;
    pub const PHASES: usize = 3;
}

const SEGMENTS: &[Segment] = &[
    Segment::wait("scsi_queue", "SCSI queue", "Queue of a port at a SCSI bus, behind earlier transfers."),
    Segment::wait(
        "scsi_bus",
        "SCSI bus",
        "Waiting for a SCSI bus: others are connected, clean up, or win the arbitration.",
    ),
    Segment::work(
        "arbitration",
        "arbitration",
        "A port is winning a SCSI bus, or has won it: arbitration, and selection or reselection.",
        &[0],
    ),
    Segment::work(
        "phases",
        "phases",
        "Phases of a SCSI bus carry it: messages, command, data, status, until the last byte is at the other end.",
        &[0],
    ),
];

const BLOCKS: &[Block] = &[Block::new(
    "scsi_bus",
    "SCSI bus",
    "A SCSI bus is busy: a port arbitrates, or a phase of a connection is in progress.",
)];

/// Gauges, by their numbers in the catalogue; read at each port.
pub(super) mod gauge {
    pub const PORT_QUEUE: usize = 0;
}

const GAUGES: &[Gauge] =
    &[Gauge::new("scsi_queue", "SCSI queue", "Commands, data of requests and status that wait at the port.")];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const TAKEN: usize = 0;
    pub const DATA: usize = 1;
    pub const OVERHEAD: usize = 2;
    pub const HELD: usize = 3;
    pub const CONNECTIONS: usize = 4;
    pub const BYTES: usize = 5;
}

const METERS: &[Meter] = &Meter::list::<6>(&[(meter::TAKEN, "scsi_bus"), (meter::DATA, "data_phases")]);

const FIGURES: &[Figure] = &[
    Figure::share(
        "utilisation",
        "utilisation",
        "Share of the time in which the bus was not free: from the arbitration of each connection until its clean-up was over.",
        meter::TAKEN,
    ),
    Figure::share("data", "data", "Share of the time in which the bus was in a data phase.", meter::DATA),
    Figure::share(
        "overhead",
        "overhead",
        "Share of the time in which the bus was busy with arbitration, messages, commands, status and clean-up.",
        meter::OVERHEAD,
    ),
    Figure::share(
        "held",
        "held",
        "Share of the time in which two ports were connected and moved no data: the target had not disconnected.",
        meter::HELD,
    ),
    Figure::count("connections", "connections", "Connections begun.", meter::CONNECTIONS),
    Figure::new(
        "moved_bytes",
        FigureUnit::Bytes,
        "moved",
        "Bytes of data that data phases moved.",
        FigureDefinition::Count(meter::BYTES),
    ),
    Figure::constant("ports", FigureUnit::Count, "ports", "Ports on the bus."),
];

/// The kinds of moves: the phases of the bus, by the numbers of [`move_of`].
const MOVES: &[MoveKind] = &[
    MoveKind::unit("COMMAND", "The command phase.", colour::COMMAND),
    MoveKind::unit("DATA REQUEST", "The target asks for data of a write; no phase of its own.", colour::ASK),
    MoveKind::unit("DATA", "A data phase.", colour::DATA),
    MoveKind::unit("STATUS", "The status phase.", colour::STATUS),
    MoveKind::unit("MESSAGE", "A message, for example to abort a command.", colour::ABORT),
];

/// The kind of the move of a unit, by its place in the catalogue.
pub(super) fn move_of(kind: PduKind) -> u8 {
    match kind {
        PduKind::Command => 0,
        PduKind::TransferReady => 1,
        PduKind::Data => 2,
        PduKind::Response => 3,
        _ => 4,
    }
}

/// The catalogue of a SCSI bus.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    blocks: BLOCKS,
    gauges: GAUGES,
    moves: MOVES,
    meters: METERS,
    figures: FIGURES,
    ..Catalogue::EMPTY
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_catalogue() {
        assert_eq!(SEGMENTS[segment::QUEUE].name, "scsi_queue");
        assert_eq!(SEGMENTS[segment::BUS].name, "scsi_bus");
        assert_eq!(SEGMENTS[segment::ARBITRATION].name, "arbitration");
        assert_eq!(SEGMENTS[segment::PHASES].name, "phases");
        assert_eq!(GAUGES[gauge::PORT_QUEUE].name, "scsi_queue");
        assert_eq!(METERS.len(), meter::BYTES + 1);
    }
}
