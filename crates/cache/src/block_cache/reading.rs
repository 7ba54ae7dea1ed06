//! Reads from the cache, and the fetches that they need.

use super::answer::{CacheAnswer, add};
use super::state::{AHEAD, DESTAGING, DIRTY, FETCHING, WHOLE, has};
use super::{BlockCache, CacheSlot, ListEnd};
use crate::read_ahead::ReadAheadRule;
use std::ops::Range;

impl BlockCache {
    /// Reads a range of bytes. Returns whether all blocks are in the cache; if not, the blocks in `answer.fetch` have to be fetched, and
    /// those in `answer.awaited` have to come.
    #[inline]
    pub fn read(&mut self, bytes: Range<u64>, answer: &mut CacheAnswer) -> bool {
        answer.clear();
        let blocks = self.blocks_of(&bytes);
        if self.admission.ever_refuses() {
            self.notify_of_request(&bytes, false);
        }
        self.counts.reads += 1;
        self.counts.blocks_read += blocks.end - blocks.start;
        let mut hit = true;
        for block in blocks.clone() {
            let slot = match self.content.look(block) {
                Ok(slot) => slot,
                Err(remembered) => {
                    hit = false;
                    self.read_missed(block, remembered, answer);
                    continue;
                }
            };
            self.touch(slot);
            if has(self.state(slot), WHOLE) {
                self.counts.blocks_hit += 1;
            } else {
                hit = false;
                self.counts.blocks_awaited += 1;
                add(&mut answer.awaited, block);
            }
        }
        self.counts.read_hits += u64::from(hit);
        if self.read_ahead.ever_fetches_ahead() {
            self.fetch_ahead(blocks, !hit, answer);
        }
        hit
    }

    /// A block that is read is missing: another block is evicted for it, if it is admitted and that is possible. The miss path is a function of its own to keep the
    /// hit path short: a miss waits for memory, and the processor meanwhile executes the next instructions.
    #[inline(never)]
    fn read_missed(&mut self, block: u64, remembered: Option<CacheSlot>, answer: &mut CacheAnswer) {
        let refused = self.admission.ever_refuses() && self.is_refused(block);
        let room = !refused && self.admit((block, remembered), FETCHING, &mut answer.evicted).is_some();
        add(if room { &mut answer.fetch } else { &mut answer.bypass }, block);
    }

    #[inline(never)]
    fn fetch_ahead(&mut self, asked: Range<u64>, missed: bool, answer: &mut CacheAnswer) {
        let first = asked.start;
        let wanted = self.read_ahead.read(asked, missed);
        if wanted.is_empty() {
            return;
        }
        let device = self.device_of(first);
        for block in wanted.start.max(device.start)..wanted.end.min(device.end) {
            let Err(remembered) = self.content.look(block) else { continue };
            if self.admit((block, remembered), FETCHING | AHEAD, &mut answer.evicted).is_none() {
                return;
            }
            self.counts.blocks_ahead += 1;
            add(&mut answer.ahead, block);
        }
    }

    /// Blocks have come from the device.
    pub fn fetched(&mut self, blocks: Range<u64>) {
        for block in blocks {
            let Some(slot) = self.content.slot_of_block(block) else { continue };
            let state = self.state(slot);
            if has(state, FETCHING) {
                self.change(slot, state & !FETCHING | WHOLE, ListEnd::Young);
            }
        }
    }

    /// Blocks could not be fetched from the device. Blocks of a failed fetch that were only read are dropped. Returns whether a block of
    /// the failed fetch was partly written, and has to be fetched again.
    pub fn fetch_failed(&mut self, blocks: Range<u64>) -> bool {
        let mut again = false;
        for block in blocks {
            let Some(slot) = self.content.slot_of_block(block) else { continue };
            let state = self.state(slot);
            if !has(state, FETCHING) {
                continue;
            }
            if has(state, WHOLE) {
                self.change(slot, state & !FETCHING, ListEnd::Young);
            } else if has(state, DIRTY | DESTAGING) {
                again = true;
            } else {
                self.drop_block(slot);
            }
        }
        again
    }
}
