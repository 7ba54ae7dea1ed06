//! ARC: T1 has blocks that were used once, T2 blocks that were used again; B1 and B2 remember blocks evicted from them, and hits there show
//! for which of the two more room would have paid.
//!
//! Source: Megiddo, Modha: ARC: a self-tuning, low overhead replacement cache, FAST 2003, figure 4. The target `p` of ARC is a real number.

use super::queues::{Queues, by_queues};
use super::{Admitted, Replacement};
use crate::slots::{CacheSlot, Evicted, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_schema::table;

table! {
    /// Adaptive replacement cache: a list of blocks that were used once and a list of blocks that were used again, whose lengths follow
    /// from the misses.
    #[derive(Copy, Eq)]
    pub struct ArcParameters {}
}

const T1: usize = 0;
const T2: usize = 1;
const B1: usize = 2;
const B2: usize = 3;

/// The ARC replacement policy adapts the room of blocks that were used once and of blocks that were used again.
#[derive(Clone, Debug)]
pub struct Arc {
    capacity: u32,
    /// The number of blocks that T1 should have.
    p: f64,
    queues: Queues<4>,
}

impl Arc {
    pub(super) fn new(_: &ArcParameters, capacity: u32, _: RandomStream) -> Self {
        Self { capacity, p: 0.0, queues: Queues::default() }
    }

    /// The number of members of T1, T2, B1 and B2.
    pub fn list_lengths(&self) -> [u32; 4] {
        [T1, T2, B1, B2].map(|list| self.queues.members(list))
    }

    fn is_full(&self) -> bool {
        self.queues.members(T1) + self.queues.members(T2) == self.capacity
    }

    /// Evicts a block of T1 or T2, which is then remembered. If all blocks of the chosen list are held back, a block of the other list is
    /// evicted.
    fn replace(&mut self, slots: &mut SlotLists, in_b2: bool) -> Option<Evicted> {
        let length = f64::from(self.queues.members(T1));
        let from_t1 = length > self.p || (in_b2 && length == self.p);
        let (once, again) = (self.queues.oldest(T1), self.queues.oldest(T2));
        match (once, again) {
            (Some(once), None) => Some(self.queues.remember(slots, B1, once)),
            (Some(once), Some(_)) if from_t1 => Some(self.queues.remember(slots, B1, once)),
            (_, again) => Some(self.queues.remember(slots, B2, again?)),
        }
    }

    /// A block comes in that B1 or B2 remembers.
    fn readmit(&mut self, slots: &mut SlotLists, slot: CacheSlot) -> Option<Admitted> {
        let in_b2 = slots.list_of_slot(slot) == B2;
        let [b1, b2] = [B1, B2].map(|list| f64::from(self.queues.members(list)));
        self.p = if in_b2 {
            (self.p - (b1 / b2).max(1.0)).max(0.0)
        } else {
            (self.p + (b2 / b1).max(1.0)).min(f64::from(self.capacity))
        };
        let evicted = if self.is_full() { Some(self.replace(slots, in_b2)?) } else { None };
        slots.set_resident(slot, true);
        self.queues.shift(slots, T2, slot);
        Some(Admitted { slot, evicted })
    }
}

impl Replacement for Arc {
    fn remembers(&self) -> u32 {
        // There is one more remembered block for a moment.
        self.capacity + 1
    }

    fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        if slots.list_of_slot(slot) == T2 {
            slots.make_youngest(&mut self.queues.0[T2], slot);
        } else {
            self.queues.shift(slots, T2, slot);
        }
    }

    fn admit(
        &mut self,
        slots: &mut SlotLists,
        block: u64,
        remembered: Option<CacheSlot>,
    ) -> Option<Admitted> {
        if let Some(slot) = remembered {
            return self.readmit(slots, slot);
        }
        let [t1, t2, b1, b2] = self.list_lengths();
        let mut evicted = None;
        if self.is_full() {
            if t1 + b1 >= self.capacity && b1 == 0 && self.queues.oldest(T1).is_some() {
                // T1 is the whole cache: a block evicted from it was used once and is not worth remembering.
                evicted = self.queues.evict(slots, T1);
            } else {
                evicted = Some(self.replace(slots, false)?);
                // Remembered blocks are dropped according to the sizes before the evicted block was remembered.
                if t1 + b1 >= self.capacity && b1 > 0 {
                    self.queues.evict(slots, B1);
                } else if u64::from(t1) + u64::from(t2) + u64::from(b1) + u64::from(b2)
                    >= 2 * u64::from(self.capacity)
                {
                    self.queues.evict(slots, B2);
                }
            }
        }
        Some(Admitted { slot: self.queues.bring_in(slots, T1, block), evicted })
    }

    by_queues!();
}
