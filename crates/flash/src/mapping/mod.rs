//! The mapping: the physical unit of each logical unit, and the content of blocks.
//!
//! A logical unit that was never written has no physical unit. A logical unit that was written once, with all units in order, is at its
//! *home*, which is calculated ([`FlashLayout::home_unit`]) and stored nowhere: a fresh or sequentially filled drive has no entries. Every
//! unit that is written afterwards, by a host or by garbage collection, has an entry of 4 bytes (and an eighth) for its physical unit, and
//! another 4 bytes in its block for its logical unit. The validity of a physical unit is not stored: it is valid if its logical unit is
//! mapped to it. A drive without writes needs 56 bytes for 256 logical units, 40 for a block, and the memory of its victim policy.
//!
//! Source: page mapping with static allocation and collection within a plane, as in MQSim (Tavakkol et al., FAST 2018).

mod audit;
mod slc;

use crate::layout::FlashLayout;
use crate::parameters::FlashParameters;
use crate::sparse::SparseMap;
use crate::victims::{AnyVictimPolicy, FullBlock, VictimPolicy};
use sansim_kernel::RandomStream;
use slc::SlcPlane;
use std::collections::VecDeque;

/// The entry that means: mapped to no unit, because it was trimmed.
const TRIMMED: u32 = u32::MAX;
const NO_BLOCK: u32 = u32::MAX;

/// The owner of the pages that a block receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockOwner {
    /// The block receives pages of hosts.
    Host,
    /// The block receives pages that garbage collection copies.
    Collection,
    /// The block receives pages that leave the SLC cache.
    Folding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Open,
    Full,
    /// The block is a victim whose pages are being copied or which is being erased.
    Victim,
}

#[derive(Clone, Debug)]
struct Block {
    state: State,
    /// The number of units at the beginning of the block that hold the logical units whose home they are.
    at_home: u32,
    /// The logical units in the units behind the units at home.
    held: Vec<u32>,
    valid: u32,
    erases: u32,
}

impl Block {
    fn written(&self) -> u32 {
        self.at_home + self.held.len() as u32
    }
}

#[derive(Clone, Debug)]
struct Plane {
    free: VecDeque<u32>,
    /// The open block of hosts and the open block of garbage collection, which may be the same.
    open: [u32; 2],
    /// The units of full blocks that are no longer valid.
    stale: u64,
    victims: AnyVictimPolicy,
}

/// The units written, and the blocks erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlashWrites {
    /// The number of units written by hosts.
    pub by_hosts: u64,
    /// The number of units that garbage collection copied.
    pub copied: u64,
    /// The number of units that hosts wrote into the SLC cache.
    pub to_slc: u64,
    /// The number of units that left the SLC cache for other blocks.
    pub folded: u64,
    /// The number of blocks erased.
    pub erased: u64,
}

impl FlashWrites {
    /// All units written over the units that hosts wrote; 1 if hosts wrote none.
    pub fn write_amplification(&self) -> f64 {
        if self.by_hosts == 0 {
            return 1.0;
        }
        (self.by_hosts + self.copied + self.folded) as f64 / self.by_hosts as f64
    }

    /// The difference to an earlier state of the counts.
    pub fn difference_since(&self, earlier: FlashWrites) -> FlashWrites {
        FlashWrites {
            by_hosts: self.by_hosts - earlier.by_hosts,
            copied: self.copied - earlier.copied,
            to_slc: self.to_slc - earlier.to_slc,
            folded: self.folded - earlier.folded,
            erased: self.erased - earlier.erased,
        }
    }
}

/// The mapping of a flash drive: the physical unit of each logical unit, and the content of blocks.
#[derive(Clone, Debug)]
pub struct Mapping {
    layout: FlashLayout,
    map: SparseMap,
    /// Logical units below this number are at home, except for those in the map.
    filled: u32,
    blocks: Vec<Block>,
    planes: Vec<Plane>,
    /// The SLC cache in each plane; none if the drive has no SLC cache.
    slc: Vec<SlcPlane>,
    /// Lists of erased blocks, which are reused.
    lists: Vec<Vec<u32>>,
    start_blocks: u32,
    reserved_blocks: u32,
    hard_blocks: u32,
    separate: bool,
    written: FlashWrites,
}

impl Mapping {
    /// The mapping of a fresh drive with these keys, which have been checked.
    pub fn new(parameters: &FlashParameters) -> Self {
        let layout = FlashLayout::new(parameters);
        let block = || Block { state: State::Free, at_home: 0, held: Vec::new(), valid: 0, erases: 0 };
        let plane = |plane: u32| Plane {
            free: (plane * layout.blocks..(plane + 1) * layout.blocks).collect(),
            open: [NO_BLOCK; 2],
            stale: 0,
            victims: parameters.victim.policy(layout.blocks, layout.units),
        };
        Self {
            map: SparseMap::new(layout.logical_units()),
            filled: 0,
            blocks: (0..layout.planes * (layout.blocks + layout.slc_blocks)).map(|_| block()).collect(),
            planes: (0..layout.planes).map(plane).collect(),
            slc: SlcPlane::planes(&layout),
            lists: Vec::new(),
            start_blocks: parameters.collection_start_blocks(),
            reserved_blocks: parameters.reserved_blocks(),
            hard_blocks: parameters.urgent_free_blocks(),
            separate: parameters.separate_copies,
            written: FlashWrites::default(),
            layout,
        }
    }

