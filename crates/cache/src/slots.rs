//! The slots of a cache: an array with an entry for each block that is held, and for each that a policy remembers after it has
//! gone. Lists run through it by number.
//!
//! It grows with what it holds, up to a size that is known when it is made: a large cache that is little used is small.

use crate::index::Index;
pub use crate::slot::CacheSlot;

/// Half a line of a processor's cache, so that none lies across two of them.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Entry {
    block: u64,
    /// The neighbours in its list; of a free slot `older` is the next free one.
    younger: CacheSlot,
    older: CacheSlot,
    /// The mark of its policy: a bit, a bucket, a place.
    mark: u32,
    /// The counter of its policy.
    count: u32,
    /// In which list of its policy it is.
    list: u8,
    /// The state for the cache: dirty, in flight and so on.
    state: u8,
    resident: bool,
    held_back: bool,
}

/// A block that had to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evicted {
    /// Its number.
    pub block: u64,
    /// Its state for the cache.
    pub state: u8,
}

/// A list of slots from the youngest to the oldest. Slots that are held back are members, but stand nowhere in it.
#[derive(Clone, Copy, Debug)]
pub struct List {
    youngest: CacheSlot,
    oldest: CacheSlot,
    members: u32,
}

impl Default for List {
    fn default() -> Self {
        Self { youngest: CacheSlot::NONE, oldest: CacheSlot::NONE, members: 0 }
    }
}

impl List {
    /// How many are in it, those that are held back included.
    #[inline]
    pub fn members(&self) -> u32 {
        self.members
    }

    /// The one that came last, of those that are not held back.
    #[inline]
    pub fn youngest(&self) -> Option<CacheSlot> {
        self.youngest.some()
    }

    /// The one that came first, of those that are not held back.
    #[inline]
    pub fn oldest(&self) -> Option<CacheSlot> {
        self.oldest.some()
    }
}

/// An end of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    /// Where what is used goes.
    Young,
    /// Where what goes next is taken.
    Old,
}

/// See the text at the top of this file.
#[derive(Clone, Debug)]
pub struct SlotLists {
    entries: Vec<Entry>,
    /// The first of those that are free, which follow each other by `older`.
    free: CacheSlot,
    /// How many there may be.
    most: usize,
    index: Index,
}

impl SlotLists {
    /// None yet, and never more than `most`.
    pub fn new(most: u32) -> Self {
        Self {
            entries: Vec::new(),
            free: CacheSlot::NONE,
            most: most.min(CacheSlot::MOST) as usize,
            index: Index::new(),
        }
    }

    /// The slot of a block.
    #[inline]
    pub fn find(&self, block: u64) -> Option<CacheSlot> {
        self.index.find(block, |slot| self.entries[slot.place()].block == block)
    }

