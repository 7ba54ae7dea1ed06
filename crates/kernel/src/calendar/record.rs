//! The records in the calendar's queues: a record has the place of an event in the total order, and the event itself or its place in
//! the table.

use super::Order;
use super::table::{Handle, Table};
use crate::time::Time;
use std::cmp::Ordering;

/// The number of sequence numbers that fit beside an [`Order`] in a record's tie. When the sequence numbers are used
/// up, the calendar renumbers the pending events (`Calendar::renumber`).
pub(super) const SEQUENCES: u32 = 1 << SEQUENCE_BITS;
const SEQUENCE_BITS: u32 = 24;
const UNIT_BITS: u32 = Order::UNITS.trailing_zeros();
const RANK_BITS: u32 = Order::RANKS.trailing_zeros();

// The fields of a tie together fill a word.
const _: () =
    assert!(Order::PRIORITIES.trailing_zeros() + RANK_BITS + UNIT_BITS + SEQUENCE_BITS == u64::BITS);

/// A place in the total order: the time in the high 64 bits, the tie in the low 64 bits.
pub(super) type Key = u128;

/// The event that a record schedules.
#[derive(Clone, Copy, Debug)]
pub(super) enum Planned<E> {
    /// This event, which cannot be cancelled.
    Certain(E),
    /// The event in the table, if it is still there: it may have been cancelled.
    Cancellable(Handle),
}

/// A scheduled event, pending or cancelled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<E> {
    pub time: u64,
    /// The tie-breaker between events of one instant: priority (3 bits), rank (14), unit (23), sequence of scheduling (24), from the high bits down.
    pub tie: u64,
    pub planned: Planned<E>,
}

// Two records with an event of 12 bytes, as a system has, fill a cache line.
const _: () = assert!(size_of::<Record<[u32; 3]>>() == 32);

impl<E: Copy> Record<E> {
    /// The value of an unused record.
    pub const NONE: Record<E> = Record { time: 0, tie: 0, planned: Planned::Cancellable(Handle::NONE) };

    #[inline(always)]
    pub fn new(at: Time, order: Order, sequence: u32, planned: Planned<E>) -> Record<E> {
        let Order { priority, rank, unit } = order;
        debug_assert!(
            priority < Order::PRIORITIES && rank < Order::RANKS && unit < Order::UNITS,
            "{order:?}"
        );
        let order = (u64::from(priority) << RANK_BITS | u64::from(rank)) << UNIT_BITS | u64::from(unit);
        let tie = order << SEQUENCE_BITS | u64::from(sequence);
        Record { time: at.ticks(), tie, planned }
    }

    #[inline(always)]
    pub fn key(&self) -> Key {
        u128::from(self.time) << 64 | u128::from(self.tie)
    }

    #[inline(always)]
    pub fn order(&self) -> Order {
        order(self.tie)
    }

    /// The event, if it is pending.
    #[inline(always)]
    pub fn event(&self, table: &Table<E>) -> Option<E> {
        match self.planned {
            Planned::Certain(event) => Some(event),
            Planned::Cancellable(handle) => table.get(handle),
        }
    }

    /// The record with another sequence number.
    pub fn renumbered(self, sequence: u32) -> Record<E> {
        Record { tie: self.tie >> SEQUENCE_BITS << SEQUENCE_BITS | u64::from(sequence), ..self }
    }

    /// Whether the two records differ in nothing but the sequence number.
    pub fn same_place(&self, other: &Record<E>) -> bool {
        self.time == other.time && self.order() == other.order()
    }
}

/// The order in a tie, without the sequence of scheduling.
#[inline(always)]
pub(super) fn order(tie: u64) -> Order {
    let order = tie >> SEQUENCE_BITS;
    Order {
        priority: (order >> (RANK_BITS + UNIT_BITS)) as u8,
        rank: (order >> UNIT_BITS) as u16 % Order::RANKS,
        unit: order as u32 % Order::UNITS,
    }
}

/// Records are compared by their keys, which differ between any two records of a calendar.
impl<E: Copy> Ord for Record<E> {
    #[inline(always)]
    fn cmp(&self, other: &Record<E>) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<E: Copy> PartialOrd for Record<E> {
    #[inline(always)]
    fn partial_cmp(&self, other: &Record<E>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E: Copy> PartialEq for Record<E> {
    #[inline(always)]
    fn eq(&self, other: &Record<E>) -> bool {
        self.key() == other.key()
    }
}

impl<E: Copy> Eq for Record<E> {}
