//! Common code of policies with a few lists: holding back, releasing and dropping.

use crate::slots::{CacheSlot, Evicted, ListEnd, SlotList, SlotLists};

/// A few lists; each slot has the number of its list.
#[derive(Clone, Debug)]
pub(super) struct Queues<const N: usize>(pub [SlotList; N]);

impl<const N: usize> Default for Queues<N> {
    fn default() -> Self {
        Self([SlotList::default(); N])
    }
}

impl<const N: usize> Queues<N> {
    /// The number of members of a list.
    #[inline]
    pub(super) fn members(&self, list: usize) -> u32 {
        self.0[list].member_count()
    }

    /// The oldest evictable slot of a list.
    #[inline]
    pub(super) fn oldest(&self, list: usize) -> Option<CacheSlot> {
        self.0[list].oldest_slot()
    }

    /// Puts a slot that is in no list at the young end of a list.
    #[inline]
    pub(super) fn insert(&mut self, slots: &mut SlotLists, list: usize, slot: CacheSlot) {
        slots.set_list(slot, list);
        slots.insert(&mut self.0[list], slot);
    }

    /// A slot leaves its list.
    #[inline]
    pub(super) fn take(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        slots.remove_from_list(&mut self.0[slots.list_of_slot(slot)], slot);
    }

    /// Moves a slot from its list to the young end of another list.
    #[inline]
    pub(super) fn shift(&mut self, slots: &mut SlotLists, list: usize, slot: CacheSlot) {
        self.take(slots, slot);
        self.insert(slots, list, slot);
    }

    /// Evicts the oldest block of a list without remembering it, and returns the block.
    pub(super) fn evict(&mut self, slots: &mut SlotLists, list: usize) -> Option<Evicted> {
        let oldest = self.oldest(list)?;
        let gone = slots.evicted_block(oldest);
        self.forget(slots, oldest);
        if let Some(next) = self.oldest(list) {
            slots.prefetch_before_removal(next);
        }
        Some(gone)
    }

    /// The block of a slot is no longer resident but remembered, at the young end of a list.
    pub(super) fn remember(&mut self, slots: &mut SlotLists, list: usize, slot: CacheSlot) -> Evicted {
        self.shift(slots, list, slot);
        slots.set_resident(slot, false);
        slots.evicted_block(slot)
    }

    /// A slot leaves its list and is free.
    pub(super) fn forget(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        self.take(slots, slot);
        slots.remove(slot);
    }

    /// A block comes in at the young end of a list.
    #[inline]
    pub(super) fn bring_in(&mut self, slots: &mut SlotLists, list: usize, block: u64) -> CacheSlot {
        let slot = slots.allocate_slot(block);
        self.insert(slots, list, slot);
        slot
    }

    pub(super) fn hold(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        slots.pin(&mut self.0[slots.list_of_slot(slot)], slot);
    }

    pub(super) fn let_go(&mut self, slots: &mut SlotLists, slot: CacheSlot, end: ListEnd) {
        slots.unpin(&mut self.0[slots.list_of_slot(slot)], slot, end);
    }
}

/// The methods of a policy whose lists are in a field `queues`, and which has no special treatment of held-back slots.
macro_rules! by_queues {
    () => {
        fn hold(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
            self.queues.hold(slots, slot);
        }

        fn let_go(&mut self, slots: &mut SlotLists, slot: CacheSlot, end: ListEnd) {
            self.queues.let_go(slots, slot, end);
        }

        fn forget(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
            self.queues.forget(slots, slot);
        }
    };
}

pub(super) use by_queues;
