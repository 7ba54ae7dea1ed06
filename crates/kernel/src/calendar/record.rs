//! What the calendar's queues move about: 24 bytes that hold an event's place in the total order and say where
//! the event itself is kept.

use super::Order;
use crate::time::Time;
use std::cmp::Ordering;

/// How many sequence numbers fit beside priority and component in a record's rank. When they are used up, the
/// calendar numbers the pending events afresh (`Calendar::rebuild`).
pub(super) const SEQUENCES: u32 = 1 << SEQUENCE_BITS;
const SEQUENCE_BITS: u32 = 24;

/// A place in the total order: time in the high 64 bits, rank in the low ones.
pub(super) type Key = u128;

/// One scheduled event, pending or cancelled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record {
    pub time: u64,
    /// Priority (8 bits), component (32 bits), sequence of scheduling (24 bits), from the high bits down.
    pub rank: u64,
    /// Where the table keeps the event.
    pub handle: u64,
}

impl Record {
    #[inline(always)]
    pub fn new(at: Time, order: Order, sequence: u32, handle: u64) -> Record {
        let rank = u64::from(order.priority) << 56
            | u64::from(order.component) << SEQUENCE_BITS
            | u64::from(sequence);
        Record { time: at.ticks(), rank, handle }
    }

    #[inline(always)]
    pub fn key(&self) -> Key {
        u128::from(self.time) << 64 | u128::from(self.rank)
    }

    pub fn order(&self) -> Order {
        Order { priority: (self.rank >> 56) as u8, component: (self.rank >> SEQUENCE_BITS) as u32 }
    }

    /// The record with another sequence number.
    pub fn renumbered(self, sequence: u32) -> Record {
        Record { rank: self.rank >> SEQUENCE_BITS << SEQUENCE_BITS | u64::from(sequence), ..self }
    }

    /// Whether the two differ in nothing but the sequence number.
    pub fn same_place(&self, other: &Record) -> bool {
        self.time == other.time && self.order() == other.order()
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
