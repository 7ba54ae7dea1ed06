//! A cache before a device, both with contents: the number of the last write of every sector. The test world acts as a component would, in
//! any permitted order, and checks that every read and every cached block has the last write.

use sansim_cache::block_cache::{BlockCache, CacheAnswer, Destage, Failure, WriteOutcome};
use std::collections::BTreeMap;
use std::ops::Range;

/// The sectors of a block, of 512 bytes each.
pub const SECTORS: u64 = 4;
/// The number of blocks of the device.
pub const BLOCKS: u64 = 24;

type Data = [Option<u64>; SECTORS as usize];

#[derive(Clone, Debug)]
enum Under {
    /// Blocks in flight from the device, with the content that they had when they were requested.
    Fetch(Range<u64>, Vec<u64>),
    /// Blocks in flight to the device, with the content that the cache had when they were sent.
    Destage(Range<u64>, Vec<u64>),
    /// Sectors that are written through, the number of the write, and the blocks of the write that are in the cache.
    Through(Range<u64>, u64, Vec<Range<u64>>),
}

impl Under {
    fn blocks(&self) -> Range<u64> {
        match self {
            Self::Fetch(blocks, _) | Self::Destage(blocks, _) => blocks.clone(),
            Self::Through(sectors, ..) => sectors.start / SECTORS..sectors.end.div_ceil(SECTORS),
        }
    }
}

#[derive(Clone, Debug)]
pub struct World {
    pub cache: BlockCache,
    device: Vec<u64>,
    cached: BTreeMap<u64, Data>,
    under_way: Vec<Under>,
    /// For each sector the number of the last write, and of the last acknowledged write.
    newest: Vec<u64>,
    acknowledged: Vec<u64>,
    writes: u64,
    answer: CacheAnswer,
    pub read_hits: u64,
    pub waits: u64,
}

impl World {
    pub fn new(cache: BlockCache) -> Self {
        let sectors = vec![0; (BLOCKS * SECTORS) as usize];
        Self {
            cache,
            device: sectors.clone(),
            cached: BTreeMap::new(),
            under_way: Vec::new(),
            newest: sectors.clone(),
            acknowledged: sectors,
            writes: 0,
            answer: CacheAnswer::default(),
            read_hits: 0,
            waits: 0,
        }
    }

    fn on_device(&self, blocks: &Range<u64>) -> Vec<u64> {
        self.device[(blocks.start * SECTORS) as usize..(blocks.end * SECTORS) as usize].to_vec()
    }

    /// Applies an answer of the cache: its evictions and fetches.
    fn follow(&mut self) {
        for block in std::mem::take(&mut self.answer.evicted) {
            let data = self.cached.remove(&block).expect("it was there");
            let device: Vec<_> = self.on_device(&(block..block + 1)).into_iter().map(Some).collect();
            assert_eq!(data.to_vec(), device, "block {block} goes, and the device does not have it");
        }
        for blocks in self.answer.fetch.iter().chain(&self.answer.ahead) {
            let data = self.on_device(blocks);
            self.under_way.push(Under::Fetch(blocks.clone(), data));
        }
        let coming = self.answer.fetch.iter().chain(&self.answer.ahead).cloned().flatten();
        let coming: Vec<u64> = coming.collect();
        for block in coming {
            self.cached.entry(block).or_default();
        }
    }

    pub fn read(&mut self, sectors: Range<u64>) {
        let mut blocks = sectors.start / SECTORS..sectors.end.div_ceil(SECTORS);
        let expected = blocks.all(|block| self.cache.contains_block(block));
        let hits = self.cache.counts().blocks_hit;
        let hit = self.cache.read(sectors.start * 512..sectors.end * 512, &mut self.answer);
        assert_eq!(hit, expected, "a read hits if all of it is here");
        let missed = [&self.answer.fetch, &self.answer.bypass, &self.answer.awaited];
        let missed: u64 = missed.into_iter().flatten().map(|blocks| blocks.end - blocks.start).sum();
        let asked = sectors.end.div_ceil(SECTORS) - sectors.start / SECTORS;
        assert_eq!(self.cache.counts().blocks_hit - hits + missed, asked, "every block hits or misses");
        if hit {
            self.read_hits += 1;
            for sector in sectors {
                let here = self.cached[&(sector / SECTORS)][(sector % SECTORS) as usize];
                assert_eq!(here, Some(self.newest[sector as usize]), "sector {sector} is read");
            }
        }
        self.follow();
    }