    /// The layout: where planes, blocks and units are.
    pub fn layout(&self) -> &FlashLayout {
        &self.layout
    }

    /// The units written and blocks erased up to now.
    pub fn write_counts(&self) -> FlashWrites {
        self.written
    }

    /// Whether the drive was never written.
    pub fn is_fresh(&self) -> bool {
        self.filled == 0 && self.map.is_empty()
    }

    /// Writes the first logical units of a fresh drive in order, without entries: they are at home. Returns whether the drive was fresh.
    pub fn precondition(&mut self, logical_units: u32) -> bool {
        if !self.is_fresh() {
            return false;
        }
        self.filled = logical_units.min(self.layout.logical_units());
        let FlashLayout { planes, units, blocks, .. } = self.layout;
        for remainder in 0..planes {
            let in_plane = self.filled / planes + u32::from(remainder < self.filled % planes);
            let plane = self.layout.plane_of_unit(remainder);
            for place in 0..in_plane.div_ceil(units) {
                let held = (in_plane - place * units).min(units);
                let number = plane * blocks + place;
                let block = &mut self.blocks[number as usize];
                (block.at_home, block.valid) = (held, held);
                let plane = &mut self.planes[plane as usize];
                plane.free.pop_front();
                if held == units {
                    block.state = State::Full;
                    plane.victims.filled(place, held);
                } else {
                    block.state = State::Open;
                    plane.open[0] = number;
                }
            }
        }
        true
    }

    /// The physical unit of a logical unit; none if it was never written or was trimmed.
    #[inline]
    pub fn physical_unit(&self, logical: u32) -> Option<u32> {
        match self.map.value_of_key(logical) {
            Some(TRIMMED) => None,
            None if logical >= self.filled => None,
            None => Some(self.layout.home_unit(logical)),
            unit => unit,
        }
    }

    /// The number of free blocks of a plane.
    pub fn free_blocks(&self, plane: u32) -> u32 {
        self.planes[plane as usize].free.len() as u32
    }

    /// The number of free blocks of a plane at which its garbage collection starts.
    pub fn collection_start_blocks(&self) -> u32 {
        self.start_blocks
    }

    /// Whether so few blocks of a plane are free that hosts wait for its garbage collection.
    pub fn is_short_of_free_blocks(&self, plane: u32) -> bool {
        self.free_blocks(plane) < self.hard_blocks
    }

    /// Whether garbage collection has work in a plane.
    pub fn wants_collection(&self, plane: u32) -> bool {
        self.free_blocks(plane) <= self.start_blocks && self.planes[plane as usize].stale > 0
    }

    fn stream(&self, writer: BlockOwner) -> usize {
        usize::from(self.separate && writer == BlockOwner::Collection)
    }

    /// Whether a unit may be written in a plane. Hosts leave enough blocks for garbage collection to finish a victim: a free block, or as
    /// many as are reserved; garbage collection may have opened one of these, which hosts do not fill then.
    pub fn has_room(&self, plane: u32, writer: BlockOwner) -> bool {
        let open = self.planes[plane as usize].open[self.stream(writer)] != NO_BLOCK;
        let free = self.free_blocks(plane);
        match writer {
            BlockOwner::Collection => open || free > 0,
            BlockOwner::Host | BlockOwner::Folding if open => self.separate || free >= self.reserved_blocks,
            BlockOwner::Host | BlockOwner::Folding => free > self.reserved_blocks,
        }
    }

    /// The position in its block of the next unit that is written in a plane; none if there is no room.
    pub fn next_place(&self, plane: u32, writer: BlockOwner) -> Option<u32> {
        let open = self.planes[plane as usize].open[self.stream(writer)];
        let written = if open == NO_BLOCK { 0 } else { self.blocks[open as usize].written() };
        self.has_room(plane, writer).then_some(written)
    }

    /// Maps a logical unit to a new physical unit, in its plane; none if there is no room.
    pub fn map_to_new_unit(&mut self, logical: u32, writer: BlockOwner) -> Option<u32> {
        let number = self.layout.plane_of_unit(logical);
        if !self.has_room(number, writer) {
            return None;
        }
        if let Some(old) = self.physical_unit(logical) {
            self.invalidate(old);
        }
        let stream = self.stream(writer);
        let plane = &mut self.planes[number as usize];
        if plane.open[stream] == NO_BLOCK {
            plane.open[stream] = plane.free.pop_front()?;
            let block = &mut self.blocks[plane.open[stream] as usize];
            block.state = State::Open;
            block.held = self.lists.pop().unwrap_or_default();
        }
        let open = plane.open[stream];
        let block = &mut self.blocks[open as usize];
        let unit = open * self.layout.units + block.written();
        if block.held.len() == block.held.capacity() {
            block.held.reserve_exact((self.layout.units - block.written()) as usize);
        }
        block.held.push(logical);
        block.valid += 1;
        if block.written() == self.layout.units {
            block.state = State::Full;
            plane.open[stream] = NO_BLOCK;
            plane.stale += u64::from(self.layout.units - block.valid);
            plane.victims.filled(self.layout.plane_and_number_of_block(open).1, block.valid);
        }
        self.map.set_value(logical, unit);
        match writer {
            BlockOwner::Host => self.written.by_hosts += 1,
            BlockOwner::Collection => self.written.copied += 1,
            BlockOwner::Folding => self.written.folded += 1,
        }
        Some(unit)
    }

