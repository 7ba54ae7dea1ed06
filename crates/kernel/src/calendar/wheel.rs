//! The radix wheel: the events behind the front, sorted just as far as necessary.
//!
//! Keys are read as numbers in base 64, time digits above tie digits. A record is filed under the highest digit in
//! which its key differs from the wheel's base: the digit's position is the level, its value the slot. As no key is
//! below the base, lower levels come before higher ones and lower slots before higher ones; one bitmap for each
//! level finds the lowest slot in a few instructions. Opening a crowded slot moves the base up to the earliest of
//! its records and files them again, each at its new, lower level.
//!
//! The idea is the radix heap of Ahuja, Mehlhorn, Orlin and Tarjan ("Faster algorithms for the shortest path
//! problem", Journal of the ACM 37, 1990) with digits instead of bits; going by full keys makes the order total.
//!
//! A slot is a chain of chunks from one pool. Records of a slot are read and written as streams, which keeps large
//! wheels from waiting for memory at every record, and in a steady state nothing is allocated.

use super::record::{Key, Record};

/// Records in a chunk. A slot of a single chunk is taken as it is; one with more is sorted into lower levels first.
pub(super) const CHUNK: usize = 16;

const DIGIT_BITS: u32 = 6;
const SLOTS: usize = 1 << DIGIT_BITS;
const LEVELS_PER_WORD: u32 = u64::BITS.div_ceil(DIGIT_BITS);
/// Tie digits first, then time digits.
const LEVELS: usize = 2 * LEVELS_PER_WORD as usize;

/// Number of the chunk that stands for "no chunk". It is always full, so that adding to an empty slot and to a full
/// chunk is the same case.
const NONE: u32 = 0;

/// Some records of a slot, field by field: that way a record goes from registers into the chunk and back.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    times: [u64; CHUNK],
    ties: [u64; CHUNK],
    handles: [u64; CHUNK],
    len: usize,
    next: u32,
}

impl Chunk {
    #[inline(always)]
    fn push(&mut self, record: Record) {
        self.times[self.len] = record.time;
        self.ties[self.len] = record.tie;
        self.handles[self.len] = record.handle;
        self.len += 1;
    }

    #[inline(always)]
    fn record(&self, i: usize) -> Record {
        Record { time: self.times[i], tie: self.ties[i], handle: self.handles[i] }
    }

