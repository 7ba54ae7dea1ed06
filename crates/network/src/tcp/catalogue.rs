//! What is to be seen of a network with TCP.

use sansim_component::network;
use sansim_describe::catalogue::{Catalogue, Figure, Gauge, Meter, Of, PlaceMeter, Segment, Unit};

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
    Gauge {
        name: "send_queue",
        label: "send queue",
        meaning: "Frames that wait for the link of the node, or are on it.",
    },
    Gauge {
        name: "tcp_stack",
        label: "TCP stack",
        meaning: "Frames and interrupts that wait for the processor of the node's TCP, or are at it.",
    },
];

/// Meters, by their numbers in the catalogue. What there is twice is for the nodes that ask, then for those that serve.
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

const COUNTED: Meter = Meter { sampled: None };

const METERS: &[Meter] = &[
    Meter { sampled: Some("asking_links") },
    COUNTED,
    Meter { sampled: Some("asking_stack") },
    COUNTED,
    COUNTED,
    COUNTED,
    COUNTED,
    COUNTED,
    COUNTED,
    COUNTED,
    COUNTED,
    COUNTED,
];

/// Meters of places, by their numbers.
pub(super) mod place_meter {
    pub const SENDING: usize = 0;
}

pub(super) const PLACE_METERS: &[PlaceMeter] = &[
    PlaceMeter {
        name: "sending",
        label: "sending",
        meaning: "Share of the time since the sample before in which the port sent frames: how much of its link it used, that way.",
    },
    PlaceMeter {
        name: "tcp_processor",
        label: "TCP processor",
        meaning: "Share of the time since the sample before in which the processor of the node's TCP was at work.",
    },
];

/// Figures, by their numbers in the catalogue.
pub(super) mod figure {
    pub const SEGMENT: usize = 12;
}

const FIGURES: &[Figure] = &[
    Figure::new(
        "utilisation",
        Unit::Share,
        "utilisation",
        "Share of the time in which the links of the nodes that ask carried frames from them, in the mean.",
        Of::Share(meter::SENDING[0]),
    ),
    Figure::new(
        "served_utilisation",
        Unit::Share,
        "utilisation by servers",
        "Share of the time in which the links of the nodes that serve carried frames from them, in the mean.",
        Of::Share(meter::SENDING[1]),
    ),
    Figure::new(
        "asking_stack",
        Unit::Share,
        "TCP at hosts",
        "Share of the time in which the processors for TCP of the nodes that ask were at work, in the mean; where a node has processors of its own, how much of one of these TCP took.",
        Of::Share(meter::STACK[0]),
    ),
    Figure::new(
        "serving_stack",
        Unit::Share,
        "TCP at servers",
        "Share of the time in which the processors for TCP of the nodes that serve were at work, in the mean; where a node has processors of its own, how much of one of these TCP took.",
        Of::Share(meter::STACK[1]),
    ),
    Figure::new(
        "asking_interrupts",
        Unit::Count,
        "interrupts at hosts",
        "Interrupts at the nodes that ask, for frames that came in.",
        Of::Count(meter::INTERRUPTS[0]),
    ),
    Figure::new(
        "serving_interrupts",
        Unit::Count,
        "interrupts at servers",
        "Interrupts at the nodes that serve, for frames that came in.",
        Of::Count(meter::INTERRUPTS[1]),
    ),
    Figure::new(
        "data_frames",
        Unit::Count,
        "frames with data",
        "Frames with data that were sent, those that were sent again with them.",
        Of::Count(meter::DATA_FRAMES),
    ),
    Figure::new(
        "acknowledgements",
        Unit::Count,
        "acknowledgements",
        "Frames with nothing but an acknowledgement that were sent.",
        Of::Count(meter::ACKS),
    ),
    Figure::new("lost_frames", Unit::Count, "lost frames", "Frames that were lost.", Of::Count(meter::LOST)),
    Figure::new(
        "sent_again",
        Unit::Count,
        "frames sent again",
        "Frames with data that had been sent before.",
        Of::Count(meter::AGAIN),
    ),
    Figure::new(
        "time_outs",
        Unit::Count,
        "time-outs",
        "Times that a sender had waited for an acknowledgement for too long.",
        Of::Count(meter::TIME_OUTS),
    ),
    Figure::new(
        "moved_bytes",
        Unit::Bytes,
        "moved",
        "Bytes that connections delivered, headers of messages with them.",
        Of::Count(meter::BYTES),
    ),
    Figure::new("segment_bytes", Unit::Bytes, "segment", "Most data of a frame.", Of::Constant),
    Figure::new("ports", Unit::Count, "ports", "Nodes on the network.", Of::Constant),
];

/// What is to be seen of such a network.
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
        assert_eq!(SEGMENTS[segment::QUEUE].name, "send_queue");
        assert_eq!(SEGMENTS[segment::WINDOW].name, "tcp_window");
        assert_eq!(SEGMENTS[segment::UNDER_WAY].name, "tcp");
        assert_eq!(GAUGES[gauge::SEND_QUEUE].name, "send_queue");
        assert_eq!(METERS.len(), meter::BYTES + 1);
        assert_eq!(PLACE_METERS[place_meter::SENDING].name, "sending");
        assert_eq!(FIGURES[figure::SEGMENT].name, "segment_bytes");
    }
}
