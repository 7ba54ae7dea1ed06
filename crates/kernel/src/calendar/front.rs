//! The front of the calendar: the next few events, sorted.
//!
//! An array with the earliest record first. Taking that one moves the beginning; a new record pushes those before it
//! down by one place. Most events of a simulation are planned just behind the next one or two, so that the way to their
//! place is short: shorter than any search that halves, and than any heap.

use super::record::Record;

/// How many records the front holds at most.
pub(super) const CAPACITY: usize = 32;

/// Where a refilled front begins: below is room for new records, above for what the wheel hands over.
const BEGINNING: usize = CAPACITY / 2;

/// How many records an empty front takes from the wheel at most.
pub(super) const REFILL: usize = CAPACITY - BEGINNING;

#[derive(Clone, Debug)]
pub(super) struct Front<E> {
    /// Those from `begin` to before `end` count, in their order.
    records: [Record<E>; CAPACITY],
    begin: usize,
    end: usize,
}

impl<E: Copy> Front<E> {
    pub fn new() -> Front<E> {
        Front { records: [Record::NONE; CAPACITY], begin: CAPACITY, end: CAPACITY }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.begin == self.end
    }

    /// Whether there is no room for a record before the first one.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.begin == 0
    }

    /// The earliest record; the front must not be empty.
    #[inline(always)]
    pub fn earliest(&self) -> &Record<E> {
        debug_assert!(!self.is_empty());
        &self.records[self.begin]
    }

    /// Takes the earliest record off the front, which must not be empty.
    #[inline(always)]
    pub fn drop_earliest(&mut self) {
        debug_assert!(!self.is_empty());
        self.begin += 1;
    }

    /// Puts `record` into the front, which must not be full.
    #[inline(always)]
    pub fn insert(&mut self, record: Record<E>) {
        debug_assert!(!self.is_full());
        self.begin -= 1;
        let mut rest = &mut self.records[self.begin..self.end];
        while let [free, next, ..] = rest
            && next.key() < record.key()
        {
            *free = *next;
            rest = &mut rest[1..];
        }
        rest[0] = record;
    }

    /// Makes an empty front ready for up to [`REFILL`] records by [`Front::append`].
    #[inline(always)]
    pub fn begin_refill(&mut self) {
        debug_assert!(self.is_empty());
        (self.begin, self.end) = (BEGINNING, BEGINNING);
    }

    /// Puts the records of a slot, which are later than all others, behind them. The front is being refilled.
    #[inline(always)]
    pub fn append(&mut self, slot: &[Record<E>]) {
        let records = &mut self.records[self.end..][..slot.len()];
        self.end += slot.len();
        for (place, record) in records.iter_mut().zip(slot) {
            *place = *record;
        }
        for sorted in 1..records.len() {
            let record = records[sorted];
            let mut rest = &mut records[..=sorted];
            while let [earlier @ .., before, free] = rest
                && record.key() < before.key()
            {
                *free = *before;
                let len = earlier.len() + 1;
                rest = &mut rest[..len];
            }
            if let [.., free] = rest {
                *free = record;
            }
        }
    }

    /// Makes room in a full front: takes its later half off and hands it, latest first, to `receive`, and moves the
    /// others to the end of the array.
    pub fn drain_later_half(&mut self, receive: impl FnMut(Record<E>)) {
        let len = self.end - self.begin;
        self.drain_to(self.begin + len / 2, receive);
        let kept = self.end - self.begin;
        self.records.copy_within(self.begin..self.end, CAPACITY - kept);
        (self.begin, self.end) = (CAPACITY - kept, CAPACITY);
    }

    /// Takes all records off and hands them to `receive`.
    pub fn drain(&mut self, receive: impl FnMut(Record<E>)) {
        self.drain_to(self.begin, receive);
        (self.begin, self.end) = (CAPACITY, CAPACITY);
    }

    fn drain_to(&mut self, end: usize, receive: impl FnMut(Record<E>)) {
        self.records[end..self.end].iter().rev().copied().for_each(receive);
        self.end = end;
    }
}
