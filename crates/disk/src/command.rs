//! A command for a disk, and its outcome.

use crate::mechanics::{Arm, TrackRun, TransferProgress};
use sansim_kernel::Time;

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskCommand {
    /// Identifies the command for the caller.
    pub id: u64,
    /// Whether data go to the disk.
    pub write: bool,
    /// First block.
    pub lbn: u64,
    /// How many; one at least, and none behind the last block of the disk.
    pub blocks: u32,
    /// When it came.
    pub arrival: Time,
}

impl DiskCommand {
    /// The block behind the last.
    pub fn end(&self) -> u64 {
        self.lbn + u64::from(self.blocks)
    }
}

/// The part of a command that the buffer had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// Nothing: the arm goes there.
    Miss,
    /// The first blocks; the arm goes to the others.
    Partial,
    /// The medium is reading towards them, or among them: nothing has to be positioned.
    Almost,
    /// All of them.
    Full,
    /// The data of a write, which go to the medium later.
    Buffered,
}

/// The outcome of a command, known when it begins. Later events do not change it, except a host that does not take the data of a read in time: then
/// [`Disk::stop`](crate::Disk::stop) and [`Disk::taken`](crate::Disk::taken) return a new outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// The command.
    pub command: DiskCommand,
    /// The part of it that the buffer had.
    pub hit: Hit,
    /// When it left the queue.
    pub begin: Time,
    /// When there was room in the buffer for a write; for everything else `begin`.
    pub room: Time,
    /// When the drive's processor was done with it, and the arm, if it is needed, was free and left.
    pub start: Time,
    /// When the arm was there and had settled. This and the next two are `start` where the medium has nothing to do.
    pub seek_end: Time,
    /// When its first block began to pass under the head. For an almost hit, when the arm would have to wait no more: `start`.
    pub transfer_begin: Time,
    /// When the medium was done with it; [`Time::NEVER`] while it is stopped and waits for the host.
    pub transfer_end: Time,
    /// When it is done: all data of a read are with the host, a write may be answered. See `transfer_end`.
    pub done: Time,
    /// How its data come, for [`Disk::there`](crate::Disk::there).
    pub data: Data,
}

impl Served {
    /// One for which the medium has nothing to do: it is done when its data are over the interface.
    pub(crate) fn without_medium(
        command: DiskCommand,
        hit: Hit,
        (begin, room, start): (Time, Time, Time),
        done: Time,
    ) -> Self {
        let course =
            TransferProgress { arm: Arm::default(), at: start, next: command.end(), write: command.write };
        let data = Data { cached: command.blocks, run: None, course, zero_latency: false };
        let (seek_end, transfer_begin, transfer_end) = (start, start, start);
        Self { command, hit, begin, room, start, seek_end, transfer_begin, transfer_end, done, data }
    }
}

/// How the data of a read come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Blocks that are in the buffer at the start, or when the medium stopped.
    pub cached: u32,
    /// The current run, or the first one; none if all were in the buffer, or while the medium is stopped.
    pub run: Option<TrackRun>,
    /// The transfer after the run.
    pub course: TransferProgress,
    /// Whether the tracks behind the run may be begun in the middle.
    pub zero_latency: bool,
}
