//! A read: its blocks come from the buffer, from where the medium reads, or from elsewhere on the medium.

use super::Disk;
use super::ahead::Ahead;
use crate::command::{BufferHit, DiskCommand, ReadDataSupply, ServedCommand};
use crate::mechanics::{Mechanics, TrackRun, TransferProgress};
use crate::read_ahead::DriveReadAhead;
use crate::work::At;
use sansim_kernel::{Span, Time};

/// The interface over which data go to the host, a block at a time.
pub(super) struct Outgoing {
    pub free: Time,
    block: Span,
}

impl Outgoing {
    /// Sends blocks that come at an even rate, the first at one instant and the last at another.
    pub fn send(&mut self, count: u32, first: Time, last: Time) {
        if count > 0 {
            let all = self.block * u64::from(count);
            self.free = (self.free.max(first) + all).max(last + self.block);
        }
    }

    /// Sends the blocks of a run after the first `from`, up to `upto` of them.
    pub fn send_run(
        &mut self,
        mechanics: &Mechanics,
        run: &TrackRun,
        from: u32,
        upto: u32,
        not_before: Time,
    ) {
        let there = |count| mechanics.transfer_end(run, count).max(not_before);
        // Blocks that had passed when the heads arrived come evenly at the end, and the other blocks with the last of them.
        let evenly = if run.late == 0 { upto } else { run.late.min(upto) };
        if from < evenly {
            self.send(evenly - from, there(from + 1), there(evenly));
        }
        if evenly.max(from) < upto {
            self.send(upto - evenly.max(from), there(upto), there(upto));
        }
    }
}

impl Disk {
    pub(super) fn read(&mut self, command: DiskCommand, begin: Time) -> ServedCommand {
        let (lbn, end) = (command.lbn, command.end_block());
        self.read_on(begin);
        let mut held = self.buffer.segment_with_block(lbn);
        if held.is_none_or(|place| self.buffer.segment(place).end < end) {
            // Written data among the requested blocks have to be on the medium before they are read.
            while let Some(place) = self.buffer.dirty_segment_among(lbn, end) {
                self.destage(place, begin.max(self.medium_free));
            }
            held = self.buffer.segment_with_block(lbn);
        }
        if let Some(place) = held
            && self.buffer.segment(place).end >= end
        {
            return self.full_hit(command, begin, place);
        }
        if let Some(ahead) = self.ahead
            && self.reads_towards(&ahead, lbn)
        {
            return self.almost_hit(command, begin, ahead);
        }
        self.access(command, begin, held)
    }

    /// Brings the segment of the read-ahead to an instant.
    pub(super) fn read_on(&mut self, now: Time) {
        if let Some(ahead) = &mut self.ahead {
            let frontier = ahead.read_ahead_frontier(&self.mechanics, now);
            self.buffer.segment_filled(ahead.segment, frontier);
        }
    }

    /// Whether the medium is reading towards a block, or has read the block and kept it.
    pub(super) fn reads_towards(&self, ahead: &Ahead, lbn: u64) -> bool {
        let segment = self.buffer.segment(ahead.segment);
        segment.first <= lbn && lbn <= segment.end && segment.end < ahead.goal
    }

    /// The block up to which the medium may read ahead after a read of the blocks before `end`.
    pub(super) fn limit_behind(&self, lbn: u64, end: u64) -> u64 {
        let geometry = &self.mechanics.geometry;
        let last = end - 1;
        let reach = match self.read_ahead {
            DriveReadAhead::None => end,
            DriveReadAhead::Segment => u64::MAX,
            DriveReadAhead::Track => last + u64::from(geometry.position_of_block(last).left),
            DriveReadAhead::Cylinder => geometry.end_of_cylinder(last),
        };
        let full = if self.read_over { end } else { lbn } + self.buffer.segment_blocks();
        let written = self.buffer.next_dirty(end).unwrap_or(u64::MAX);
        reach.min(full).min(written).min(geometry.blocks()).max(end)
    }

    /// Serves a read whose blocks are all in a segment.
    fn full_hit(&mut self, command: DiskCommand, begin: Time, place: usize) -> ServedCommand {
        let start = begin.max(command.arrival + self.takes(|overheads| overheads.hit));
        self.buffer.mark_recently_used(place);
        self.owe(&command, place);
        let goal = self.limit_behind(command.lbn, command.end_block());
        let reach = self.buffer.read_limit(place);
        if let Some(ahead) = self.ahead.as_mut().filter(|ahead| ahead.segment == place) {
            ahead.limit_read_ahead(&self.mechanics, reach, begin);
            ahead.extend(&self.mechanics, goal, goal.min(reach), start);
        }
        let mut outgoing = self.outgoing();
        outgoing.send(command.blocks, start, start);
        self.interface_free = outgoing.free;
        ServedCommand::without_medium(command, BufferHit::Full, (begin, begin, start), outgoing.free)
    }

