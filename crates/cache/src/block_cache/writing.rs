//! Writes to the cache: write-back or write-through, and whether there is room.

use super::answer::{CacheAnswer, WriteOutcome, add};
use super::state::{
    AHEAD_OF_PARTNER, DESTAGING, DIRTY, FETCHING, THROUGH, UNKNOWN_TO_PARTNER, WHOLE, has, is_acknowledged,
    is_held_back, is_ready, is_unsafe,
};
use super::{BlockCache, ListEnd};
use crate::parameters::{WhenFull, WriteMode};
use std::ops::Range;

impl BlockCache {
    /// Whether writes are acknowledged when they are in the cache: write-back is configured, and everything that protects dirty data works.
    pub fn writes_back(&self) -> bool {
        self.write.mode == WriteMode::Back && !self.is_unprotected()
    }

    /// Whether a battery or partner that is to protect dirty data does not work.
    pub(super) fn is_unprotected(&self) -> bool {
        self.write.mirrored && !self.partner_works || self.write.battery && !self.battery_works
    }

    /// The partner has a copy of the data that a write to these blocks brought. The partner has the present content of those blocks for
    /// which `last` returns true: no later write to them is missing there.
    pub fn partner_has_copy(&mut self, blocks: Range<u64>, mut last: impl FnMut(u64) -> bool) {
        for block in blocks {
            let gone = UNKNOWN_TO_PARTNER | if last(block) { AHEAD_OF_PARTNER } else { 0 };
            let Some(slot) = self.content.slot_of_block(block) else { continue };
            let state = self.state(slot);
            self.change(slot, state & !gone, ListEnd::Young);
        }
    }

    /// Writes a range of bytes. Returns the outcome; `answer` has the blocks to be fetched, which the write need not await.
    pub fn write(&mut self, bytes: Range<u64>, answer: &mut CacheAnswer) -> WriteOutcome {
        self.write_as(bytes, self.writes_back(), answer)
    }

    /// Writes a range of bytes through to the device, whatever mode is configured, because the device has failures.
    pub fn write_to_the_device(&mut self, bytes: Range<u64>, answer: &mut CacheAnswer) -> WriteOutcome {
        self.write_as(bytes, false, answer)
    }

    /// Whether a write waits for room in the cache.
    pub fn has_waiting_write(&self) -> bool {
        self.wanted > 0
    }

    fn write_as(&mut self, bytes: Range<u64>, mut back: bool, answer: &mut CacheAnswer) -> WriteOutcome {
        answer.clear();
        let blocks = self.blocks_of(&bytes);
        if back {
            let (dirtied, held_back) = self.needed(&blocks);
            let room = u64::from(self.dirty) + dirtied <= u64::from(self.dirty_limit)
                && u64::from(self.content.pinned_count()) + held_back <= u64::from(self.capacity());
            let never = blocks.end - blocks.start > u64::from(self.dirty_limit);
            if !room && !never && self.write.when_full == WhenFull::Wait {
                self.wanted = self.wanted.max(dirtied.max(held_back) as u32);
                return WriteOutcome::Wait;
            }
            back = room;
        }
        if !back && blocks.clone().any(|block| self.has(block, DESTAGING | AHEAD_OF_PARTNER)) {
            // A write through might now overtake blocks in flight; and the device must not get ahead of the partner.
            return WriteOutcome::Wait;
        }
        if self.admission.ever_refuses() {
            self.notify_of_request(&bytes, true);
        }
        self.counts.writes += 1;
        self.counts.writes_through += u64::from(!back);
        for block in blocks {
            if back {
                self.write_back(block, &bytes, answer);
            } else {
                self.write_through(block, &bytes, answer);
            }
        }
        if back { WriteOutcome::Back } else { WriteOutcome::Through }
    }

    /// Forgets the blocks that lie completely within a range of bytes, dirty or not: their content is of no use any more. Returns false, and
    /// forgets none, while a block of the range is in flight, or the partner lacks it: the deallocation would overtake it.
    #[must_use]
    pub fn deallocate(&mut self, bytes: &Range<u64>) -> bool {
        let blocks = self.blocks_of(bytes);
        if self.some_block(&blocks, |cache, block| cache.has(block, DESTAGING | FETCHING | AHEAD_OF_PARTNER))
        {
            return false;
        }
        self.some_block(&blocks, |cache, block| {
            if cache.is_covered(block, bytes)
                && let Some(slot) = cache.content.slot_of_block(block)
            {
                cache.drop_block(slot);
            }
            false
        });
        true
    }

