//! Operations on the flash: the parts of commands, of garbage collection and of the mapping, and the waiting times between them.

use crate::records::{CommandTimeParts, Slab};
use sansim_kernel::{Span, Time};

/// The value that means: no operation.
pub const NONE: u32 = u32::MAX;

/// The kind of an operation in the flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Program,
    Erase,
}

/// The purpose of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The operation is for a command that waits for it.
    Command(u32),
    /// The operation is for an acknowledged write in the buffer.
    Buffered,
    /// The operation is for garbage collection, and has the number of the plane.
    Collection,
    /// The operation writes mapping entries that leave their cache.
    Entries,
    /// The operation empties the SLC cache of a plane, whose number it has behind those of garbage collection.
    Folding,
}

/// The phase of an operation. Each phase but the last is a separate operation in the flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The mapping entries of the operation are read.
    Entries,
    /// The bytes that the operation does not write are read.
    Rest,
    /// The operation itself is carried out.
    Itself,
}

/// An operation: a part of a command, of garbage collection, or of the mapping, on one unit. A full buffer has tens of thousands of
/// operations, so each fits into a cache line of the processor, and data that only some have are in [`Way`].
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Operation {
    pub purpose: Purpose,
    pub phase: Phase,
    pub kind: Kind,
    pub write: bool,
    pub logical: u32,
    pub unit: u32,
    /// The plane in which the present phase works.
    pub plane: u32,
    /// The bytes of the unit that the host reads or writes, the number of pages that they touch, and the number that they cover.
    pub bytes: u32,
    pub touched: u32,
    pub covered: u32,
    /// The bytes on the channel, and the pages, of the present phase.
    pub moved: u32,
    pub pages: u32,
    /// For an acknowledged write in the buffer: the number of flushes that came before it, as the buffer counts them.
    pub epoch: u32,
    /// Whether a die works on the present phase.
    pub started: bool,
    /// Whether the operation was trimmed before it had a physical unit.
    pub trimmed: bool,
    /// The time since which the operation waits; for an operation of a command the time of its last change.
    pub since: Time,
    pub next: u32,
}

impl Operation {
    pub fn new(purpose: Purpose, write: bool, logical: u32, now: Time) -> Self {
        Self {
            purpose,
            phase: Phase::Itself,
            kind: Kind::Read,
            write,
            logical,
            unit: NONE,
            plane: 0,
            bytes: 0,
            touched: 0,
            covered: 0,
            moved: 0,
            pages: 0,
            epoch: 0,
            started: false,
            trimmed: false,
            since: now,
            next: NONE,
        }
    }

    /// Whether further writes to the unit are merged into the operation: no die works on it yet.
    pub fn may_take_more(&self) -> bool {
        self.phase != Phase::Itself || !self.started
    }

    /// Whether the operation programs data of a host.
    pub fn is_write(&self) -> bool {
        self.kind == Kind::Program && matches!(self.purpose, Purpose::Command(_) | Purpose::Buffered)
    }
}

/// The times that an operation has spent for which a command waits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Way {
    pub spent: CommandTimeParts,
    /// The time for which its server had worked for garbage collection when the operation began to wait.
    pub collected: Span,
}

/// All operations by number, and the [`Way`]s of the operations for which commands wait.
#[derive(Clone, Debug)]
pub(crate) struct Operations {
    records: Slab<Operation>,
    ways: Vec<Way>,
}

impl Operations {
    pub fn new() -> Self {
        Self { records: Slab::new(), ways: Vec::new() }
    }

    pub fn add(&mut self, operation: Operation) -> u32 {
        let number = self.records.add(operation);
        if let Purpose::Command(_) = operation.purpose {
            let at = number as usize;
            if self.ways.len() <= at {
                self.ways.resize(at + 1, Way::default());
            }
            self.ways[at] = Way::default();
        }
        number
    }

    pub fn remove(&mut self, number: u32) {
        self.records.remove(number);
    }

    /// The times of an operation, if a command waits for it.
    #[inline]
    pub fn operation_times(&mut self, number: u32) -> Option<&mut Way> {
        match self.records[number].purpose {
            Purpose::Command(_) => Some(&mut self.ways[number as usize]),
            _ => None,
        }
    }

    /// Attributes the time since the last call to a segment, for an operation for which a command waits.
    #[inline]
    pub fn attribute_time(
        &mut self,
        number: u32,
        now: Time,
        on: impl FnOnce(&mut CommandTimeParts) -> &mut Span,
    ) {
        let operation = &mut self.records[number];
        if let Purpose::Command(_) = operation.purpose {
            *on(&mut self.ways[number as usize].spent) += now - operation.since;
            operation.since = now;
        }
    }
}

impl std::ops::Index<u32> for Operations {
    type Output = Operation;
    #[inline]
    fn index(&self, number: u32) -> &Operation {
        &self.records[number]
    }
}

impl std::ops::IndexMut<u32> for Operations {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut Operation {
        &mut self.records[number]
    }
}

/// A list of operations, linked by their `next`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    pub head: u32,
    tail: u32,
}

impl List {
    pub const EMPTY: List = List { head: NONE, tail: NONE };

    pub fn is_empty(&self) -> bool {
        self.head == NONE
    }

    pub fn push(&mut self, operations: &mut Operations, number: u32) {
        operations[number].next = NONE;
        if self.is_empty() {
            self.head = number;
        } else {
            operations[self.tail].next = number;
        }
        self.tail = number;
    }

    pub fn pop(&mut self, operations: &Operations) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let number = self.head;
        self.head = operations[number].next;
        Some(number)
    }

    /// Removes the operation behind `previous`.
    pub fn remove_after(&mut self, operations: &mut Operations, previous: u32) -> Option<u32> {
        let number = if previous == NONE { self.head } else { operations[previous].next };
        if number == NONE {
            return None;
        }
        let next = operations[number].next;
        if previous == NONE {
            self.head = next;
        } else {
            operations[previous].next = next;
        }
        if self.tail == number {
            self.tail = previous;
        }
        Some(number)
    }
}

/// The programs that wait in a plane, with those properties of the first that are queried often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    programs: List,
    /// The time since which the first program waits, and whether it begins only where hosts have room.
    pub since: Time,
    pub needs_room: bool,
}

impl Line {
    pub const EMPTY: Line = Line { programs: List::EMPTY, since: Time::ZERO, needs_room: false };

    /// The first program; [`NONE`] for an empty line.
    #[inline]
    pub fn first_program(&self) -> u32 {
        self.programs.head
    }

    pub fn push(&mut self, operations: &mut Operations, number: u32) {
        let is_first = self.programs.is_empty();
        self.programs.push(operations, number);
        if is_first {
            self.update_first_program(operations);
        }
    }

    pub fn pop(&mut self, operations: &Operations) -> Option<u32> {
        let number = self.programs.pop(operations)?;
        self.update_first_program(operations);
        Some(number)
    }

    /// Updates the properties of the first program, which may have changed.
    pub fn update_first_program(&mut self, operations: &Operations) {
        if !self.programs.is_empty() {
            let first = &operations[self.programs.head];
            (self.since, self.needs_room) = (first.since, first.is_write() && !first.trimmed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_a_line_of_the_cache() {
        assert_eq!(size_of::<Operation>(), 64);
    }
}
