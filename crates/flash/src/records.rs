//! Commands of hosts, and where their time goes.

use sansim_kernel::{Span, Time};

/// The kind of a command.
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
pub struct FlashCommand {
    /// The name that it comes back by.
    pub tag: u64,
    /// Its kind.
    pub kind: CommandKind,
    /// First byte of the drive.
    pub first_byte: u64,
    /// How many.
    pub bytes: u64,
}

/// The parts of the time of a command: for several pages those of the last. Their sum is the whole time, to the tick.
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
    /// Its kind.
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
    pub command: FlashCommand,
    pub submitted: Time,
    /// Since when it is where it is.
    pub since: Time,
    pub spent: Spent,
    /// Operations that it waits for.
    pub left: u32,
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
