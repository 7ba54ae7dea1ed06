//! CAR: like ARC, but T1 and T2 are clocks, so that a hit only sets a bit.
//!
//! Source: Bansal, Modha: CAR: clock with adaptive replacement, FAST 2004, figure 2. The target `p` of CAR is a real number.

use super::queues::{Queues, by_queues};
use super::{Admitted, Replacement};
use crate::slots::{CacheSlot, Evicted, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_schema::table;

table! {
    /// Clock with adaptive replacement: ARC with two clocks.
    #[derive(Copy, Eq)]
    pub struct CarParameters {}
}

const T1: usize = 0;
const T2: usize = 1;
const B1: usize = 2;
const B2: usize = 3;

/// The CAR replacement policy is ARC with two clocks instead of two LRU lists. The mark of a slot is whether its block was used.
#[derive(Clone, Debug)]
pub struct Car {
    capacity: u32,
    /// The number of blocks that T1 should have.
    p: f64,
    queues: Queues<4>,
}

impl Car {
    pub(super) fn new(_: &CarParameters, capacity: u32, _: RandomStream) -> Self {
        Self { capacity, p: 0.0, queues: Queues::default() }
    }

    /// The number of members of T1, T2, B1 and B2.
    pub fn list_lengths(&self) -> [u32; 4] {
        [T1, T2, B1, B2].map(|list| self.queues.members(list))
    }

    /// The hands advance until a block is evicted, which is then remembered. A clock whose members are all held back is skipped.
    fn replace(&mut self, slots: &mut SlotLists) -> Option<Evicted> {
        loop {
            let in_t1 = f64::from(self.queues.members(T1)) >= self.p.max(1.0);
            let (once, again) = (self.queues.oldest(T1), self.queues.oldest(T2));
            let (slot, memory) = match (once, again) {
                (Some(once), None) => (once, B1),
                (Some(once), Some(_)) if in_t1 => (once, B1),
                (_, again) => (again?, B2),
            };
            if slots.slot_mark(slot) == 0 {
                return Some(self.queues.remember(slots, memory, slot));
            }
            slots.set_slot_mark(slot, 0);
            self.queues.shift(slots, T2, slot);
        }
    }
}

impl Replacement for Car {
    fn remembers(&self) -> u32 {
        // There is one more remembered block for a moment.
        self.capacity + 1
    }

    #[inline]
    fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        slots.set_slot_mark(slot, 1);
    }

    fn admit(
        &mut self,
        slots: &mut SlotLists,
        block: u64,
        remembered: Option<CacheSlot>,
    ) -> Option<Admitted> {
        let mut evicted = None;
        if self.queues.members(T1) + self.queues.members(T2) == self.capacity {
            evicted = Some(self.replace(slots)?);
            let [t1, t2, b1, b2] = self.list_lengths();
            if remembered.is_none() {
                if t1 + b1 >= self.capacity {
                    self.queues.evict(slots, B1);
                } else if u64::from(t1) + u64::from(t2) + u64::from(b1) + u64::from(b2)
                    >= 2 * u64::from(self.capacity)
                {
                    self.queues.evict(slots, B2);
                }
            }
        }
        let Some(slot) = remembered else {
            return Some(Admitted { slot: self.queues.bring_in(slots, T1, block), evicted });
        };
        let [_, _, b1, b2] = self.list_lengths().map(f64::from);
        self.p = if slots.list_of_slot(slot) == B1 {
            (self.p + (b2 / b1).max(1.0)).min(f64::from(self.capacity))
        } else {
            (self.p - (b1 / b2).max(1.0)).max(0.0)
        };
        slots.set_resident(slot, true);
        slots.set_slot_mark(slot, 0);
        self.queues.shift(slots, T2, slot);
        Some(Admitted { slot, evicted })
    }

    by_queues!();
}
