//! Blocks by worth: a list of buckets ordered by worth, each with a list of slots ordered by last use. A block whose worth rises by one
//! moves to the next bucket, in constant time.
//!
//! Source: Shah, Mitra, Matani: An O(1) algorithm for implementing the LFU cache eviction scheme, 2010.

use crate::slots::{CacheSlot, ListEnd, SlotList, SlotLists};

/// The index that means: no bucket.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Bucket {
    worth: u64,
    members: SlotList,
    /// The next lower and the next higher bucket; in a free bucket `higher` is the next free bucket.
    lower: u32,
    higher: u32,
}

/// The cached blocks in buckets of equal worth, from which a least-often policy takes its victim. The mark of a slot is its bucket. A
/// bucket whose members are all held back is kept.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    buckets: Vec<Bucket>,
    lowest: u32,
    free: u32,
}

impl Buckets {
    pub(super) fn new() -> Self {
        Self { buckets: Vec::new(), lowest: NONE, free: NONE }
    }

    fn bucket(&self, bucket: u32) -> &Bucket {
        &self.buckets[bucket as usize]
    }

    /// The bucket of a worth that is not less than the worth of the bucket `from`; without `from` the search begins at the lowest bucket.
    fn at(&mut self, worth: u64, from: u32) -> u32 {
        let (mut lower, mut higher) = (NONE, if from == NONE { self.lowest } else { from });
        while higher != NONE && self.bucket(higher).worth < worth {
            lower = higher;
            higher = self.bucket(higher).higher;
        }
        if higher != NONE && self.bucket(higher).worth == worth {
            return higher;
        }
        let one = Bucket { worth, members: SlotList::default(), lower, higher };
        let new = if self.free == NONE {
            self.buckets.push(one);
            self.buckets.len() as u32 - 1
        } else {
            let free = self.free;
            self.free = self.bucket(free).higher;
            self.buckets[free as usize] = one;
            free
        };
        if lower == NONE {
            self.lowest = new
        } else {
            self.buckets[lower as usize].higher = new
        }
        if higher != NONE {
            self.buckets[higher as usize].lower = new;
        }
        new
    }

    fn drop_if_empty(&mut self, bucket: u32) {
        let Bucket { lower, higher, members, .. } = *self.bucket(bucket);
        if members.member_count() > 0 {
            return;
        }
        if lower == NONE {
            self.lowest = higher
        } else {
            self.buckets[lower as usize].higher = higher
        }
        if higher != NONE {
            self.buckets[higher as usize].lower = lower;
        }
        self.buckets[bucket as usize].higher = self.free;
        self.free = bucket;
    }

    /// The worth of a slot.
    pub(super) fn worth(&self, slots: &SlotLists, slot: CacheSlot) -> u64 {
        self.bucket(slots.slot_mark(slot)).worth
    }

    /// A slot comes in with this worth.
    pub(super) fn insert(&mut self, slots: &mut SlotLists, slot: CacheSlot, worth: u64) {
        let bucket = self.at(worth, NONE);
        slots.set_slot_mark(slot, bucket);
        slots.insert(&mut self.buckets[bucket as usize].members, slot);
    }

    /// The worth of a slot rises.
    #[inline]
    pub(super) fn raise(&mut self, slots: &mut SlotLists, slot: CacheSlot, worth: u64) {
        let before = slots.slot_mark(slot);
        let Bucket { members, higher, .. } = *self.bucket(before);
        let next = if higher == NONE { u64::MAX } else { self.bucket(higher).worth };
        if members.member_count() == 1 && worth < next {
            // The slot is alone in its bucket, and remains below all higher buckets, so only the worth changes.
            self.buckets[before as usize].worth = worth;
            return;
        }
        let bucket = if worth == next { higher } else { self.at(worth, before) };
        slots.remove_from_list(&mut self.buckets[before as usize].members, slot);
        slots.set_slot_mark(slot, bucket);
        slots.insert(&mut self.buckets[bucket as usize].members, slot);
        if members.member_count() == 1 {
            self.drop_if_empty(before);
        }
    }

    /// The least recently used slot among the evictable slots of least worth.
    pub(super) fn least(&self) -> Option<CacheSlot> {
        let mut bucket = self.lowest;
        while bucket != NONE {
            if let Some(oldest) = self.bucket(bucket).members.oldest_slot() {
                return Some(oldest);
            }
            bucket = self.bucket(bucket).higher;
        }
        None
    }

    pub(super) fn forget(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        let bucket = slots.slot_mark(slot);
        slots.remove_from_list(&mut self.buckets[bucket as usize].members, slot);
        slots.remove(slot);
        self.drop_if_empty(bucket);
    }

    pub(super) fn hold(&mut self, slots: &mut SlotLists, slot: CacheSlot) {
        slots.pin(&mut self.buckets[slots.slot_mark(slot) as usize].members, slot);
    }

    pub(super) fn let_go(&mut self, slots: &mut SlotLists, slot: CacheSlot, end: ListEnd) {
        slots.unpin(&mut self.buckets[slots.slot_mark(slot) as usize].members, slot, end);
    }

    pub(super) fn bytes(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket>()
    }
}
