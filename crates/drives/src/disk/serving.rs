//! A command, or a piece of a large write, that the disk has begun: its progress, instant by instant.

use super::catalogue::segment;
use crate::medium::CommandOutcome;
use sansim_disk::{BLOCK_BYTES, BufferHit, Disk, ServedCommand};
use sansim_kernel::{Span, Time};

/// The number of an aborted command.
pub(super) const NOBODY: u32 = u32::MAX;

/// The progress of a command, or of a piece of a large write, that the disk has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Serving {
    /// The number of the command.
    pub number: u32,
    pub served: ServedCommand,
    /// The bytes of room for data of writes that become free when the command or piece is done.
    pub frees: u64,
    /// The number of blocks in a piece of the data of a read.
    piece: u32,
    /// The number of the next stage of the command, and the time of that stage.
    stage: usize,
    pub next: Time,
    /// Blocks of a read that were reported as read.
    there: u32,
    /// The time at which the drive's processor is done with the command.
    processed: Time,
    /// Whether only the transfer to or from the host is left.
    is_with_host: bool,
}

/// The stage in which the first data of a read have passed, and the stage in which [`Serving::report_events`] has reported the end.
const GIVES: usize = 5;
const DONE: usize = 6;

impl Serving {
    /// A command or piece that the disk has begun just now. `overhead` is how long the drive's processor needs for the command, from its
    /// arrival on.
    pub fn new(number: u32, served: ServedCommand, frees: u64, piece: u32, overhead: Span) -> Self {
        let processed = (served.command.arrival + overhead).clamp(served.begin, served.start);
        Self {
            number,
            served,
            frees,
            piece,
            stage: 0,
            next: served.begin,
            there: 0,
            processed,
            is_with_host: false,
        }
    }

    /// Changes the outcome of a command: the medium stops, or continues.
    pub fn revise_command_outcome(&mut self, now: Time, served: ServedCommand) {
        self.served = served;
        if self.stage == GIVES {
            self.next = now;
        }
    }

    /// Reports all events of the command up to now. Returns whether the command is done.
    pub fn report_events(&mut self, now: Time, disk: &Disk, mut tell: impl FnMut(CommandOutcome)) -> bool {
        let ServedCommand { hit, room, start, seek_end, transfer_begin, transfer_end, .. } = self.served;
        while self.next <= now {
            if self.stage >= 4 && self.leaves_medium(now) {
                self.is_with_host = true;
                tell(CommandOutcome::Enters(segment::TO_HOST));
            }
            if self.stage == DONE {
                return true;
            }
            // The segment that the command enters in this stage, and the time at which the segment ends.
            let (enters, until) = match (self.stage, hit) {
                (0, BufferHit::Buffered) => (segment::MEDIA_QUEUE, room),
                (0, _) => (segment::OVERHEAD, self.processed),
                (1, BufferHit::Buffered) => (segment::OVERHEAD, start),
                (1, _) => (segment::MEDIA_QUEUE, start),
                (2, _) => (segment::SEEK, seek_end),
                (3, _) => (segment::ROTATION, transfer_begin),
                (_, _) => (segment::TRANSFER, transfer_end),
            };
            let is_read = !self.served.command.write;
            if until > self.next && self.stage <= 4 {
                tell(CommandOutcome::Enters(enters));
            }
            if self.stage < 4 {
                self.stage += 1;
                self.next = until.max(self.next);
            } else if is_read && self.there < self.served.command.blocks {
                self.stage = GIVES;
                self.give(now, disk, &mut tell);
            } else {
                self.stage = DONE;
                self.next = self.served.done.max(self.next);
            }
        }
        false
    }

    /// Whether the medium is done with the command by now and its host is not.
    fn leaves_medium(&self, now: Time) -> bool {
        let ServedCommand { transfer_end, done, .. } = self.served;
        !self.is_with_host && transfer_end <= now && now < done
    }

    /// Reports the available data of a read, and finds the time at which there will be more, or at which the medium is done.
    fn give(&mut self, now: Time, disk: &Disk, tell: &mut impl FnMut(CommandOutcome)) {
        let (blocks, piece) = (self.served.command.blocks, self.piece);
        let next = |there: u32| (there / piece + 1).saturating_mul(piece).min(blocks);
        let before = self.there;
        let mut at = disk.data_ready_time(&self.served, next(before));
        while at <= now {
            self.there = next(self.there);
            if self.there == blocks {
                break;
            }
            at = disk.data_ready_time(&self.served, next(self.there));
        }
        if at == Time::NEVER {
            // The medium stops until the host has consumed data, so all data that are there are passed on.
            self.there = self.there.max(self.served.data.cached);
        }
        if self.there > before {
            tell(CommandOutcome::Data(u64::from(self.there) * BLOCK_BYTES));
        }
        let ServedCommand { transfer_end, .. } = self.served;
        let at = if self.is_with_host || transfer_end <= now { at } else { at.min(transfer_end) };
        self.next = at.max(now);
    }
}
