//! 2Q: new blocks enter a queue, A1in; blocks evicted from A1in are remembered in A1out; a block that is requested while remembered enters
//! an LRU list, Am.
//!
//! Source: Johnson, Shasha: 2Q: a low overhead high performance buffer management replacement algorithm, VLDB 1994, full
//! version.

use super::queues::{Queues, by_queues};
use super::{Admitted, Replacement};
use crate::slots::{CacheSlot, Evicted, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_schema::quantities::{Percentage, Share};
use sansim_schema::table;

const PART: Percentage = Percentage { range: (0, 1_000_000) };

table! {
    /// 2Q: new blocks are in a queue, and blocks that are requested again soon after they left it are in an LRU list.
    #[derive(Copy, Eq)]
    pub struct TwoQParameters {
        /// Kin: share of the cache that the queue of new blocks may have.
        newcomers: Share = PART, default r#""25 %""#, source "Johnson, Shasha 1994";
        /// Kout: number of blocks evicted from the queue that are remembered, as a share of the blocks in the cache.
        remembered: Share = PART, default r#""50 %""#, source "Johnson, Shasha 1994";
    }
}

const A1_IN: usize = 0;
const A1_OUT: usize = 1;
const AM: usize = 2;

/// The 2Q replacement policy keeps new blocks in a queue and blocks that are requested again in an LRU list.
#[derive(Clone, Debug)]
pub struct TwoQ {
    capacity: u32,
    k_in: u32,
    k_out: u32,
    queues: Queues<3>,
}

/// A share of a number, rounded down.
fn share_of(share: Share, whole: u32) -> u32 {
    (u64::from(whole) * share.millionths / 1_000_000) as u32
}

impl TwoQ {
    pub(super) fn new(parameters: &TwoQParameters, capacity: u32, _: RandomStream) -> Self {
        let (k_in, k_out) =
            (share_of(parameters.newcomers, capacity), share_of(parameters.remembered, capacity));
        Self { capacity, k_in, k_out, queues: Queues::default() }
    }

    /// Evicts one of the resident blocks.
    fn reclaim(&mut self, slots: &mut SlotLists) -> Option<Evicted> {
        let newcomer = self.queues.oldest(A1_IN);
        let settled = self.queues.oldest(AM);
        match (newcomer, settled) {
            (Some(newcomer), _) if self.queues.members(A1_IN) > self.k_in || settled.is_none() => {
                let block = self.queues.remember(slots, A1_OUT, newcomer);
                if self.queues.members(A1_OUT) > self.k_out {
                    self.queues.evict(slots, A1_OUT);
                }
                Some(block)
            }
            _ => self.queues.evict(slots, AM),
        }
    }
}

impl Replacement for TwoQ {
    fn remembers(&self) -> u32 {
        // There is one more remembered block for a moment.
        self.k_out + 1
    }

    fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        if slots.list_of_slot(slot) == AM {
            slots.make_youngest(&mut self.queues.0[AM], slot);
        }
    }

    fn admit(
        &mut self,
        slots: &mut SlotLists,
        block: u64,
        remembered: Option<CacheSlot>,
    ) -> Option<Admitted> {
        if let Some(slot) = remembered {
            // The slot is taken from its list, so that it is not dropped while a block is evicted for it.
            self.queues.take(slots, slot);
        }
        let full = self.queues.members(A1_IN) + self.queues.members(AM) == self.capacity;
        let evicted = if full { self.reclaim(slots) } else { None };
        if full && evicted.is_none() {
            if let Some(slot) = remembered {
                self.queues.insert(slots, A1_OUT, slot);
            }
            return None;
        }
        let slot = match remembered {
            Some(slot) => {
                slots.set_resident(slot, true);
                self.queues.insert(slots, AM, slot);
                slot
            }
            None => self.queues.bring_in(slots, A1_IN, block),
        };
        Some(Admitted { slot, evicted })
    }

    by_queues!();
}
