//! The front of the calendar: the next few events, sorted.
//!
//! An array with the earliest record last. Taking that one shortens it; a new record pushes those that come before it up by
//! one place. Most events of a simulation are planned to be the very next, or just behind the next one or two, so that the
//! way to their place is short: shorter than any search that halves, and than any heap.

use super::record::Record;

/// The most records of the front. It may have one more until some are moved to the wheel.
pub(super) const CAPACITY: usize = 32;

/// How many records an empty front takes from behind at most: there is room for as many new ones.
pub(super) const REFILL: usize = CAPACITY / 2;

#[derive(Clone, Debug)]
pub(super) struct Front<E> {
    /// The first `len` of them count, the latest first.
    records: [Record<E>; CAPACITY + 1],
    len: usize,
}

impl<E: Copy> Front<E> {
    pub fn new() -> Front<E> {
        Front { records: [Record::NONE; CAPACITY + 1], len: 0 }
    }

    /// Whether it holds one record too many.
    #[inline(always)]
    pub fn is_overfull(&self) -> bool {
        self.len > CAPACITY
    }

    /// The earliest record; none if the front is empty.
    #[inline(always)]
    pub fn earliest(&self) -> Option<&Record<E>> {
        self.records.get(self.len.wrapping_sub(1))
    }

    /// Takes the earliest record off the front, which must not be empty.
    #[inline(always)]
    pub fn drop_earliest(&mut self) {
        self.len -= 1;
    }

    /// Puts `record` into the front, which must not be overfull.
    #[inline(always)]
    pub fn insert(&mut self, record: Record<E>) {
        let len = self.len;
        sort_in(&mut self.records[..=len], record);
        self.len = len + 1;
    }

    /// Puts the records of a slot behind all others, which are earlier. Only into an empty front, slot after slot, at most
    /// [`REFILL`] records; then comes [`Front::end_refill`].
    #[inline(always)]
    pub fn append(&mut self, slot: &[Record<E>]) {
        let end = REFILL - self.len;
        self.len += slot.len();
        let places = &mut self.records[REFILL - self.len..end];
        for (sorted, record) in slot.iter().enumerate() {
            sort_in(&mut places[..=sorted], *record);
        }
    }

    /// Moves what was appended to where it belongs.
    #[inline(always)]
    pub fn end_refill(&mut self) {
        self.records.copy_within(REFILL - self.len..REFILL, 0);
    }

    /// Makes room in an overfull front: takes its later half off and hands it, latest first, to `receive`.
    pub fn drain_later_half(&mut self, receive: impl FnMut(Record<E>)) {
        let later = self.len / 2;
        self.records[..later].iter().copied().for_each(receive);
        self.records.copy_within(later..self.len, 0);
        self.len -= later;
    }

    /// Takes all records off and hands them to `receive`.
    pub fn drain(&mut self, receive: impl FnMut(Record<E>)) {
        self.records[..self.len].iter().copied().for_each(receive);
        self.len = 0;
    }
}

/// Puts `record` into sorted records, of which the last place is free: earlier ones go up by one.
#[inline(always)]
fn sort_in<E: Copy>(mut records: &mut [Record<E>], record: Record<E>) {
    while let [others @ .., before, free] = records
        && before.key() < record.key()
    {
        *free = *before;
        let len = others.len() + 1;
        records = &mut records[..len];
    }
    if let [.., free] = records {
        *free = record;
    }
}
