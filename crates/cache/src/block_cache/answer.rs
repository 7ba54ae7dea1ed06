//! Answers of a cache, in lists that the caller keeps and passes again.

use std::ops::Range;

/// The consequences of a read or a write, in numbers of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheAnswer {
    /// Blocks to be fetched; completed by [`fetched`](super::BlockCache::fetched).
    pub fetch: Vec<Range<u64>>,
    /// On their way already, since they were asked for before.
    pub awaited: Vec<Range<u64>>,
    /// Blocks to be read from the device past the cache, in which no block may be evicted; no call completes them.
    pub bypass: Vec<Range<u64>>,
    /// Blocks to be fetched ahead of reads, at low priority; completed by [`fetched`](super::BlockCache::fetched).
    pub ahead: Vec<Range<u64>>,
    /// For a write that goes through, the blocks that are in the cache and cannot be evicted until the device has them; completed by
    /// [`destaged`](super::BlockCache::destaged) or [`destage_failed`](super::BlockCache::destage_failed).
    pub through: Vec<Range<u64>>,
    /// Blocks that went for others, in that order. All of them were clean.
    pub evicted: Vec<u64>,
    /// While warming up: dirty blocks that were written to the device.
    pub destaged: Vec<Range<u64>>,
    /// For use while warming up.
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

/// Adds a block to ranges, to the last one if it follows.
pub(super) fn add(ranges: &mut Vec<Range<u64>>, block: u64) {
    match ranges.last_mut() {
        Some(last) if last.end == block => last.end += 1,
        _ => ranges.push(block..block + 1),
    }
}

/// The outcome of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// It is in the cache, and can be acknowledged; if the cache is mirrored, when the partner has it as well.
    Back,
    /// It goes to the device as it is, and is acknowledged when that has it. Not all of its blocks need be in the cache:
    /// nothing that is sent to the device for them later, or read from it, may overtake it.
    Through,
    /// Nothing has happened: there is no room, or one of its blocks is on its way to the device and would get there later. To
    /// be asked again when blocks have been destaged or fetched.
    Wait,
}

/// A stripe that is destaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destage {
    /// Its number; stripes are numbered from the first block of the device.
    pub stripe: u64,
    /// How many of its blocks go.
    pub blocks: u32,
    /// Whether all of them do, so that a RAID needs to read nothing.
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

/// Things that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The power of the cache, and of its partner. Without a battery its content is lost.
    Power,
    /// The memory of the cache. If there is a partner, its copy takes over, and has no partner from then on.
    Memory,
    /// The partner. Nothing is lost, but one copy is all there is.
    Partner,
    /// The battery. Nothing is lost as long as there is power.
    Battery,
}

/// Counters. Blocks that are read twice count twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Reads.
    pub reads: u64,
    /// Reads of which all blocks were there.
    pub read_hits: u64,
    /// Blocks that were read.
    pub blocks_read: u64,
    /// Those of them that were there.
    pub blocks_hit: u64,
    /// Those of the others that were on their way.
    pub blocks_awaited: u64,
    /// Writes, without those that had to wait.
    pub writes: u64,
    /// Writes that went through.
    pub writes_through: u64,
    /// Blocks that were written while the device did not yet have what had been written to them before: a destage saved.
    pub blocks_overwritten: u64,
    /// Blocks that were destaged; those that went through are not.
    pub blocks_destaged: u64,
    /// Stripes that were destaged as a whole.
    pub stripes_destaged_whole: u64,
    /// Stripes of which blocks were destaged.
    pub stripes_destaged: u64,
    /// Blocks that were evicted for others.
    pub blocks_evicted: u64,
    /// Blocks that were fetched ahead.
    pub blocks_ahead: u64,
    /// Those of them that were read while they were there or on their way.
    pub blocks_ahead_used: u64,
    /// Those of them that went without that.
    pub blocks_ahead_wasted: u64,
}