    /// A physical unit is no longer valid.
    fn invalidate(&mut self, unit: u32) {
        let number = self.layout.block_of_unit(unit);
        let block = &mut self.blocks[number as usize];
        block.valid -= 1;
        if block.state == State::Full && !self.layout.is_slc_block(number) {
            let (plane, place) = self.layout.plane_and_number_of_block(number);
            let plane = &mut self.planes[plane as usize];
            plane.stale += 1;
            plane.victims.invalidated(place, block.valid);
        }
    }

    /// A logical unit is trimmed.
    pub fn trim_unit(&mut self, logical: u32) {
        if let Some(unit) = self.physical_unit(logical) {
            self.invalidate(unit);
            self.map.set_value(logical, TRIMMED);
        }
    }

    /// The next victim of a plane, which remains a victim until it is erased.
    pub fn take_victim(&mut self, plane: u32, random: &mut RandomStream) -> Option<u32> {
        let first = plane * self.layout.blocks;
        let Self { planes, blocks, .. } = self;
        let plane = &mut planes[plane as usize];
        let state = |place: u32| {
            let &Block { valid, erases, .. } = &blocks[(first + place) as usize];
            FullBlock { valid, erases }
        };
        let victim = first + plane.victims.take(state, random)?;
        let block = &mut blocks[victim as usize];
        debug_assert!(block.valid < self.layout.units, "block {victim} is a victim with nothing invalid");
        block.state = State::Victim;
        plane.stale -= u64::from(self.layout.units - block.valid);
        Some(victim)
    }

    /// The next valid unit of a block, from this position on: its position, and its logical unit.
    pub fn next_valid(&self, number: u32, from: u32) -> Option<(u32, u32)> {
        let block = &self.blocks[number as usize];
        if block.valid == 0 {
            return None;
        }
        let held = |place: u32| {
            let unit = number * self.layout.units + place;
            let logical = match place.checked_sub(block.at_home) {
                Some(behind) => block.held[behind as usize],
                None => u32::try_from(self.layout.logical_unit_at_home(unit)).ok()?,
            };
            (self.physical_unit(logical) == Some(unit)).then_some((place, logical))
        };
        (from..block.written()).find_map(held)
    }

    /// Erases a victim without valid units.
    pub fn erase(&mut self, number: u32) {
        let block = &mut self.blocks[number as usize];
        debug_assert_eq!((block.state, block.valid), (State::Victim, 0));
        (block.state, block.at_home) = (State::Free, 0);
        block.erases += 1;
        if self.layout.is_slc_block(number) {
            block.held.clear();
            let plane = self.layout.plane_of_block(number);
            self.slc[plane as usize].erased(number);
            self.written.erased += 1;
            return;
        }
        let mut list = std::mem::take(&mut block.held);
        list.clear();
        // A list that was made for the end of a block is too short for a whole block, and is not reused.
        if list.capacity() >= self.layout.units as usize {
            self.lists.push(list);
        }
        self.planes[(number / self.layout.blocks) as usize].free.push_back(number);
        self.written.erased += 1;
    }

    /// Copies and erases a victim of a plane at once. Returns whether there was a victim.
    fn collect_at_once(&mut self, plane: u32, random: &mut RandomStream) -> bool {
        let Some(victim) = self.take_victim(plane, random) else { return false };
        let mut from = 0;
        while let Some((place, logical)) = self.next_valid(victim, from) {
            let placed = self.map_to_new_unit(logical, BlockOwner::Collection);
            debug_assert!(placed.is_some(), "hosts leave a free block");
            from = place + 1;
        }
        self.erase(victim);
        true
    }

    /// Writes a logical unit, and collects garbage if necessary, without time.
    pub fn write_without_time(&mut self, logical: u32, random: &mut RandomStream) {
        let plane = self.layout.plane_of_unit(logical);
        while self.wants_collection(plane) && self.collect_at_once(plane, random) {}
        while self.map_to_new_unit(logical, BlockOwner::Host).is_none() && self.collect_at_once(plane, random)
        {
        }
    }

    /// The most and the fewest times that a block was erased.
    pub fn erase_count_range(&self) -> (u32, u32) {
        let erases = || self.blocks.iter().map(|block| block.erases);
        (erases().max().unwrap_or(0), erases().min().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests;
