//! The SLC cache in the mapping: blocks of each plane whose cells hold one bit, which take what hosts write before other blocks do.
//!
//! A block of the SLC cache has as many units as cells of one bit have room for. It is filled in order, and folded when it is full, the
//! oldest first: its valid units move to other blocks, and it is erased. Blocks of the SLC cache have the numbers behind those of all planes.

use super::{Mapping, NO_BLOCK, State};
use crate::layout::FlashLayout;
use sansim_kernel::RandomStream;
use std::collections::VecDeque;

/// The blocks of the SLC cache in a plane.
#[derive(Clone, Debug)]
pub(super) struct SlcPlane {
    free: VecDeque<u32>,
    open: u32,
    /// The full blocks in the order in which they became full.
    full: VecDeque<u32>,
}

impl SlcPlane {
    /// The empty SLC cache of each plane; none if the drive has no SLC cache.
    pub fn planes(layout: &FlashLayout) -> Vec<Self> {
        let plane = |plane: u32| {
            let first = layout.first_slc_block() + plane * layout.slc_blocks;
            Self { free: (first..first + layout.slc_blocks).collect(), open: NO_BLOCK, full: VecDeque::new() }
        };
        let planes = if layout.slc_blocks > 0 { layout.planes } else { 0 };
        (0..planes).map(plane).collect()
    }

    /// A block of the SLC cache has been erased.
    pub fn erased(&mut self, block: u32) {
        self.free.push_back(block);
    }
}

impl Mapping {
    /// Whether the SLC cache of a plane has room for a unit.
    pub fn slc_has_room(&self, plane: u32) -> bool {
        self.slc.get(plane as usize).is_some_and(|slc| slc.open != NO_BLOCK || !slc.free.is_empty())
    }

    /// The bytes in the SLC cache that are written and not erased, and its size.
    pub fn slc_bytes(&self) -> (u64, u64) {
        let layout = &self.layout;
        let all = u64::from(layout.planes) * u64::from(layout.slc_blocks) * u64::from(layout.slc_units);
        let first = layout.first_slc_block() as usize;
        let written: u64 = self.blocks[first..].iter().map(|block| u64::from(block.written())).sum();
        (written * layout.unit_bytes(), all * layout.unit_bytes())
    }

    /// Maps a logical unit that a host writes to a new physical unit: in the SLC cache if that has room, else as in any other block; none
    /// if there is no room.
    pub fn map_for_host(&mut self, logical: u32) -> Option<u32> {
        let number = self.layout.plane_of_unit(logical);
        if !self.slc_has_room(number) {
            return self.map_to_new_unit(logical, super::BlockOwner::Host);
        }
        if let Some(old) = self.physical_unit(logical) {
            self.invalidate(old);
        }
        let slc = &mut self.slc[number as usize];
        if slc.open == NO_BLOCK {
            slc.open = slc.free.pop_front()?;
            self.blocks[slc.open as usize].state = State::Open;
        }
        let open = slc.open;
        let block = &mut self.blocks[open as usize];
        let unit = open * self.layout.units + block.written();
        block.held.push(logical);
        block.valid += 1;
        if block.written() == self.layout.slc_units {
            block.state = State::Full;
            slc.full.push_back(open);
            slc.open = NO_BLOCK;
        }
        self.map.set_value(logical, unit);
        self.written.by_hosts += 1;
        self.written.to_slc += 1;
        Some(unit)
    }

    /// Whether a host may write a unit in a plane.
    pub fn host_has_room(&self, plane: u32) -> bool {
        self.slc_has_room(plane) || self.has_room(plane, super::BlockOwner::Host)
    }

    /// Whether the next unit that a host writes in a plane is in the SLC cache, and its position in its block; none if there is no room.
    pub fn next_host_place(&self, plane: u32) -> Option<(bool, u32)> {
        if self.slc_has_room(plane) {
            let open = self.slc[plane as usize].open;
            let written = if open == NO_BLOCK { 0 } else { self.blocks[open as usize].written() };
            return Some((true, written));
        }
        self.next_place(plane, super::BlockOwner::Host).map(|place| (false, place))
    }

    /// The block of the SLC cache of a plane that is folded next, which is a victim until it is erased.
    pub fn take_fold_victim(&mut self, plane: u32) -> Option<u32> {
        let victim = self.slc.get_mut(plane as usize)?.full.pop_front()?;
        self.blocks[victim as usize].state = State::Victim;
        Some(victim)
    }

    /// Writes a logical unit as hosts do, into the SLC cache as long as it has room, without time: as hosts that write as fast as they can
    /// do not let it be folded.
    pub fn write_through_slc_without_time(&mut self, logical: u32, random: &mut RandomStream) {
        if self.slc_has_room(self.layout.plane_of_unit(logical)) {
            self.map_for_host(logical);
        } else {
            self.write_without_time(logical, random);
        }
    }
}
