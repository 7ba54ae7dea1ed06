//! The answers of a cache, in lists that the caller keeps and passes again.

use std::ops::Range;

/// The consequences of a read or a write, in numbers of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheAnswer {
    /// The blocks to be fetched; completed by [`fetched`](super::BlockCache::fetched).
    pub fetch: Vec<Range<u64>>,
    /// Requested blocks that are in flight already, because an earlier request fetches them.
    pub awaited: Vec<Range<u64>>,
    /// Blocks to be read from the device past the cache, because they were not admitted or no block of the cache can be evicted; no call
    /// completes them.
    pub bypass: Vec<Range<u64>>,
    /// Blocks to be fetched ahead of reads, with low priority; completed by [`fetched`](super::BlockCache::fetched).
    pub ahead: Vec<Range<u64>>,
    /// For a write through, the blocks that are in the cache and cannot be evicted until the device has them; completed by
    /// [`destaged`](super::BlockCache::destaged) or [`destage_failed`](super::BlockCache::destage_failed).
    pub through: Vec<Range<u64>>,
    /// Blocks that were evicted to make room, in the order of their eviction. All evicted blocks were clean.
    pub evicted: Vec<u64>,
    /// While warming up: dirty blocks that were written to the device.
    pub destaged: Vec<Range<u64>>,
    /// Buffers that the warm-up uses.
    pub(super) ranges: Vec<Range<u64>>,
}

impl CacheAnswer {
    pub(super) fn clear(&mut self) {
        let lists = [
            &mut self.fetch,
            &mut self.awaited,
            &mut self.bypass,
            &mut self.ahead,
            &mut self.through,
            &mut self.destaged,
        ];
        lists.into_iter().for_each(Vec::clear);
        self.evicted.clear();
    }
}

/// Adds a block to a list of ranges, extending the last range if the block follows it.
pub(super) fn add(ranges: &mut Vec<Range<u64>>, block: u64) {
    match ranges.last_mut() {
        Some(last) if last.end == block => last.end += 1,
        _ => ranges.push(block..block + 1),
    }
}

/// The outcome of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// The write is in the cache, and can be acknowledged; if the cache is mirrored, when the partner has it as well.
    Back,
    /// The write goes to the device, and is acknowledged when the device has it. Not all blocks of a write through need be in the cache: no
    /// later write of these blocks to the device, and no later read of them from the device, may overtake it.
    Through,
    /// Nothing has happened: there is no room, or a block of the write is in flight to the device and would arrive there later. The write
    /// has to be tried again when blocks have been destaged or fetched.
    Wait,
}

/// A stripe that is destaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destage {
    /// The number of the stripe; stripes are numbered from the first block of the device.
    pub stripe: u64,
    /// The number of blocks of the stripe that are destaged.
    pub blocks: u32,
    /// Whether all blocks of the stripe are destaged, so that a RAID needs to read nothing.
    pub whole: bool,
}

/// The consequences of a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheLoss {
    /// Blocks with acknowledged writes that are lost, in order.
    pub lost: Vec<Range<u64>>,
    /// Preserved blocks of which a part has to be fetched again before they can be destaged, in order; completed by
    /// [`fetched`](super::BlockCache::fetched).
    pub fetch: Vec<Range<u64>>,
}

/// The parts of a cache that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The power of the cache, and of its partner, fails. Without a battery the content of the cache is lost when power fails.
    Power,
    /// The memory of the cache fails. If there is a partner, its copy becomes the cache, and has no partner from then on.
    Memory,
    /// The partner of the cache fails. Nothing is lost when the partner fails, but only one copy is left.
    Partner,
    /// The battery fails. Nothing is lost with a failed battery as long as there is power.
    Battery,
}

/// Counters of a cache. Blocks that are read twice count twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// The number of reads.
    pub reads: u64,
    /// The number of reads of which all blocks were in the cache.
    pub read_hits: u64,
    /// The number of blocks that were read.
    pub blocks_read: u64,
    /// The number of read blocks that were in the cache.
    pub blocks_hit: u64,
    /// The number of read blocks that were missing and in flight already.
    pub blocks_awaited: u64,
    /// The number of writes, without those that had to wait.
    pub writes: u64,
    /// The number of writes that went through.
    pub writes_through: u64,
    /// The number of blocks that were overwritten while they were dirty: each saves a destage.
    pub blocks_overwritten: u64,
    /// The number of blocks that were destaged, without those written through.
    pub blocks_destaged: u64,
    /// The number of stripes of which all blocks were destaged together.
    pub stripes_destaged_whole: u64,
    /// The number of stripes of which blocks were destaged.
    pub stripes_destaged: u64,
    /// The number of blocks that were evicted to make room.
    pub blocks_evicted: u64,
    /// The number of missing blocks that were not admitted.
    pub blocks_refused: u64,
    /// The number of blocks that were fetched ahead.
    pub blocks_ahead: u64,
    /// The number of blocks fetched ahead that were read while they were in the cache or in flight.
    pub blocks_ahead_used: u64,
    /// The number of blocks fetched ahead that were evicted without having been read.
    pub blocks_ahead_wasted: u64,
}
