//! A write: its data go into the buffer, or to the medium at once.

use super::Disk;
use crate::command::{BufferHit, DiskCommand, ServedCommand};
use sansim_kernel::Time;

impl Disk {
    pub(super) fn write(&mut self, command: DiskCommand, begin: Time) -> ServedCommand {
        self.read_on(begin);
        let behind = !command.force_unit_access && self.goes_behind(command.lbn);
        if behind && u64::from(command.blocks) <= self.buffer.segment_blocks() {
            let mut room = begin;
            loop {
                if let Some(place) = self.buffer.room_for(command.lbn, command.end_block()) {
                    return self.buffered(command, (begin, room), place);
                }
                let among = self.buffer.dirty_segment_among(command.lbn, command.end_block());
                let Some(place) = among.or_else(|| self.buffer.oldest_dirty()) else { break };
                room = self.destage(place, begin.max(self.medium_free));
            }
        }
        self.through(command, begin)
    }

    /// Whether a write that begins at this block is done when its data are in the buffer.
    pub(super) fn goes_behind(&self, lbn: u64) -> bool {
        self.write_behind.unwrap_or(self.wrote && self.block == lbn)
    }

    /// Writes a command into a segment that has had room for it since an instant.
    fn buffered(&mut self, command: DiskCommand, (begin, room): (Time, Time), place: usize) -> ServedCommand {
        let (lbn, end) = (command.lbn, command.end_block());
        // A segment that was allocated for this write alone is empty.
        let joins = self.buffer.segment(place).dirty.is_some();
        let takes = self.takes(|overheads| if joins { overheads.write_hit } else { overheads.write });
        let start = room.max(command.arrival + takes);
        let done = self.interface_free.max(start) + self.block_transfer * u64::from(command.blocks);
        self.interface_free = done;
        self.keep_off(lbn, end, place);
        self.buffer.data_written(place, lbn, end, done);
        ServedCommand::without_medium(command, BufferHit::Buffered, (begin, room, start), done)
    }

    /// Writes a command to the medium, when all data have come.
    fn through(&mut self, command: DiskCommand, begin: Time) -> ServedCommand {
        let (lbn, end) = (command.lbn, command.end_block());
        while let Some(place) = self.buffer.dirty_segment_among(lbn, end) {
            self.destage(place, begin.max(self.medium_free));
        }
        let start =
            begin.max(command.arrival + self.takes(|overheads| overheads.write)).max(self.medium_free);
        self.leave(start);
        self.buffer.drop_overwritten_blocks(lbn, end, None);
        let came = self.interface_free.max(start) + self.block_transfer * u64::from(command.blocks);
        self.interface_free = came;
        let zero_latency = self.mechanics.zero_latency;
        let (first, _, behind) = self.transfer(true, (lbn, end), (start, came), zero_latency, |_, _| ());
        let served =
            ServedCommand::without_medium(command, BufferHit::Miss, (begin, begin, start), behind.at);
        let (seek_end, transfer_begin, transfer_end) = (first.positioned, first.begin, behind.at);
        ServedCommand { seek_end, transfer_begin, transfer_end, ..served }
    }

    /// Keeps the read-ahead from overwriting blocks that are written into a segment.
    fn keep_off(&mut self, lbn: u64, end: u64, segment: usize) {
        let Some(ahead) = &mut self.ahead else { return };
        let read = self.buffer.segment(ahead.segment);
        if ahead.segment == segment || (read.first < end && lbn < read.end) {
            // The segment of the read-ahead is allocated to the write, or loses some of its blocks.
            self.arm = ahead.course.arm;
            self.ahead = None;
        } else if lbn >= read.end {
            ahead.goal = ahead.goal.min(lbn);
            ahead.limit = ahead.limit.min(lbn);
        }
    }

    /// Writes the data of a segment to the medium, from when the medium is free and all data have come; returns the time at which they are
    /// on the medium.
    pub(super) fn destage(&mut self, place: usize, from: Time) -> Time {
        let segment = *self.buffer.segment(place);
        let from = segment.dirty.map_or(from, |since| from.max(since));
        self.leave(from);
        let blocks = (segment.first, segment.end);
        self.transfer(true, blocks, (from, from), self.mechanics.zero_latency, |_, _| ());
        self.buffer.segment_cleaned(place);
        self.medium_free
    }
}
