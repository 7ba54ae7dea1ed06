//! SIEVE: a hand moves from the oldest block to the youngest and evicts the first that was not used since the hand passed it; spared blocks
//! keep their position.
//!
//! Source: Zhang, Yang, Yue, Vigfusson, Rashmi: SIEVE is simpler than LRU, NSDI 2024.

use super::queues::Queues;
use super::{Admitted, Replacement};
use crate::slots::{CacheSlot, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_schema::table;

table! {
    /// SIEVE: the first block that was not used since the hand, which goes from the oldest block to the youngest and moves none, passed it.
    #[derive(Copy, Eq)]
    pub struct SieveParameters {}
}

/// The SIEVE replacement policy moves a hand from the oldest block to the youngest and evicts the first unused block. The mark of a slot is
/// whether its block was used.
#[derive(Clone, Debug)]
pub struct Sieve {
    capacity: u32,
    queues: Queues<1>,
    /// The position of the hand; none means the oldest slot.
    hand: Option<CacheSlot>,
}

impl Sieve {
    pub(super) fn new(_: &SieveParameters, capacity: u32, _: RandomStream) -> Self {
        Self { capacity, queues: Queues::default(), hand: None }
    }

    /// A slot is removed from the list: the hand moves on if it points to that slot.
    fn leave(&mut self, slots: &SlotLists, slot: CacheSlot) {
        if self.hand == Some(slot) {
            self.hand = slots.next_younger_slot(slot);
        }
    }
}

impl Replacement for Sieve {
    #[inline]
    fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        slots.set_slot_mark(slot, 1);
    }

    fn admit(&mut self, slots: &mut SlotLists, block: u64, _: Option<CacheSlot>) -> Option<Admitted> {
        let mut evicted = None;
        if self.queues.members(0) == self.capacity {
            let mut at = self.hand.or(self.queues.oldest(0))?;
            while slots.slot_mark(at) != 0 {
                slots.set_slot_mark(at, 0);
                at = slots.next_younger_slot(at).or(self.queues.oldest(0))?;
            }
            self.hand = slots.next_younger_slot(at);
            evicted = Some(slots.evicted_block(at));
            self.queues.forget(slots, at);
        }
        Some(Admitted { slot: self.queues.bring_in(slots, 0, block), evicted })
    }

    fn hold(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        self.leave(slots, slot);
        self.queues.hold(slots, slot);
    }

    fn let_go(&mut self, slots: &mut SlotLists, slot: CacheSlot, end: ListEnd) {
        self.queues.let_go(slots, slot, end);
    }

    fn forget(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        self.leave(slots, slot);
        self.queues.forget(slots, slot);
    }
}
