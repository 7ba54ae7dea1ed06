//! LRU: the least recently used block is evicted.
//!
//! Source: Mattson, Gecsei, Slutz, Traiger: Evaluation techniques for storage hierarchies, IBM Systems Journal 9(2), 1970.

use super::queues::{Queues, by_queues};
use super::{Admitted, Replacement};
use crate::slots::{CacheSlot, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_schema::table;

table! {
    /// LRU: the block that was used least recently.
    #[derive(Copy, Eq)]
    pub struct LruParameters {}
}

/// The LRU replacement policy evicts the least recently used block.
#[derive(Clone, Debug)]
pub struct Lru {
    capacity: u32,
    queues: Queues<1>,
}

impl Lru {
    pub(super) fn new(_: &LruParameters, capacity: u32, _: RandomStream) -> Self {
        Self { capacity, queues: Queues::default() }
    }
}

impl Replacement for Lru {
    #[inline]
    fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        slots.make_youngest(&mut self.queues.0[0], slot);
    }

    fn admit(&mut self, slots: &mut SlotLists, block: u64, _: Option<CacheSlot>) -> Option<Admitted> {
        let full = self.queues.members(0) == self.capacity;
        let evicted = if full { Some(self.queues.evict(slots, 0)?) } else { None };
        Some(Admitted { slot: self.queues.bring_in(slots, 0, block), evicted })
    }

    by_queues!();
}
