//! The catalogue of an Ethernet: that of TCP, and what RDMA, pauses and links between switches have besides.

use crate::tcp::{FIGURES as OF_TCP, GAUGES as GAUGES_OF_TCP, SEGMENTS as SEGMENTS_OF_TCP, meter as of_tcp};
use sansim_pdu::PduKind;
use sansim_schema::catalogue::{
    Catalogue, Figure, FigureUnit, Gauge, Meter, MoveKind, Segment, move_colour as colour,
};

/// Segments, by their numbers in the catalogue.
pub(crate) mod segment {
    pub const QUEUE: usize = crate::tcp::segment::QUEUE;
    pub const RATE: usize = 3;
    pub const RDMA: usize = 4;
}

const SEGMENTS: &[Segment] = &[
    SEGMENTS_OF_TCP[0],
    SEGMENTS_OF_TCP[1],
    SEGMENTS_OF_TCP[2],
    Segment::wait(
        "rdma_rate",
        "RDMA rate",
        "At the sender of an RDMA connection: the rate of the connection, which congestion has lowered, does not allow the next packet yet.",
    ),
    Segment::wait(
        "rdma",
        "RDMA",
        "In flight on an RDMA connection: from its first byte on the link until the adapter of the receiver has all bytes up to its last.",
    ),
];

/// Gauges, by their numbers in the catalogue, behind those of TCP.
pub(super) mod gauge {
    pub const RATE: usize = 4;
}

const GAUGES: &[Gauge] = &[
    GAUGES_OF_TCP[0],
    GAUGES_OF_TCP[1],
    GAUGES_OF_TCP[2],
    GAUGES_OF_TCP[3],
    Gauge::new(
        "rdma_rate",
        "RDMA rate",
        "Kilobytes (10^3) per second at which the RDMA connections of the node may send, in sum; zero where nothing limits them.",
    ),
];

/// The kinds of moves.
pub(crate) mod moves {
    use super::PduKind;

    pub const ACK: u8 = 5;
    pub const NOTICE: u8 = 6;

    /// The kind of the move of a frame whose first bytes belong to a unit of this kind; none for bytes that have been delivered.
    pub fn of_unit(kind: Option<PduKind>) -> u8 {
        match kind {
            Some(PduKind::Command) => 0,
            Some(PduKind::TransferReady) => 1,
            Some(PduKind::Data | PduKind::Ip) => 2,
            Some(PduKind::Response | PduKind::Control) => 3,
            Some(_) | None => 4,
        }
    }
}

const MOVES: &[MoveKind] = &[
    MoveKind::unit("COMMAND frame", "A frame with the bytes of a command.", colour::COMMAND),
    MoveKind::unit("READY frame", "A frame in which the target asks for data of a write.", colour::ASK),
    MoveKind::unit("DATA frame", "A frame with data of a read or a write.", colour::DATA),
    MoveKind::unit("STATUS frame", "A frame with the status of a command.", colour::STATUS),
    MoveKind::unit("RETRANSMISSION", "A frame with bytes that have been delivered already.", colour::ABORT),
    MoveKind::unit("ACK", "A frame that only acknowledges, or reports a missing one.", colour::CONTROL),
    MoveKind::unit("CNP", "A frame that reports congestion to a sender of RDMA.", colour::CONTROL),
];

/// Meters, by their numbers in the catalogue, behind those of TCP.
pub(super) mod meter {
    pub const PAUSES: usize = 16;
    pub const PAUSED: usize = 17;
    pub const BACKBONE: usize = 18;
    pub const NOTICES: usize = 19;
}

const METERS: &[Meter] = &Meter::list::<20>(&[
    (of_tcp::SENDING[0], "asking_links"),
    (of_tcp::STACK[0], "asking_stack"),
    (meter::BACKBONE, "backbone"),
]);

/// The number of the figure that says how many switches there are.
pub(super) const SWITCHES: usize = OF_TCP.len() + 4;

const FIGURES: [Figure; SWITCHES + 1] = {
    let mut figures = [OF_TCP[0]; SWITCHES + 1];
    let mut number = 0;
    while number < OF_TCP.len() {
        figures[number] = OF_TCP[number];
        number += 1;
    }
    figures[OF_TCP.len()] = Figure::share(
        "backbone_utilisation",
        "utilisation between switches",
        "Share of the time in which links between switches carried frames: the mean of all of them and of both directions.",
        meter::BACKBONE,
    );
    figures[OF_TCP.len() + 1] = Figure::count(
        "pauses",
        "pauses",
        "Pause frames (PFC) that ports sent: those that ask the other end to pause, and those that let it go on.",
        meter::PAUSES,
    );
    figures[OF_TCP.len() + 2] = Figure::share(
        "paused",
        "paused",
        "Share of the time in which ports had frames to send and had to pause: the mean of all ports.",
        meter::PAUSED,
    );
    figures[OF_TCP.len() + 3] = Figure::count(
        "congestion_notices",
        "congestion notices",
        "Reports of congestion (CNP) that receivers of RDMA sent.",
        meter::NOTICES,
    );
    figures[SWITCHES] =
        Figure::constant("switches", FigureUnit::Count, "switches", "Switches of the network.");
    figures
};

/// The catalogue of an Ethernet.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    gauges: GAUGES,
    moves: MOVES,
    meters: METERS,
    figures: &FIGURES,
    ..Catalogue::EMPTY
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_catalogue() {
        assert_eq!(meter::PAUSES, of_tcp::RECEIVING[1] + 1);
        assert_eq!(METERS.len(), meter::NOTICES + 1);
        assert_eq!(FIGURES[SWITCHES].name, "switches");
    }
}
