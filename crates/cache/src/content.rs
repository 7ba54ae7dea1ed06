//! The blocks in a cache, with any replacement policy. Dirty blocks and blocks in flight are held back: they are present, but cannot be
//! evicted.

use crate::replacement::{Admitted, AnyReplacement, Replacement, ReplacementPolicy};
use crate::slots::{CacheSlot, ListEnd, SlotLists};
use sansim_kernel::RandomStream;

/// The blocks that a cache contains, under any replacement policy.
///
/// ```
/// use sansim_cache::CacheContent;
/// use sansim_cache::replacement::ReplacementPolicy;
/// use sansim_kernel::RandomStream;
///
/// let policy = ReplacementPolicy::of_word("lru").expect("a word that is known");
/// let mut content = CacheContent::new(&policy, 2, RandomStream::new(1, "cache"));
/// let hits = [7, 8, 7, 9, 8].into_iter().filter(|block| content.access(*block)).count();
/// assert_eq!(hits, 1);
/// ```
#[derive(Clone, Debug)]
pub struct CacheContent {
    slots: SlotLists,
    policy: AnyReplacement,
    capacity: u32,
    resident: u32,
    held_back: u32,
}

impl CacheContent {
    /// The most blocks that a cache can hold: some policies remember as many evicted blocks.
    pub const MOST: u32 = 1 << 30;

    /// An empty content, which never has more than `capacity` blocks; the capacity is between 1 and [`CacheContent::MOST`].
    pub fn new(policy: &ReplacementPolicy, capacity: u32, random: RandomStream) -> Self {
        let capacity = capacity.clamp(1, Self::MOST);
        let policy = policy.replacement(capacity, random);
        let slots = SlotLists::new(capacity + policy.remembers());
        Self { slots, policy, capacity, resident: 0, held_back: 0 }
    }

    /// A block is requested and, if it is not resident, comes in. Returns whether the block was resident.
    pub fn access(&mut self, block: u64) -> bool {
        match self.look(block) {
            Ok(slot) => {
                self.policy.used(&mut self.slots, slot);
                true
            }
            Err(remembered) => {
                self.admit_as(block, remembered);
                false
            }
        }
    }

    /// The slot of a resident block.
    #[inline]
    pub fn slot_of_block(&self, block: u64) -> Option<CacheSlot> {
        self.slots.slot_of_block(block).filter(|slot| self.slots.is_resident(*slot))
    }

    /// The slot of a resident block; for a block that is not resident the slot that remembers it, with which the block can be admitted.
    #[inline]
    pub(crate) fn look(&self, block: u64) -> Result<CacheSlot, Option<CacheSlot>> {
        match self.slots.slot_of_block(block) {
            Some(slot) if self.slots.is_resident(slot) => Ok(slot),
            remembered => Err(remembered),
        }
    }

    /// A resident block has been requested.
    #[inline]
    pub fn block_requested(&mut self, slot: CacheSlot) {
        self.policy.used(&mut self.slots, slot);
    }

    /// A block that is not resident comes in, and another block is evicted if there is no room. None if no block can be evicted.
    pub fn admit(&mut self, block: u64) -> Option<Admitted> {
        let found = self.slots.slot_of_block(block);
        debug_assert!(found.is_none_or(|slot| !self.slots.is_resident(slot)), "a block that is held already");
        self.admit_as(block, found)
    }

    /// Admits a block that is not resident; this slot remembers it, if any does.
    pub(crate) fn admit_as(&mut self, block: u64, remembered: Option<CacheSlot>) -> Option<Admitted> {
        if self.held_back == self.capacity {
            return None;
        }
        let admitted = self.policy.admit(&mut self.slots, block, remembered)?;
        self.resident += u32::from(admitted.evicted.is_none());
        self.slots.set_slot_state(admitted.slot, 0);
        Some(admitted)
    }

    /// Prevents a block from being evicted. Returns whether the block was evictable before.
    pub fn pin(&mut self, slot: CacheSlot) -> bool {
        if self.slots.is_pinned(slot) {
            return false;
        }
        self.policy.hold(&mut self.slots, slot);
        self.held_back += 1;
        true
    }

    /// A block becomes evictable again.
    pub fn unpin(&mut self, slot: CacheSlot, end: ListEnd) {
        if self.slots.is_pinned(slot) {
            self.policy.let_go(&mut self.slots, slot, end);
            self.held_back -= 1;
        }
    }

    /// An evictable block becomes the youngest of its list, without counting as used again.
    pub fn make_youngest(&mut self, slot: CacheSlot) {
        if self.pin(slot) {
            self.unpin(slot, ListEnd::Young);
        }
    }

    /// Drops a block, whatever its state.
    pub fn drop_block(&mut self, slot: CacheSlot) {
        self.unpin(slot, ListEnd::Old);
        self.policy.forget(&mut self.slots, slot);
        self.resident -= 1;
    }

    /// The number of blocks that the cache may hold.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// The number of resident blocks.
    pub fn resident_block_count(&self) -> u32 {
        self.resident
    }

    /// The number of blocks that cannot be evicted.
    pub fn pinned_count(&self) -> u32 {
        self.held_back
    }

    /// The slots of the cache, for reading.
    #[inline]
    pub fn slots(&self) -> &SlotLists {
        &self.slots
    }

    /// Sets the state of a slot for the cache.
    #[inline]
    pub(crate) fn set_state(&mut self, slot: CacheSlot, state: u8) {
        self.slots.set_slot_state(slot, state);
    }

    /// The replacement policy.
    pub fn policy(&self) -> &AnyReplacement {
        &self.policy
    }

    /// The bytes of memory of the content.
    pub fn memory_bytes(&self) -> usize {
        self.slots.memory_bytes() + self.policy.bytes()
    }
}
