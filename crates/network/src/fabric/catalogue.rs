//! What is to be seen of a fabric.

use sansim_component::network;
use sansim_describe::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const QUEUE: usize = super::network::segment::QUEUE;
    pub const CREDIT: usize = 2;
    pub const WAY: usize = 3;
    pub const LOST: usize = 4;
}

const SEGMENTS: &[Segment] = &[
    Segment::wait(
        "port_queue",
        "port queue",
        "Queue of a node's port, behind other frames and the gap after them.",
    ),
    Segment::wait("fabric", "fabric", "Waiting for the fabric."),
    Segment::wait(
        "credit",
        "credit",
        "Waiting at the node's port for credit: no buffer free at the other end of its link, or R_RDY on its way.",
    ),
    Segment::work(
        "way",
        "way",
        "On the way: from the first word at the node that sends to the last at the node that receives, with all that happens in switches.",
        &[0],
    ),
    Segment::wait(
        "lost",
        "lost",
        "A frame was lost in the fabric: on a link, with one or a switch that failed, for want of a way, or at the end of its hold time.",
    ),
];

const BLOCKS: &[Block] = &[Block {
    name: "links",
    label: "links",
    meaning: "A port of a link sends a frame. All ports of the fabric count each.",
}];

/// Gauges, by their numbers in the catalogue; read at each node's port.
pub(super) mod gauge {
    pub const PORT_QUEUE: usize = 0;
    pub const BUFFERS: usize = 1;
    pub const CREDIT: usize = 2;
}

const GAUGES: &[Gauge] = &[
    Gauge {
        name: "port_queue",
        label: "port queue",
        meaning: "Frames waiting at the node's port to be sent.",
    },
    Gauge {
        name: "buffers",
        label: "buffers",
        meaning: "Buffers of the node's port that are taken or have a frame on its way.",
    },
    Gauge {
        name: "credit",
        label: "credit",
        meaning: "Frames that the node may send to the other end of its link.",
    },
];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const FRAMES: usize = 0;
    pub const HOPS: usize = 1;
    pub const SENDING: usize = 2;
    pub const STALLED: usize = 3;
    pub const LOST: usize = 4;
}

const METERS: &[Meter] = &[
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: Some("links") },
    Meter { sampled: None },
    Meter { sampled: None },
];

/// Figures, by their numbers in the catalogue.
pub(super) mod figure {
    pub const SWITCHES: usize = 5;
    pub const LINKS: usize = 6;
}

const FIGURES: &[Figure] = &[
    Figure::new(
        "utilisation",
        Unit::Share,
        "utilisation",
        "Share of the time in which links carried frames: the mean of all links and of both directions of each.",
        Of::Share(meter::SENDING),
    ),
    Figure::new(
        "credit_stalled",
        Unit::Share,
        "credit stalled",
        "Share of the time in which ports had a frame to send and no credit: the mean of all ports.",
        Of::Share(meter::STALLED),
    ),
    Figure::new("frames", Unit::Count, "frames", "Frames that nodes sent.", Of::Count(meter::FRAMES)),
    Figure::new(
        "hops",
        Unit::Number,
        "switches",
        "Switches that a frame passed, on average.",
        Of::Ratio(meter::HOPS, meter::FRAMES),
    ),
    Figure::new(
        "lost_frames",
        Unit::Count,
        "lost frames",
        "Frames that were lost: on links, with links or switches that failed, for want of a way, or at the end of their hold time.",
        Of::Count(meter::LOST),
    ),
    Figure::new("switches", Unit::Count, "switches", "Switches of the fabric.", Of::Constant),
    Figure::new("links", Unit::Count, "links", "Links of the fabric, those to nodes included.", Of::Constant),
];

/// What is to be seen of a fabric.
pub(super) const CATALOGUE: Catalogue = Catalogue {
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
    fn numbers_are_those_of_the_catalogue() {
        assert_eq!(SEGMENTS[segment::QUEUE].name, "port_queue");
        assert_eq!(SEGMENTS[segment::CREDIT].name, "credit");
        assert_eq!(SEGMENTS[segment::WAY].name, "way");
        assert_eq!(SEGMENTS[segment::LOST].name, "lost");
        assert_eq!(GAUGES[gauge::CREDIT].name, "credit");
        assert_eq!(METERS.len(), meter::LOST + 1);
        assert_eq!((FIGURES[figure::SWITCHES].name, FIGURES[figure::LINKS].name), ("switches", "links"));
    }
}
