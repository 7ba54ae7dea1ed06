//! FIFO: the block that came first is evicted, however often it was used since.

use super::queues::{Queues, by_queues};
use super::{Admitted, Replacement};
use crate::slots::{CacheSlot, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_schema::table;

table! {
    /// FIFO: the block that came first.
    #[derive(Copy, Eq)]
    pub struct FifoReplacementParameters {}
}

/// The FIFO replacement policy evicts the block that came first, however often the block was used since.
#[derive(Clone, Debug)]
pub struct FifoReplacement {
    capacity: u32,
    queues: Queues<1>,
}

impl FifoReplacement {
    pub(super) fn new(_: &FifoReplacementParameters, capacity: u32, _: RandomStream) -> Self {
        Self { capacity, queues: Queues::default() }
    }
}

impl Replacement for FifoReplacement {
    fn used(&mut self, _: &mut SlotLists, _: CacheSlot) {}

    fn admit(&mut self, slots: &mut SlotLists, block: u64, _: Option<CacheSlot>) -> Option<Admitted> {
        let full = self.queues.members(0) == self.capacity;
        let evicted = if full { Some(self.queues.evict(slots, 0)?) } else { None };
        Some(Admitted { slot: self.queues.bring_in(slots, 0, block), evicted })
    }

    by_queues!();
}
