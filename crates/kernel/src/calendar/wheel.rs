//! The radix wheel: the events behind the front, sorted only as far as necessary.
//!
//! Keys are read as numbers in base 32, time digits above tie digits. A record is filed under the highest digit in
//! which its key differs from the wheel's base: the digit's position is the level, its value the slot. As no key is
//! below the base, lower levels come before higher levels and lower slots before higher slots; one bitmap for each
//! level finds the lowest slot in a few instructions. Opening a crowded slot moves the base up to the start of the slot
//! and stores its records again, all on the level below, even records that differ from the base only further down,
//! because their slot is the lowest then and is emptied before any other record is stored.
//!
//! The idea is the radix heap of Ahuja, Mehlhorn, Orlin and Tarjan ("Faster algorithms for the shortest path
//! problem", Journal of the ACM 37, 1990) with digits instead of bits; using full keys makes the order total.
//!
//! A slot is a chain of chunks from one pool, all of them full except the last. Records of a slot are read and written
//! as streams, which keeps large wheels from waiting for memory at every record, and in a steady state nothing is
//! allocated.

use super::record::{Key, Record};

/// The number of records in a chunk. A slot with a single chunk is moved to the front without sorting into levels;
/// a slot with more chunks is first sorted into lower levels.
pub(super) const CHUNK: usize = 16;

/// The number of chunks that are allocated at the beginning.
const CHUNKS: usize = 32;

const DIGIT_BITS: u32 = 5;
const SLOTS: usize = 1 << DIGIT_BITS;
const LEVELS_PER_WORD: u32 = u64::BITS.div_ceil(DIGIT_BITS);
/// The number of levels: first for the digits of the tie, then for the digits of the time.
const LEVELS: usize = 2 * LEVELS_PER_WORD as usize;

/// The place of the last record of an empty slot: the end of chunk 0, which is never used. Adding a record to an empty
/// slot and to a slot whose last chunk is full is therefore the same case.
const NOWHERE: u32 = CHUNK as u32 - 1;

#[derive(Clone, Debug)]
pub(super) struct Wheel<E> {
    base_time: u64,
    base_tie: u64,
    /// The levels that have records.
    levels: u32,
    /// The slots of a level that have records.
    slots: [u32; LEVELS],
    /// The index in the pool of the last record of each slot.
    lasts: [[u32; SLOTS]; LEVELS],
    /// The pool of records, chunk after chunk.
    records: Vec<Record<E>>,
    /// For each chunk in a slot, the last record of the chunk before it; for each free chunk, the last record of the
    /// next free chunk.
    before: Vec<u32>,
    /// The last record of the first free chunk.
    free: u32,
}

/// The position of a slot in the wheel.
#[derive(Clone, Copy, Debug)]
struct Slot {
    level: usize,
    slot: usize,
}

impl Slot {
    /// The slot of a record on this level.
    #[inline(always)]
    fn of<E>(record: &Record<E>, level: usize) -> Slot {
        let (word, digit) = match level.checked_sub(LEVELS_PER_WORD as usize) {
            Some(digit) => (record.time, digit),
            None => (record.tie, level),
        };
        Slot { level, slot: digit_of(word, digit as u32) }
    }
}

/// The value of a digit of a word.
#[inline(always)]
fn digit_of(word: u64, digit: u32) -> usize {
    (word >> (digit * DIGIT_BITS)) as usize % SLOTS
}

/// The places in the pool that a chunk occupies, up to its last record in use.
#[inline(always)]
fn chunk_to(last: u32) -> std::ops::Range<usize> {
    let last = last as usize;
    last - last % CHUNK..last + 1
}

impl<E: Copy> Wheel<E> {
    pub fn new() -> Wheel<E> {
        // The pool begins with chunk 0, and with room for the records of an overfull front.
        let (mut records, mut before) = (Vec::with_capacity(CHUNK * CHUNKS), Vec::with_capacity(CHUNKS));
        records.extend([Record::NONE; CHUNK]);
        before.push(NOWHERE);
        Wheel {
            base_time: 0,
            base_tie: 0,
            levels: 0,
            slots: [0; LEVELS],
            lasts: [[NOWHERE; SLOTS]; LEVELS],
            records,
            before,
            free: NOWHERE,
        }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.levels == 0
    }

