//! The catalogue of a fabric: its segments, blocks, gauges, meters and figures.

use super::segments::SEGMENTS;
use sansim_fc::moves::MOVES;
use sansim_schema::catalogue::{
    Block, Catalogue, Figure, FigureDefinition, FigureUnit, Gauge, Meter, PlaceMeter,
};

const BLOCKS: &[Block] = &[Block::new(
    "links",
    "links",
    "A frame is on a link, from its first word at one end to its last at the other. All frames on all links count each.",
)];

/// Gauges, by their numbers in the catalogue; read at each port, of nodes and of switches.
pub(super) mod gauge {
    pub const PORT_QUEUE: usize = 0;
    pub const BUFFERS: usize = 1;
    pub const CREDIT: usize = 2;
}

const GAUGES: &[Gauge] = &[
    Gauge::new("port_queue", "port queue", "Frames waiting to leave by the port."),
    Gauge::new(
        "buffers",
        "buffers",
        "Buffers of the port that hold a frame or are reserved for a frame in flight.",
    ),
    Gauge::new("credit", "credit", "Frames that the port may send to the other end of its link."),
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
    pub const ACCELERATED: usize = 11;
    pub const PASSED_ON: usize = 12;
    pub const NOTICES: usize = 13;
}

const METERS: &[Meter] = &Meter::list::<14>(&[(meter::SENDING, "links")]);

/// Meters of each port, by their numbers.
pub(super) mod place_meter {
    pub const SENDING: usize = 0;
}

pub(super) const PLACE_METERS: &[PlaceMeter] = &[
    PlaceMeter::new(
        "sending",
        "sending",
        "Share of the time since the sample before in which the port sent frames: the utilisation of its link in that direction.",
    ),
    PlaceMeter::new(
        "without_credit",
        "without credit",
        "Share of the time since the sample before in which the port had a frame to send and no credit.",
    ),
];

/// Figures, by their numbers in the catalogue.
pub(super) mod figure {
    pub const SWITCHES: usize = 7;
    pub const LINKS: usize = 8;
}

const FIGURES: &[Figure] = &[
    Figure::share(
        "utilisation",
        "utilisation",
        "Share of the time in which links carried frames: the mean of all links and of both directions of each.",
        meter::SENDING,
    ),
    Figure::share(
        "credit_stalled",
        "credit stalled",
        "Share of the time in which ports had a frame to send and no credit: the mean of all ports.",
        meter::STALLED,
    ),
    Figure::count("frames", "frames", "Frames that nodes sent.", meter::FRAMES),
    Figure::new(
        "hops",
        FigureUnit::Number,
        "switches",
        "Switches that a frame passed, on average.",
        FigureDefinition::Ratio(meter::HOPS, meter::FRAMES),
    ),
    Figure::count(
        "lost_frames",
        "lost frames",
        "Frames that were lost: on lossy links, at failed links or switches, without a path, or at the end of their hold time.",
        meter::LOST,
    ),
    Figure::count(
        "discarded_frames",
        "discarded frames",
        "Lost frames that switches discarded at the end of their hold time.",
        meter::DISCARDED,
    ),
    Figure::count(
        "link_resets",
        "link resets",
        "Links that a port reset because it had had no credit for `e_d_tov`.",
        meter::RESETS,
    ),
    Figure::constant("switches", FigureUnit::Count, "switches", "Switches of the fabric."),
    Figure::constant("links", FigureUnit::Count, "links", "Links of the fabric, those to nodes included."),
    Figure::new(
        "control_latency_ns",
        FigureUnit::Nanoseconds,
        "latency of control messages",
        "Mean time of a frame without data, from its first word at the sending node to its last at the receiver.",
        FigureDefinition::MeanTime(meter::CONTROL_LASTED, meter::CONTROL_IN),
    ),
    Figure::new(
        "data_latency_ns",
        FigureUnit::Nanoseconds,
        "latency of data frames",
        "Mean time of a frame with data, from its first word at the sending node to its last at the receiver.",
        FigureDefinition::MeanTime(meter::DATA_LASTED, meter::DATA_IN),
    ),
    Figure::count(
        "accelerated_writes",
        "accelerated writes",
        "Writes whose data a gateway of `write_acceleration` asked for before the command had reached the target.",
        meter::ACCELERATED,
    ),
    Figure::count(
        "unaccelerated_writes",
        "writes passed on",
        "Writes that a gateway of `write_acceleration` passed on unchanged, because the other gateway had no room for their data.",
        meter::PASSED_ON,
    ),
    Figure::count(
        "notices",
        "notices",
        "Notices of congestion and of damaged frames that nodes were sent (FPIN).",
        meter::NOTICES,
    ),
];

/// The catalogue of a fabric.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &SEGMENTS,
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
        assert_eq!(GAUGES[gauge::CREDIT].name, "credit");
        assert_eq!(METERS.len(), meter::NOTICES + 1);
        assert_eq!((FIGURES[figure::SWITCHES].name, FIGURES[figure::LINKS].name), ("switches", "links"));
    }
}
