//! Flushes and deallocations of a cache.
//!
//! A flush covers the writes that the cache has answered before it: it waits until each block that was dirty then has been destaged, and goes
//! on to the device. If a battery keeps what is dirty, the flush goes on at once, as the data are safe already. To wait for blocks of a
//! device that the cache has given up would last for ever, so a flush of such a device goes on at once, and waits again if the device
//! answers.

use super::catalogue::segment;
use super::{Asked, DeviceCache, Stage, UnderWay};
use sansim_component::Context;
use sansim_request::{Operation, RequestId, Status};
use std::collections::HashMap;
use std::ops::Range;

/// A flush that waits for destages.
#[derive(Clone, Debug)]
pub(super) struct Flush {
    pub request: RequestId,
    /// The index of the device behind the cache.
    pub place: u32,
    /// The blocks that were dirty when the flush came and that the device does not have, each with the number of destages to come.
    left: HashMap<u64, u8>,
}

impl DeviceCache {
    /// The blocks of a device that are dirty now.
    fn unsafe_blocks_of(&self, place: u32) -> HashMap<u64, u8> {
        let mut left = HashMap::new();
        let device = &self.space.devices()[place as usize];
        let blocks = self.cache.blocks_of(device);
        self.cache.for_each_unsafe_block(&blocks, |block, destages| {
            left.insert(block, destages);
        });
        left
    }

    /// Carries out a flush that has been looked up. A flush never has to be looked up again, so it returns true.
    pub(super) fn flush(&mut self, cx: &mut Context<'_>, id: RequestId) -> bool {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return true };
        let place = in_hand.place;
        in_hand.missed = self.trouble.is_given_up(place);
        let is_safe = self.cache.keeps_without_power() || in_hand.missed;
        let left = if is_safe { HashMap::new() } else { self.unsafe_blocks_of(place) };
        if left.is_empty() {
            self.goes_onward(cx, id, Operation::Flush, 0..0);
        } else {
            self.put(id, Stage::Flushes);
            cx.ledger().locate_request(id, segment::FLUSH);
            self.flushes.push(Flush { request: id, place, left });
            self.has_changed = true;
        }
        true
    }

    /// Notes that the device has the content that these blocks had when they were destaged.
    pub(super) fn flush_progresses(&mut self, blocks: &Range<u64>) {
        for flush in &mut self.flushes {
            for block in blocks.clone() {
                if let Some(left) = flush.left.get_mut(&block) {
                    *left -= 1;
                    if *left == 0 {
                        flush.left.remove(&block);
                    }
                }
            }
        }
    }

    /// Sends the flushes on of which all blocks have been destaged, and those of devices that the cache has given up.
    pub(super) fn go_on_with_flushes(&mut self, cx: &mut Context<'_>) {
        while let Some(number) = self
            .flushes
            .iter()
            .position(|flush| flush.left.is_empty() || self.trouble.is_given_up(flush.place))
        {
            let flush = self.flushes.remove(number);
            if let Some(in_hand) = self.in_hand.get_mut(&flush.request) {
                in_hand.missed = !flush.left.is_empty();
            }
            self.goes_onward(cx, flush.request, Operation::Flush, 0..0);
        }
    }

    /// The device has flushed what it had. If it was given up, blocks may be left that it did not have: then the flush begins anew.
    pub(super) fn is_flushed_behind(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let missed = self.in_hand.get_mut(&id).map(|in_hand| std::mem::take(&mut in_hand.missed));
        if missed == Some(true) {
            self.flush(cx, id);
        } else {
            self.answer(cx, id, Status::Good);
        }
    }

    /// The cache has restarted after a failure: what is dirty now has to be destaged, and earlier destages count no more.
    pub(super) fn restart_flushes(&mut self) {
        for number in 0..self.flushes.len() {
            let place = self.flushes[number].place;
            self.flushes[number].left = self.unsafe_blocks_of(place);
        }
    }

    /// Carries out a deallocation that has been looked up. Returns whether it can be carried out now.
    pub(super) fn deallocate(&mut self, cx: &mut Context<'_>, id: RequestId) -> bool {
        let Some(in_hand) = self.in_hand.get(&id) else { return true };
        let bytes = self.bytes_of(in_hand);
        let blocks = self.cache.blocks_of(&bytes);
        if self.overtakes(&blocks) || !self.cache.deallocate(&bytes) {
            return false;
        }
        // Dirty blocks have gone, so writes may have room, and flushes need not wait for them.
        self.has_changed = true;
        for flush in &mut self.flushes {
            let covered = |block: &u64| blocks.contains(block) && !self.cache.is_dirty(*block);
            flush.left.retain(|block, _| !covered(block));
        }
        let request = *cx.request(id);
        let on_device = request.first_byte()..request.first_byte() + request.bytes;
        let part = self.goes_onward(cx, id, Operation::Deallocate, on_device);
        self.ordered.push((part, blocks));
        true
    }

    /// Sends the flush or the deallocation of a request on to the device.
    fn goes_onward(
        &mut self,
        cx: &mut Context<'_>,
        id: RequestId,
        operation: Operation,
        bytes: Range<u64>,
    ) -> RequestId {
        let place = self.in_hand.get(&id).map_or(0, |in_hand| in_hand.place);
        self.put(id, Stage::Behind);
        cx.fork_request(id, 1);
        let part = self.behind.ask_device(cx, id, place, operation, bytes);
        let under_way = UnderWay { what: Asked::Onward(id), blocks: 0..0, era: self.failing.era() };
        self.under_way.insert(part, under_way);
        part
    }
}
