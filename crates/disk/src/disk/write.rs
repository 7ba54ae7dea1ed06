//! A write: into the buffer, or to the medium at once.

use super::Disk;
use crate::command::{Command, Data, Hit, Served};
use crate::mechanics::Course;
use sansim_kernel::Time;

impl Disk {
    pub(super) fn write(&mut self, command: Command, begin: Time) -> Served {
        self.read_on(begin);
        if self.write_behind && u64::from(command.blocks) <= self.buffer.segment_blocks() {
            let mut room = begin;
            loop {
                if let Some(place) = self.buffer.room_for(command.lbn, command.end()) {
                    return self.buffered(command, (begin, room), place);
                }
                let among = self.buffer.dirty_among(command.lbn, command.end());
                let Some(place) = among.or_else(|| self.buffer.oldest_dirty()) else { break };
                room = self.destage(place, begin.max(self.medium_free));
            }
        }
        self.through(command, begin)
    }

    /// Into a segment that has room for it since an instant.
    fn buffered(&mut self, command: Command, (begin, room): (Time, Time), place: usize) -> Served {
        let (lbn, end) = (command.lbn, command.end());
        let start = room.max(command.arrival + self.write_overhead);
        let done = self.interface_free.max(start) + self.block_transfer * u64::from(command.blocks);
        self.interface_free = done;
        self.keep_off(lbn, end, place);
        self.buffer.written(place, lbn, end, done);
        self.served(command, Hit::Buffered, (begin, room, start), (start, start, start), done)
    }

    /// To the medium, when all data have come.
    fn through(&mut self, command: Command, begin: Time) -> Served {
        let (lbn, end) = (command.lbn, command.end());
        while let Some(place) = self.buffer.dirty_among(lbn, end) {
            self.destage(place, begin.max(self.medium_free));
        }
        let start = begin.max(command.arrival + self.write_overhead).max(self.medium_free);
        self.leave(start);
        self.buffer.forget(lbn, end, None);
        let came = self.interface_free.max(start) + self.block_transfer * u64::from(command.blocks);
        self.interface_free = came;
        let (first, _, behind) = self.transfer(true, (lbn, end), (start, came), |_, _| ());
        let times = (first.positioned, first.begin, behind.at);
        self.served(command, Hit::Miss, (begin, begin, start), times, behind.at)
    }

    fn served(
        &self,
        command: Command,
        hit: Hit,
        (begin, room, start): (Time, Time, Time),
        (seek_end, transfer_begin, transfer_end): (Time, Time, Time),
        done: Time,
    ) -> Served {
        let course = Course { arm: self.arm, at: transfer_end, next: command.end(), write: true };
        let data = Data { cached: command.blocks, run: None, course };
        Served { command, hit, begin, room, start, seek_end, transfer_begin, transfer_end, done, data }
    }

    /// What is read ahead stays off blocks that are written into a segment.
    fn keep_off(&mut self, lbn: u64, end: u64, segment: usize) {
        let Some(ahead) = &mut self.ahead else { return };
        let read = self.buffer.segment(ahead.segment);
        if ahead.segment == segment || (read.first < end && lbn < read.end) {
            // Its segment is taken, or loses some of its blocks.
            self.arm = ahead.course.arm;
            self.ahead = None;
        } else if lbn >= read.end {
            ahead.limit = ahead.limit.min(lbn);
        }
    }

    /// The data of a segment go to the medium, from an instant at which it is free on; when they are there.
    pub(super) fn destage(&mut self, place: usize, from: Time) -> Time {
        self.leave(from);
        let segment = *self.buffer.segment(place);
        self.transfer(true, (segment.first, segment.end), (from, from), |_, _| ());
        self.buffer.cleaned(place);
        self.medium_free
    }
}