    /// Calls a function for the blocks of a range that are in the cache, until it returns true; returns whether it has. All blocks in the
    /// cache are looked at if the range has more blocks than the cache.
    fn some_block(&mut self, blocks: &Range<u64>, mut looks: impl FnMut(&mut Self, u64) -> bool) -> bool {
        if blocks.end - blocks.start <= u64::from(self.capacity()) {
            return blocks.clone().any(|block| looks(self, block));
        }
        (0..self.content.slots().slot_count()).any(|place| {
            let block = self.content.slots().resident_at(place).map(|slot| self.content.slots().block(slot));
            block.is_some_and(|block| blocks.contains(&block) && looks(self, block))
        })
    }

    /// Calls a function for each block of a range that has acknowledged data which the device does not have, with the number of destages
    /// that have to arrive until the device has them: two if an earlier content is in flight.
    pub fn for_each_unsafe_block(&self, blocks: &Range<u64>, mut call: impl FnMut(u64, u8)) {
        let mut left = self.dirty;
        for place in 0..self.content.slots().slot_count() {
            if left == 0 {
                return;
            }
            let Some(slot) = self.content.slots().resident_at(place) else { continue };
            let (block, state) = (self.content.slots().block(slot), self.state(slot));
            left -= u32::from(is_unsafe(state));
            if blocks.contains(&block) && is_acknowledged(state) {
                call(block, u8::from(has(state, DIRTY)) + u8::from(has(state, DESTAGING)));
            }
        }
    }

    fn has(&self, block: u64, bits: u8) -> bool {
        self.content.slot_of_block(block).is_some_and(|slot| has(self.state(slot), bits))
    }

    /// The number of these blocks that would become dirty, and the number that would be held back and are evictable now or not in the
    /// cache.
    fn needed(&self, blocks: &Range<u64>) -> (u64, u64) {
        if blocks.end - blocks.start > u64::from(self.capacity()) {
            return (u64::from(u32::MAX), u64::from(u32::MAX));
        }
        let (mut dirtied, mut held_back) = (0, 0);
        for block in blocks.clone() {
            let state = self.content.slot_of_block(block).map_or(0, |slot| self.state(slot));
            dirtied += u64::from(!is_unsafe(state));
            held_back += u64::from(!is_held_back(state));
        }
        (dirtied, held_back)
    }

    /// Whether a range of bytes covers a whole block.
    fn is_covered(&self, block: u64, bytes: &Range<u64>) -> bool {
        let start = block.saturating_mul(self.block_bytes);
        bytes.start <= start && start.saturating_add(self.block_bytes) <= bytes.end
    }

    fn write_back(&mut self, block: u64, bytes: &Range<u64>, answer: &mut CacheAnswer) {
        let covered = self.is_covered(block, bytes);
        let lags = if self.write.is_asynchronous() && self.partner_works { AHEAD_OF_PARTNER } else { 0 };
        let slot = match self.content.look(block) {
            Ok(slot) => slot,
            Err(remembered) => {
                let unknown = if lags == 0 { 0 } else { lags | UNKNOWN_TO_PARTNER };
                let state = if covered { WHOLE | DIRTY } else { FETCHING | DIRTY } | unknown;
                let room = self.admit((block, remembered), state, &mut answer.evicted).is_some();
                if room && !covered {
                    add(&mut answer.fetch, block);
                }
                return;
            }
        };
        self.touch(slot);
        let before = self.state(slot);
        self.counts.blocks_overwritten += u64::from(has(before, DIRTY));
        let unknown = if lags == 0 || is_acknowledged(before) { 0 } else { UNKNOWN_TO_PARTNER };
        let after = before | DIRTY | if covered { WHOLE } else { 0 } | lags | unknown;
        self.change(slot, after, ListEnd::Young);
        if is_ready(before) && is_ready(after) {
            self.queue.written(block / u64::from(self.stripe_blocks));
        }
    }

    /// A block that is written through has the content that the device will have, and cannot be evicted before. Acknowledged dirty data of
    /// the block are written with the write through.
    fn write_through(&mut self, block: u64, bytes: &Range<u64>, answer: &mut CacheAnswer) {
        let covered = self.is_covered(block, bytes);
        let slot = match self.content.look(block) {
            Ok(slot) => slot,
            Err(remembered) => {
                let state = WHOLE | DESTAGING | THROUGH;
                let wanted = covered && self.write.allocate;
                let wanted = wanted && !(self.admission.ever_refuses() && self.is_refused(block));
                if wanted && self.admit((block, remembered), state, &mut answer.evicted).is_some() {
                    add(&mut answer.through, block);
                }
                return;
            }
        };
        self.touch(slot);
        let before = self.state(slot);
        let after = match (has(before, DIRTY), covered) {
            (true, true) => before & !DIRTY | DESTAGING | WHOLE,
            // More than these bytes has to be written: the block stays dirty, and is destaged when the bytes have arrived.
            (true, false) => before | DESTAGING,
            (false, true) => before | DESTAGING | THROUGH | WHOLE,
            (false, false) => before | DESTAGING | THROUGH,
        };
        self.change(slot, after, ListEnd::Young);
        add(&mut answer.through, block);
    }
}
