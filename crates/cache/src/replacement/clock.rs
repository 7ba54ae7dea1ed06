//! CLOCK: a hand goes round the blocks and evicts the first that was not used since the hand passed it.
//!
//! Source: Corbató: A paging experiment with the Multics system, MIT Project MAC report MAC-M-384, 1968. The circle is a list here: a
//! spared block moves from its old end to its young end, which is equivalent. A new block counts as not used.

use super::queues::{Queues, by_queues};
use super::{Admitted, Replacement};
use crate::slots::{CacheSlot, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_schema::table;

table! {
    /// CLOCK: the first block that was not used since the hand, which goes round, passed it.
    #[derive(Copy, Eq)]
    pub struct ClockParameters {}
}

/// The CLOCK replacement policy evicts the first block that was not used since its hand passed the block. The mark of a slot is whether its
/// block was used.
#[derive(Clone, Debug)]
pub struct ClockReplacement {
    capacity: u32,
    queues: Queues<1>,
}

impl ClockReplacement {
    pub(super) fn new(_: &ClockParameters, capacity: u32, _: RandomStream) -> Self {
        Self { capacity, queues: Queues::default() }
    }
}

impl Replacement for ClockReplacement {
    #[inline]
    fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        slots.set_slot_mark(slot, 1);
    }

    fn admit(&mut self, slots: &mut SlotLists, block: u64, _: Option<CacheSlot>) -> Option<Admitted> {
        let mut evicted = None;
        if self.queues.members(0) == self.capacity {
            let mut hand = self.queues.oldest(0)?;
            while slots.slot_mark(hand) != 0 {
                slots.set_slot_mark(hand, 0);
                slots.make_youngest(&mut self.queues.0[0], hand);
                hand = self.queues.oldest(0)?;
            }
            evicted = self.queues.evict(slots, 0);
        }
        Some(Admitted { slot: self.queues.bring_in(slots, 0, block), evicted })
    }

    by_queues!();
}
