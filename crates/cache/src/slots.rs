//! The slots of a cache: an array with an entry for each block that is resident, and for each evicted block that a policy remembers. Lists
//! link slots by their number.
//!
//! The array grows with the number of entries, up to a size that is known when it is made: a large cache that is little used is small.

use crate::index::Index;
pub use crate::slot::CacheSlot;

/// An entry is half a line of a processor's cache, so that no entry lies across two lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Entry {
    block: u64,
    /// The neighbours of the slot in its list; in a free slot `older` is the next free slot.
    younger: CacheSlot,
    older: CacheSlot,
    /// The mark that the policy sets: a bit, a bucket, an index.
    mark: u32,
    /// The counter that the policy sets.
    count: u32,
    /// The list of the policy that contains the slot.
    list: u8,
    /// The state of the block for the cache: dirty, in flight and so on.
    state: u8,
    resident: bool,
    held_back: bool,
}

/// A block that was evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evicted {
    /// The number of the evicted block.
    pub block: u64,
    /// The state of the evicted block for the cache.
    pub state: u8,
}

/// A list of slots from the youngest to the oldest. Slots that are held back are members of their list, but have no position in it.
#[derive(Clone, Copy, Debug)]
pub struct SlotList {
    youngest: CacheSlot,
    oldest: CacheSlot,
    members: u32,
}

impl Default for SlotList {
    fn default() -> Self {
        Self { youngest: CacheSlot::NONE, oldest: CacheSlot::NONE, members: 0 }
    }
}

impl SlotList {
    /// The number of members, including those that are held back.
    #[inline]
    pub fn member_count(&self) -> u32 {
        self.members
    }

    /// The youngest slot, of those that are not held back.
    #[inline]
    pub fn youngest_slot(&self) -> Option<CacheSlot> {
        self.youngest.some()
    }

    /// The oldest slot, of those that are not held back.
    #[inline]
    pub fn oldest_slot(&self) -> Option<CacheSlot> {
        self.oldest.some()
    }
}

/// An end of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    /// The end to which used slots move.
    Young,
    /// The end from which slots are evicted.
    Old,
}

/// The slots of a cache: an entry for each resident block, and for each evicted block that a policy remembers.
#[derive(Clone, Debug)]
pub struct SlotLists {
    entries: Vec<Entry>,
    /// The first free slot; free slots are linked by `older`.
    free: CacheSlot,
    /// The most slots that there may be.
    most: usize,
    index: Index,
}

impl SlotLists {
    /// An empty array, which never has more than `most` slots.
    pub fn new(most: u32) -> Self {
        Self {
            entries: Vec::new(),
            free: CacheSlot::NONE,
            most: most.min(CacheSlot::MOST) as usize,
            index: Index::new(),
        }
    }

    /// The slot of a block; none if the block has no slot.
    #[inline]
    pub fn slot_of_block(&self, block: u64) -> Option<CacheSlot> {
        self.index.find(block, |slot| self.entries[slot.slot_index()].block == block)
    }

    /// A slot for a block that has none. The new slot is resident and in no list.
    pub fn allocate_slot(&mut self, block: u64) -> CacheSlot {
        let entry = Entry {
            block,
            younger: CacheSlot::NONE,
            older: CacheSlot::NONE,
            mark: 0,
            count: 0,
            list: 0,
            state: 0,
            resident: true,
            held_back: false,
        };
        let slot = if let Some(free) = self.free.some() {
            self.free = self.entries[free.slot_index()].older;
            self.entries[free.slot_index()] = entry;
            free
        } else {
            let length = self.entries.len();
            debug_assert!(length < self.most, "more slots than there may be");
            if length == self.entries.capacity() {
                // The capacity is doubled, but never exceeds the permitted number of slots.
                let more = length.max(64).min((self.most - length).max(1));
                sansim_hugepages::reserve_exact(&mut self.entries, more);
            }
            self.entries.push(entry);
            CacheSlot::at(length as u32)
        };
        self.index.add(block, slot);
        slot
    }

    /// A slot at the old end of its list will be removed soon: the memory that the removal needs is prefetched meanwhile.
    #[inline]
    pub fn prefetch_before_removal(&self, slot: CacheSlot) {
        let entry = &self.entries[slot.slot_index()];
        self.index.foresee(entry.block);
        sansim_hugepages::prefetch_element(&self.entries, entry.younger.slot_index());
    }

    /// Frees a slot that is in no list.
    pub fn remove(&mut self, slot: CacheSlot) {
        let entry = &mut self.entries[slot.slot_index()];
        self.index.remove(entry.block, slot);
        entry.older = self.free;
        entry.resident = false;
        entry.held_back = false;
        self.free = slot;
    }

    /// Puts a slot at the young end of a list.
    #[inline]
    pub fn insert(&mut self, list: &mut SlotList, slot: CacheSlot) {
        list.members += 1;
        if !self.entries[slot.slot_index()].held_back {
            self.link(list, slot, ListEnd::Young);
        }
    }

    /// Removes a slot from a list.
    #[inline]
    pub fn remove_from_list(&mut self, list: &mut SlotList, slot: CacheSlot) {
        list.members -= 1;
        if !self.entries[slot.slot_index()].held_back {
            self.unlink(list, slot);
        }
    }

