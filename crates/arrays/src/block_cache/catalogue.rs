//! The catalogue of a cache before devices: its segments, blocks, gauges, meters and figures.

use sansim_schema::catalogue::{
    Block, Catalogue, Figure, FigureDefinition, FigureUnit, Gauge, GroupAggregation, Meter, Segment, Stock,
};

/// Segments, by their numbers in the catalogue.
pub(super) mod segment {
    pub const DATA: usize = 0;
    pub const LOOK_UP: usize = 1;
    pub const MEMORY_QUEUE: usize = 2;
    pub const MEMORY: usize = 3;
    pub const AWAITS: usize = 4;
    pub const ROOM: usize = 5;
    pub const PARTNER: usize = 6;
    pub const FAIL_OVER: usize = 7;
    pub const FLUSH: usize = 8;
}

const SEGMENTS: &[Segment] = &[
    Segment::wait("cache_data", "cache data", "The data of a write are in flight to the cache."),
    Segment::work(
        "look_up",
        "look-up",
        "The cache looks up which of its blocks it holds.",
        &[block::LOOK_UP],
    ),
    Segment::wait(
        "memory_queue",
        "memory queue",
        "Waiting for the memory of the cache, which moves other data.",
    ),
    Segment::work(
        "memory",
        "memory",
        "Its data go into the memory of the cache or out of it.",
        &[block::MEMORY],
    ),
    Segment::wait(
        "awaited_blocks",
        "awaited blocks",
        "Waiting for blocks that an earlier request is fetching into the cache.",
    ),
    Segment::wait(
        "cache_room",
        "cache room",
        "Waiting for room in the cache, or until an earlier write of the same blocks is at the device.",
    ),
    Segment::wait(
        "partner",
        "partner",
        "Waiting until the partner of the cache has a copy, or lags by few enough writes.",
    ),
    Segment::wait(
        "fail_over",
        "fail-over",
        "Waiting for another path to the device, because one has failed.",
    )
    .coloured("#EE7733"),
    Segment::wait(
        "cache_flush",
        "cache flush",
        "A flush waits until what was dirty when it came has been destaged.",
    ),
];

/// Blocks, by their numbers in the catalogue.
pub(super) mod block {
    pub const LOOK_UP: usize = 0;
    pub const MEMORY: usize = 1;
}

const BLOCKS: &[Block] = &[
    Block::new("look_up", "look-up", "The cache looks up which blocks it holds."),
    Block::new("memory", "memory", "Memory of the cache, moving data."),
];

/// Gauges, by their numbers in the catalogue.
pub(super) mod gauge {
    pub const DIRTY: usize = 0;
    pub const RESIDENT: usize = 1;
    pub const LAG: usize = 2;
}

const GAUGES: &[Gauge] = &[
    Gauge::new("dirty_blocks", "dirty blocks", "Dirty blocks: the devices behind have an older version."),
    Gauge::new("resident_blocks", "resident blocks", "Blocks that the cache holds."),
    Gauge::new(
        "partner_lacks",
        "partner lacks",
        "Acknowledged writes that the partner does not have yet, with asynchronous mirroring.",
    ),
    Gauge::new("behind", "behind", "Requests of the cache in flight at the devices behind."),
];

/// Stocks, by their numbers in the catalogue.
pub(super) mod stock {
    pub const DIRTY: usize = 0;
    pub const RESIDENT: usize = 1;
}

const STOCKS: &[Stock] = &[
    Stock {
        name: "dirty",
        unit: FigureUnit::Bytes,
        meaning: "the amount of dirty data",
        grows: "the devices behind have less to do than when the cache destages as fast as hosts write",
        shrinks: "the cache destages more than hosts write: the devices behind have more to do than in the steady state",
    },
    Stock {
        name: "resident",
        unit: FigureUnit::Bytes,
        meaning: "the content of the cache",
        grows: "the hit ratio has not settled",
        shrinks: "the hit ratio has not settled",
    },
    Stock {
        name: "partner_lacks",
        unit: FigureUnit::Count,
        meaning: "the backlog of writes to the partner",
        grows: "hosts write more than the partner accepts: at its bound writes wait for the partner",
        shrinks: "the partner catches up",
    },
];

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const MEMORY: usize = 0;
    pub const READS: usize = 1;
    pub const READ_HITS: usize = 2;
    pub const BLOCKS_READ: usize = 3;
    pub const BLOCKS_HIT: usize = 4;
    pub const WRITES: usize = 5;
    pub const WRITES_BACK: usize = 6;
    pub const OVERWRITTEN: usize = 7;
    pub const DESTAGES: usize = 8;
    pub const WHOLE_STRIPES: usize = 9;
    pub const BLOCKS_DESTAGED: usize = 10;
    pub const NOT_DESTAGED: usize = 11;
    pub const EVICTED: usize = 12;
    pub const AHEAD: usize = 13;
    pub const AHEAD_USED: usize = 14;
    pub const AHEAD_WASTED: usize = 15;
    pub const LOST: usize = 16;
    pub const LOST_WRITES: usize = 17;
    pub const REFUSED: usize = 18;
}

