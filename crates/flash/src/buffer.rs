//! The write buffer: its data, and the commands that wait for room.

use crate::operations::NONE;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

/// A hasher that spreads a number over 64 bits: Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4). No action is ever done
/// in the order of hashes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

/// Logical units that are in the buffer.
pub(crate) type Units = HashSet<u32, BuildHasherDefault<Spread>>;

/// The operations of the buffer that came between two flushes.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    /// The number of operations that are not done.
    left: u32,
    /// The command that flushes them and all before.
    flush: u32,
}

/// The write buffer of a flash drive: its data, and the commands that wait for room.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// The most bytes that may wait to be programmed; none if there is no buffer.
    limit: Option<u64>,
    held: u64,
    /// The commands that wait for room, in the order of their arrival.
    pub waiting: VecDeque<u32>,
    /// The operations between flushes that wait, each group with the number of operations that are not done: the first begins with the
    /// number `first_epoch`, and no flush has come after the last.
    epochs: VecDeque<Epoch>,
    first_epoch: u32,
    /// The operations that commands with forced unit access wait for, each with its command.
    forced: Vec<(u32, u32)>,
    /// The operation that programs each logical unit in the buffer.
    units: HashMap<u32, u32, BuildHasherDefault<Spread>>,
}

impl Buffer {
    pub fn new(limit: Option<u64>) -> Self {
        Self {
            limit,
            held: 0,
            waiting: VecDeque::new(),
            epochs: VecDeque::from([Epoch::default()]),
            first_epoch: 0,
            forced: Vec::new(),
            units: HashMap::default(),
        }
    }

    /// The most bytes that may wait to be programmed; none without a buffer.
    pub fn waiting_byte_limit(&self) -> Option<u64> {
        self.limit
    }

    pub fn exists(&self) -> bool {
        self.limit.is_some()
    }

    /// Whether a write of this many bytes may enter the buffer. A write larger than the buffer enters when the buffer is empty.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.held == 0 || self.limit.is_none_or(|limit| self.held + bytes <= limit)
    }

    /// The entry for the operation that programs a logical unit, which the caller may set; [`NONE`] if there is no operation.
    pub fn operation_entry(&mut self, logical: u32) -> &mut u32 {
        self.units.entry(logical).or_insert(NONE)
    }

    /// An operation with this many bytes waits to be programmed; returns its epoch.
    pub fn operation_waits(&mut self, bytes: u64) -> u32 {
        self.held += bytes;
        if let Some(epoch) = self.epochs.back_mut() {
            epoch.left += 1;
        }
        self.first_epoch.wrapping_add(self.epochs.len() as u32 - 1)
    }

    /// A flush comes. Returns whether it is done, because no operation is left that it waits for.
    pub fn flush(&mut self, command: u32) -> bool {
        if self.epochs.len() == 1 && self.epochs.iter().all(|epoch| epoch.left == 0) {
            return true;
        }
        if let Some(epoch) = self.epochs.back_mut() {
            epoch.flush = command;
        }
        self.epochs.push_back(Epoch::default());
        false
    }

    /// An operation of this epoch is done. Afterwards [`Self::next_flushed`] returns the flushes that have waited for it.
    pub fn operation_done(&mut self, epoch: u32) {
        let place = epoch.wrapping_sub(self.first_epoch) as usize;
        if let Some(epoch) = self.epochs.get_mut(place) {
            epoch.left -= 1;
        }
    }

    /// The next flush of which all operations are done.
    pub fn next_flushed(&mut self) -> Option<u32> {
        let done = self.epochs.len() > 1 && self.epochs.front().is_some_and(|epoch| epoch.left == 0);
        if !done {
            return None;
        }
        self.first_epoch = self.first_epoch.wrapping_add(1);
        self.epochs.pop_front().map(|epoch| epoch.flush)
    }

    /// A command with forced unit access waits for an operation.
    pub fn await_operation(&mut self, command: u32, operation: u32) {
        self.forced.push((operation, command));
    }

    /// The next command that has waited for an operation that is done, in the order in which they came.
    #[inline]
    pub fn next_forced(&mut self, operation: u32) -> Option<u32> {
        let place = self.forced.iter().position(|(awaited, _)| *awaited == operation)?;
        Some(self.forced.remove(place).1)
    }

    /// An operation has programmed this many bytes.
    pub fn programmed(&mut self, logical: u32, operation: u32, bytes: u64) {
        self.held -= bytes;
        if let Entry::Occupied(entry) = self.units.entry(logical)
            && *entry.get() == operation
        {
            entry.remove();
        }
    }

    /// The operation that programs a logical unit.
    pub fn operation_of_unit(&self, logical: u32) -> Option<u32> {
        if self.units.is_empty() {
            return None;
        }
        self.units.get(&logical).copied()
    }

    /// The data of a logical unit in the buffer are obsolete.
    pub fn data_obsolete(&mut self, logical: u32) -> Option<u32> {
        self.units.remove(&logical)
    }

    /// The bytes that wait to be programmed.
    pub fn waiting_bytes(&self) -> u64 {
        self.held
    }
}
