//! Functional warm-up: the cache content that accesses leave, and the accesses to the devices behind that follow from them.

use super::DeviceCache;
use sansim_cache::HitRatioSettling;
use sansim_cache::block_cache::WarmUpAccess as OfCache;
use sansim_component::{DeviceAccess, WarmAccessResult, WarmUpProgress};

/// The number of windows of accesses after which a hit ratio that settles at all has settled.
const PATIENCE: u64 = 100;

impl DeviceCache {
    pub(super) fn warm_by(
        &mut self,
        access: &DeviceAccess,
        behind: &mut Vec<DeviceAccess>,
    ) -> WarmAccessResult {
        let Some(place) = self.places.get(access.device as usize).copied().flatten() else {
            return WarmAccessResult::Not;
        };
        let bytes = self.space.bytes(place, access.bytes.clone());
        let mut answer = std::mem::take(&mut self.answer);
        let hit = self.cache.apply_warm_up_access(&OfCache { writes: access.write, bytes }, &mut answer);
        let is_full = self.cache.resident_block_count() == self.cache.capacity();
        if self.settling.count_access(hit, is_full) && !self.has_settled {
            // Writes fill the cache with dirty blocks up to the destaging threshold, or up to the set of blocks that are rewritten.
            let grew = self.cache.dirty_block_count().saturating_sub(self.dirty_before);
            let few = f64::from(self.cache.capacity()) * HitRatioSettling::TOLERANCE;
            self.has_settled = self.cache.is_dirty_as_settled() || f64::from(grew) <= few;
            self.dirty_before = self.cache.dirty_block_count();
        }
        let read =
            answer.fetch.iter().chain(&answer.bypass).chain(&answer.ahead).map(|blocks| (false, blocks));
        let written = answer.destaged.iter().map(|blocks| (true, blocks));
        for (write, blocks) in read.chain(written) {
            let (place, bytes) = self.space.on_device(blocks);
            behind.push(DeviceAccess { device: self.behind.device_number(place), write, bytes });
        }
        answer.destaged.clear();
        self.answer = answer;
        WarmAccessResult::Done
    }

    pub(super) fn how_warm(&self) -> WarmUpProgress {
        let patience = PATIENCE * u64::from(self.cache.capacity()).max(HitRatioSettling::SHORTEST);
        WarmUpProgress { settled: self.has_settled, ratio: self.settling.hit_ratio(), patience }
    }
}