const METERS: &[Meter] = &Meter::list::<19>(&[(meter::MEMORY, "cache_memory")]);

const fn ratio(
    name: &'static str,
    label: &'static str,
    meaning: &'static str,
    of: usize,
    all: usize,
) -> Figure {
    Figure {
        name,
        unit: FigureUnit::Share,
        label,
        meaning,
        of: FigureDefinition::Ratio(of, all),
        across: GroupAggregation::Mean,
    }
}

/// Figures that are not meters, by their numbers in the catalogue.
pub(super) mod figure {
    pub const LEFT_DIRTY: usize = 21;
}

const FIGURES: &[Figure] = &[
    Figure::spread(
        "utilisation",
        "utilisation",
        "Share of the time in which its memory moved data.",
        meter::MEMORY,
    ),
    ratio(
        "read_hit_ratio",
        "read hit ratio",
        "Share of the reads of which all blocks were in the cache.",
        meter::READ_HITS,
        meter::READS,
    ),
    ratio(
        "block_hit_ratio",
        "block hit ratio",
        "Share of the blocks that were read which were in the cache.",
        meter::BLOCKS_HIT,
        meter::BLOCKS_READ,
    ),
    ratio(
        "write_back_ratio",
        "write-back ratio",
        "Share of the writes that were done when they were in the cache.",
        meter::WRITES_BACK,
        meter::WRITES,
    ),
    Figure::sum("reads", "reads", "Reads that came.", meter::READS),
    Figure::sum("read_hits", "read hits", "Reads of which all blocks were in the cache.", meter::READ_HITS),
    Figure::sum("writes", "writes", "Writes that came.", meter::WRITES),
    Figure::sum(
        "writes_back",
        "writes back",
        "Writes that were done when they were in the cache.",
        meter::WRITES_BACK,
    ),
    Figure::sum(
        "overwritten_blocks",
        "overwritten blocks",
        "Blocks that were written again before they were destaged, each of which saved a destage.",
        meter::OVERWRITTEN,
    ),
    Figure::sum("destages", "destages", "Stripes of which dirty blocks were destaged.", meter::DESTAGES),
    Figure::sum(
        "whole_stripes",
        "whole stripes",
        "Stripes that were destaged as a whole.",
        meter::WHOLE_STRIPES,
    ),
    Figure::sum("destaged_blocks", "destaged blocks", "Blocks that were destaged.", meter::BLOCKS_DESTAGED),
    Figure::sum(
        "failed_destages",
        "failed destages",
        "Destages that failed at the device behind and were retried.",
        meter::NOT_DESTAGED,
    ),
    Figure::sum("evicted_blocks", "evicted blocks", "Blocks that were evicted for others.", meter::EVICTED),
    Figure::sum(
        "refused_blocks",
        "refused blocks",
        "Missing blocks that were not admitted, and passed the cache by.",
        meter::REFUSED,
    ),
    Figure::sum("read_ahead_blocks", "read-ahead blocks", "Blocks that were fetched ahead.", meter::AHEAD),
    Figure::sum(
        "read_ahead_used",
        "read-ahead used",
        "Blocks fetched ahead that a request then read.",
        meter::AHEAD_USED,
    ),
    Figure::sum(
        "read_ahead_wasted",
        "read-ahead wasted",
        "Blocks fetched ahead that were evicted before a request read them.",
        meter::AHEAD_WASTED,
    ),
    Figure::sum(
        "lost_blocks",
        "lost blocks",
        "Blocks with acknowledged writes that were lost, as power or memory failed and nothing protected them, or the partner did not have them yet.",
        meter::LOST,
    ),
    Figure::sum(
        "lost_writes",
        "lost writes",
        "Acknowledged writes that were lost, as the partner that took over did not have them yet: with asynchronous mirroring.",
        meter::LOST_WRITES,
    ),
    Figure::constant("capacity_blocks", FigureUnit::Count, "capacity", "Blocks that the cache may hold.")
        .summed(),
    Figure::constant(
        "left_dirty_blocks",
        FigureUnit::Count,
        "left dirty",
        "Dirty blocks at the end of the run.",
    )
    .summed(),
];

/// All that can be observed of a cache.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: SEGMENTS,
    provides: segment::MEMORY_QUEUE,
    lanes: &[segment::MEMORY],
    blocks: BLOCKS,
    gauges: GAUGES,
    stocks: STOCKS,
    meters: METERS,
    figures: FIGURES,
    ..Catalogue::EMPTY
};
