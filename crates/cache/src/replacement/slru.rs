//! Segmented LRU: a block that is used again rises to the next segment, and a block that is displaced from a segment moves to the segment
//! below.
//!
//! Source: Karedla, Love, Wherry: Caching strategies to improve disk system performance, IEEE Computer 27(3), 1994, which has two segments;
//! with several, new blocks fill the lowest segment that has room.

use super::queues::Queues;
use super::{Admitted, Replacement};
use crate::slots::{CacheSlot, ListEnd, SlotLists};
use sansim_kernel::RandomStream;
use sansim_schema::quantities::Count;
use sansim_schema::table;

/// The most segments.
const MOST: usize = 16;

table! {
    /// Segmented LRU: a block that is used again rises to the next segment, and a block that a segment has no room for falls into the
    /// segment below.
    #[derive(Copy, Eq)]
    pub struct SlruParameters {
        /// How many segments there are, all of the same size.
        segments: u32 = Count::<u32>::between(1, 16), default "4", source "Huang et al., An analysis of Facebook photo caching, SOSP 2013";
    }
}

/// The segmented LRU replacement policy has several LRU lists; a block that is used again rises to the next list.
#[derive(Clone, Debug)]
pub struct Slru {
    capacity: u32,
    segments: usize,
    /// The capacity of a segment; the lowest segment has the remainder of the division as well.
    segment: u32,
    resident: u32,
    queues: Queues<MOST>,
}

impl Slru {
    pub(super) fn new(parameters: &SlruParameters, capacity: u32, _: RandomStream) -> Self {
        // A segment holds at least one block.
        let segments = parameters.segments.min(capacity);
        let (segment, segments) = (capacity / segments, segments as usize);
        Self { capacity, segments, segment, resident: 0, queues: Queues::default() }
    }

    /// The capacity of a segment; the lowest includes the remainder.
    fn most(&self, segment: usize) -> u32 {
        if segment == 0 { self.capacity - self.segment * (self.segments as u32 - 1) } else { self.segment }
    }

    /// Moves the oldest block of each full segment down, from this segment on, until a segment has room again.
    fn make_room(&mut self, slots: &mut SlotLists, segment: usize) {
        for segment in (1..=segment).rev() {
            if self.queues.members(segment) < self.most(segment) {
                return;
            }
            // If all blocks of a segment are held back none can move down; the segment is too large for a while.
            let Some(oldest) = self.queues.oldest(segment) else { return };
            self.queues.shift(slots, segment - 1, oldest);
            if self.queues.members(segment - 1) <= self.most(segment - 1) {
                return;
            }
        }
    }
}

impl Replacement for Slru {
    fn used(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        let segment = slots.list_of_slot(slot);
        if segment + 1 == self.segments {
            slots.make_youngest(&mut self.queues.0[segment], slot);
            return;
        }
        self.queues.take(slots, slot);
        self.make_room(slots, segment + 1);
        self.queues.insert(slots, segment + 1, slot);
    }

    fn admit(&mut self, slots: &mut SlotLists, block: u64, _: Option<CacheSlot>) -> Option<Admitted> {
        let mut evicted = None;
        if self.resident == self.capacity {
            let lowest = (0..self.segments).find(|segment| self.queues.oldest(*segment).is_some())?;
            evicted = self.queues.evict(slots, lowest);
            self.resident -= 1;
        }
        self.resident += 1;
        let room = (0..self.segments).find(|segment| self.queues.members(*segment) < self.most(*segment));
        Some(Admitted { slot: self.queues.bring_in(slots, room.unwrap_or(0), block), evicted })
    }

    fn hold(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        self.queues.hold(slots, slot);
    }

    fn let_go(&mut self, slots: &mut SlotLists, slot: CacheSlot, end: ListEnd) {
        self.queues.let_go(slots, slot, end);
    }

    fn forget(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        self.queues.forget(slots, slot);
        self.resident -= 1;
    }
}
