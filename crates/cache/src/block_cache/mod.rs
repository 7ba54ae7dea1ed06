//! A cache of blocks before a device, for use in a controller, a drive or a host.
//!
//! | a block is | since | until |
//! | --- | --- | --- |
//! | fetching | a read missed it, or it is fetched ahead | [`fetched`](BlockCache::fetched): clean; [`fetch_failed`](BlockCache::fetch_failed): gone |
//! | clean | it was fetched or destaged | a write: dirty; it has to go |
//! | incomplete | a part of it was written that was not here | [`fetched`](BlockCache::fetched): dirty |
//! | dirty | it was written | [`destage_next`](BlockCache::destage_next): being destaged |
//! | being destaged | that, or a write through | [`destaged`](BlockCache::destaged): clean; [`destage_failed`](BlockCache::destage_failed): dirty |
//! | overwritten | it was written while being destaged | [`destaged`](BlockCache::destaged): dirty |
//!
//! Only clean blocks can be evicted. The cache has neither data nor time: it returns the blocks to be fetched or destaged, and is notified
//! when they have been. Ranges are in bytes and need not begin or end with a block; if a write covers a part of a missing block, the other
//! part is fetched. A read is a hit only if all its blocks are in the cache. [`WriteOutcome`] defines when a write is acknowledged.

mod answer;
mod destaging;
mod failures;
mod reading;
mod state;
mod warming;
mod writing;

pub use answer::{CacheAnswer, CacheCounts, CacheLoss, Destage, Failure, WriteOutcome};
pub use warming::{WarmUpAccess, WarmUpEnd};

use crate::admission::{AdmissionRule, AnyAdmission};
use crate::content::CacheContent;
use crate::destage::DestageQueue;
use crate::destage::pace::{AnyDestagePace, DestagePaceRule};
use crate::parameters::{CacheParameters, WriteParameters};
use crate::read_ahead::{AnyReadAhead, ReadAheadRule};
use crate::slots::{CacheSlot, ListEnd};
use sansim_kernel::RandomStream;
use state::{AHEAD, has, is_held_back, is_ready, is_unsafe};
use std::ops::Range;

/// A cache of blocks before a device, for use in a controller, a drive or a host.
#[derive(Clone, Debug)]
pub struct BlockCache {
    content: CacheContent,
    admission: AnyAdmission,
    read_ahead: AnyReadAhead,
    write: WriteParameters,
    pace: AnyDestagePace,
    queue: DestageQueue,
    block_bytes: u64,
    /// The logarithm of the block size to base 2, if it is a whole number.
    block_shift: Option<u32>,
    /// The blocks of each device behind the cache, in order. A range fetched ahead stays on one device.
    devices: Vec<Range<u64>>,
    stripe_blocks: u32,
    /// The number of blocks that may be dirty or in flight to the device, and the number that are.
    dirty_limit: u32,
    dirty: u32,
    /// The size in blocks of the largest waiting write.
    wanted: u32,
    flushing: bool,
    partner_works: bool,
    battery_works: bool,
    counts: CacheCounts,
}

impl BlockCache {
    /// An empty cache before a device of this many bytes. The random stream is used only by policies that draw.
    pub fn new(parameters: &CacheParameters, device_bytes: u64, random: RandomStream) -> Self {
        Self::over_devices(parameters, std::slice::from_ref(&(0..device_bytes)), random)
    }

    /// An empty cache before several devices, which have these ranges of one address space, in order: each begins with a stripe.
    pub fn over_devices(parameters: &CacheParameters, devices: &[Range<u64>], random: RandomStream) -> Self {
        let (blocks, block_bytes) = (parameters.blocks(), parameters.block);
        let write = parameters.write.clone();
        let stripe_blocks = (write.stripe_size / block_bytes).max(1) as u32;
        let limit = u64::from(blocks) * write.dirty_limit.millionths / 1_000_000;
        Self {
            content: CacheContent::new(&parameters.replacement, blocks, random),
            admission: parameters.admission.admission(blocks),
            read_ahead: parameters.read_ahead.read_ahead(block_bytes),
            pace: write.destage.pace(),
            queue: DestageQueue::new(&write.order, stripe_blocks),
            write,
            block_bytes,
            block_shift: block_bytes.is_power_of_two().then(|| block_bytes.trailing_zeros()),
            devices: devices
                .iter()
                .map(|bytes| bytes.start / block_bytes..bytes.end.div_ceil(block_bytes))
                .collect(),
            stripe_blocks,
            dirty_limit: limit.max(1) as u32,
            dirty: 0,
            wanted: 0,
            flushing: false,
            partner_works: true,
            battery_works: true,
            counts: CacheCounts::default(),
        }
    }

    /// The blocks that a range of bytes touches.
    #[inline]
    pub fn blocks_of(&self, bytes: &Range<u64>) -> Range<u64> {
        // Most block sizes are a power of two, and a division costs as much as a miss of the processor's cache.
        let block_of = |byte: u64| match self.block_shift {
            Some(shift) => byte >> shift,
            None => byte / self.block_bytes,
        };
        let start = block_of(bytes.start);
        start..if bytes.is_empty() { start } else { block_of(bytes.end - 1) + 1 }
    }

