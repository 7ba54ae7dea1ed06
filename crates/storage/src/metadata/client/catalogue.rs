//! What is to be seen of a client of a metadata controller.

use sansim_describe::catalogue::{Across, Block, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const CLIENT: usize = 0;
    pub const SESSION: usize = 1;
    pub const LOCK: usize = 2;
    pub const EXTENT: usize = 3;
    pub const QUEUE: usize = 4;
    pub const MAPPING: usize = 5;
    pub const FAIL_OVER: usize = 6;
}

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const UNDER_WAY: usize = 0;
    pub const WAITING: usize = 1;
}

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const BUSY: usize = 0;
    pub const REQUESTS: usize = 1;
    pub const MESSAGES: usize = 2;
    pub const UNANSWERED: usize = 3;
    pub const LAPSES: usize = 4;
    pub const BROKEN_OFF: usize = 5;
    pub const SPLIT: usize = 6;
    pub const REFUSED: usize = 7;
}

const fn counted(name: &'static str, label: &'static str, meaning: &'static str, meter: usize) -> Figure {
    Figure { name, unit: Unit::Count, label, meaning, of: Of::Count(meter), across: Across::Sum }
}

const COUNTED: Meter = Meter { sampled: None };

/// What is to be seen of a client.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[
        Segment::wait(
            "metadata_client",
            "metadata client",
            "In the client, before the devices have the request.",
        ),
        Segment::wait(
            "session",
            "session",
            "Waiting for a session at the metadata controller, or until a volume that is being moved is there.",
        ),
        Segment::wait("lock", "lock", "Waiting for a lock on what it is about."),
        Segment::wait("extent", "extent", "Waiting to be told where an extent is."),
        Segment::wait(
            "translation_queue",
            "translation queue",
            "Waiting until the client has translated those before.",
        ),
        Segment::work(
            "translation",
            "translation",
            "The client finds out where on which devices it is.",
            &[0],
        ),
        Segment::wait(
            "fail_over",
            "fail-over",
            "Waiting for another way to the device behind, because one has failed.",
        ),
    ],
    provides: segment::CLIENT,
    lanes: &[],
    blocks: &[Block {
        name: "translation",
        label: "translation",
        meaning: "Software of the client that translates requests.",
    }],
    gauges: &[
        Gauge {
            name: "direct",
            label: "direct accesses",
            meaning: "Requests that the client has under way at devices.",
        },
        Gauge {
            name: "waiting_for_leave",
            label: "waiting for leave",
            meaning: "Requests that wait in the client for a session, a lock or an extent.",
        },
    ],
    stocks: &[],
    meters: &[
        Meter { sampled: Some("translation") },
        COUNTED,
        COUNTED,
        COUNTED,
        COUNTED,
        COUNTED,
        COUNTED,
        COUNTED,
    ],
    figures: &[
        Figure::new(
            "utilisation",
            Unit::Share,
            "utilisation",
            "Share of the time in which it translated a request.",
            Of::Share(meter::BUSY),
        ),
        counted("requests", "requests", "Requests that came.", meter::REQUESTS),
        counted("messages", "messages", "Messages that it sent to the metadata controller.", meter::MESSAGES),
        counted(
            "unanswered",
            "unanswered messages",
            "Of those, messages that got an error, or no answer in time.",
            meter::UNANSWERED,
        ),
        counted(
            "lapses",
            "lapsed sessions",
            "Sessions that ended for the client before it ended them: the lease was over, or the controller did not know of it.",
            meter::LAPSES,
        ),
        counted(
            "broken_off",
            "accesses broken off",
            "Requests that were under way at devices when a session lapsed. They are carried out anew if they were not done.",
            meter::BROKEN_OFF,
        ),
        counted(
            "split_requests",
            "split requests",
            "Requests that are on several devices, or at several places of one.",
            meter::SPLIT,
        ),
        counted(
            "refused_requests",
            "refused requests",
            "Requests that were refused with the session for them.",
            meter::REFUSED,
        ),
    ],
};
