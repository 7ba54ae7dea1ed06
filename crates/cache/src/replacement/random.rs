//! RANDOM: any evictable block is evicted, each with the same probability.

use super::{Admitted, Replacement};
use crate::slots::{CacheSlot, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_schema::table;

table! {
    /// Any block, each with the same probability.
    #[derive(Copy, Eq)]
    pub struct RandomParameters {}
}

/// The random replacement policy evicts any evictable block, each with the same probability. The mark of a slot is its index among the
/// evictable slots.
#[derive(Clone, Debug)]
pub struct Random {
    capacity: u32,
    resident: u32,
    may_go: Vec<CacheSlot>,
    random: RandomStream,
}

impl Random {
    pub(super) fn new(_: &RandomParameters, capacity: u32, random: RandomStream) -> Self {
        Self { capacity, resident: 0, may_go: Vec::new(), random }
    }

    fn put(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        slots.set_slot_mark(slot, self.may_go.len() as u32);
        self.may_go.push(slot);
    }

    /// The last evictable slot moves to the index of the removed slot.
    fn take(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        let place = slots.slot_mark(slot);
        self.may_go.swap_remove(place as usize);
        if let Some(moved) = self.may_go.get(place as usize) {
            slots.set_slot_mark(*moved, place);
        }
    }
}

impl Replacement for Random {
    fn used(&mut self, _: &mut SlotLists, _: CacheSlot) {}

    fn admit(&mut self, slots: &mut SlotLists, block: u64, _: Option<CacheSlot>) -> Option<Admitted> {
        let mut evicted = None;
        if self.resident == self.capacity {
            if self.may_go.is_empty() {
                return None;
            }
            let victim = self.may_go[self.random.draw_below(self.may_go.len() as u64) as usize];
            evicted = Some(slots.evicted_block(victim));
            self.forget(slots, victim);
        }
        self.resident += 1;
        let slot = slots.allocate_slot(block);
        self.put(slots, slot);
        Some(Admitted { slot, evicted })
    }

    fn hold(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        self.take(slots, slot);
        slots.set_pinned(slot, true);
    }

    fn let_go(&mut self, slots: &mut SlotLists, slot: CacheSlot, _: ListEnd) {
        slots.set_pinned(slot, false);
        self.put(slots, slot);
    }

    fn forget(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        self.take(slots, slot);
        slots.remove(slot);
        self.resident -= 1;
    }

    fn bytes(&self) -> usize {
        self.may_go.capacity() * size_of::<CacheSlot>()
    }
}
