//! The stocks of a cache: its dirty blocks, its valid blocks, and the writes that the partner lacks.

use super::DeviceCache;
use super::catalogue::stock;
use sansim_component::StockLevel;

/// The least share of reads that blocks not yet in the cache could serve, for the drift of its content to matter.
const MATTERS: f64 = 0.05;

impl DeviceCache {
    /// The level of a stock.
    pub(super) fn level(&self, stock: usize) -> Option<StockLevel> {
        let counts = self.cache.counts();
        let dirty = u64::from(self.cache.dirty_block_count());
        let written = dirty + counts.blocks_destaged + counts.blocks_overwritten;
        let bytes = |blocks: u64| blocks as f64 * self.parameters.cache.block as f64;
        match stock {
            stock::DIRTY => {
                let (low, high) = self.cache.dirty_marks();
                Some(StockLevel {
                    level: bytes(dirty),
                    came: Some(bytes(written)),
                    from: Some(bytes(low.into())),
                    to: Some(bytes(high.into())),
                })
            }
            stock::RESIDENT => {
                let (capacity, all) = (u64::from(self.cache.capacity()), self.space.blocks());
                // The content may grow to all blocks of the devices, or to the blocks that are accessed again and again.
                let most = capacity.min(all);
                let ratio = counts.blocks_hit as f64 / counts.blocks_read.max(1) as f64;
                let matters = most as f64 / all.max(1) as f64 >= MATTERS || ratio >= MATTERS;
                matters.then(|| StockLevel {
                    level: bytes(self.cache.resident_block_count().into()),
                    came: Some(bytes(counts.blocks_read + written)),
                    from: None,
                    to: Some(bytes(most)),
                })
            }
            _ => self.lag.is_asynchronous().then(|| StockLevel {
                level: f64::from(self.lag.has()),
                came: Some((counts.writes - counts.writes_through) as f64),
                from: None,
                to: self.parameters.cache.write.lag_writes.map(|writes| writes as f64),
            }),
        }
    }
}
