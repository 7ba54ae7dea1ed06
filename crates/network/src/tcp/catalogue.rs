//! The catalogue of a network with TCP: its segments, blocks, gauges, meters and figures.

use sansim_component::network;
use sansim_pdu::PduKind;
use sansim_schema::catalogue::{
    Catalogue, Figure, FigureDefinition, FigureUnit, Gauge, Meter, MoveKind, PlaceMeter, Segment,
    move_colour as colour,
};

/// Segments, by their numbers in the catalogue.
pub(crate) mod segment {
    pub const QUEUE: usize = super::network::segment::QUEUE;
    pub const WINDOW: usize = super::network::segment::WAITS;
    pub const UNDER_WAY: usize = 2;
}

pub(crate) const SEGMENTS: &[Segment] = &[
    Segment::wait(
        "send_queue",
        "send queue",
        "At the sender of a TCP connection: behind earlier data, or waiting for the rest of a segment, for the processor or for the link of the node.",
    ),
    Segment::wait(
        "tcp_window",
        "TCP window",
        "At the sender of a TCP connection: the data in flight have reached the window.",
    ),
    Segment::wait(
        "tcp",
        "TCP",
        "In flight on a TCP connection: from its first byte on the link until the software of the receiver has all bytes up to its last.",
    ),
];

/// Gauges, by their numbers in the catalogue; read at each port.
pub(crate) mod gauge {
    pub const SEND_QUEUE: usize = 0;
    pub const SWITCH_BUFFER: usize = 2;
    pub const CONGESTION_WINDOW: usize = 3;
}

pub(crate) const GAUGES: &[Gauge] = &[
    Gauge::new("send_queue", "send queue", "Frames that wait for the link of the node, or are on it."),
    Gauge::new(
        "tcp_stack",
        "TCP stack",
        "Frames and interrupts in the queue of the processor of the node's TCP, or in service there.",
    ),
    Gauge::new(
        "switch_buffer",
        "switch buffer",
        "Bytes that wait at the switch for the link to the node, the rest of the frame on the link among them.",
    ),
    Gauge::new(
        "congestion_window",
        "congestion window",
        "Bytes that the congestion windows of the node's connections let it have in flight, in sum; zero without congestion control.",
    ),
];

/// Meters, by their numbers in the catalogue. A pair of meters is for initiators and for targets.
pub(crate) mod meter {
    pub const SENDING: [usize; 2] = [0, 1];
    pub const STACK: [usize; 2] = [2, 3];
    pub const INTERRUPTS: [usize; 2] = [4, 5];
    pub const DATA_FRAMES: usize = 6;
    pub const ACKS: usize = 7;
    pub const LOST: usize = 8;
    pub const AGAIN: usize = 9;
    pub const TIME_OUTS: usize = 10;
    pub const BYTES: usize = 11;
    pub const DROPPED: usize = 12;
    pub const MARKED: usize = 13;
    /// The links to initiators, and to targets.
    pub const RECEIVING: [usize; 2] = [14, 15];
}

const METERS: &[Meter] =
    &Meter::list::<16>(&[(meter::SENDING[0], "asking_links"), (meter::STACK[0], "asking_stack")]);

/// Meters of places, by their numbers.
pub(crate) mod place_meter {
    pub const SENDING: usize = 0;
}

pub(crate) const PLACE_METERS: &[PlaceMeter] = &[
    PlaceMeter::new(
        "sending",
        "sending",
        "Share of the time since the sample before in which the port sent frames: the utilisation of its link in that direction.",
    ),
    PlaceMeter::new(
        "tcp_processor",
        "TCP processor",
        "Share of the time since the sample before in which the processor of the node's TCP was at work.",
    ),
];

/// Figures, by their numbers in the catalogue.
pub(crate) mod figure {
    pub const SEGMENT: usize = 16;
    pub const PORTS: usize = 17;
}

