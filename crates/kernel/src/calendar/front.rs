//! The front of the calendar: the next few events, sorted.
//!
//! Up to sixteen records, each in a place of its own that it does not leave; their order is a list of sixteen 4-bit
//! place numbers in one 64-bit word. A new record finds its position by six comparisons without a branch that a
//! processor could mispredict, and entering and leaving the list are a few shifts of one word: faster than a sorted
//! array, whose search ends at an unpredictable place, and than any heap.
//!
//! The record inserted last is kept beside the list and sorted in when the next one comes. Often it is the next to
//! leave and is never sorted at all; if not, the sorting is off the path from one event to the next.

use super::record::Record;

/// How many records the front holds.
pub(super) const CAPACITY: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Front {
    /// Time and tie of the record in each place; all ones in free places, so that these count as later than any record.
    times: [u64; CAPACITY],
    ties: [u64; CAPACITY],
    handles: [u64; CAPACITY],
    /// Place numbers, four bits each: the used places from the lowest bits up, earliest first, then the free ones.
    order: u64,
    /// The record inserted last, as long as it is not sorted in.
    latest: Record,
    has_latest: bool,
    /// Records in all.
    len: usize,
}

impl Front {
    pub fn new() -> Front {
        Front {
            times: [u64::MAX; CAPACITY],
            ties: [u64::MAX; CAPACITY],
            handles: [0; CAPACITY],
            order: 0xfedc_ba98_7654_3210,
            latest: Record::default(),
            has_latest: false,
            len: 0,
        }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.len == CAPACITY
    }

    #[inline(always)]
    fn record(&self, place: usize) -> Record {
        Record { time: self.times[place], tie: self.ties[place], handle: self.handles[place] }
    }

    /// The place of the `position`-th record, counted from the earliest.
    #[inline(always)]
    fn place(&self, position: usize) -> usize {
        (self.order >> (4 * position)) as usize % CAPACITY
    }

    /// Whether the record inserted last is the earliest one.
    #[inline(always)]
    fn latest_is_next(&self) -> bool {
        self.has_latest & (self.latest.key() <= self.record(self.place(0)).key())
    }

    /// The earliest record; meaningless if the front is empty.
    #[inline(always)]
    pub fn earliest(&self) -> Record {
        if self.latest_is_next() { self.latest } else { self.record(self.place(0)) }
    }

    /// Takes the earliest record off the front, which must not be empty.
    #[inline(always)]
    pub fn pop(&mut self) -> Record {
        debug_assert!(!self.is_empty());
        if self.latest_is_next() {
            self.has_latest = false;
            self.len -= 1;
            return self.latest;
        }
        let place = self.place(0);
        let record = self.record(place);
        self.free(place);
        // To the end of the list, where it is the next to be used again.
        self.order = self.order.rotate_right(4);
        record
    }

    /// Sorts the record inserted last in.
    #[inline(always)]
    fn settle(&mut self) {
        if self.has_latest {
            self.has_latest = false;
            self.sort_in(self.latest);
        }
    }

    /// Puts `record` into the front, which must not be full.
    #[inline(always)]
    pub fn insert(&mut self, record: Record) {
        debug_assert!(!self.is_full());
        self.settle();
        self.latest = record;
        self.has_latest = true;
        self.len += 1;
    }

    /// Empties a place; its number has to leave the used part of the list.
    #[inline(always)]
    fn free(&mut self, place: usize) {
        self.times[place] = u64::MAX;
        self.ties[place] = u64::MAX;
        self.len -= 1;
    }

    #[inline(always)]
    fn sort_in(&mut self, record: Record) {
        let key = record.key();
        // How many of four quarters are earlier as a whole, then how many of the first three in the quarter after
        // them. (The fourth is not, or its quarter were; the sixteenth place of all is free.)
        let is_earlier = |position: usize| usize::from(self.record(self.place(position)).key() < key);
        let mut earlier = 4 * (is_earlier(3) + is_earlier(7) + is_earlier(11));
        earlier += is_earlier(earlier) + is_earlier(earlier + 1) + is_earlier(earlier + 2);
        self.insert_at(earlier, record);
    }

    /// Puts `record`, later than all others, at the end of the front, which must not be full.
    #[inline(always)]
    pub fn append(&mut self, record: Record) {
        self.settle();
        debug_assert!(self.is_empty() || self.record(self.place(self.len - 1)) < record);
        self.insert_at(self.len, record);
        self.len += 1;
    }

    /// Puts `record` at `position` of the list.
    #[inline(always)]
    fn insert_at(&mut self, position: usize, record: Record) {
        // One place at least is free, so the last of the list is.
        let place = self.order >> 60;
        let shift = 4 * position;
        let before = self.order & !(u64::MAX << shift);
        let behind = self.order & (u64::MAX << shift);
        self.order = before | place << shift | behind << 4;
        let place = place as usize;
        self.times[place] = record.time;
        self.ties[place] = record.tie;
        self.handles[place] = record.handle;
    }

    /// Takes the later half off and hands it, latest first, to `receive`.
    pub fn drain_later_half(&mut self, receive: impl FnMut(Record)) {
        self.drain_to(self.len / 2, receive);
    }

    /// Takes all records off and hands them to `receive`.
    pub fn drain(&mut self, receive: impl FnMut(Record)) {
        self.drain_to(0, receive);
    }

    fn drain_to(&mut self, len: usize, mut receive: impl FnMut(Record)) {
        self.settle();
        while self.len > len {
            let place = self.place(self.len - 1);
            receive(self.record(place));
            self.free(place);
        }
    }
}
