//! Functional warm-up: the cache content that a stream of addresses leaves, without fetches or destages that consume time.

use super::BlockCache;
use super::answer::{CacheAnswer, WriteOutcome};
use crate::destage::pace::DestagePaceRule;
use crate::warm_up::HitRatioSettling;
use std::ops::Range;

/// A request of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarmUpAccess {
    /// Whether the request writes.
    pub writes: bool,
    /// The bytes of the device that the request accesses.
    pub bytes: Range<u64>,
}

/// The outcome of a warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WarmUpEnd {
    /// The number of accesses that were run.
    pub accesses: u64,
    /// The number of accesses of which all blocks were in the cache.
    pub hits: u64,
    /// Whether the hit ratio had settled at the end.
    pub settled: bool,
}

impl BlockCache {
    /// Runs accesses, until there are no more, or until the hit ratio has settled if `settling` is given ([`HitRatioSettling::new`]). See
    /// [`warm`](Self::apply_warm_up_access) for a single access.
    pub fn warm_up(
        &mut self,
        accesses: impl IntoIterator<Item = WarmUpAccess>,
        mut settling: Option<HitRatioSettling>,
    ) -> WarmUpEnd {
        let (mut warmed, mut answer) = (WarmUpEnd::default(), CacheAnswer::default());
        for access in accesses {
            let hit = self.apply_warm_up_access(&access, &mut answer);
            warmed.accesses += 1;
            warmed.hits += u64::from(hit);
            let is_full = self.resident_block_count() == self.capacity();
            if settling.as_mut().is_some_and(|settling| settling.count_access(hit, is_full)) {
                warmed.settled = true;
                break;
            }
        }
        warmed
    }

    /// Applies an access to the content, as though the device needed no time. Written blocks stay dirty up to the settled number
    /// ([`DestagePaceRule::settled`]). Accesses of a warm-up are not counted. Returns whether all blocks of the access were in the cache.
    /// `answer` is overwritten.
    ///
    /// `warm` must be called while no block is in flight. Afterwards `answer` has the accesses to the device: reads of `fetch`, `ahead` and
    /// `bypass`, writes of `destaged`; writes through cover whole blocks there.
    pub fn apply_warm_up_access(&mut self, access: &WarmUpAccess, answer: &mut CacheAnswer) -> bool {
        let counts = self.counts;
        let mut ranges = std::mem::take(&mut answer.ranges);
        let mut blocks = self.blocks_of(&access.bytes);
        let hit = if access.writes {
            let hit = blocks.all(|block| self.contains_block(block));
            let mut written = self.write(access.bytes.clone(), answer);
            if written == WriteOutcome::Wait {
                // The call of `write` clears the answer, so its destages are saved.
                let mut destaged = std::mem::take(&mut answer.destaged);
                self.destage_down_to(0, &mut ranges, &mut destaged);
                written = self.write(access.bytes.clone(), answer);
                answer.destaged = destaged;
            }
            self.partner_has_copy(self.blocks_of(&access.bytes), |_| true);
            if written == WriteOutcome::Through {
                answer.destaged.push(self.blocks_of(&access.bytes));
            }
            answer.through.iter().for_each(|blocks| self.destaged(blocks.clone()));
            hit
        } else {
            self.read(access.bytes.clone(), answer)
        };
        for fetched in answer.fetch.iter().chain(&answer.ahead) {
            self.fetched(fetched.clone());
        }
        let mut destaged = std::mem::take(&mut answer.destaged);
        self.destage_down_to(self.pace.settled(self.dirty_limit), &mut ranges, &mut destaged);
        answer.destaged = destaged;
        answer.ranges = ranges;
        self.counts = counts;
        hit
    }

    fn destage_down_to(&mut self, dirty: u32, ranges: &mut Vec<Range<u64>>, went: &mut Vec<Range<u64>>) {
        while self.dirty > dirty && self.destage_next(ranges).is_some() {
            for destaged in &*ranges {
                self.destaged(destaged.clone());
                went.push(destaged.clone());
            }
        }
    }
}
