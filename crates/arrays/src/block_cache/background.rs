//! Background requests of the cache, for which no request waits: read-ahead, fetches that complete partly written blocks, and destages.

use super::{Asked, DeviceCache, UnderWay};
use sansim_component::Context;
use sansim_request::{Operation, RequestId};
use std::ops::Range;

/// Blocks that are to be fetched.
#[derive(Clone, Debug)]
pub(super) struct ToFetch {
    pub(super) blocks: Range<u64>,
    /// A part of the blocks has been written, so they must be fetched sooner or later. Blocks without this mark are read ahead.
    pub(super) must: bool,
}

impl DeviceCache {
    /// Sends a background request of the cache; returns none if no path leads to the device.
    fn ask_for_itself(
        &mut self,
        cx: &mut Context<'_>,
        operation: Operation,
        what: Asked,
        blocks: &Range<u64>,
    ) -> Option<RequestId> {
        let (place, bytes) = self.space.on_device(blocks);
        let part = self.behind.ask_device_in_background(cx, self.asked, place, operation, bytes)?;
        self.asked += 1;
        self.under_way.insert(part, UnderWay { what, blocks: blocks.clone(), era: self.failing.era() });
        Some(part)
    }

    /// Fetches the blocks that are due, as far as they overtake no write and the devices work.
    pub(super) fn fetch_for_itself(&mut self, cx: &mut Context<'_>) {
        if !self.failing.works() {
            return;
        }
        for _ in 0..self.to_fetch.len() {
            let Some(ToFetch { blocks, must }) = self.to_fetch.pop_front() else { return };
            let place = self.space.device_of(blocks.start);
            let rests = self.trouble.rests(place);
            if self.trouble.is_given_up(place) {
                // Waiting requests find out themselves whether the device works.
                self.nobody_fetches(cx, &blocks);
            }
            if self.overtakes(&blocks) || rests && must {
                self.to_fetch.push_back(ToFetch { blocks, must });
                continue;
            }
            if rests || self.ask_for_itself(cx, Operation::Read, Asked::Fetch(None), &blocks).is_none() {
                self.cannot_fetch(cx, &blocks);
            }
        }
    }

    /// Gives up the fetch of blocks that no path reaches.
    fn cannot_fetch(&mut self, cx: &mut Context<'_>, blocks: &Range<u64>) {
        let place = self.space.device_of(blocks.start);
        if self.cache.fetch_failed(blocks.clone()) {
            self.to_fetch.push_back(ToFetch { blocks: blocks.clone(), must: true });
            self.has_trouble(cx, place);
        }
        self.nobody_fetches(cx, blocks);
    }

    /// Notes that blocks for which reads may wait will not come.
    pub(super) fn nobody_fetches(&mut self, cx: &mut Context<'_>, blocks: &Range<u64>) {
        let mut waits: Vec<RequestId> = Vec::new();
        self.awaited.retain(|awaited| {
            let touches = awaited.blocks.start < blocks.end && blocks.start < awaited.blocks.end;
            if touches {
                waits.push(awaited.request);
            }
            !touches
        });
        for id in waits {
            self.awaited.retain(|awaited| awaited.request != id);
            let Some(in_hand) = self.in_hand.get_mut(&id) else { continue };
            in_hand.awaits = 0;
            if in_hand.stage == super::Stage::Awaits {
                self.read_for_itself(cx, id);
            } else {
                in_hand.missed = true;
            }
        }
    }

    /// Destages as fast as the cache requires.
    pub(super) fn destage(&mut self, cx: &mut Context<'_>) {
        if !self.failing.works() || self.cache.dirty_block_count() == 0 {
            return;
        }
        for _ in 0..self.to_destage.len() {
            let Some(blocks) = self.to_destage.pop_front() else { break };
            self.write_out(cx, blocks);
        }
        let most = (self.cache.urgency() * f64::from(self.destages_at_once)).ceil() as u32;
        let mut ranges = std::mem::take(&mut self.ranges);
        while self.destages < most {
            let (space, trouble) = (&self.space, &self.trouble);
            let rests = |block: u64| trouble.any() && trouble.rests(space.device_of(block));
            if self.cache.destage_next_except(&mut ranges, rests).is_none() {
                break;
            }
            for blocks in ranges.drain(..) {
                self.write_out(cx, blocks);
            }
        }
        // A flush has the blocks of its device destaged as fast as possible.
        while !self.flushes.is_empty() && self.destages < self.destages_at_once {
            let (space, trouble, flushes) = (&self.space, &self.trouble, &self.flushes);
            let rests = |block: u64| {
                let place = space.device_of(block);
                !flushes.iter().any(|flush| flush.place == place) || trouble.any() && trouble.rests(place)
            };
            if self.cache.destage_next_except(&mut ranges, rests).is_none() {
                break;
            }
            for blocks in ranges.drain(..) {
                self.write_out(cx, blocks);
            }
        }
        self.ranges = ranges;
    }

    /// Writes blocks to their device, after earlier writes of them.
    fn write_out(&mut self, cx: &mut Context<'_>, blocks: Range<u64>) {
        if self.overtakes(&blocks) {
            self.to_destage.push_back(blocks);
            return;
        }
        self.destages += 1;
        if self.ask_for_itself(cx, Operation::Write, Asked::Destage, &blocks).is_none() {
            self.destages -= 1;
            let place = self.space.device_of(blocks.start);
            self.not_destaged(cx, place, blocks, true);
        }
    }

    /// Handles a failed destage: its blocks are dirty again, unless the cache has restarted since.
    pub(super) fn not_destaged(
        &mut self,
        cx: &mut Context<'_>,
        place: u32,
        blocks: Range<u64>,
        counts: bool,
    ) {
        self.counts.not_destaged += 1;
        if counts {
            self.cache.destage_failed(blocks);
        }
        self.has_trouble(cx, place);
    }
}
