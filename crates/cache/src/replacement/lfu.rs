//! LFU: the block that was used least often since it came is evicted; of several the least recently used one.

use super::frequency::Buckets;
use super::{Admitted, Replacement};
use crate::slots::{CacheSlot, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_schema::table;

table! {
    /// LFU: the block that was used least often; among several the one that was used least recently.
    #[derive(Copy, Eq)]
    pub struct LfuParameters {}
}

/// The LFU replacement policy evicts the block that was used least often since it came.
pub type Lfu = LeastOftenUsed<false>;

/// A least-often policy: with ageing, or without. The count of a slot is the number of its uses.
#[derive(Clone, Debug)]
pub struct LeastOftenUsed<const AGES: bool> {
    capacity: u32,
    resident: u32,
    /// With ageing, the worth of the block that was evicted last.
    age: u64,
    buckets: Buckets,
}

impl<const AGES: bool> LeastOftenUsed<AGES> {
    pub(super) fn new<Keys>(_: &Keys, capacity: u32, _: RandomStream) -> Self {
        Self { capacity, resident: 0, age: 0, buckets: Buckets::new() }
    }
}

impl<const AGES: bool> Replacement for LeastOftenUsed<AGES> {
    fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        let uses = slots.slot_counter(slot).saturating_add(1);
        slots.set_slot_counter(slot, uses);
        // A block that was held back may be worth less than the block that was evicted last.
        let worth = (self.age + u64::from(uses)).max(self.buckets.worth(slots, slot));
        self.buckets.raise(slots, slot, worth);
    }

    fn admit(&mut self, slots: &mut SlotLists, block: u64, _: Option<CacheSlot>) -> Option<Admitted> {
        let mut evicted = None;
        if self.resident == self.capacity {
            let least = self.buckets.least()?;
            if AGES {
                self.age = self.age.max(self.buckets.worth(slots, least));
            }
            evicted = Some(slots.evicted_block(least));
            self.forget(slots, least);
        }
        self.resident += 1;
        let slot = slots.allocate_slot(block);
        slots.set_slot_counter(slot, 1);
        self.buckets.insert(slots, slot, self.age + 1);
        Some(Admitted { slot, evicted })
    }

    fn hold(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        self.buckets.hold(slots, slot);
    }

    fn let_go(&mut self, slots: &mut SlotLists, slot: CacheSlot, end: ListEnd) {
        self.buckets.let_go(slots, slot, end);
    }

    fn forget(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        self.buckets.forget(slots, slot);
        self.resident -= 1;
    }

    fn bytes(&self) -> usize {
        self.buckets.bytes()
    }
}
