//! The catalogue of a metadata controller: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{
    Block, Catalogue, Figure, FigureDefinition, FigureUnit, Gauge, Meter, Segment,
};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const QUEUE: usize = 0;
    pub const PROCESSOR: usize = 1;
    pub const HELD: usize = 2;
}

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const QUEUE: usize = 0;
    pub const SESSIONS: usize = 1;
}

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const BUSY: usize = 0;
    pub const MESSAGES: usize = 1;
    pub const WAITED: usize = 2;
    pub const SET_UPS: usize = 3;
    pub const RENEWALS: usize = 4;
    pub const LOCKS: usize = 5;
    pub const RECALLS: usize = 6;
    pub const EXTENTS: usize = 7;
    pub const MOVES: usize = 8;
    pub const DENIED: usize = 9;
    pub const EXPIRED: usize = 10;
}

/// The segments, blocks, gauges, meters and figures of a metadata controller.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait(
            "metadata_queue",
            "metadata queue",
            "A message waiting for a processor of the metadata controller.",
        ),
        Segment::work(
            "metadata",
            "metadata",
            "A processor of the metadata controller executes a message.",
            &[0],
        ),
        Segment::wait(
            "metadata_held",
            "held message",
            "A message that the metadata controller answers later: a lock is not free, a volume is being moved, or there is no news.",
        ),
    ],
    provides: segment::QUEUE,
    lanes: &[segment::PROCESSOR],
    blocks: &[Block::new(
        "metadata_processors",
        "metadata processors",
        "Processors of the metadata controller.",
    )],
    gauges: &[
        Gauge::new(
            "metadata_queue",
            "metadata queue",
            "Messages that wait for a processor of the metadata controller.",
        ),
        Gauge::new(
            "metadata_sessions",
            "sessions",
            "Open sessions at the metadata controller, of all volumes.",
        ),
    ],
    meters: &Meter::list::<11>(&[(meter::BUSY, "metadata_processors")]),
    figures: &[
        Figure::share(
            "utilisation",
            "utilisation",
            "Share of the time in which a processor was at work, mean of all.",
            meter::BUSY,
        ),
        Figure::sum("messages", "messages", "Messages that were carried out.", meter::MESSAGES),
        Figure::new(
            "mean_wait_ns",
            FigureUnit::Nanoseconds,
            "mean wait for a processor",
            "Mean time that a message waited for a processor.",
            FigureDefinition::MeanTime(meter::WAITED, meter::MESSAGES),
        ),
        Figure::sum("set_ups", "sessions set up", "Sessions that were set up.", meter::SET_UPS),
        Figure::sum("renewals", "renewals", "Leases that were renewed.", meter::RENEWALS),
        Figure::sum("locks", "locks given out", "Locks that were given out.", meter::LOCKS),
        Figure::sum(
            "recalls",
            "recalls",
            "Locks that were recalled, because another client requested them.",
            meter::RECALLS,
        ),
        Figure::sum(
            "extents",
            "extents located",
            "Extents whose location the controller sent to a client.",
            meter::EXTENTS,
        ),
        Figure::sum("moves", "moves", "Moves of a volume that had sessions.", meter::MOVES),
        Figure::sum("denied", "refused set-ups", "Sessions that were refused.", meter::DENIED),
        Figure::sum(
            "expired",
            "expired sessions",
            "Sessions that the controller ended after their lease and the grace time.",
            meter::EXPIRED,
        ),
    ],
    ..Catalogue::EMPTY
};
