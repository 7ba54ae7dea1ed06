//! Data of reads that the host has not consumed: they stay in their segment.
//!
//! * A segment has room for a limited number of blocks from the first block on that was requested and has not been consumed. Before the
//!   first block for which a segment has no room the medium stops, with the arm in place, and no other command begins meanwhile.
//! * A stopped medium continues when the host has consumed data, as soon as the next block comes round: a host that is late by a tick costs
//!   a revolution.
//! * A track that would be begun in its middle (zero-latency access) is begun at its beginning when there is no room for all of it. After a
//!   stop every track is begun at its beginning.
//! * Read-ahead stops in the same way; but the arm may leave a stopped read-ahead.
//!
//! The outcome of a read is determined when it begins, for a host that is in time, and revised at each stop and at each continuation. A
//! host that consumes data before the medium needs their space therefore changes nothing.

use super::Disk;
use crate::command::{DiskCommand, ReadDataSupply, ServedCommand};
use crate::mechanics::{TrackRun, TransferProgress};
use crate::scheduling::QueuedCommand;
use sansim_kernel::{Span, Time};

/// A read of which the host has not consumed all data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Untaken {
    id: u64,
    segment: usize,
    /// The first block of the read, the first block that has not been consumed, and the block behind the last.
    first: u64,
    from: u64,
    end: u64,
}

/// The read that the medium is serving.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// The present outcome of the read.
    served: ServedCommand,
    segment: usize,
    /// The run with the first block for which there is no room, and the progress of the transfer after the run.
    run: TrackRun,
    course: TransferProgress,
    /// The time at which the interface to the host was free for the first block of the read.
    sent: Time,
    /// The time at which the medium stops, or has stopped, and the block before which it stops; [`Time::NEVER`] if there is room for all of
    /// the read.
    stops: Time,
    before: u64,
    stands: bool,
}

impl Disk {
    /// From now on the caller notifies the disk by [`Self::data_consumed`] when the host consumes the data of reads: until then the data
    /// stay in the buffer.
    pub fn expect_consumption_notices(&mut self) {
        self.untaken.get_or_insert_with(|| Vec::with_capacity(16));
    }

    /// The number of blocks of a segment of the disk's buffer; none if the disk has no buffer.
    pub fn segment_blocks(&self) -> Option<u32> {
        (self.buffer.segment_count() > 0).then(|| self.buffer.segment_blocks() as u32)
    }

    /// The time at which the medium has to stop, if the host consumes nothing before; the caller then calls [`Self::stop_medium`].
    /// [`Time::NEVER`] if there is room for the whole read.
    pub fn medium_stop_time(&self) -> Time {
        match &self.reading {
            // Data that are consumed at the same instant make room in time.
            Some(reading) if !reading.stands && reading.stops < Time::NEVER => reading.stops + Span(1),
            _ => Time::NEVER,
        }
    }

    /// Stops the medium if it has to stop by now. Returns the outcome of the read that the medium is serving, if the outcome has changed.
    pub fn stop_medium(&mut self, now: Time) -> Option<ServedCommand> {
        if self.medium_stop_time() > now {
            return None;
        }
        let reading = self.reading.as_mut()?;
        let served = &mut reading.served;
        let cached = (reading.before - served.command.lbn) as u32;
        served.data = ReadDataSupply { cached, run: None, course: reading.course, zero_latency: false };
        (served.transfer_end, served.done) = (Time::NEVER, Time::NEVER);
        reading.stands = true;
        let served = *served;
        self.arm = reading.course.arm;
        (self.medium_free, self.free) = (Time::NEVER, Time::NEVER);
        self.ahead = None;
        self.work.cancel_work_after(now);
        // A track that would have been begun in its middle can still be begun at its beginning.
        self.go_on(now).or(Some(served))
    }

    /// The host has consumed the first `blocks` blocks of a read; [`u64::MAX`] if it wants no more of the read. Returns the outcome of the
    /// read that the medium is serving, if the outcome has changed.
    pub fn data_consumed(&mut self, id: u64, blocks: u64, now: Time) -> Option<ServedCommand> {
        let untaken = self.untaken.as_mut()?;
        let place = untaken.iter().position(|one| one.id == id)?;
        let one = &mut untaken[place];
        let segment = one.segment;
        one.from = one.from.max(one.first.saturating_add(blocks));
        if one.from >= one.end {
            untaken.swap_remove(place);
        }
        self.catch_up(now);
        self.held_up = false;
        self.reckon(segment);
        let reach = self.buffer.read_limit(segment);
        if let Some(ahead) = self.ahead.as_mut().filter(|ahead| ahead.segment == segment) {
            ahead.extend(&self.mechanics, ahead.goal, ahead.goal.min(reach), now);
        }
        let reading = self.reading.filter(|reading| reading.segment == segment)?;
        if reading.stands {
            return self.go_on(now);
        }
        self.find_stop();
        None
    }

