//! The catalogue of an array: its segments, blocks, gauges, meters and figures.

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
    Segment::wait(
        "array",
        "array",
        "In the array, before its members have the request or after their answers.",
    ),
    Segment::wait("array_memory", "array memory", "Waiting for memory of the array."),
    Segment::wait("array_data", "array data", "The data of a write are in flight to the array."),
    Segment::wait("stripe_lock", "stripe lock", "Waiting until other requests release a stripe."),
    Segment::wait(
        "calculation_queue",
        "calculation queue",
        "Waiting while the array calculates checks of other requests.",
    ),
    Segment::work("calculation", "calculation", "Calculation of checks or of lost data.", &[0]),
    Segment::wait(
        "fail_over",
        "fail-over",
        "Waiting for another path to the device, because one has failed.",
    )
    .coloured("#EE7733"),
    Segment::wait("upkeep", "upkeep", "Background work of the array: rebuilding and scrubbing."),
];

const BLOCKS: &[Block] =
    &[Block::new("calculation", "calculation", "Exclusive or, and calculations over GF(256).")];

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const MEMBERS: usize = 0;
    pub const LOCKED: usize = 1;
}

const GAUGES: &[Gauge] = &[
    Gauge::new("members", "members", "Members that hold all of their data."),
    Gauge::new(
        "locked_stripes",
        "locked stripes",
        "Stripes that requests have locked, exclusively or shared.",
    ),
    Gauge::new("rebuilt", "rebuilt", "Thousandths of the data in rebuild that are rebuilt already."),
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
    pub const MEMBER_DEALLOCATIONS: usize = 19;
    /// The number of meters.
    pub const ALL: usize = 20;
}

const METERS: &[Meter] =
    &Meter::list::<{ meter::ALL }>(&[(meter::CALCULATION, "calculation"), (meter::REBUILDING, "rebuilding")]);

/// Figures that are reported at the end, by their numbers in the catalogue.
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
        "Members that hold all of their data, at the end.",
    ),
    Figure::constant(
        "rebuild_time",
        FigureUnit::Seconds,
        "rebuild time",
        "Duration of the last complete rebuild; 0 if none was complete.",
    ),
    Figure::constant(
        "lost_stripes",
        FigureUnit::Count,
        "lost stripes",
        "Stripes that have lost more at the end than the level can restore.",
    ),
    Figure::constant(
        "mttdl_formula",
        FigureUnit::Seconds,
        "mean time to data loss, formula",
        "For members whose lifetimes and rebuilds are independent and exponential, with the means in `reliability`; 0 without them.",
    ),
    Figure::constant(
        "mttdl_simulated",
        FigureUnit::Seconds,
        "mean time to data loss, simulated",
        "The same from a simulation of its own, in cycles from one moment at which all members work to the next; 0 without `reliability`, or without an estimate.",
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
        "Share of the time in which the array calculated checks or lost data.",
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
        "Partial stripe writes that first read the data they replace.",
        meter::READ_MODIFY_WRITE,
    ),
    Figure::sum(
        "reconstruct_writes",
        "reconstruct-writes",
        "Partial stripe writes that first read the rest of the stripe.",
        meter::RECONSTRUCT_WRITE,
    ),
    Figure::sum(
        "degraded_reads",
        "degraded reads",
        "Reads with data that were reconstructed from other members.",
        meter::DEGRADED_READS,
    ),
    Figure::sum(
        "degraded_writes",
        "degraded writes",
        "Writes while a member did not hold all of its data.",
        meter::DEGRADED_WRITES,
    ),
    Figure::sum("member_reads", "member reads", "Reads that the array sent to members.", meter::MEMBER_READS),
    Figure::sum(
        "member_writes",
        "member writes",
        "Writes that the array sent to members.",
        meter::MEMBER_WRITES,
    ),
    Figure::sum(
        "member_deallocations",
        "member deallocations",
        "Deallocations that the array sent to members.",
        meter::MEMBER_DEALLOCATIONS,
    ),
    Figure::sum("failures", "failures", "Members that failed.", meter::FAILURES),
    Figure::sum("rebuilds", "rebuilds", "Rebuilds that were completed.", meter::REBUILDS),
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
        "Accesses that found unreadable sectors, whose stripe units were then reconstructed and rewritten.",
        meter::REPAIRED,
    ),
    Figure::sum(
        "lost",
        "lost",
        "Requests and rebuild steps for which more was lost than the level can restore.",
        meter::LOST,
    ),
    Figure::sum(
        "mismatches",
        "mismatches",
        "Stripes in which scrubs found checks that do not match the data, or copies that differ; each pass counts them again.",
        meter::MISMATCHES,
    ),
    Figure::sum(
        "resynchronised",
        "resynchronised",
        "Stripes whose checks or copies scrubs corrected.",
        meter::RESYNCHRONISED,
    ),
    Figure::sum(
        "wrong_reads",
        "wrong reads",
        "Reads with data reconstructed from checks that did not match: hosts received data that were never written.",
        meter::WRONG_READS,
    ),
    Figure::bytes(
        "damaged",
        "damaged",
        "Bytes of data that rebuilds, repairs and writes reconstructed from checks that did not match, and stored: the written data are lost.",
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
