//! Functional warm-up: the content that accesses leave, and what they come to at the devices behind.

use super::DeviceCache;
use sansim_cache::Settling;
use sansim_cache::block_cache::Access as OfCache;
use sansim_component::{Access, Warmed, Warmth};

/// So many windows of accesses are enough for a hit ratio that settles at all.
const PATIENCE: u64 = 100;

impl DeviceCache {
    pub(super) fn warm_by(&mut self, access: &Access, behind: &mut Vec<Access>) -> Warmed {
        let Some(place) = self.places.get(access.device as usize).copied().flatten() else {
            return Warmed::Not;
        };
        let bytes = self.space.bytes(place, access.bytes.clone());
        let mut answer = std::mem::take(&mut self.answer);
        let hit = self.cache.warm(&OfCache { writes: access.write, bytes }, &mut answer);
        let is_full = self.cache.resident() == self.cache.capacity();
        self.has_settled |= self.settling.access(hit, is_full);
        let read =
            answer.fetch.iter().chain(&answer.bypass).chain(&answer.ahead).map(|blocks| (false, blocks));
        let written = answer.destaged.iter().map(|blocks| (true, blocks));
        for (write, blocks) in read.chain(written) {
            let (place, bytes) = self.space.on_device(blocks);
            behind.push(Access { device: self.behind.device(place), write, bytes });
        }
        answer.destaged.clear();
        self.answer = answer;
        Warmed::Done
    }

    pub(super) fn how_warm(&self) -> Warmth {
        let patience = PATIENCE * u64::from(self.cache.capacity()).max(Settling::SHORTEST);
        Warmth { settled: self.has_settled, ratio: self.settling.ratio(), patience }
    }
}