pub(crate) const FIGURES: &[Figure] = &[
    Figure::share(
        "utilisation",
        "utilisation",
        "Share of the time in which the links of initiators carried frames from them, mean of all.",
        meter::SENDING[0],
    ),
    Figure::share(
        "served_utilisation",
        "utilisation by servers",
        "Share of the time in which the links of targets carried frames from them, mean of all.",
        meter::SENDING[1],
    ),
    Figure::share(
        "received_utilisation",
        "utilisation towards hosts",
        "Share of the time in which the links of initiators carried frames to them, mean of all.",
        meter::RECEIVING[0],
    ),
    Figure::share(
        "served_received_utilisation",
        "utilisation towards servers",
        "Share of the time in which the links of targets carried frames to them, mean of all.",
        meter::RECEIVING[1],
    ),
    Figure::share(
        "asking_stack",
        "TCP at hosts",
        "Share of the time in which the TCP processors of initiators were busy, mean of all; for a node with processors of its own, the share of one of them that TCP used.",
        meter::STACK[0],
    ),
    Figure::share(
        "serving_stack",
        "TCP at servers",
        "Share of the time in which the TCP processors of targets were busy, mean of all; for a node with processors of its own, the share of one of them that TCP used.",
        meter::STACK[1],
    ),
    Figure::count(
        "asking_interrupts",
        "interrupts at hosts",
        "Interrupts at initiators for received frames.",
        meter::INTERRUPTS[0],
    ),
    Figure::count(
        "serving_interrupts",
        "interrupts at servers",
        "Interrupts at targets for received frames.",
        meter::INTERRUPTS[1],
    ),
    Figure::count(
        "data_frames",
        "frames with data",
        "Frames with data that were sent, retransmissions included.",
        meter::DATA_FRAMES,
    ),
    Figure::count(
        "acknowledgements",
        "acknowledgements",
        "Frames sent that carry only an acknowledgement.",
        meter::ACKS,
    ),
    Figure::count("lost_frames", "lost frames", "Frames that were lost.", meter::LOST),
    Figure::count("sent_again", "frames sent again", "Retransmitted frames with data.", meter::AGAIN),
    Figure::count(
        "time_outs",
        "time-outs",
        "Retransmission time-outs: a sender had waited too long for an acknowledgement.",
        meter::TIME_OUTS,
    ),
    Figure::count(
        "dropped_frames",
        "dropped frames",
        "Frames that were lost because the buffer of the switch had no room for them.",
        meter::DROPPED,
    ),
    Figure::count(
        "marked_frames",
        "marked frames",
        "Frames with data that the switch marked because more bytes than a threshold waited for their link.",
        meter::MARKED,
    ),
    Figure::new(
        "moved_bytes",
        FigureUnit::Bytes,
        "moved",
        "Bytes that connections delivered, headers of messages included.",
        FigureDefinition::Count(meter::BYTES),
    ),
    Figure::constant("segment_bytes", FigureUnit::Bytes, "segment", "Most data of a frame."),
    Figure::constant("ports", FigureUnit::Count, "ports", "Nodes on the network."),
];

/// The kinds of moves: frames by the message whose bytes come first in them, by the numbers of [`move_of`].
const MOVES: &[MoveKind] = &[
    MoveKind::unit("COMMAND segment", "A frame with the bytes of a command.", colour::COMMAND),
    MoveKind::unit("READY segment", "A frame in which the target asks for data of a write.", colour::ASK),
    MoveKind::unit("DATA segment", "A frame with data of a read or a write.", colour::DATA),
    MoveKind::unit("STATUS segment", "A frame with the status of a command.", colour::STATUS),
    MoveKind::unit("RETRANSMISSION", "A frame with bytes that have been delivered already.", colour::ABORT),
    MoveKind::unit("ACK", "A frame that only acknowledges bytes.", colour::CONTROL),
];

/// The kind of the move of a frame without data, by its place in the catalogue.
pub(crate) const ACK: u8 = 5;

/// The kind of the move of a frame whose first bytes belong to a message of this kind, by its place in the catalogue; none for bytes that
/// have been delivered.
pub(crate) fn move_of(kind: Option<PduKind>) -> u8 {
    match kind {
        Some(PduKind::Command) => 0,
        Some(PduKind::TransferReady) => 1,
        Some(PduKind::Data | PduKind::Ip) => 2,
        Some(PduKind::Response | PduKind::Control) => 3,
        Some(_) | None => 4,
    }
}

/// The catalogue of a network with TCP.
pub(crate) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
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
        assert_eq!(SEGMENTS[segment::QUEUE].name, "send_queue");
        assert_eq!(SEGMENTS[segment::WINDOW].name, "tcp_window");
        assert_eq!(SEGMENTS[segment::UNDER_WAY].name, "tcp");
        assert_eq!(GAUGES[gauge::SEND_QUEUE].name, "send_queue");
        assert_eq!(METERS.len(), meter::RECEIVING[1] + 1);
        assert_eq!(GAUGES[gauge::SWITCH_BUFFER].name, "switch_buffer");
        assert_eq!(GAUGES[gauge::CONGESTION_WINDOW].name, "congestion_window");
        assert_eq!(PLACE_METERS[place_meter::SENDING].name, "sending");
        assert_eq!(FIGURES[figure::SEGMENT].name, "segment_bytes");
        assert_eq!(FIGURES[figure::PORTS].name, "ports");
    }
}
