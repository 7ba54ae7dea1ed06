//! The record of a completed I/O: times, size, device and dwells, a row of the I/O table.

use sansim_kernel::{Span, Time};
use sansim_request::Dwell;

/// A completed I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IoRecord {
    /// Response time.
    pub response: Span,
    /// Completion.
    pub completed: Time,
    /// Bytes of data.
    pub bytes: u64,
    /// The number of the I/O in the order of issue, warm-up included.
    pub io: u64,
    /// First logical block.
    pub lba: u64,
    /// Workload by number.
    pub workload: u32,
    /// Stream of the workload by number.
    pub stream: u32,
    /// Slot of a closed stream.
    pub slot: u32,
    /// Station of the device.
    pub drive: u32,
    /// Device by number.
    pub device: u32,
    /// Write or read.
    pub write: bool,
    /// Whether the I/O failed.
    pub failed: bool,
}

/// Completed I/Os with their ledgers.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// The I/Os in order of completion.
    pub rows: Vec<IoRecord>,
    /// The dwells of all I/Os, one I/O after the other.
    stays: Vec<Dwell>,
    /// For each I/O, the index after its last dwell.
    ends: Vec<usize>,
}

impl Records {
    /// Appends the record of an I/O.
    pub fn push(&mut self, record: &IoRecord, stays: &[Dwell]) {
        self.rows.push(*record);
        self.stays.extend_from_slice(stays);
        self.ends.push(self.stays.len());
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The stays of one of them.
    pub fn stays(&self, number: usize) -> &[Dwell] {
        let from = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.stays[from..self.ends[number]]
    }

    /// Forgets the first of them.
    pub(crate) fn leave_out(&mut self, count: usize) {
        let stays = count.checked_sub(1).map_or(0, |last| self.ends[last]);
        self.rows.drain(..count);
        self.stays.drain(..stays);
        self.ends.drain(..count);
        self.ends.iter_mut().for_each(|end| *end -= stays);
    }
}
