//! What is to be seen of a fabric.

use super::segments::SEGMENTS;
use sansim_describe::catalogue::{Block, Catalogue, Figure, Gauge, Meter, Of, PlaceMeter, Unit};

const BLOCKS: &[Block] = &[Block {
    name: "links",
    label: "links",
    meaning: "A frame is on a link, from its first word at one end to its last at the other. All frames on all links count each.",
}];

/// Gauges, by their numbers in the catalogue; read at each port, of nodes and of switches.
pub(super) mod gauge {
    pub const PORT_QUEUE: usize = 0;
    pub const BUFFERS: usize = 1;
    pub const CREDIT: usize = 2;
}

const GAUGES: &[Gauge] = &[
    Gauge { name: "port_queue", label: "port queue", meaning: "Frames waiting to leave by the port." },
    Gauge {
        name: "buffers",
        label: "buffers",
        meaning: "Buffers of the port that are taken or have a frame on its way.",
    },
    Gauge {
        name: "credit",
        label: "credit",
        meaning: "Frames that the port may send to the other end of its link.",
    },
];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const FRAMES: usize = 0;
    pub const HOPS: usize = 1;
    pub const SENDING: usize = 2;
    pub const STALLED: usize = 3;
    pub const LOST: usize = 4;
    pub const DISCARDED: usize = 5;
    pub const RESETS: usize = 6;
    pub const CONTROL_IN: usize = 7;
    pub const DATA_IN: usize = 8;
    pub const CONTROL_LASTED: usize = 9;
    pub const DATA_LASTED: usize = 10;
}

const METERS: &[Meter] = &[
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: Some("links") },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
    Meter { sampled: None },
];

/// Meters of each port, by their numbers.
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
        name: "without_credit",
        label: "without credit",
        meaning: "Share of the time since the sample before in which the port had a frame to send and no credit.",
    },
];

/// Figures, by their numbers in the catalogue.
pub(super) mod figure {
    pub const SWITCHES: usize = 7;
    pub const LINKS: usize = 8;
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
    Figure::new(
        "discarded_frames",
        Unit::Count,
        "discarded frames",
        "Of the lost frames those that switches discarded at the end of their hold time.",
        Of::Count(meter::DISCARDED),
    ),
    Figure::new(
        "link_resets",
        Unit::Count,
        "link resets",
        "Links that a port reset because it had had no credit for `e_d_tov`.",
        Of::Count(meter::RESETS),
    ),
    Figure::new("switches", Unit::Count, "switches", "Switches of the fabric.", Of::Constant),
    Figure::new("links", Unit::Count, "links", "Links of the fabric, those to nodes included.", Of::Constant),
    Figure::new(
        "control_latency_ns",
        Unit::Nanoseconds,
        "latency of control messages",
        "Mean time of a frame without data from its first word leaving its node to its last being in at the other.",
        Of::MeanTime(meter::CONTROL_LASTED, meter::CONTROL_IN),
    ),
    Figure::new(
        "data_latency_ns",
        Unit::Nanoseconds,
        "latency of data frames",
        "The same of a frame with data.",
        Of::MeanTime(meter::DATA_LASTED, meter::DATA_IN),
    ),
];

/// What is to be seen of a fabric.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &SEGMENTS,
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

    #[test]
    fn numbers_are_those_of_the_catalogue() {
        assert_eq!(GAUGES[gauge::CREDIT].name, "credit");
        assert_eq!(METERS.len(), meter::DATA_LASTED + 1);
        assert_eq!((FIGURES[figure::SWITCHES].name, FIGURES[figure::LINKS].name), ("switches", "links"));
    }
}