    /// Gives a block another state, with everything that follows: it is held back, or evictable and put at this end of its list; it counts
    /// as dirty or not; it can be destaged or cannot.
    fn change(&mut self, slot: CacheSlot, after: u8, end: ListEnd) {
        let before = self.content.slots().slot_state(slot);
        self.content.set_state(slot, after);
        match (is_held_back(before), is_held_back(after)) {
            (false, true) => {
                self.content.pin(slot);
            }
            (true, false) => self.content.unpin(slot, end),
            _ => {}
        }
        match (is_unsafe(before), is_unsafe(after)) {
            (false, true) => self.dirty += 1,
            (true, false) => self.dirty -= 1,
            _ => {}
        }
        if is_ready(before) != is_ready(after) {
            let stripe = self.content.slots().block(slot) / u64::from(self.stripe_blocks);
            if is_ready(after) { self.queue.add(stripe) } else { self.queue.take(stripe) }
        }
    }

    /// Drops a block, whatever its state.
    fn drop_block(&mut self, slot: CacheSlot) {
        self.change(slot, 0, ListEnd::Old);
        self.content.drop_block(slot);
    }

    fn state(&self, slot: CacheSlot) -> u8 {
        self.content.slots().slot_state(slot)
    }

    /// A block comes in, in this state, and another block is evicted if there is no room. None if no block can be evicted. The admitted
    /// block is not resident before, but a slot may remember it.
    fn admit(
        &mut self,
        (block, remembered): (u64, Option<CacheSlot>),
        state: u8,
        evicted: &mut Vec<u64>,
    ) -> Option<CacheSlot> {
        let admitted = self.content.admit_as(block, remembered)?;
        if let Some(gone) = admitted.evicted {
            evicted.push(gone.block);
            self.counts.blocks_evicted += 1;
            if self.admission.follows_content() {
                self.admission.evicted(gone.block);
            }
            if has(gone.state, AHEAD) {
                self.counts.blocks_ahead_wasted += 1;
                self.read_ahead.wasted(gone.block);
            }
        }
        self.change(admitted.slot, state, ListEnd::Young);
        Some(admitted.slot)
    }

    /// Notifies the admission policy of a request, before its blocks are looked up.
    #[inline(never)]
    fn notify_of_request(&mut self, bytes: &Range<u64>, writes: bool) {
        self.admission.request(bytes, writes);
        if self.admission.follows_content() {
            for block in self.blocks_of(bytes) {
                if self.content.slot_of_block(block).is_some() {
                    self.admission.found(block);
                }
            }
        }
    }

    /// Whether the admission policy refuses a missing block of the request of which it was notified last.
    fn is_refused(&mut self, block: u64) -> bool {
        let free = self.capacity() - self.resident_block_count();
        let refused = !self.admission.admits(block, free);
        self.counts.blocks_refused += u64::from(refused);
        refused
    }

    /// A block in the cache has been requested. The first request of a block that was fetched ahead does not count as a repeated use.
    #[inline]
    fn touch(&mut self, slot: CacheSlot) {
        let state = self.state(slot);
        if has(state, AHEAD) {
            self.counts.blocks_ahead_used += 1;
            self.content.set_state(slot, state & !AHEAD);
            self.content.make_youngest(slot);
        } else {
            self.content.block_requested(slot);
        }
    }

    /// Whether all of a block is in the cache.
    pub fn contains_block(&self, block: u64) -> bool {
        self.content.slot_of_block(block).is_some_and(|slot| has(self.state(slot), state::WHOLE))
    }

    /// Whether the device lacks data that were written to a block.
    pub fn is_dirty(&self, block: u64) -> bool {
        self.content.slot_of_block(block).is_some_and(|slot| is_unsafe(self.state(slot)))
    }

    /// The numbers of dirty blocks between which destaging keeps their number.
    pub fn dirty_marks(&self) -> (u32, u32) {
        self.pace.marks(self.dirty_limit)
    }

    /// Whether as many blocks are dirty as in the settled state of destaging, as far as the settled state is known without time.
    pub fn is_dirty_as_settled(&self) -> bool {
        self.dirty >= self.pace.settled(self.dirty_limit)
    }

    /// The blocks of the device that contains a block.
    fn device_of(&self, block: u64) -> Range<u64> {
        let behind = self.devices.partition_point(|device| device.start <= block);
        behind.checked_sub(1).map_or(0..0, |place| self.devices[place].clone())
    }

    /// The counters of the cache.
    pub fn counts(&self) -> &CacheCounts {
        &self.counts
    }

    /// Sets all counters to zero.
    pub fn clear_counts(&mut self) {
        self.counts = CacheCounts::default();
    }

    /// The number of blocks that the cache may hold.
    pub fn capacity(&self) -> u32 {
        self.content.capacity()
    }

    /// The number of blocks in the cache, including those in flight.
    pub fn resident_block_count(&self) -> u32 {
        self.content.resident_block_count()
    }

    /// The number of blocks whose present content the device does not have yet.
    pub fn dirty_block_count(&self) -> u32 {
        self.dirty
    }

    /// The number of blocks that may be dirty.
    pub fn dirty_limit(&self) -> u32 {
        self.dirty_limit
    }

    /// The number of bytes of a block.
    pub fn block_bytes(&self) -> u64 {
        self.block_bytes
    }

    /// The bytes of memory of the cache.
    pub fn memory_bytes(&self) -> usize {
        self.content.memory_bytes() + self.queue.bytes()
    }
}