    pub fn write(&mut self, sectors: Range<u64>) {
        let written = self.cache.write(sectors.start * 512..sectors.end * 512, &mut self.answer);
        if written == WriteOutcome::Wait {
            self.waits += 1;
            return;
        }
        self.writes += 1;
        self.follow();
        for sector in sectors.clone() {
            self.newest[sector as usize] = self.writes;
            let block = sector / SECTORS;
            if written == WriteOutcome::Back || self.cache.is_dirty(block) {
                self.cached.entry(block).or_default()[(sector % SECTORS) as usize] = Some(self.writes);
            }
            if written == WriteOutcome::Back {
                self.acknowledged[sector as usize] = self.writes;
            }
        }
        if written == WriteOutcome::Through {
            self.under_way.push(Under::Through(sectors, self.writes, self.answer.through.clone()));
        }
    }

    pub fn destage(&mut self) -> Option<Destage> {
        let mut ranges = Vec::new();
        let destage = self.cache.destage_next(&mut ranges)?;
        assert_eq!(
            ranges.iter().map(|range| range.end - range.start).sum::<u64>(),
            u64::from(destage.blocks)
        );
        for blocks in ranges {
            let data = blocks.clone().flat_map(|block| self.cached[&block]);
            let data = data.map(|sector| sector.expect("what is destaged is whole")).collect();
            self.under_way.push(Under::Destage(blocks, data));
        }
        Some(destage)
    }

    /// One of the operations in flight arrives, or fails. No operation overtakes a write through.
    pub fn arrive(&mut self, which: usize, fails: bool) {
        if self.under_way.is_empty() {
            return;
        }
        let mut which = which % self.under_way.len();
        let overlaps = |one: &Under, other: &Under| {
            one.blocks().start < other.blocks().end && other.blocks().start < one.blocks().end
        };
        while let Some(ahead) = self.under_way[..which]
            .iter()
            .position(|one| matches!(one, Under::Through(..)) && overlaps(one, &self.under_way[which]))
        {
            which = ahead;
        }
        let under = self.under_way.remove(which);
        match under {
            Under::Fetch(blocks, _) if fails => {
                for block in blocks {
                    let again = self.cache.fetch_failed(block..block + 1);
                    if again {
                        let data = self.on_device(&(block..block + 1));
                        self.under_way.push(Under::Fetch(block..block + 1, data));
                    } else if !self.cache.contains_block(block) {
                        self.cached.remove(&block);
                    }
                }
            }
            Under::Fetch(blocks, data) => {
                self.cache.fetched(blocks.clone());
                for (sector, old) in (blocks.start * SECTORS..).zip(data) {
                    if let Some(data) = self.cached.get_mut(&(sector / SECTORS)) {
                        data[(sector % SECTORS) as usize].get_or_insert(old);
                    }
                }
            }
            Under::Destage(blocks, _) if fails => self.cache.destage_failed(blocks),
            under => {
                self.apply(&under);
                if let Under::Destage(blocks, _) = &under {
                    self.cache.destaged(blocks.clone());
                }
                if let Under::Through(sectors, number, blocks) = under {
                    blocks.into_iter().for_each(|blocks| self.cache.destaged(blocks));
                    for sector in sectors {
                        self.acknowledged[sector as usize] = self.acknowledged[sector as usize].max(number);
                    }
                }
            }
        }
    }