    /// Serves a read whose blocks the medium is about to read: the medium continues until it has all of them.
    fn almost_hit(&mut self, command: DiskCommand, begin: Time, mut ahead: Ahead) -> ServedCommand {
        let (lbn, end) = (command.lbn, command.end_block());
        let start = begin.max(command.arrival + self.takes(|overheads| overheads.hit));
        self.owe(&command, ahead.segment);
        let (goal, reach) = (self.limit_behind(lbn, end), self.buffer.read_limit(ahead.segment));
        ahead.limit_read_ahead(&self.mechanics, reach, begin);
        ahead.extend(&self.mechanics, goal, goal.min(reach), begin);
        let cached = ahead.read_ahead_frontier(&self.mechanics, start).clamp(lbn, end) - lbn;
        // The outcome is computed as if there were room from now on.
        ahead.extend(&self.mechanics, goal, goal, start);
        let data = ReadDataSupply {
            cached: cached as u32,
            run: Some(ahead.run),
            course: ahead.course,
            zero_latency: false,
        };
        let mut outgoing = self.outgoing();
        outgoing.send(cached as u32, start, start);
        let mut next = lbn + cached;
        let mut transfer_end = start;
        while next < end {
            // Only the requested blocks of a run are sent; the read-ahead continues from them by itself.
            let from = (next - ahead.run.first) as u32;
            let upto = (end - ahead.run.first).min(ahead.run.blocks.into()) as u32;
            if from < upto {
                outgoing.send_run(&self.mechanics, &ahead.run, from, upto, start);
                transfer_end = self.mechanics.transfer_end(&ahead.run, upto).max(start);
                next = ahead.run.first + u64::from(upto);
            }
            if next < end {
                let limit = ahead.limit;
                ahead.run = self.mechanics.next_track_run(&mut ahead.course, limit, Time::ZERO, false);
            }
        }
        self.buffer.mark_recently_used(ahead.segment);
        self.buffer.segment_filled(ahead.segment, end);
        ahead.limit = ahead.goal.min(reach).max(end);
        self.ahead = Some(ahead);
        self.medium_free = transfer_end;
        self.work.add_busy_time(At::Transfer, start, transfer_end);
        let sent = std::mem::replace(&mut self.interface_free, outgoing.free);
        let served =
            ServedCommand::without_medium(command, BufferHit::Almost, (begin, begin, start), outgoing.free);
        let served = ServedCommand { transfer_end, data, ..served };
        self.reads(served, ahead.segment, sent);
        served
    }

    /// The arm moves to the first block that is not in the buffer.
    fn access(&mut self, command: DiskCommand, begin: Time, held: Option<usize>) -> ServedCommand {
        let (lbn, end) = (command.lbn, command.end_block());
        let start = begin.max(command.arrival + self.takes(|overheads| overheads.read)).max(self.medium_free);
        self.leave(start);
        let upto = held.map_or(lbn, |place| self.buffer.segment(place).end);
        let cached = (upto - lbn) as u32;
        let place = held.or_else(|| self.buffer.segment_ending_at(lbn)).or_else(|| self.buffer.allocate(lbn));
        let mut outgoing = self.outgoing();
        outgoing.send(cached, start, start);
        let zero_latency = self.mechanics.zero_latency;
        let (run, course, behind) =
            self.transfer(false, (upto, end), (start, start), zero_latency, |mechanics, run| {
                outgoing.send_run(mechanics, run, 0, run.blocks, start);
            });
        let sent = std::mem::replace(&mut self.interface_free, outgoing.free);
        let served = ServedCommand {
            command,
            hit: if cached > 0 { BufferHit::Partial } else { BufferHit::Miss },
            begin,
            room: begin,
            start,
            seek_end: run.positioned,
            transfer_begin: run.begin,
            transfer_end: behind.at,
            done: outgoing.free,
            data: ReadDataSupply { cached, run: Some(run), course, zero_latency },
        };
        if let Some(place) = place {
            self.buffer.mark_recently_used(place);
            self.buffer.segment_filled(place, end);
            self.owe(&command, place);
            self.read_behind(place, lbn, behind);
            self.reads(served, place, sent);
        }
        served
    }

    /// The medium reads ahead after a read.
    pub(super) fn read_behind(&mut self, segment: usize, lbn: u64, mut course: TransferProgress) {
        let goal = self.limit_behind(lbn, course.next);
        if goal > course.next {
            let limit = goal.min(self.buffer.read_limit(segment)).max(course.next);
            let run = self.mechanics.next_track_run(&mut course, goal, Time::ZERO, false);
            self.ahead = Some(Ahead { segment, goal, limit, run, course });
        }
    }

    fn outgoing(&self) -> Outgoing {
        self.outgoing_from(self.interface_free)
    }

    /// The interface to the host when it is free from an instant on.
    pub(super) fn outgoing_from(&self, free: Time) -> Outgoing {
        Outgoing { free, block: self.block_transfer }
    }
}
