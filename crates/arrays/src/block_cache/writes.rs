//! Writes of a cache: write-back, write-through, and waiting writes. A write with forced unit access goes through to the device, unless a
//! battery keeps what is dirty.

use super::background::ToFetch;
use super::catalogue::segment;
use super::{Asked, DeviceCache, Stage, UnderWay, wake, what};
use sansim_cache::block_cache::WriteOutcome;
use sansim_component::{Context, Module};
use sansim_kernel::Span;
use sansim_request::{Operation, RequestId, Status};

impl DeviceCache {
    /// Carries out a write. Returns whether the write can be carried out now.
    pub(super) fn write(&mut self, cx: &mut Context<'_>, id: RequestId) -> bool {
        let Some(in_hand) = self.in_hand.get(&id) else { return true };
        let (place, bytes) = (in_hand.place, self.bytes_of(in_hand));
        let blocks = self.cache.blocks_of(&bytes);
        if self.overtakes(&blocks) {
            return false;
        }
        let mut answer = std::mem::take(&mut self.answer);
        let is_forced = cx.request(id).forces_unit_access() && !self.cache.keeps_without_power();
        let mut written = if is_forced || self.trouble.is_given_up(place) {
            self.cache.write_to_the_device(bytes.clone(), &mut answer)
        } else {
            self.cache.write(bytes.clone(), &mut answer)
        };
        if written == WriteOutcome::Wait && self.cache.has_waiting_write() && self.trouble.is_any_given_up() {
            // Space that is occupied by blocks that cannot be destaged does not become free by waiting, so the write goes through.
            written = self.cache.write_to_the_device(bytes, &mut answer);
        }
        match written {
            WriteOutcome::Back => self.is_held(cx, id),
            WriteOutcome::Through => {
                self.put(id, Stage::Behind);
                cx.fork_request(id, 1);
                let request = *cx.request(id);
                let bytes = request.first_byte()..request.first_byte() + request.bytes;
                let part = self.behind.ask_device(cx, id, place, Operation::Write, bytes);
                self.ordered.push((part, blocks.clone()));
                let under_way = UnderWay { what: Asked::Through(id), blocks, era: self.failing.era() };
                self.under_way.insert(part, under_way);
            }
            WriteOutcome::Wait => {}
        }
        self.to_fetch.extend(answer.fetch.drain(..).map(|blocks| ToFetch { blocks, must: true }));
        self.answer = answer;
        written != WriteOutcome::Wait
    }

    /// A write is held in the cache: it is done now, or when the partner has a copy.
    fn is_held(&mut self, cx: &mut Context<'_>, id: RequestId) {
        // The stage is visible to observers, so it marks the time from which the cache answers for the write.
        self.put(id, Stage::Partner);
        cx.ledger().locate_request(id, segment::PARTNER);
        if self.lag.is_asynchronous() && self.failing.has_partner() {
            self.sets_out(cx, id);
            return;
        }
        let bytes = cx.request(id).bytes;
        let goes_over = self.parameters.cache.write.mirrored && self.failing.has_partner();
        if !goes_over || !self.inside.request_job(cx, id, Module::Link, bytes) {
            self.is_sent(cx, id);
        }
    }

    /// Continues a write whose copy has crossed the link between the two controllers, if there is one.
    pub(super) fn is_sent(&mut self, cx: &mut Context<'_>, id: RequestId) {
        if !self.parameters.cache.write.mirrored || self.parameters.partner_time == Span::ZERO {
            self.answer(cx, id, Status::Good);
            return;
        }
        let at = cx.now + self.parameters.partner_time;
        self.at_partner.push_back((at, id));
        if self.at_partner.len() == 1 {
            wake(cx, at, what::PARTNER);
        }
    }

    pub(super) fn partner_due(&mut self, cx: &mut Context<'_>) {
        while let Some(&(at, id)) = self.at_partner.front() {
            if at > cx.now {
                wake(cx, at, what::PARTNER);
                return;
            }
            self.at_partner.pop_front();
            if self.stage(id) == Some(Stage::Partner) {
                self.answer(cx, id, Status::Good);
            }
        }
    }
}
