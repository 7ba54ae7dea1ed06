//! Operations on the flash: the parts of commands, garbage collection and the mapping there, and the waits between them.

use crate::records::{Slab, Spent};
use sansim_kernel::{Span, Time};

/// No number.
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
    /// For a command that waits for it.
    Command(u32),
    /// For a write in the buffer that was acknowledged.
    Buffered,
    /// For garbage collection; the operation has the number of the plane.
    Collection,
    /// Mapping entries that leave their cache.
    Entries,
}

/// How far an operation is. Each but the last is an operation in the flash of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Its mapping entries are read.
    Entries,
    /// The rest of what it writes is read.
    Rest,
    /// The operation itself.
    Itself,
}

/// A part of a command, of garbage collection, or of the mapping: one unit. A full buffer has tens of thousands of them, so each fits into a cache
/// line of the processor, and data that only some have are in [`Way`].
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Operation {
    pub purpose: Purpose,
    pub phase: Phase,
    pub kind: Kind,
    pub write: bool,
    pub logical: u32,
    pub unit: u32,
    /// The plane of the present phase.
    pub plane: u32,
    /// Bytes of the unit that the host reads or writes, and the pages that they touch and that they cover.
    pub bytes: u32,
    pub touched: u32,
    pub covered: u32,
    /// Bytes that go over the channel, and pages, in the present phase.
    pub moved: u32,
    pub pages: u32,
    /// Whether a die works on the present phase.
    pub started: bool,
    /// It was trimmed before it had a place.
    pub trimmed: bool,
    /// Since when it waits; of one for a command since when it is where it is.
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
            started: false,
            trimmed: false,
            since: now,
            next: NONE,
        }
    }

    /// Whether what is written to its unit is added to it: no die works on it yet.
    pub fn may_take_more(&self) -> bool {
        self.phase != Phase::Itself || !self.started
    }

    /// Whether it programs what a host wrote.
    pub fn is_write(&self) -> bool {
        self.kind == Kind::Program && matches!(self.purpose, Purpose::Command(_) | Purpose::Buffered)
    }
}

/// Where the time of an operation went that a command waits for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Way {
    pub spent: Spent,
    /// How long its server had worked for garbage collection when it began to wait.
    pub collected: Span,
}

/// All operations by number, and the [`Way`]s of those that commands wait for.
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

    /// The way of an operation, if a command waits for it.
    #[inline]
    pub fn way(&mut self, number: u32) -> Option<&mut Way> {
        match self.records[number].purpose {
            Purpose::Command(_) => Some(&mut self.ways[number as usize]),
            _ => None,
        }
    }

    /// The time since the last look at an operation that a command waits for was spent on this.
    #[inline]
    pub fn spend(&mut self, number: u32, now: Time, on: impl FnOnce(&mut Spent) -> &mut Span) {
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

/// Operations one behind another, linked by their `next`.
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

    /// Takes out the one behind `previous`.
    pub fn take_behind(&mut self, operations: &mut Operations, previous: u32) -> Option<u32> {
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

/// The programs that wait in a plane, with what is asked of the first again and again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    programs: List,
    /// Since when the first waits, and whether it begins only where hosts have room.
    pub since: Time,
    pub needs_room: bool,
}

impl Line {
    pub const EMPTY: Line = Line { programs: List::EMPTY, since: Time::ZERO, needs_room: false };

    /// The first; [`NONE`] of an empty line.
    #[inline]
    pub fn first(&self) -> u32 {
        self.programs.head
    }

    pub fn push(&mut self, operations: &mut Operations, number: u32) {
        let is_first = self.programs.is_empty();
        self.programs.push(operations, number);
        if is_first {
            self.look(operations);
        }
    }

    pub fn pop(&mut self, operations: &Operations) -> Option<u32> {
        let number = self.programs.pop(operations)?;
        self.look(operations);
        Some(number)
    }

    /// Updates the properties of the first, which may have changed.
    pub fn look(&mut self, operations: &Operations) {
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
