//! The front of the calendar: the next events, sorted.
//!
//! The front is an array with the earliest record last. Removing the earliest record shortens the array; a new record moves
//! the records that come before it up by one place. Most events of a simulation are scheduled to be the very next, or just
//! behind the next one or two, so the number of moves to their place is small: smaller than in a binary search or in a
//! heap.

use super::record::Record;

/// The most records of the front. The front may have one more record until some records are moved to the
/// wheel.
pub(super) const CAPACITY: usize = 32;

/// The most records that an empty front receives from the wheel: there is room for as many new records.
pub(super) const REFILL: usize = CAPACITY / 2;

#[derive(Clone, Debug)]
pub(super) struct Front<E> {
    /// The records of the front: the first `len` are in use, the latest record first.
    records: [Record<E>; CAPACITY + 1],
    len: usize,
}

impl<E: Copy> Front<E> {
    pub fn new() -> Front<E> {
        Front { records: [Record::NONE; CAPACITY + 1], len: 0 }
    }

    /// Whether the front holds one record too many.
    #[inline(always)]
    pub fn is_overfull(&self) -> bool {
        self.len > CAPACITY
    }

    /// The earliest record; none if the front is empty.
    #[inline(always)]
    pub fn earliest(&self) -> Option<&Record<E>> {
        self.records.get(self.len.wrapping_sub(1))
    }

    /// Removes the earliest record from the front, which must not be empty.
    #[inline(always)]
    pub fn drop_earliest(&mut self) {
        self.len -= 1;
    }

    /// Inserts `record` into the front, which must not be overfull.
    #[inline(always)]
    pub fn insert(&mut self, record: Record<E>) {
        let len = self.len;
        sort_in(&mut self.records[..=len], record);
        self.len = len + 1;
    }

    /// Appends the records of a slot behind all other records, which are earlier. The function may be called only for an
    /// empty front, slot after slot, for at most [`REFILL`] records; then [`Front::end_refill`] must be called.
    #[inline(always)]
    pub fn append(&mut self, slot: &[Record<E>]) {
        let end = REFILL - self.len;
        self.len += slot.len();
        let places = &mut self.records[REFILL - self.len..end];
        for (sorted, record) in slot.iter().enumerate() {
            sort_in(&mut places[..=sorted], *record);
        }
    }

    /// Moves the appended records to the beginning of the array.
    #[inline(always)]
    pub fn end_refill(&mut self) {
        self.records.copy_within(REFILL - self.len..REFILL, 0);
    }

    /// Makes room in an overfull front: removes its later half and passes it, latest first, to `receive`.
    pub fn drain_later_half(&mut self, receive: impl FnMut(Record<E>)) {
        let later = self.len / 2;
        self.records[..later].iter().copied().for_each(receive);
        self.records.copy_within(later..self.len, 0);
        self.len -= later;
    }

    /// Removes all records and passes them to `receive`.
    pub fn drain(&mut self, receive: impl FnMut(Record<E>)) {
        self.records[..self.len].iter().copied().for_each(receive);
        self.len = 0;
    }
}

/// Inserts `record` into sorted records, of which the last place is free: earlier records move up by one
/// place.
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
