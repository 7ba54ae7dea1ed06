//! Reads of a cache: hits, missing blocks that are fetched, and blocks that other requests are fetching.

use super::background::ToFetch;
use super::catalogue::segment;
use super::{Asked, Awaited, DeviceCache, InHand, Stage, UnderWay};
use sansim_component::Context;
use sansim_component::child_requests::CompletedChild as Part;
use sansim_request::{Operation, RequestId, Status};
use std::ops::Range;

/// The most pieces of a read; a read with more is sent as a single child request.
const MOST_PIECES: usize = 64;

impl DeviceCache {
    /// Carries out a read. Returns whether the read can be carried out now.
    pub(super) fn read(&mut self, cx: &mut Context<'_>, id: RequestId) -> bool {
        let Some(in_hand) = self.in_hand.get(&id) else { return true };
        let bytes = self.bytes_of(in_hand);
        let mut blocks = self.cache.blocks_of(&bytes);
        if self.overtakes(&blocks) && !blocks.all(|block| self.cache.contains_block(block)) {
            return false;
        }
        let mut answer = std::mem::take(&mut self.answer);
        self.cache.read(bytes.clone(), &mut answer);
        let awaits = answer.awaited.iter().map(|blocks| blocks.end - blocks.start).sum();
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            in_hand.awaits = awaits;
        }
        for blocks in &answer.awaited {
            let left = blocks.end - blocks.start;
            self.awaited.push(Awaited { request: id, blocks: blocks.clone(), left });
        }
        if answer.fetch.len() + answer.bypass.len() > MOST_PIECES {
            let whole = self.cache.blocks_of(&bytes);
            answer.bypass.clear();
            answer.fetch.clear();
            answer.fetch.push(whole);
        }
        let pieces = (answer.fetch.len() + answer.bypass.len()) as u16;
        if pieces > 0 {
            self.put(id, Stage::Behind);
            cx.fork_request(id, pieces);
            for blocks in answer.fetch.drain(..) {
                self.ask_for(cx, id, Asked::Fetch(Some(id)), blocks);
            }
            for blocks in answer.bypass.drain(..) {
                self.ask_for(cx, id, Asked::Bypass(id), blocks);
            }
        } else if awaits > 0 {
            self.await_others(cx, id);
        } else {
            self.has_all(cx, id);
        }
        self.to_fetch.extend(answer.ahead.drain(..).map(|blocks| ToFetch { blocks, must: false }));
        self.answer = answer;
        true
    }

    /// Sends a child request of a read for blocks to the device behind.
    fn ask_for(&mut self, cx: &mut Context<'_>, id: RequestId, what: Asked, blocks: Range<u64>) {
        let (place, bytes) = self.space.on_device(&blocks);
        let part = self.behind.ask_device(cx, id, place, Operation::Read, bytes);
        self.under_way.insert(part, UnderWay { what, blocks, era: self.failing.era() });
    }

    /// All blocks of a read are in the cache, or have come past it.
    pub(super) fn has_all(&mut self, cx: &mut Context<'_>, id: RequestId) {
        self.move_data(cx, id);
    }

    /// A read waits for blocks that other requests fetch.
    pub(super) fn await_others(&mut self, cx: &mut Context<'_>, id: RequestId) {
        self.put(id, Stage::Awaits);
        cx.ledger().locate_request(id, segment::AWAITS);
    }

    /// Blocks have come from the device, or cannot be read; the cache is notified if it has not restarted since.
    pub(super) fn fetched(&mut self, cx: &mut Context<'_>, part: &Part, blocks: &Range<u64>, counts: bool) {
        let good = part.status == Status::Good;
        if counts && good {
            self.cache.fetched(blocks.clone());
        } else if counts && self.cache.fetch_failed(blocks.clone()) {
            // Some blocks have a part that was written and exists only in the cache.
            self.to_fetch.push_back(ToFetch { blocks: blocks.clone(), must: true });
            self.has_trouble(cx, part.place);
        }
        let mut place = 0;
        while place < self.awaited.len() {
            let awaited = &mut self.awaited[place];
            let common =
                awaited.blocks.end.min(blocks.end).saturating_sub(awaited.blocks.start.max(blocks.start));
            awaited.left = awaited.left.saturating_sub(common);
            let (request, done) = (awaited.request, common > 0 && awaited.left == 0);
            if done {
                self.awaited.swap_remove(place);
            } else {
                place += 1;
            }
            if common > 0 {
                self.others_fetched(cx, request, common, good);
            }
        }
    }

    /// Notes that this many blocks for which a read waits have arrived, or will not.
    fn others_fetched(&mut self, cx: &mut Context<'_>, id: RequestId, blocks: u64, good: bool) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        in_hand.awaits = in_hand.awaits.saturating_sub(blocks);
        in_hand.missed |= !good;
        let InHand { awaits, missed, stage, .. } = *in_hand;
        if awaits == 0 && stage == Stage::Awaits {
            if missed { self.read_for_itself(cx, id) } else { self.has_all(cx, id) }
        }
    }

    /// Blocks that other requests should have fetched have not arrived: a read fetches its whole range itself.
    pub(super) fn read_for_itself(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        in_hand.missed = false;
        in_hand.stage = Stage::Behind;
        let (place, bytes) = (in_hand.place, in_hand.from..in_hand.from + in_hand.bytes);
        cx.fork_request(id, 1);
        let part = self.behind.ask_device(cx, id, place, Operation::Read, bytes);
        let under_way = UnderWay { what: Asked::Bypass(id), blocks: 0..0, era: self.failing.era() };
        self.under_way.insert(part, under_way);
    }
}
