//! LFU with dynamic ageing: a block is worth how often it was used and, on top, what the block was worth that went last before
//! its last use. So what was used often long ago is in time worth less than what is used now.
//!
//! Source: Arlitt, Cherkasova, Dilley, Friedrich, Jin: Evaluating content management techniques for Web proxy caches, ACM
//! SIGMETRICS Performance Evaluation Review 27(4), 2000.

use super::frequency::Buckets;
use super::{Admitted, Replacement};
use crate::slots::{End, Slot, Slots};
use sansim_describe::table;
use sansim_kernel::RandomStream;

table! {
    /// LFU with dynamic ageing: what was used often long ago goes too.
    #[derive(Copy, Eq)]
    pub struct LfuDaParameters {}
}

/// See the module text. The count of a slot is how often it was used.
#[derive(Clone, Debug)]
pub struct LfuDa {
    capacity: u32,
    resident: u32,
    /// What the one was worth that went last.
    age: u64,
    buckets: Buckets,
}

impl LfuDa {
    pub(super) fn new(_: &LfuDaParameters, capacity: u32, _: RandomStream) -> Self {
        Self { capacity, resident: 0, age: 0, buckets: Buckets::new() }
    }
}

impl Replacement for LfuDa {
    fn used(&mut self, slots: &mut Slots, slot: Slot) {
        let uses = slots.count(slot).saturating_add(1);
        slots.set_count(slot, uses);
        // One that is held back may have been worth less than the one that went last.
        let worth = (self.age + u64::from(uses)).max(self.buckets.worth(slots, slot));
        self.buckets.raise(slots, slot, worth);
    }

    fn admit(&mut self, slots: &mut Slots, block: u64, _: Option<Slot>) -> Option<Admitted> {
        let mut evicted = None;
        if self.resident == self.capacity {
            let least = self.buckets.least()?;
            self.age = self.age.max(self.buckets.worth(slots, least));
            evicted = Some(slots.leaving(least));
            self.forget(slots, least);
        }
        self.resident += 1;
        let slot = slots.add(block);
        slots.set_count(slot, 1);
        self.buckets.insert(slots, slot, self.age + 1);
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
