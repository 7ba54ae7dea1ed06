//! Commands of hosts, operations on the flash, and where the time of both goes.

use sansim_kernel::{Span, Time};

/// No number.
pub const NONE: u32 = u32::MAX;

/// What a host asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// Data.
    Read,
    /// Data to be kept.
    Write,
    /// That data are kept no longer.
    Trim,
}

/// A command of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// The name that it comes back by.
    pub tag: u64,
    /// What is asked for.
    pub kind: CommandKind,
    /// First byte of the drive.
    pub first_byte: u64,
    /// How many.
    pub bytes: u64,
}

/// Where the time of a command went: of several pages that of the last. The sum is the whole of it, to the tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// In the controller, and before it for commands that came before.
    pub controller: Span,
    /// On the link to the host, and before it.
    pub link: Span,
    /// For mapping entries that had to be read from flash.
    pub mapping: Span,
    /// In the buffer, and before it for room.
    pub buffer: Span,
    /// Before a die while it worked for garbage collection, or for a free block.
    pub collection: Span,
    /// Before a die for other reasons: what else it did, the channel for the command.
    pub queue: Span,
    /// In the flash: read, program.
    pub array: Span,
    /// Before the channel with data that were read, or while it carried what others of the same command have.
    pub channel: Span,
    /// On the channel: commands and data.
    pub transfer: Span,
}

impl Spent {
    /// The whole.
    pub fn total(&self) -> Span {
        let Spent { controller, link, mapping, buffer, collection, queue, array, channel, transfer } = *self;
        controller + link + mapping + buffer + collection + queue + array + channel + transfer
    }

    /// With what was spent on an operation for it.
    pub(crate) fn and(&self, other: &Spent) -> Spent {
        Spent {
            controller: self.controller + other.controller,
            link: self.link + other.link,
            mapping: self.mapping + other.mapping,
            buffer: self.buffer + other.buffer,
            collection: self.collection + other.collection,
            queue: self.queue + other.queue,
            array: self.array + other.array,
            channel: self.channel + other.channel,
            transfer: self.transfer + other.transfer,
        }
    }
}

/// A command that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Its name.
    pub tag: u64,
    /// What was asked for.
    pub kind: CommandKind,
    /// When it was submitted.
    pub submitted: Time,
    /// When it was done.
    pub done: Time,
    /// Where the time between went.
    pub spent: Spent,
}

/// A command in the drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Active {
    pub command: Command,
    pub submitted: Time,
    /// Since when it is where it is.
    pub since: Time,
    pub spent: Spent,
    /// Operations that it waits for.
    pub left: u32,
}

/// What is done in the flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Program,
    Erase,
}

/// What an operation is for.
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
    /// What it is for is done.
    Itself,
}

/// A part of a command, of garbage collection, or of the mapping: one unit.
#[derive(Clone, Copy, Debug)]
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
    pub bytes: u64,
    pub touched: u32,
    pub covered: u32,
    /// Bytes that go over the channel, and pages, in the present phase.
    pub moved: u64,
    pub pages: u32,
    /// Whether a die works on the present phase.
    pub started: bool,
    /// It was trimmed before it had a place.
    pub trimmed: bool,
    pub since: Time,
    /// How long its server had worked for garbage collection when it began to wait.
    pub collected: Span,
    pub spent: Spent,
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
            collected: Span::ZERO,
            spent: Spent::default(),
            next: NONE,
        }
    }

    /// Whether it programs what a host wrote.
    pub fn is_write(&self) -> bool {
        self.kind == Kind::Program && matches!(self.purpose, Purpose::Command(_) | Purpose::Buffered)
    }

    /// The time since the last look, from which it begins again.
    pub fn lap(&mut self, now: Time) -> Span {
        let lap = now - self.since;
        self.since = now;
        lap
    }
}

/// Records by number, of which free ones are used again.
#[derive(Clone, Debug)]
pub(crate) struct Slab<T> {
    records: Vec<T>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    pub fn new() -> Self {
        Self { records: Vec::new(), free: Vec::new() }
    }

    pub fn add(&mut self, record: T) -> u32 {
        if let Some(number) = self.free.pop() {
            self.records[number as usize] = record;
            return number;
        }
        self.records.push(record);
        (self.records.len() - 1) as u32
    }

    pub fn remove(&mut self, number: u32) {
        self.free.push(number);
    }

    /// How many are in use.
    pub fn len(&self) -> usize {
        self.records.len() - self.free.len()
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, number: u32) -> &T {
        &self.records[number as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut T {
        &mut self.records[number as usize]
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

    pub fn push(&mut self, operations: &mut Slab<Operation>, number: u32) {
        operations[number].next = NONE;
        if self.is_empty() {
            self.head = number;
        } else {
            operations[self.tail].next = number;
        }
        self.tail = number;
    }

    pub fn pop(&mut self, operations: &Slab<Operation>) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let number = self.head;
        self.head = operations[number].next;
        Some(number)
    }

    /// Takes out the one behind `previous`.
    pub fn take_behind(&mut self, operations: &mut Slab<Operation>, previous: u32) -> Option<u32> {
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