    /// A slot for a block that has none. It is resident and in no list.
    pub fn add(&mut self, block: u64) -> CacheSlot {
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
            self.free = self.entries[free.place()].older;
            self.entries[free.place()] = entry;
            free
        } else {
            let length = self.entries.len();
            debug_assert!(length < self.most, "more slots than there may be");
            if length == self.entries.capacity() {
                // Twice as many, but never more than there may be.
                let more = length.max(64).min((self.most - length).max(1));
                sansim_hugepages::reserve_exact(&mut self.entries, more);
            }
            self.entries.push(entry);
            CacheSlot::at(length as u32)
        };
        self.index.add(block, slot);
        slot
    }

    /// A slot at the old end of its list will be removed soon: what that looks at is far away, and is brought near meanwhile.
    #[inline]
    pub fn foresee_removal(&self, slot: CacheSlot) {
        let entry = &self.entries[slot.place()];
        self.index.foresee(entry.block);
        sansim_hugepages::foresee(&self.entries, entry.younger.place());
    }

    /// Gives back a slot that is in no list.
    pub fn remove(&mut self, slot: CacheSlot) {
        let entry = &mut self.entries[slot.place()];
        self.index.remove(entry.block, slot);
        entry.older = self.free;
        entry.resident = false;
        entry.held_back = false;
        self.free = slot;
    }

    /// Puts a slot at the young end of a list.
    #[inline]
    pub fn insert(&mut self, list: &mut List, slot: CacheSlot) {
        list.members += 1;
        if !self.entries[slot.place()].held_back {
            self.link(list, slot, ListEnd::Young);
        }
    }

    /// Takes a slot out of a list.
    #[inline]
    pub fn take(&mut self, list: &mut List, slot: CacheSlot) {
        list.members -= 1;
        if !self.entries[slot.place()].held_back {
            self.unlink(list, slot);
        }
    }

    /// To the young end of the list that it is in.
    #[inline]
    pub fn renew(&mut self, list: &mut List, slot: CacheSlot) {
        if list.youngest != slot && !self.entries[slot.place()].held_back {
            self.unlink(list, slot);
            self.link(list, slot, ListEnd::Young);
        }
    }

    /// Holds a member of a list back: it stays a member, and is not found in it until it is let go.
    pub fn hold(&mut self, list: &mut List, slot: CacheSlot) {
        if !self.entries[slot.place()].held_back {
            self.unlink(list, slot);
            self.entries[slot.place()].held_back = true;
        }
    }

    /// Lets a member go that was held back: it goes to an end of its list.
    pub fn let_go(&mut self, list: &mut List, slot: CacheSlot, end: ListEnd) {
        if self.entries[slot.place()].held_back {
            self.entries[slot.place()].held_back = false;
            self.link(list, slot, end);
        }
    }

    fn link(&mut self, list: &mut List, slot: CacheSlot, end: ListEnd) {
        let (younger, older) = match end {
            ListEnd::Young => (CacheSlot::NONE, list.youngest),
            ListEnd::Old => (list.oldest, CacheSlot::NONE),
        };
        let entry = &mut self.entries[slot.place()];
        (entry.younger, entry.older) = (younger, older);
        match younger.some() {
            Some(younger) => self.entries[younger.place()].older = slot,
            None => list.youngest = slot,
        }
        match older.some() {
            Some(older) => self.entries[older.place()].younger = slot,
            None => list.oldest = slot,
        }
    }

    fn unlink(&mut self, list: &mut List, slot: CacheSlot) {
        let Entry { younger, older, .. } = self.entries[slot.place()];
        match younger.some() {
            Some(younger) => self.entries[younger.place()].older = older,
            None => list.youngest = older,
        }
        match older.some() {
            Some(older) => self.entries[older.place()].younger = younger,
            None => list.oldest = younger,
        }
    }

    /// The next younger one in the list of a slot that is not held back.
    #[inline]
    pub fn younger(&self, slot: CacheSlot) -> Option<CacheSlot> {
        self.entries[slot.place()].younger.some()
    }

    /// The block of a slot.
    #[inline]
    pub fn block(&self, slot: CacheSlot) -> u64 {
        self.entries[slot.place()].block
    }

    /// The block of a slot with its state, for an eviction.
    pub fn leaving(&self, slot: CacheSlot) -> Evicted {
        Evicted { block: self.block(slot), state: self.state(slot) }
    }

    /// Whether its block is held, and not only remembered.
    #[inline]
    pub fn is_resident(&self, slot: CacheSlot) -> bool {
        self.entries[slot.place()].resident
    }

    /// Says whether its block is held.
    #[inline]
    pub fn set_resident(&mut self, slot: CacheSlot, resident: bool) {
        self.entries[slot.place()].resident = resident;
    }

    /// Whether it is held back.
    #[inline]
    pub fn is_held_back(&self, slot: CacheSlot) -> bool {
        self.entries[slot.place()].held_back
    }

    /// For policies without lists: holds a slot back, or lets it go.
    #[inline]
    pub fn set_held_back(&mut self, slot: CacheSlot, held_back: bool) {
        self.entries[slot.place()].held_back = held_back;
    }

    /// The list that it is in, as its policy numbers them.
    #[inline]
    pub fn list(&self, slot: CacheSlot) -> usize {
        usize::from(self.entries[slot.place()].list)
    }

    /// Notes in which list it is.
    #[inline]
    pub fn set_list(&mut self, slot: CacheSlot, list: usize) {
        self.entries[slot.place()].list = list as u8;
    }

    /// The mark of its policy.
    #[inline]
    pub fn mark(&self, slot: CacheSlot) -> u32 {
        self.entries[slot.place()].mark
    }

    /// Notes something for its policy.
    #[inline]
    pub fn set_mark(&mut self, slot: CacheSlot, mark: u32) {
        self.entries[slot.place()].mark = mark;
    }

    /// The counter of its policy.
    #[inline]
    pub fn count(&self, slot: CacheSlot) -> u32 {
        self.entries[slot.place()].count
    }

    /// Counts something for its policy.
    #[inline]
    pub fn set_count(&mut self, slot: CacheSlot, count: u32) {
        self.entries[slot.place()].count = count;
    }

    /// The state for the cache.
    #[inline]
    pub fn state(&self, slot: CacheSlot) -> u8 {
        self.entries[slot.place()].state
    }

    /// Notes something for the cache.
    #[inline]
    pub fn set_state(&mut self, slot: CacheSlot, state: u8) {
        self.entries[slot.place()].state = state;
    }

    /// How many places there are, those of free slots included.
    pub fn places(&self) -> u32 {
        self.entries.len() as u32
    }

    /// The slot at a place, if its block is held.
    pub fn resident_at(&self, place: u32) -> Option<CacheSlot> {
        Some(CacheSlot::at(place)).filter(|slot| self.is_resident(*slot))
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.index.bytes()
    }
}
