//! The front of the calendar: the next few events, sorted.
//!
//! Up to a few dozen records an array with the earliest at its end beats every cleverer structure: the next event
//! is taken off the end, and a new event, which mostly happens soon, has to pass only the few before it.

use super::record::Record;

/// More than this many records are not worth keeping sorted.
pub(super) const CAPACITY: usize = 32;

#[derive(Clone, Debug)]
pub(super) struct Front {
    /// Latest first.
    records: [Record; CAPACITY],
    len: usize,
}

impl Front {
    pub fn new() -> Front {
        Front { records: [Record::default(); CAPACITY], len: 0 }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.len == CAPACITY
    }

    /// The earliest record.
    #[inline(always)]
    pub fn earliest(&self) -> Option<&Record> {
        self.records[..self.len].last()
    }

    /// Takes the earliest record off.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Record> {
        let record = *self.records[..self.len].last()?;
        self.len -= 1;
        Some(record)
    }

    /// Puts `record` in its place.
    ///
    /// # Panics
    /// If the front is full.
    #[inline(always)]
    pub fn insert(&mut self, record: Record) {
        let key = record.key();
        let used = &mut self.records[..=self.len];
        let mut place = used.len() - 1;
        while place > 0 && used[place - 1].key() < key {
            used[place] = used[place - 1];
            place -= 1;
        }
        used[place] = record;
        self.len += 1;
    }

    /// Takes the later half off and hands it, latest first, to `receive`.
    pub fn drain_later_half(&mut self, mut receive: impl FnMut(Record)) {
        let half = self.len / 2;
        self.records[..half].iter().for_each(|record| receive(*record));
        self.records.copy_within(half..self.len, 0);
        self.len -= half;
    }

    /// Takes all records off and hands them to `receive`.
    pub fn drain(&mut self, receive: impl FnMut(Record)) {
        self.records[..self.len].iter().copied().for_each(receive);
        self.len = 0;
    }
}