    /// Whether the pool has to grow for one more chunk.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.free == NOWHERE
    }

    /// The base: no key of the wheel is below it.
    pub fn base(&self) -> Key {
        u128::from(self.base_time) << 64 | u128::from(self.base_tie)
    }

    /// Sets the base of an empty wheel.
    pub fn set_base(&mut self, base: Key) {
        debug_assert!(self.is_empty());
        (self.base_time, self.base_tie) = ((base >> 64) as u64, base as u64);
    }

    /// Files `record`, whose key must not be below the base.
    #[inline(always)]
    pub fn insert(&mut self, record: Record<E>) {
        debug_assert!(record.key() >= self.base());
        let difference = record.time ^ self.base_time;
        let slot = if difference != 0 {
            let digit = difference.ilog2() / DIGIT_BITS;
            Slot { level: (LEVELS_PER_WORD + digit) as usize, slot: digit_of(record.time, digit) }
        } else {
            let digit = ((record.tie ^ self.base_tie) | 1).ilog2() / DIGIT_BITS;
            Slot { level: digit as usize, slot: digit_of(record.tie, digit) }
        };
        let place = self.next_place(slot);
        self.records[place] = record;
    }

    /// The place in the pool for the next record of a slot.
    #[inline(always)]
    fn next_place(&mut self, Slot { level, slot }: Slot) -> usize {
        let mut place = self.lasts[level][slot] + 1;
        if place.is_multiple_of(CHUNK as u32) {
            place = self.add_chunk(place - 1);
            self.levels |= 1 << level;
            self.slots[level] |= 1 << slot;
        }
        self.lasts[level][slot] = place;
        place as usize
    }

    /// Gets a chunk from the pool that comes after the chunk with the last record `before`; returns its first
    /// place.
    #[inline(always)]
    fn add_chunk(&mut self, before: u32) -> u32 {
        if self.is_full() {
            self.grow();
        }
        let chunk = self.free as usize / CHUNK;
        self.free = std::mem::replace(&mut self.before[chunk], before);
        (chunk * CHUNK) as u32
    }

    /// Adds a new chunk to the pool.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.records.extend([Record::NONE; CHUNK]);
        self.before.push(NOWHERE);
        self.free = u32::try_from(self.records.len() - 1).expect("there are fewer than 2^32 records");
    }

    /// Returns the chunk with the record `last` to the pool; returns the last record of the chunk before it.
    #[inline(always)]
    fn free_chunk(&mut self, last: u32) -> u32 {
        let chunk = last as usize / CHUNK;
        let free = std::mem::replace(&mut self.free, last | NOWHERE);
        std::mem::replace(&mut self.before[chunk], free)
    }

    /// The slot with the earliest records.
    #[inline(always)]
    fn lowest(&self) -> Option<Slot> {
        if self.levels == 0 {
            return None;
        }
        let level = self.levels.trailing_zeros() as usize;
        Some(Slot { level, slot: self.slots[level].trailing_zeros() as usize })
    }

    /// The smallest key that belongs into `slot`.
    fn start(&self, Slot { level, slot }: Slot) -> Key {
        let level = level as u32;
        // The digits above the level are the base's, the digit of the level is the slot's, and the digits
        // below are zero.
        let floor = |word: u64, level: u32| {
            let shift = level * DIGIT_BITS;
            // The topmost level is not a whole digit, and no digit is above it.
            let above = word.checked_shr(shift + DIGIT_BITS).unwrap_or(0) << DIGIT_BITS;
            u128::from((above | slot as u64) << shift)
        };
        let start = match level.checked_sub(LEVELS_PER_WORD) {
            Some(level) => floor(self.base_time, level) << 64,
            None => u128::from(self.base_time) << 64 | floor(self.base_tie, level),
        };
        debug_assert!(start >= self.base());
        start
    }

    /// The start of the lowest slot: no key of the wheel is below it; the largest key if the wheel is empty.
    pub fn lowest_slot_start(&self) -> Key {
        self.lowest().map_or(Key::MAX, |slot| self.start(slot))
    }

    /// Removes the earliest records, at least one and at most [`CHUNK`], such that all remaining records are later, and
    /// passes them to `receive`: slot by slot, in the order of slots; the records within a slot are not sorted. The
    /// wheel must not be empty.
    #[inline(always)]
    pub fn take_earliest(&mut self, mut receive: impl FnMut(&[Record<E>])) {
        let mut taken = 0;
        while let Some(slot) = self.lowest() {
            let last = self.lasts[slot.level][slot.slot];
            if self.before[last as usize / CHUNK] == NOWHERE {
                let records = &self.records[chunk_to(last)];
                taken += records.len();
                if taken > CHUNK {
                    return;
                }
                receive(records);
                self.empty(slot);
                self.free_chunk(last);
            } else if taken == 0 {
                self.refile(slot);
            } else {
                return;
            }
        }
    }

    /// Removes the chain of chunks from a slot; returns the place of its last record.
    #[inline(always)]
    fn empty(&mut self, Slot { level, slot }: Slot) -> u32 {
        self.slots[level] &= !(1 << slot);
        if self.slots[level] == 0 {
            self.levels &= !(1 << level);
        }
        std::mem::replace(&mut self.lasts[level][slot], NOWHERE)
    }

    /// Moves the base up to the start of the lowest slot, and stores all records of that slot again, one level lower.
    /// The slot must not be of level 0, on which no slot has more than one record. After this the lowest slot has to be
    /// emptied.
    #[inline(never)]
    fn refile(&mut self, slot: Slot) {
        let base = self.start(slot);
        (self.base_time, self.base_tie) = ((base >> 64) as u64, base as u64);
        let mut last = self.empty(slot);
        while last != NOWHERE {
            for place in chunk_to(last) {
                let lower = Slot::of(&self.records[place], slot.level - 1);
                let to = self.next_place(lower);
                self.records[to] = self.records[place];
            }
            last = self.free_chunk(last);
        }
    }

    /// Removes all records and passes them to `receive`.
    pub fn drain(&mut self, mut receive: impl FnMut(Record<E>)) {
        while let Some(slot) = self.lowest() {
            let mut last = self.empty(slot);
            while last != NOWHERE {
                self.records[chunk_to(last)].iter().copied().for_each(&mut receive);
                last = self.free_chunk(last);
            }
        }
    }
}
