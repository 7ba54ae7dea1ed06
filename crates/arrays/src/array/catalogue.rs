//! The catalogue of an array.

use sansim_schema::catalogue::{Block, Catalogue, Figure, FigureUnit, Gauge, Meter, Segment};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const ARRAY: usize = 0;
    pub const MEMORY: usize = 1;
    pub const DATA: usize = 2;
    pub const LOCK: usize = 3;
    pub const QUEUE: usize = 4;
    pub const CALCULATION: usize = 5;
    pub const FAIL_OVER: usize = 6;
    pub const UPKEEP: usize = 7;
}

const SEGMENTS: &[Segment] = &[
    Segment::wait("array", "array", "In the array, before its members have the request or after them."),
    Segment::wait("array_memory", "array memory", "Waiting for memory of the array."),
    Segment::wait("array_data", "array data", "The data of a write are on their way into the array."),
    Segment::wait("stripe_lock", "stripe lock", "Waiting for others to leave a stripe."),
    Segment::wait("calculation_queue", "calculation queue", "Waiting for checks of others to be calculated."),
    Segment::work("calculation", "calculation", "Calculation of checks or of what was lost.", &[0]),
    Segment::wait("fail_over", "fail-over", "Waiting for another way to the device, because one has failed.")
        .coloured("#EE7733"),
    Segment::wait("upkeep", "upkeep", "What the array does for itself: rebuilding and scrubbing."),
];

const BLOCKS: &[Block] =
    &[Block::new("calculation", "calculation", "Exclusive or, and calculations over GF(256).")];

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const MEMBERS: usize = 0;
    pub const LOCKED: usize = 1;
}

const GAUGES: &[Gauge] = &[
    Gauge::new("members", "members", "Members that hold all that is theirs."),
    Gauge::new("locked_stripes", "locked stripes", "Stripes that somebody works on alone, or shares."),
    Gauge::new("rebuilt", "rebuilt", "Thousandths of what is being rebuilt of members which have been."),
];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const CALCULATION: usize = 0;
    pub const REBUILDING: usize = 1;
    pub const FULL_STRIPE: usize = 2;
    pub const READ_MODIFY_WRITE: usize = 3;
    pub const RECONSTRUCT_WRITE: usize = 4;
    pub const DEGRADED_READS: usize = 5;
    pub const DEGRADED_WRITES: usize = 6;
    pub const MEMBER_READS: usize = 7;
    pub const MEMBER_WRITES: usize = 8;
    pub const FAILURES: usize = 9;
    pub const REBUILDS: usize = 10;
    pub const REBUILT_BYTES: usize = 11;
    pub const SCRUBBED_BYTES: usize = 12;
    pub const REPAIRED: usize = 13;
    pub const LOST: usize = 14;
    pub const MISMATCHES: usize = 15;
    pub const RESYNCHRONISED: usize = 16;
    pub const WRONG_READS: usize = 17;
    pub const DAMAGED: usize = 18;
    /// How many meters there are.
    pub const ALL: usize = 19;
}

const METERS: &[Meter] =
    &Meter::list::<{ meter::ALL }>(&[(meter::CALCULATION, "calculation"), (meter::REBUILDING, "rebuilding")]);

/// Figures that are said at the end, by their numbers in the catalogue.
pub(super) mod figure {
    pub const MEMBERS: usize = 0;
    pub const REBUILD_TIME: usize = 1;
    pub const LOST_STRIPES: usize = 2;
    pub const MTTDL_FORMULA: usize = 3;
    pub const MTTDL_SIMULATED: usize = 4;
}