    /// The host has requested blocks that a segment has, or will have.
    pub(super) fn owe(&mut self, command: &DiskCommand, segment: usize) {
        let Some(untaken) = &mut self.untaken else { return };
        let (first, end) = (command.lbn, command.end_block());
        untaken.push(Untaken { id: command.id, segment, first, from: first, end });
        self.reckon(segment);
    }

    /// The medium serves a read, whose first block may go to the host from `sent` on.
    pub(super) fn reads(&mut self, served: ServedCommand, segment: usize, sent: Time) {
        if let Some(run) = served.data.run.filter(|_| self.untaken.is_some()) {
            let (course, before) = (served.data.course, served.command.end_block());
            self.reading = Some(Reading {
                served,
                segment,
                run,
                course,
                sent,
                stops: Time::NEVER,
                before,
                stands: false,
            });
            self.find_stop();
        }
    }

    /// Whether the command at an index of the queue needs a segment, and all usable segments are full of data that the host has not
    /// consumed.
    pub(super) fn finds_no_segment(&mut self, place: usize, now: Time) -> bool {
        let Some(QueuedCommand { command, .. }) = self.waiting.get(place) else { return false };
        if self.untaken.is_none() || !self.buffer.is_full_of_unconsumed_data() {
            return false;
        }
        let (lbn, end, write) = (command.lbn, command.end_block(), command.write);
        self.read_on(now);
        let buffer = &self.buffer;
        if write {
            let goes_behind = self.goes_behind(lbn) && end - lbn <= buffer.segment_blocks();
            return goes_behind && buffer.needs_new_segment(lbn, end);
        }
        let known = buffer
            .segment_with_block(lbn)
            .or_else(|| buffer.segment_ending_at(lbn))
            .or_else(|| buffer.dirty_segment_among(lbn, end));
        known.is_none() && !self.ahead.is_some_and(|ahead| self.reads_towards(&ahead, lbn))
    }

    /// Drops all data that the host has not consumed.
    pub(super) fn forget_untaken(&mut self, now: Time) {
        if let Some(untaken) = &mut self.untaken {
            untaken.clear();
        }
        self.held_up = false;
        if self.reading.take().is_some_and(|reading| reading.stands) {
            (self.medium_free, self.free) = (now, now);
        }
    }

    /// Works out the first block of a segment that the host has not consumed.
    fn reckon(&mut self, segment: usize) {
        let untaken = self.untaken.iter().flatten().filter(|one| one.segment == segment);
        self.buffer.set_unconsumed_start(segment, untaken.map(|one| one.from).min());
    }

    /// Finds the time at which the read that the medium is serving has to stop.
    fn find_stop(&mut self) {
        let Some(reading) = &mut self.reading else { return };
        let (reach, end) = (self.buffer.read_limit(reading.segment), reading.served.command.end_block());
        if reach >= end {
            self.reading = None;
            return;
        }
        let behind = |run: &TrackRun| run.first + u64::from(run.blocks);
        while behind(&reading.run) <= reach {
            let zero_latency = reading.served.data.zero_latency;
            reading.run = self.mechanics.next_track_run(&mut reading.course, end, Time::ZERO, zero_latency);
        }
        let run = &reading.run;
        (reading.stops, reading.before) = if reach <= run.first || run.late > 0 {
            (run.begin, run.first)
        } else {
            (self.mechanics.transfer_end(run, (reach - run.first) as u32), reach)
        };
    }

    /// The medium continues the read at which it has stopped, if there is room. Returns the new outcome of the read.
    fn go_on(&mut self, now: Time) -> Option<ServedCommand> {
        let Reading { mut served, segment, before, sent, stops, .. } = self.reading?;
        if self.buffer.read_limit(segment) <= before {
            return None;
        }
        let (lbn, end) = (served.command.lbn, served.command.end_block());
        let cached = (before - lbn) as u32;
        let mut outgoing = self.outgoing_from(sent);
        outgoing.send(cached, served.start, stops);
        let (run, course, behind) =
            self.transfer(false, (before, end), (now, now), false, |mechanics, run| {
                outgoing.send_run(mechanics, run, 0, run.blocks, served.start);
            });
        self.interface_free = outgoing.free;
        served.data = ReadDataSupply { cached, run: Some(run), course, zero_latency: false };
        (served.transfer_end, served.done) = (behind.at, outgoing.free);
        self.read_behind(segment, lbn, behind);
        self.free = self.free_behind(&served);
        self.reads(served, segment, sent);
        Some(served)
    }
}

#[cfg(test)]
mod tests;
