//! The record of a completed I/O, a row of the I/O table: its columns are times, size, device and dwells.

use sansim_kernel::{Span, Time};
use sansim_request::{DEALLOCATION_LIST_BYTES, Dwell, Operation};

/// The number of kinds of observations: one for each operation.
pub const KINDS: usize = Operation::ALL.len();
/// The kinds of observations.
pub const ALL: [usize; KINDS] = [READS, WRITES, FLUSHES, DEALLOCATIONS];
/// The kind of reads.
pub const READS: usize = Operation::Read as usize;
/// The kind of writes.
pub const WRITES: usize = Operation::Write as usize;
/// The kind of flushes.
pub const FLUSHES: usize = Operation::Flush as usize;
/// The kind of deallocations.
pub const DEALLOCATIONS: usize = Operation::Deallocate as usize;

/// A completed I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IoRecord {
    /// The response time of the I/O.
    pub response: Span,
    /// The completion time of the I/O.
    pub completed: Time,
    /// The bytes that were read, written or deallocated.
    pub bytes: u64,
    /// The number of the I/O in the order of issue, including the warm-up.
    pub io: u64,
    /// The first logical block of the I/O.
    pub lba: u64,
    /// The workload, by number.
    pub workload: u32,
    /// The stream of the workload, by number.
    pub stream: u32,
    /// The slot of a closed stream.
    pub slot: u32,
    /// The station of the device.
    pub drive: u32,
    /// The device, by number.
    pub device: u32,
    /// The operation of the I/O.
    pub operation: Operation,
    /// Whether the I/O failed.
    pub failed: bool,
}

impl IoRecord {
    /// The bytes that moved between the host and the device: for a deallocation those of its list.
    pub fn data_bytes(&self) -> u64 {
        match self.operation {
            Operation::Read | Operation::Write | Operation::Flush | Operation::CheckPath => self.bytes,
            Operation::Deallocate => DEALLOCATION_LIST_BYTES,
        }
    }

    /// Whether data go to the device: those of a write, or the list of a deallocation.
    pub fn is_write(&self) -> bool {
        self.operation.is_write()
    }
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

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The dwells of the I/O with this index.
    pub fn dwells_of_io(&self, number: usize) -> &[Dwell] {
        let from = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.stays[from..self.ends[number]]
    }

    /// Removes the first `count` records.
    pub(crate) fn leave_out(&mut self, count: usize) {
        let stays = count.checked_sub(1).map_or(0, |last| self.ends[last]);
        self.rows.drain(..count);
        self.stays.drain(..stays);
        self.ends.drain(..count);
        self.ends.iter_mut().for_each(|end| *end -= stays);
    }
}
