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
    /// Whether a write is done only when its data are on the medium.
    pub force_unit_access: bool,
    /// The first block.
    pub lbn: u64,
    /// The number of blocks; at least one, and none behind the last block of the disk.
    pub blocks: u32,
    /// The time at which the command came.
    pub arrival: Time,
}

impl DiskCommand {
    /// The block behind the last block of the command.
    pub fn end_block(&self) -> u64 {
        self.lbn + u64::from(self.blocks)
    }
}

/// The part of a command that the buffer had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferHit {
    /// No block was in the buffer: the arm moves.
    Miss,
    /// The first blocks were in the buffer; the arm moves to the others.
    Partial,
    /// The medium is reading towards the blocks, or among them: nothing has to be positioned.
    Almost,
    /// All blocks were in the buffer.
    Full,
    /// The data of a write are in the buffer, and go to the medium later.
    Buffered,
}

/// The outcome of a command, known when it begins. Later events do not change the outcome, except a host that does not consume the data of
/// a read in time: then [`Disk::stop_medium`](crate::Disk::stop_medium) and [`Disk::data_consumed`](crate::Disk::data_consumed) return a
/// new outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServedCommand {
    /// The command.
    pub command: DiskCommand,
    /// The part of the command that the buffer had.
    pub hit: BufferHit,
    /// The time at which the command left the queue.
    pub begin: Time,
    /// The time at which there was room in the buffer for a write; for any other command `begin`.
    pub room: Time,
    /// The time at which the drive's processor was done with the command and the arm, if it is needed, was free and left.
    pub start: Time,
    /// The time at which the arm was in position and had settled. The end of the seek, the beginning and the end of the transfer equal
    /// `start` where the medium has nothing to do.
    pub seek_end: Time,
    /// The time at which the first block of the command began to pass under the head. For an almost hit the transfer begins when the arm
    /// would have to wait no more, at `start`.
    pub transfer_begin: Time,
    /// The time at which the medium was done with the command; [`Time::NEVER`] while it is stopped and waits for the host.
    pub transfer_end: Time,
    /// The time at which the command is done: all data of a read are with the host, or a write may be answered. See `transfer_end` for a
    /// stopped medium.
    pub done: Time,
    /// How the data of the command come, for [`Disk::data_ready_time`](crate::Disk::data_ready_time).
    pub data: ReadDataSupply,
}

impl ServedCommand {
    /// The outcome of a command for which the medium has nothing to do: it is done when its data are over the interface.
    pub(crate) fn without_medium(
        command: DiskCommand,
        hit: BufferHit,
        (begin, room, start): (Time, Time, Time),
        done: Time,
    ) -> Self {
        let course = TransferProgress {
            arm: Arm::default(),
            at: start,
            next: command.end_block(),
            write: command.write,
        };
        let data = ReadDataSupply { cached: command.blocks, run: None, course, zero_latency: false };
        let (seek_end, transfer_begin, transfer_end) = (start, start, start);
        Self { command, hit, begin, room, start, seek_end, transfer_begin, transfer_end, done, data }
    }
}

/// How the data of a read come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadDataSupply {
    /// The blocks that were in the buffer at the start, or when the medium stopped.
    pub cached: u32,
    /// The current run, or the first one; none if all blocks were in the buffer, or while the medium is stopped.
    pub run: Option<TrackRun>,
    /// The transfer after the run.
    pub course: TransferProgress,
    /// Whether the tracks behind the run may be begun in the middle.
    pub zero_latency: bool,
}