    #[inline(always)]
    fn records(&self) -> impl Iterator<Item = Record> {
        (0..self.len.min(CHUNK)).map(|i| self.record(i))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Wheel {
    base_time: u64,
    base_tie: u64,
    /// Which levels have records.
    levels: u32,
    /// Which slots of a level have records.
    slots: [u64; LEVELS],
    /// The first chunk of each slot.
    heads: [[u32; SLOTS]; LEVELS],
    chunks: Vec<Chunk>,
    first_free: u32,
    len: usize,
}

/// A slot of the wheel.
#[derive(Clone, Copy, Debug)]
struct Slot {
    level: usize,
    slot: usize,
}

#[inline(always)]
fn digit(word: u64, level: u32) -> usize {
    (word >> (level * DIGIT_BITS)) as usize % SLOTS
}

impl Wheel {
    pub fn new() -> Wheel {
        let zeros = [0; CHUNK];
        let none = Chunk { times: zeros, ties: zeros, handles: zeros, len: CHUNK, next: NONE };
        Wheel {
            base_time: 0,
            base_tie: 0,
            levels: 0,
            slots: [0; LEVELS],
            heads: [[NONE; SLOTS]; LEVELS],
            chunks: vec![none],
            first_free: NONE,
            len: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.levels == 0
    }

    /// No key of the wheel is below this one.
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
    pub fn insert(&mut self, record: Record) {
        debug_assert!(record.key() >= self.base());
        let difference = record.time ^ self.base_time;
        let (level, slot) = if difference != 0 {
            let level = difference.ilog2() / DIGIT_BITS;
            ((LEVELS_PER_WORD + level) as usize, digit(record.time, level))
        } else {
            let level = ((record.tie ^ self.base_tie) | 1).ilog2() / DIGIT_BITS;
            (level as usize, digit(record.tie, level))
        };
        self.len += 1;
        let head = self.heads[level][slot];
        let chunk = &mut self.chunks[head as usize];
        if chunk.len < CHUNK {
            chunk.push(record);
            return;
        }
        let number = self.add_chunk(head);
        self.chunks[number as usize].push(record);
        self.heads[level][slot] = number;
        self.levels |= 1 << level;
        self.slots[level] |= 1 << slot;
    }

    /// An empty chunk, followed by the chunk `next`.
    #[inline(always)]
    fn add_chunk(&mut self, next: u32) -> u32 {
        if self.first_free == NONE {
            self.grow();
        }
        let number = self.first_free;
        let chunk = &mut self.chunks[number as usize];
        self.first_free = chunk.next;
        chunk.len = 0;
        chunk.next = next;
        number
    }

    /// Puts a new chunk into the pool.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.first_free = u32::try_from(self.chunks.len()).expect("there are fewer chunks than records");
        self.chunks.push(self.chunks[NONE as usize]);
    }

    /// Hands the chunk `number` back to the pool.
    #[inline(always)]
    fn free_chunk(&mut self, number: u32) {
        let chunk = &mut self.chunks[number as usize];
        self.len -= chunk.len;
        chunk.next = self.first_free;
        self.first_free = number;
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
        // The digits above are the base's, this one is the slot's, those below are zero.
        let floor = |word: u64, level: u32| {
            let shift = level * DIGIT_BITS;
            // The topmost level is not a whole digit, and nothing is above it.
            let above = word.checked_shr(shift + DIGIT_BITS).unwrap_or(0) << DIGIT_BITS;
            u128::from((above | slot as u64) << shift)
        };
        let start = match level.checked_sub(LEVELS_PER_WORD) {
            Some(level) => floor(self.base_time, level) << 64,
            None => u128::from(self.base_time) << 64 | floor(self.base_tie, level),
        };
        // The slot of the base itself starts with the base.
        start.max(self.base())
    }

    /// No key of the wheel is below this one; the largest of all if the wheel is empty.
    pub fn bound(&self) -> Key {
        self.lowest().map_or(Key::MAX, |slot| self.start(slot))
    }

    /// Takes the earliest records out, such that all that stay are later, and hands them to `receive`: whole slots until
    /// there are `enough` or the next slot makes more than [`CHUNK`], at least one record. The wheel must not be empty.
    ///
    /// Slots come in order, the records of one slot do not; `receive` is told whether a record is alone in its slot
    /// and so later than all records before it.
    #[inline(always)]
    pub fn take_earliest(&mut self, enough: usize, mut receive: impl FnMut(Record, bool)) {
        let mut taken = 0;
        while let Some(slot) = self.lowest() {
            let head = self.heads[slot.level][slot.slot];
            let chunk = &self.chunks[head as usize];
            if chunk.next == NONE {
                taken += chunk.len;
                if taken > CHUNK {
                    return;
                }
                let alone = chunk.len == 1;
                chunk.records().for_each(|record| receive(record, alone));
                self.empty(slot);
                self.free_chunk(head);
                if taken >= enough {
                    return;
                }
            } else if taken == 0 {
                self.empty(slot);
                self.refile(head);
            } else {
                return;
            }
        }
    }

    /// Takes the chain of chunks off a slot.
    #[inline(always)]
    fn empty(&mut self, Slot { level, slot }: Slot) -> u32 {
        self.slots[level] &= !(1 << slot);
        if self.slots[level] == 0 {
            self.levels &= !(1 << level);
        }
        std::mem::replace(&mut self.heads[level][slot], NONE)
    }

    /// Moves the base up to the earliest record of a chain of chunks, and files all its records again.
    #[inline(never)]
    fn refile(&mut self, head: u32) {
        let mut base = Key::MAX;
        let mut number = head;
        while number != NONE {
            let chunk = &self.chunks[number as usize];
            base = chunk.records().fold(base, |least, record| least.min(record.key()));
            number = chunk.next;
        }
        (self.base_time, self.base_tie) = ((base >> 64) as u64, base as u64);
        number = head;
        while number != NONE {
            for i in 0..self.chunks[number as usize].len {
                self.insert(self.chunks[number as usize].record(i));
            }
            let next = self.chunks[number as usize].next;
            self.free_chunk(number);
            number = next;
        }
    }

    /// Takes all records out and hands them to `receive`.
    pub fn drain(&mut self, mut receive: impl FnMut(Record)) {
        while let Some(slot) = self.lowest() {
            let mut number = self.empty(slot);
            while number != NONE {
                let chunk = &self.chunks[number as usize];
                let next = chunk.next;
                chunk.records().for_each(&mut receive);
                self.free_chunk(number);
                number = next;
            }
        }
    }
}
