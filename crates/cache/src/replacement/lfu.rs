//! LFU: the one that was used least often since it came goes; of several the one that was used least recently.

use super::frequency::Buckets;
use super::{Admitted, Replacement};
use crate::slots::{End, Slot, Slots};
use sansim_describe::table;
use sansim_kernel::RandomStream;

table! {
    /// The one that was used least often; of several the one that was used least recently.
    #[derive(Copy, Eq)]
    pub struct LfuParameters {}
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Lfu {
    capacity: u32,
    resident: u32,
    buckets: Buckets,
}

impl Lfu {
    pub(super) fn new(_: &LfuParameters, capacity: u32, _: RandomStream) -> Self {
        Self { capacity, resident: 0, buckets: Buckets::new() }
    }
}

impl Replacement for Lfu {
    fn used(&mut self, slots: &mut Slots, slot: Slot) {
        let worth = self.buckets.worth(slots, slot) + 1;
        self.buckets.raise(slots, slot, worth);
    }

    fn admit(&mut self, slots: &mut Slots, block: u64, _: Option<Slot>) -> Option<Admitted> {
        let mut evicted = None;
        if self.resident == self.capacity {
            let least = self.buckets.least()?;
            evicted = Some(slots.leaving(least));
            self.forget(slots, least);
        }
        self.resident += 1;
        let slot = slots.add(block);
        self.buckets.insert(slots, slot, 1);
        Some(Admitted { slot, evicted })
    }

    fn hold(&mut self, slots: &mut Slots, slot: Slot) {
        self.buckets.hold(slots, slot);
    }

    fn let_go(&mut self, slots: &mut Slots, slot: Slot, end: End) {
        self.buckets.let_go(slots, slot, end);
    }

    fn forget(&mut self, slots: &mut Slots, slot: Slot) {
        self.buckets.forget(slots, slot);
        self.resident -= 1;
    }

    fn bytes(&self) -> usize {
        self.buckets.bytes()
    }
}