    /// Moves a slot to the young end of its list.
    #[inline]
    pub fn make_youngest(&mut self, list: &mut SlotList, slot: CacheSlot) {
        if list.youngest != slot && !self.entries[slot.slot_index()].held_back {
            self.unlink(list, slot);
            self.link(list, slot, ListEnd::Young);
        }
    }

    /// Holds a member of a list back: it stays a member, and is not found by searches until it is released.
    pub fn pin(&mut self, list: &mut SlotList, slot: CacheSlot) {
        if !self.entries[slot.slot_index()].held_back {
            self.unlink(list, slot);
            self.entries[slot.slot_index()].held_back = true;
        }
    }

    /// Releases a member that was held back: it is put at an end of its list.
    pub fn unpin(&mut self, list: &mut SlotList, slot: CacheSlot, end: ListEnd) {
        if self.entries[slot.slot_index()].held_back {
            self.entries[slot.slot_index()].held_back = false;
            self.link(list, slot, end);
        }
    }

    fn link(&mut self, list: &mut SlotList, slot: CacheSlot, end: ListEnd) {
        let (younger, older) = match end {
            ListEnd::Young => (CacheSlot::NONE, list.youngest),
            ListEnd::Old => (list.oldest, CacheSlot::NONE),
        };
        let entry = &mut self.entries[slot.slot_index()];
        (entry.younger, entry.older) = (younger, older);
        match younger.some() {
            Some(younger) => self.entries[younger.slot_index()].older = slot,
            None => list.youngest = slot,
        }
        match older.some() {
            Some(older) => self.entries[older.slot_index()].younger = slot,
            None => list.oldest = slot,
        }
    }

    fn unlink(&mut self, list: &mut SlotList, slot: CacheSlot) {
        let Entry { younger, older, .. } = self.entries[slot.slot_index()];
        match younger.some() {
            Some(younger) => self.entries[younger.slot_index()].older = older,
            None => list.youngest = older,
        }
        match older.some() {
            Some(older) => self.entries[older.slot_index()].younger = younger,
            None => list.oldest = younger,
        }
    }

    /// The next younger slot in the list of a slot that is not held back.
    #[inline]
    pub fn next_younger_slot(&self, slot: CacheSlot) -> Option<CacheSlot> {
        self.entries[slot.slot_index()].younger.some()
    }

    /// The block of a slot.
    #[inline]
    pub fn block(&self, slot: CacheSlot) -> u64 {
        self.entries[slot.slot_index()].block
    }

    /// The block of a slot with its state, for an eviction.
    pub fn evicted_block(&self, slot: CacheSlot) -> Evicted {
        Evicted { block: self.block(slot), state: self.slot_state(slot) }
    }

    /// Whether the block of a slot is resident, and not only remembered.
    #[inline]
    pub fn is_resident(&self, slot: CacheSlot) -> bool {
        self.entries[slot.slot_index()].resident
    }

    /// Sets whether the block of a slot is resident.
    #[inline]
    pub fn set_resident(&mut self, slot: CacheSlot, resident: bool) {
        self.entries[slot.slot_index()].resident = resident;
    }

    /// Whether a slot is held back.
    #[inline]
    pub fn is_pinned(&self, slot: CacheSlot) -> bool {
        self.entries[slot.slot_index()].held_back
    }

    /// Holds a slot back, or releases it, for policies without lists.
    #[inline]
    pub fn set_pinned(&mut self, slot: CacheSlot, held_back: bool) {
        self.entries[slot.slot_index()].held_back = held_back;
    }

    /// The list that contains a slot, by the numbers of the policy.
    #[inline]
    pub fn list_of_slot(&self, slot: CacheSlot) -> usize {
        usize::from(self.entries[slot.slot_index()].list)
    }

    /// Sets the list that contains a slot.
    #[inline]
    pub fn set_list(&mut self, slot: CacheSlot, list: usize) {
        self.entries[slot.slot_index()].list = list as u8;
    }

    /// The mark that the policy has set on a slot.
    #[inline]
    pub fn slot_mark(&self, slot: CacheSlot) -> u32 {
        self.entries[slot.slot_index()].mark
    }

    /// Sets the policy's mark on a slot.
    #[inline]
    pub fn set_slot_mark(&mut self, slot: CacheSlot, mark: u32) {
        self.entries[slot.slot_index()].mark = mark;
    }

    /// The policy's counter of a slot.
    #[inline]
    pub fn slot_counter(&self, slot: CacheSlot) -> u32 {
        self.entries[slot.slot_index()].count
    }

    /// Sets the policy's counter of a slot.
    #[inline]
    pub fn set_slot_counter(&mut self, slot: CacheSlot, count: u32) {
        self.entries[slot.slot_index()].count = count;
    }

    /// The state of a slot's block for the cache.
    #[inline]
    pub fn slot_state(&self, slot: CacheSlot) -> u8 {
        self.entries[slot.slot_index()].state
    }

    /// Sets the state of a slot's block for the cache.
    #[inline]
    pub fn set_slot_state(&mut self, slot: CacheSlot, state: u8) {
        self.entries[slot.slot_index()].state = state;
    }

    /// The number of all slots, including free ones.
    pub fn slot_count(&self) -> u32 {
        self.entries.len() as u32
    }

    /// The slot at an index, if its block is resident.
    pub fn resident_at(&self, place: u32) -> Option<CacheSlot> {
        Some(CacheSlot::at(place)).filter(|slot| self.is_resident(*slot))
    }

    /// The bytes of memory of the slots.
    pub fn memory_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.index.bytes()
    }
}