    /// A write in flight arrives at the device.
    fn apply(&mut self, under: &Under) {
        match under {
            Under::Fetch(..) => {}
            Under::Destage(blocks, data) => {
                let sectors = (blocks.start * SECTORS) as usize..(blocks.end * SECTORS) as usize;
                self.device[sectors].copy_from_slice(data);
            }
            Under::Through(sectors, number, _) => {
                self.device[sectors.start as usize..sectors.end as usize].fill(*number);
            }
        }
        // Blocks fetched after a write through contain its data.
        if let Under::Through(sectors, number, _) = under {
            for under in &mut self.under_way {
                let Under::Fetch(blocks, data) = under else { continue };
                for (sector, data) in (blocks.start * SECTORS..).zip(data) {
                    if sectors.contains(&sector) {
                        *data = (*data).max(*number);
                    }
                }
            }
        }
    }

    /// A failure happens; of the operations in flight to the device, those arrive for which `arrives` returns true. Returns the number of
    /// blocks that were lost; there must be none if not `may_lose`.
    pub fn fail(&mut self, what: Failure, mut arrives: impl FnMut() -> bool, may_lose: bool) -> usize {
        let loss = self.cache.fail(what);
        if matches!(what, Failure::Partner | Failure::Battery) {
            assert_eq!((loss.lost.len(), loss.fetch.len()), (0, 0));
            return 0;
        }
        for under in std::mem::take(&mut self.under_way) {
            if arrives() {
                self.apply(&under);
            }
        }
        assert!(may_lose || loss.lost.is_empty(), "{what:?} loses {:?}", loss.lost);
        let mut lost = 0;
        for block in loss.lost.into_iter().flatten() {
            lost += 1;
            for sector in block * SECTORS..(block + 1) * SECTORS {
                self.acknowledged[sector as usize] = 0;
            }
        }
        let cache = &self.cache;
        self.cached.retain(|block, _| cache.is_dirty(*block));
        for blocks in loss.fetch {
            let data = self.on_device(&blocks);
            self.under_way.push(Under::Fetch(blocks, data));
        }
        for sector in 0..BLOCKS * SECTORS {
            let here =
                self.cached.get(&(sector / SECTORS)).and_then(|data| data[(sector % SECTORS) as usize]);
            let now = here.unwrap_or(self.device[sector as usize]);
            assert!(
                now >= self.acknowledged[sector as usize],
                "{what:?}: sector {sector} has write {now}, and {} was acknowledged",
                self.acknowledged[sector as usize]
            );
            self.newest[sector as usize] = now;
            self.acknowledged[sector as usize] = now;
        }
        lost
    }

    /// All operations arrive and all dirty blocks are destaged; then the device must have the last write of every sector.
    pub fn finish(&mut self) {
        self.cache.flush();
        let mut steps = 0;
        while !self.under_way.is_empty() || self.cache.urgency() > 0.0 {
            self.destage();
            self.arrive(0, false);
            steps += 1;
            assert!(steps < 10_000, "it gets nowhere");
        }
        assert_eq!(self.cache.dirty_block_count(), 0);
        assert_eq!(self.device, self.newest);
    }

    /// Checks the invariants of the cache.
    pub fn check(&self) {
        let cache = &self.cache;
        assert!(cache.resident_block_count() <= cache.capacity());
        let dirty = (0..BLOCKS).filter(|block| cache.is_dirty(*block)).count();
        assert_eq!(dirty as u32, cache.dirty_block_count());
        if cache.writes_back() {
            assert!(cache.dirty_block_count() <= cache.dirty_limit().max(cache.capacity()));
        }
        for block in 0..BLOCKS {
            // A block that is written part by part while it is being fetched is not known to be whole before it has come.
            let whole = self.cached.get(&block).is_some_and(|data| data.iter().all(Option::is_some));
            let coming = self
                .under_way
                .iter()
                .any(|under| matches!(under, Under::Fetch(..)) && under.blocks().contains(&block));
            assert!(
                if coming {
                    whole || !cache.contains_block(block)
                } else {
                    whole == cache.contains_block(block)
                },
                "block {block}"
            );
        }
    }
}
