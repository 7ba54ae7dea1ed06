//! Commands of hosts, and the parts of their times.

use sansim_kernel::{Span, Time};

/// The kind of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// The command reads data.
    Read,
    /// The command writes data.
    Write,
    /// The command writes data, and is done when these survive a loss of power (FUA).
    ForcedWrite,
    /// The command says that data are no longer needed.
    Trim,
    /// The command is done when acknowledged writes survive a loss of power. It has no bytes.
    Flush,
}

impl CommandKind {
    /// Whether the command writes data.
    pub fn is_write(self) -> bool {
        matches!(self, Self::Write | Self::ForcedWrite)
    }
}

/// A command of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashCommand {
    /// The identifier with which the command is completed.
    pub tag: u64,
    /// The kind of the command.
    pub kind: CommandKind,
    /// The first byte of the command on the drive.
    pub first_byte: u64,
    /// The number of bytes.
    pub bytes: u64,
}

/// The parts of the time of a command: for several pages those of the last page. The sum of the parts is the whole time, to the tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandTimeParts {
    /// The time in the controller, and waiting for it.
    pub controller: Span,
    /// The time on the link to the host, and waiting for it.
    pub link: Span,
    /// The time for mapping entries that had to be read from flash.
    pub mapping: Span,
    /// The time in the buffer, and waiting for room in it.
    pub buffer: Span,
    /// The time waiting for a die while it worked for garbage collection, or for a free block.
    pub collection: Span,
    /// The time waiting for a die for other reasons: other operations, and the channel for the command.
    pub queue: Span,
    /// The time in the flash: read, program.
    pub array: Span,
    /// The time waiting for the channel with read data, or while it transmitted data of other pages of the same command.
    pub channel: Span,
    /// The time on the channel: commands and data.
    pub transfer: Span,
}

impl CommandTimeParts {
    /// The sum of all parts.
    pub fn total_time(&self) -> Span {
        let CommandTimeParts {
            controller,
            link,
            mapping,
            buffer,
            collection,
            queue,
            array,
            channel,
            transfer,
        } = *self;
        controller + link + mapping + buffer + collection + queue + array + channel + transfer
    }

    /// The sum of these times and of those of an operation for the command.
    pub(crate) fn and(&self, other: &CommandTimeParts) -> CommandTimeParts {
        CommandTimeParts {
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

/// A completed command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedCommand {
    /// The identifier of the command.
    pub tag: u64,
    /// The kind of the command.
    pub kind: CommandKind,
    /// The time at which the command was submitted.
    pub submitted: Time,
    /// The time at which the command was done.
    pub done: Time,
    /// The parts of the time between both.
    pub spent: CommandTimeParts,
}

/// A command in the drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Active {
    pub command: FlashCommand,
    pub submitted: Time,
    /// The time since which the command is in its present state.
    pub since: Time,
    pub spent: CommandTimeParts,
    /// The number of operations for which the command waits.
    pub left: u32,
}

/// Records by number; the numbers of freed records are used again.
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

    /// The number of records in use.
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