const FIGURES: &[Figure] = &[
    Figure::constant(
        "members",
        FigureUnit::Count,
        "members",
        "Members that hold all that is theirs, at the end.",
    ),
    Figure::constant(
        "rebuild_time",
        FigureUnit::Seconds,
        "rebuild time",
        "How long the last rebuild took that came to its end, from its beginning; 0 if none did.",
    ),
    Figure::constant(
        "lost_stripes",
        FigureUnit::Count,
        "lost stripes",
        "Stripes of which more is lost at the end than the level makes up for.",
    ),
    Figure::constant(
        "mttdl_formula",
        FigureUnit::Seconds,
        "mean time to data loss, formula",
        "Of members that live and are rebuilt as `reliability` says, independently and exponentially; 0 if it does not say.",
    ),
    Figure::constant(
        "mttdl_simulated",
        FigureUnit::Seconds,
        "mean time to data loss, simulated",
        "The same, simulated by itself in cycles from one moment at which all members work to the next; 0 if `reliability` does not say, or nothing can be told.",
    ),
    Figure::constant(
        "mttdl_half_width",
        FigureUnit::Seconds,
        "half of its interval",
        "Half the width of the 95 % confidence interval of `mttdl_simulated`.",
    ),
    Figure::spread(
        "calculation",
        "calculation",
        "Share of the time in which it calculated.",
        meter::CALCULATION,
    ),
    Figure::spread(
        "rebuilding",
        "rebuilding",
        "Share of the time in which at least one member was being rebuilt.",
        meter::REBUILDING,
    ),
    Figure::sum(
        "full_stripe_writes",
        "full-stripe writes",
        "Stripes written as a whole.",
        meter::FULL_STRIPE,
    ),
    Figure::sum(
        "read_modify_writes",
        "read-modify-writes",
        "Parts of stripes written after what they replace was read.",
        meter::READ_MODIFY_WRITE,
    ),
    Figure::sum(
        "reconstruct_writes",
        "reconstruct-writes",
        "Parts of stripes written after what they leave was read.",
        meter::RECONSTRUCT_WRITE,
    ),
    Figure::sum(
        "degraded_reads",
        "degraded reads",
        "Reads of which something was worked out from other members.",
        meter::DEGRADED_READS,
    ),
    Figure::sum(
        "degraded_writes",
        "degraded writes",
        "Writes while a member did not hold all that is its own.",
        meter::DEGRADED_WRITES,
    ),
    Figure::sum("member_reads", "member reads", "Reads that members were asked for.", meter::MEMBER_READS),
    Figure::sum(
        "member_writes",
        "member writes",
        "Writes that members were asked for.",
        meter::MEMBER_WRITES,
    ),
    Figure::sum("failures", "failures", "Members that failed.", meter::FAILURES),
    Figure::sum("rebuilds", "rebuilds", "Rebuilds that came to their end.", meter::REBUILDS),
    Figure::bytes("rebuilt", "rebuilt", "Bytes of members that were rebuilt.", meter::REBUILT_BYTES),
    Figure::bytes(
        "scrubbed",
        "scrubbed",
        "Bytes of data whose stripes were read and compared.",
        meter::SCRUBBED_BYTES,
    ),
    Figure::sum(
        "repaired",
        "repaired",
        "Accesses that found sectors unreadable, after which their stripe units were worked out and written anew.",
        meter::REPAIRED,
    ),
    Figure::sum(
        "lost",
        "lost",
        "Requests and pieces of rebuilds for which more was lost than the level makes up for.",
        meter::LOST,
    ),
    Figure::sum(
        "mismatches",
        "mismatches",
        "Stripes that scrubs found whose checks are not what their data say, or whose copies differ; in each pass anew.",
        meter::MISMATCHES,
    ),
    Figure::sum(
        "resynchronised",
        "resynchronised",
        "Stripes of which scrubs made the checks anew, or the copies alike.",
        meter::RESYNCHRONISED,
    ),
    Figure::sum(
        "wrong_reads",
        "wrong reads",
        "Reads of which something was worked out from checks that are not what the data say: hosts got what was never written.",
        meter::WRONG_READS,
    ),
    Figure::bytes(
        "damaged",
        "damaged",
        "Bytes of data that were worked out from such checks and kept, by rebuilds, repairs and writes: what was written is lost.",
        meter::DAMAGED,
    ),
];

/// All that can be observed of an array.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: segment::ARRAY,
    blocks: BLOCKS,
    gauges: GAUGES,
    meters: METERS,
    figures: FIGURES,
    ..Catalogue::EMPTY
};
