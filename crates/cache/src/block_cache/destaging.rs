//! Destages: writes of dirty blocks from the cache to the device.

use super::answer::{Destage, add};
use super::state::{AHEAD_OF_PARTNER, DESTAGING, DIRTY, THROUGH, UNKNOWN_TO_PARTNER, has, is_ready};
use super::{BlockCache, ListEnd};
use crate::destage::pace::DestagePaceRule;
use std::ops::Range;

impl BlockCache {
    /// The urgency of destaging: 0 if it is not needed, 1 if it must run at its highest rate, in between the share of that rate. An idle
    /// device may destage at any urgency.
    pub fn urgency(&mut self) -> f64 {
        self.flushing &= self.dirty > 0;
        let short = |have: u32, most: u32| u64::from(have) + u64::from(self.wanted) > u64::from(most);
        if !short(self.dirty, self.dirty_limit) && !short(self.content.pinned_count(), self.capacity()) {
            self.wanted = 0;
        }
        let urgency = self.pace.urgency(self.dirty, self.dirty_limit);
        let must = self.flushing || self.wanted > 0 || self.write.flush_on_failure && self.is_unprotected();
        if self.dirty > 0 && must { 1.0 } else { urgency }
    }

    /// Destages the next stripe. `ranges` are the blocks that have to be written to the device, each range with one write; completed by
    /// [`destaged`](Self::destaged) or [`destage_failed`](Self::destage_failed). None if no block can be destaged now.
    pub fn destage_next(&mut self, ranges: &mut Vec<Range<u64>>) -> Option<Destage> {
        self.destage_next_except(ranges, |_| false)
    }

    /// Destages the next stripe, except for stripes for which `rests` returns true, by the number of their first block: those of a device
    /// that fails for the time being.
    pub fn destage_next_except(
        &mut self,
        ranges: &mut Vec<Range<u64>>,
        rests: impl Fn(u64) -> bool,
    ) -> Option<Destage> {
        ranges.clear();
        let blocks = u64::from(self.stripe_blocks);
        let stripe = self.queue.next(|stripe| rests(stripe * blocks))?;
        let first = stripe * u64::from(self.stripe_blocks);
        let mut blocks = 0;
        for block in first..first.saturating_add(u64::from(self.stripe_blocks)) {
            let Some(slot) = self.content.slot_of_block(block) else { continue };
            let state = self.state(slot);
            if is_ready(state) {
                self.change(slot, state & !DIRTY | DESTAGING, ListEnd::Young);
                add(ranges, block);
                blocks += 1;
            }
        }
        let whole = blocks == self.stripe_blocks;
        self.counts.blocks_destaged += u64::from(blocks);
        self.counts.stripes_destaged += 1;
        self.counts.stripes_destaged_whole += u64::from(whole);
        Some(Destage { stripe, blocks, whole })
    }

    /// The device has these blocks as they were when they were destaged or written through. Later writes to these blocks are destaged
    /// later.
    pub fn destaged(&mut self, blocks: Range<u64>) {
        let end = self.write.destaged.list_end();
        self.arrived(blocks, 0, end);
    }

    /// The device does not have these blocks: they are dirty again, including those of a write through.
    pub fn destage_failed(&mut self, blocks: Range<u64>) {
        self.arrived(blocks, DIRTY, ListEnd::Young);
    }

    fn arrived(&mut self, blocks: Range<u64>, state: u8, end: ListEnd) {
        for block in blocks {
            let Some(slot) = self.content.slot_of_block(block) else { continue };
            let before = self.state(slot);
            if has(before, DESTAGING) {
                // Blocks that were written through have just been used.
                let end = if has(before, THROUGH) { ListEnd::Young } else { end };
                // The partner drops the copy of data that the device has; of later writes to the block it knows nothing then.
                let unknown =
                    if state == 0 && has(before, AHEAD_OF_PARTNER) { UNKNOWN_TO_PARTNER } else { 0 };
                self.change(slot, before & !(DESTAGING | THROUGH) | state | unknown, end);
            }
        }
    }

    /// From now on all dirty blocks are destaged as fast as possible, until none is dirty.
    pub fn flush(&mut self) {
        self.flushing = true;
    }
}
