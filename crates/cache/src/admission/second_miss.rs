//! Admission at the second miss: a block that was missing is refused, and remembered in a list; a block that misses while it is remembered
//! comes in.
//!
//! The list is A1out of 2Q, with its size and its order, but blocks enter it without having been in the cache: what is read once takes no room
//! at all.
//!
//! Sources: Johnson, Shasha: 2Q: a low overhead high performance buffer management replacement algorithm, VLDB 1994, for the list; Huang,
//! Wei, Chen, Chen, Feng: Improving flash-based disk cache with lazy adaptive replacement, MSST 2013, for a list before the cache, whose size
//! adapts there and does not here.

use super::AdmissionRule;
use sansim_schema::quantities::{Percentage, Share};
use sansim_schema::table;
use std::collections::{HashMap, VecDeque};

table! {
    /// A block that was refused not long before: it is accessed more than once.
    #[derive(Copy, Eq)]
    pub struct SecondMissParameters {
        /// Number of refused blocks that are remembered, as a share of the blocks of the cache; at least one.
        remembered: Share = Percentage { range: (0, 100_000_000) }, default r#""50 %""#, source "Johnson, Shasha 1994";
    }
}

/// The admission policy that admits a block at its second miss.
#[derive(Clone, Debug)]
pub struct SecondMiss {
    most: usize,
    /// The number of refusals up to now.
    refusals: u64,
    /// The remembered blocks, each with the number of its refusal.
    remembered: HashMap<u64, u64>,
    /// Refused blocks with the numbers of their refusals, in order; some of them are no longer remembered.
    order: VecDeque<(u64, u64)>,
}

impl SecondMiss {
    pub(super) fn new(parameters: &SecondMissParameters, capacity: u32) -> Self {
        let most = u128::from(capacity) * u128::from(parameters.remembered.millionths) / 1_000_000;
        Self { most: (most as usize).max(1), refusals: 0, remembered: HashMap::new(), order: VecDeque::new() }
    }

    fn remember(&mut self, block: u64) {
        self.refusals += 1;
        self.remembered.insert(block, self.refusals);
        self.order.push_back((block, self.refusals));
        while self.remembered.len() > self.most {
            let Some((oldest, refusal)) = self.order.pop_front() else { return };
            if self.remembered.get(&oldest) == Some(&refusal) {
                self.remembered.remove(&oldest);
            }
        }
        // Blocks that came in leave their entries behind: these must not add up.
        if self.order.len() > 2 * self.most {
            let remembered = &self.remembered;
            self.order.retain(|(block, refusal)| remembered.get(block) == Some(refusal));
        }
    }
}

impl AdmissionRule for SecondMiss {
    fn admits(&mut self, block: u64, _: u32) -> bool {
        let admits = self.remembered.remove(&block).is_some();
        if !admits {
            self.remember(block);
        }
        admits
    }
}
