//! The catalogue of a network with TCP.

use sansim_component::network;
use sansim_schema::catalogue::{Catalogue, Figure, FigureUnit, Gauge, Meter, Of, PlaceMeter, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const QUEUE: usize = super::network::segment::QUEUE;
    pub const WINDOW: usize = super::network::segment::WAITS;
    pub const UNDER_WAY: usize = 2;
}

const SEGMENTS: &[Segment] = &[
    Segment::wait(
        "send_queue",
        "send queue",
        "At the sender of a TCP connection: behind others, for the rest of a segment, or for the processor or the link of the node.",
    ),
    Segment::wait(
        "tcp_window",
        "TCP window",
        "At the sender of a TCP connection: as much is under way as the window allows.",
    ),
    Segment::wait(
        "tcp",
        "TCP",
        "Under way on a TCP connection: from its first byte on the link until the software of the receiver has its last, and all before it.",
    ),
];

/// Gauges, by their numbers in the catalogue; read at each port.
pub(super) mod gauge {
    pub const SEND_QUEUE: usize = 0;
}

const GAUGES: &[Gauge] = &[
    Gauge::new("send_queue", "send queue", "Frames that wait for the link of the node, or are on it."),
    Gauge::new(
        "tcp_stack",
        "TCP stack",
        "Frames and interrupts that wait for the processor of the node's TCP, or are at it.",
    ),
];

/// Meters, by their numbers in the catalogue. Pairs are for the nodes that ask, then for those that serve.
pub(super) mod meter {
    pub const SENDING: [usize; 2] = [0, 1];
    pub const STACK: [usize; 2] = [2, 3];
    pub const INTERRUPTS: [usize; 2] = [4, 5];
    pub const DATA_FRAMES: usize = 6;
    pub const ACKS: usize = 7;
    pub const LOST: usize = 8;
    pub const AGAIN: usize = 9;
    pub const TIME_OUTS: usize = 10;
    pub const BYTES: usize = 11;
}

const METERS: &[Meter] =
    &Meter::list::<12>(&[(meter::SENDING[0], "asking_links"), (meter::STACK[0], "asking_stack")]);

/// Meters of places, by their numbers.
pub(super) mod place_meter {
    pub const SENDING: usize = 0;
}

pub(super) const PLACE_METERS: &[PlaceMeter] = &[
    PlaceMeter::new(
        "sending",
        "sending",
        "Share of the time since the sample before in which the port sent frames: how much of its link it used, that way.",
    ),
    PlaceMeter::new(
        "tcp_processor",
        "TCP processor",
        "Share of the time since the sample before in which the processor of the node's TCP was at work.",
    ),
];

/// Figures, by their numbers in the catalogue.
pub(super) mod figure {
    pub const SEGMENT: usize = 12;
}

const FIGURES: &[Figure] = &[
    Figure::share(
        "utilisation",
        "utilisation",
        "Share of the time in which the links of the nodes that ask carried frames from them, in the mean.",
        meter::SENDING[0],
    ),
    Figure::share(
        "served_utilisation",
        "utilisation by servers",
        "Share of the time in which the links of the nodes that serve carried frames from them, in the mean.",
        meter::SENDING[1],
    ),
    Figure::share(
        "asking_stack",
        "TCP at hosts",
        "Share of the time in which the processors for TCP of the nodes that ask were at work, in the mean; where a node has processors of its own, how much of one of these TCP took.",
        meter::STACK[0],
    ),
    Figure::share(
        "serving_stack",
        "TCP at servers",
        "Share of the time in which the processors for TCP of the nodes that serve were at work, in the mean; where a node has processors of its own, how much of one of these TCP took.",
        meter::STACK[1],
    ),
    Figure::count(
        "asking_interrupts",
        "interrupts at hosts",
        "Interrupts at the nodes that ask, for frames that came in.",
        meter::INTERRUPTS[0],
    ),
    Figure::count(
        "serving_interrupts",
        "interrupts at servers",
        "Interrupts at the nodes that serve, for frames that came in.",
        meter::INTERRUPTS[1],
    ),
    Figure::count(
        "data_frames",
        "frames with data",
        "Frames with data that were sent, those that were sent again with them.",
        meter::DATA_FRAMES,
    ),
    Figure::count(
        "acknowledgements",
        "acknowledgements",
        "Frames with nothing but an acknowledgement that were sent.",
        meter::ACKS,
    ),
    Figure::count("lost_frames", "lost frames", "Frames that were lost.", meter::LOST),
    Figure::count(
        "sent_again",
        "frames sent again",
        "Frames with data that had been sent before.",
        meter::AGAIN,
    ),
    Figure::count(
        "time_outs",
        "time-outs",
        "Times that a sender had waited for an acknowledgement for too long.",
        meter::TIME_OUTS,
    ),
    Figure::new(
        "moved_bytes",
        FigureUnit::Bytes,
        "moved",
        "Bytes that connections delivered, headers of messages with them.",
        Of::Count(meter::BYTES),
    ),
    Figure::constant("segment_bytes", FigureUnit::Bytes, "segment", "Most data of a frame."),
    Figure::constant("ports", FigureUnit::Count, "ports", "Nodes on the network."),
];

/// The catalogue of such a network.
pub(super) const CATALOGUE: Catalogue =
    Catalogue { segments: SEGMENTS, gauges: GAUGES, meters: METERS, figures: FIGURES, ..Catalogue::EMPTY };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_catalogue() {
        assert_eq!(SEGMENTS[segment::QUEUE].name, "send_queue");
        assert_eq!(SEGMENTS[segment::WINDOW].name, "tcp_window");
        assert_eq!(SEGMENTS[segment::UNDER_WAY].name, "tcp");
        assert_eq!(GAUGES[gauge::SEND_QUEUE].name, "send_queue");
        assert_eq!(METERS.len(), meter::BYTES + 1);
        assert_eq!(PLACE_METERS[place_meter::SENDING].name, "sending");
        assert_eq!(FIGURES[figure::SEGMENT].name, "segment_bytes");
    }
}
