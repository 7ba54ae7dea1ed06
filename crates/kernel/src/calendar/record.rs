//! What the calendar's queues move about: 24 bytes that hold an event's place in the total order and say where
//! the event itself is kept.

use super::Order;
use crate::time::Time;
use std::cmp::Ordering;

/// How many sequence numbers fit beside an [`Order`] in a record's tie. When they are used up, the calendar numbers the
/// pending events afresh (`Calendar::renumber`).
pub(super) const SEQUENCES: u32 = 1 << SEQUENCE_BITS;
const SEQUENCE_BITS: u32 = 24;
const UNIT_BITS: u32 = Order::UNITS.trailing_zeros();
const RANK_BITS: u32 = Order::RANKS.trailing_zeros();

// Together they fill a word.
const _: () =
    assert!(Order::PRIORITIES.trailing_zeros() + RANK_BITS + UNIT_BITS + SEQUENCE_BITS == u64::BITS);

/// A place in the total order: time in the high 64 bits, tie in the low ones.
pub(super) type Key = u128;

/// One scheduled event, pending or cancelled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record {
    pub time: u64,
    /// What decides between events of one instant: priority (3 bits), rank (14), unit (23), sequence of scheduling (24), from
    /// the high bits down.
    pub tie: u64,
    /// Where the table keeps the event.
    pub handle: u64,
}

impl Record {
    #[inline(always)]
    pub fn new(at: Time, order: Order, sequence: u32, handle: u64) -> Record {
        let Order { priority, rank, unit } = order;
        debug_assert!(
            priority < Order::PRIORITIES && rank < Order::RANKS && unit < Order::UNITS,
            "{order:?}"
        );
        let order = (u64::from(priority) << RANK_BITS | u64::from(rank)) << UNIT_BITS | u64::from(unit);
        let tie = order << SEQUENCE_BITS | u64::from(sequence);
        Record { time: at.ticks(), tie, handle }
    }

    #[inline(always)]
    pub fn key(&self) -> Key {
        u128::from(self.time) << 64 | u128::from(self.tie)
    }

    #[inline(always)]
    pub fn order(&self) -> Order {
        order(self.tie)
    }

    /// The record with another sequence number.
    pub fn renumbered(self, sequence: u32) -> Record {
        Record { tie: self.tie >> SEQUENCE_BITS << SEQUENCE_BITS | u64::from(sequence), ..self }
    }

    /// Whether the two differ in nothing but the sequence number.
    pub fn same_place(&self, other: &Record) -> bool {
        self.time == other.time && self.order() == other.order()
    }
}

/// What a tie says besides the sequence of scheduling.
#[inline(always)]
pub(super) fn order(tie: u64) -> Order {
    let order = tie >> SEQUENCE_BITS;
    Order {
        priority: (order >> (RANK_BITS + UNIT_BITS)) as u8,
        rank: (order >> UNIT_BITS) as u16 % Order::RANKS,
        unit: order as u32 % Order::UNITS,
    }
}

/// Records compare by their key, which no two of a calendar share.
impl Ord for Record {
    fn cmp(&self, other: &Record) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Record {
    fn partial_cmp(&self, other: &Record) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Record {}
