//! A disk at work: it serves one command after the other, with read-ahead and write-behind.
//!
//! * Commands wait in a queue; when the drive can accept a command, its scheduler chooses one. The outcome of a command with all times is
//!   known when it begins, and later events do not change the outcome, except when a host is late in consuming data (below).
//! * The drive's processor works on a command from its arrival on, in parallel to all other work: the arm leaves when the processor is
//!   done, and no earlier than the arm is free.
//! * The next command begins when the data of the previous command have left or come; with `preseek` when the medium is done with the
//!   previous command.
//! * A read whose blocks are in the buffer does not move the arm; a read that continues where the medium reads waits for its blocks. For
//!   any other read the arm leaves, and the read-ahead is abandoned.
//! * A write with forced unit access goes to the medium at once, and is done when it is there.
//! * With `write_behind` any other write is done when its data are in the buffer; with `write_behind = "appending"` only a write that continues where
//!   the previous write ended is. Buffered data go to the medium when no command waits and no block is being read ahead, the oldest data
//!   first; or when there is no room for other data, or a command needs some of the buffered blocks and other blocks.
//! * Background work of the drive needs no calls: it is calculated when the next command comes.
//!
//! * With [`Disk::expect_consumption_notices`] the disk keeps data in their segment until its host has consumed them. When a segment is
//!   full of unconsumed data the medium stops; when there is room again the medium continues as soon as the next block comes round
//!   (`untaken`). A command for which no segment is free waits for a segment.
//!
//! Assumption: without [`Disk::expect_consumption_notices`] the host consumes data as they come, at one block in `block_transfer`, so a
//! segment never fills up with requested data. Assumption: a drive that gives up a read-ahead is at the track that it was reading or
//! switching to. Assumption: a read that finds all segments full of written data goes to the host without one.
//!
//! Source: DiskSim 2.0 manual, disk buffer; Ruemmler, Wilkes 1994.

mod ahead;
mod read;
mod untaken;
mod write;

use crate::buffer::DiskBuffer;
use crate::command::{DiskCommand, ServedCommand};
use crate::mechanics::{Arm, Mechanics, TrackRun, TransferProgress};
use crate::overheads::AfterEither;
use crate::overheads::Overheads;
use crate::parameters::{DiskParameters, DriveReadAhead};
use crate::scheduling::{AnyCommandScheduler, CommandScheduler, QueuedCommand, SchedulerView};
use crate::work::{At, Work};
use ahead::Ahead;
use sansim_kernel::{RandomStream, Span, Time, Total};
use std::collections::VecDeque;
use std::fmt;
use untaken::{Reading, Untaken};

/// A mechanical disk.
#[derive(Clone, Debug)]
pub struct Disk {
    mechanics: Mechanics,
    overheads: Overheads,
    block_transfer: Span,
    read_ahead: DriveReadAhead,
    read_over: bool,
    write_behind: Option<bool>,
    preseek: bool,
    scheduler: AnyCommandScheduler,
    waiting: VecDeque<QueuedCommand>,
    buffer: DiskBuffer,
    ahead: Option<Ahead>,
    /// Data of reads that the host has not consumed; none if the disk is not notified of consumption.
    untaken: Option<Vec<Untaken>>,
    /// The read that the medium is serving, if its segment has no room yet for all of the read.
    reading: Option<Reading>,
    /// The next command would find no free segment until the host has consumed data.
    held_up: bool,
    /// The position of the arm when the medium is free, if nothing is being read ahead.
    arm: Arm,
    medium_free: Time,
    interface_free: Time,
    /// The time at which the next command can begin.
    free: Time,
    /// The block behind the last command, and whether that command wrote.
    block: u64,
    wrote: bool,
    /// The processor time for the last command.
    overhead: Span,
    work: Work,
}

/// The error of a command that asks for blocks behind the end of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeyondEndError {
    /// The command.
    pub command: DiskCommand,
    /// The number of blocks that the disk has.
    pub capacity: u64,
}

impl fmt::Display for BeyondEndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DiskCommand { lbn, blocks, .. } = self.command;
        let capacity = self.capacity;
        write!(f, "{blocks} blocks from block {lbn} on are not on a disk of {capacity} blocks; ")?;
        write!(f, "ask for one block at least, and none behind the last")
    }
}

impl std::error::Error for BeyondEndError {}

impl Disk {
    /// An idle disk with its arm at the outermost cylinder. The angle of the platters is drawn from `random`.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the parameters; none if they passed their checks.
    pub fn new(parameters: &DiskParameters, random: &mut RandomStream) -> Result<Self, String> {
        Ok(Self::new_like(parameters, &parameters.mechanics()?, random))
    }

    /// An idle disk from mechanics that were made of these parameters before: disks of one kind share a seek curve.
    pub fn new_like(parameters: &DiskParameters, mechanics: &Mechanics, random: &mut RandomStream) -> Self {
        let mut mechanics = mechanics.clone();
        let phase = random.draw_below(mechanics.rotation.revolution_time().ticks());
        mechanics.rotation = mechanics.rotation.with_phase(phase);
        let block_transfer = parameters.block_transfer;
        let &DiskParameters { read_ahead, read_over, write_behind, preseek, .. } = parameters;
        let &DiskParameters { segments, segment_blocks, write_segments, .. } = parameters;
        Self {
            mechanics,
            overheads: parameters.overheads(),
            block_transfer,
            read_ahead,
            read_over,
            write_behind,
            preseek,
            scheduler: parameters.queue.scheduler(),
            waiting: VecDeque::with_capacity(16),
            buffer: DiskBuffer::new(segments, segment_blocks, write_segments),
            ahead: None,
            untaken: None,
            reading: None,
            held_up: false,
            arm: Arm::default(),
            medium_free: Time::ZERO,
            interface_free: Time::ZERO,
            free: Time::ZERO,
            block: 0,
            wrote: false,
            overhead: Span::ZERO,
            work: Work::default(),
        }
    }

    /// The mechanics of the disk.
    pub fn mechanics(&self) -> &Mechanics {
        &self.mechanics
    }

    /// The number of blocks that the disk has.
    pub fn capacity(&self) -> u64 {
        self.mechanics.geometry.blocks()
    }

    /// The cylinder at which the arm is, or to which it moves for the command in work.
    pub fn cylinder(&self) -> u32 {
        self.arm.cylinder
    }

    /// The number of commands that wait.
    pub fn waiting_command_count(&self) -> usize {
        self.waiting.len()
    }

    /// The written data that are not on the medium, as pairs of the first block and the block behind the last, as of the last call; data
    /// count as written when the arm has left for them.
    pub fn unwritten_ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        self.buffer.dirty_segments().map(|segment| (segment.first, segment.end))
    }

    /// The time for which the arm was moving or waited for blocks to come round, up to an instant no earlier than the last call. Reading
    /// ahead does not count as positioning: the arm abandons a read-ahead for any command.
    pub fn positioning_time(&self, now: Time) -> Total {
        self.work.busy_time_until(At::Positioning, now)
    }

    /// The time for which requested or written blocks passed under a head. See [`Self::positioning_time`].
    pub fn transfer_time(&self, now: Time) -> Total {
        self.work.busy_time_until(At::Transfer, now)
    }

    /// A command comes, at its arrival; commands have to come in the order of their arrivals.
    ///
    /// # Errors
    /// If the command asks for blocks that the disk does not have.
    pub fn submit_command(&mut self, command: DiskCommand) -> Result<(), BeyondEndError> {
        let capacity = self.capacity();
        if command.blocks == 0 || command.lbn >= capacity || command.blocks as u64 > capacity - command.lbn {
            return Err(BeyondEndError { command, capacity });
        }
        if self.waiting.is_empty() {
            self.by_itself(command.arrival);
        }
        let place = self.mechanics.geometry.position_of_block(command.lbn);
        self.waiting.push_back(QueuedCommand { command, place });
        // The new command may need no segment, and then it can be chosen although others wait for a segment.
        self.held_up = false;
        Ok(())
    }

    /// Withdraws a command that still waits; returns whether a command with this identifier waited.
    pub fn withdraw_command(&mut self, id: u64) -> bool {
        let place = self.waiting.iter().position(|one| one.command.id == id);
        place.is_some_and(|place| self.waiting.remove(place).is_some())
    }

    /// The time at which [`Self::begin_command`] can begin the next waiting command; the caller must not call earlier. [`Time::NEVER`] if no
    /// command waits, or while all have to wait until the host has consumed data.
    pub fn next_event(&self) -> Time {
        let first = self.waiting.front().filter(|_| !self.held_up);
        first.map_or(Time::NEVER, |first| self.free.max(first.command.arrival))
    }

    /// Begins the next command, if a command waits and the drive can accept it at `now`, and returns its outcome. Every
    /// [`Self::medium_stop_time`] before `now` must have been handled.
    pub fn begin_command(&mut self, now: Time) -> Option<ServedCommand> {
        if now < self.next_event() {
            return None;
        }
        let place = if self.waiting.len() == 1 { 0 } else { self.scheduled(now) };
        self.held_up = self.finds_no_segment(place, now);
        if self.held_up {
            return None;
        }
        let command = self.waiting.remove(place)?.command;
        self.work.drop_earlier_work(now);
        self.reading = None;
        let served = if command.write { self.write(command, now) } else { self.read(command, now) };
        (self.block, self.wrote) = (command.end_block(), command.write);
        self.free = self.free_behind(&served);
        Some(served)
    }

    /// The time at which the next command can begin after this command.
    fn free_behind(&self, served: &ServedCommand) -> Time {
        if self.preseek { served.start.max(served.transfer_end) } else { served.done }
    }

    /// The processor time for a command of this sort, after the previous command.
    fn takes(&mut self, overhead: impl Fn(&Overheads) -> AfterEither) -> Span {
        self.overhead = overhead(&self.overheads).overhead_after(self.wrote);
        self.overhead
    }

    /// The processor time for the last command that was begun.
    pub fn overhead(&self) -> Span {
        self.overhead
    }

    /// The index of the command that the scheduler chooses.
    fn scheduled(&mut self, now: Time) -> usize {
        let view = SchedulerView {
            now,
            arm: self.ahead.map_or(self.arm, |ahead| ahead.course.arm),
            arm_free: self.medium_free,
            block: self.block,
            waiting: &self.waiting,
            mechanics: &self.mechanics,
            overheads: [self.overheads.read, self.overheads.write].map(|one| one.overhead_after(self.wrote)),
        };
        self.scheduler.next(&view)
    }

    /// The time at which the first `count` blocks of a read are in the buffer; for a write with all its blocks, the time at which it is
    /// done. [`Time::NEVER`] while the medium is stopped before these blocks. Blocks that had come when the medium stopped count as if the
    /// buffer had them at the start.
    pub fn data_ready_time(&self, served: &ServedCommand, count: u32) -> Time {
        let ServedCommand { command, data, .. } = served;
        let count = count.min(command.blocks);
        if count <= data.cached {
            return served.start;
        }
        let Some(mut run) = data.run else { return Time::NEVER };
        let (mut course, upto) = (data.course, command.lbn + u64::from(count));
        while upto > run.first + u64::from(run.blocks) {
            run = self.mechanics.next_track_run(
                &mut course,
                command.end_block(),
                Time::ZERO,
                data.zero_latency,
            );
        }
        self.mechanics.transfer_end(&run, (upto - run.first) as u32).max(served.start)
    }

    /// Writes all data that are only in the buffer to the medium, from `now` on, and returns when all are on the medium.
    pub fn flush(&mut self, now: Time) -> Time {
        while let Some(place) = self.buffer.oldest_dirty() {
            self.destage(place, now.max(self.medium_free));
        }
        self.medium_free.max(now)
    }

    /// The time at which the next command can begin, whatever the order; [`Time::NEVER`] while the medium is stopped.
    pub fn next_free_time(&self) -> Time {
        self.free
    }

    /// Serves a command without data that came at `arrival` (a flush or a deallocation), from `now` on, no earlier than
    /// [`Self::next_free_time`]: the processor takes the time of a write, and a flush then writes all data that are only in the buffer.
    /// Returns when the processor is done, and when the command is. Every [`Self::medium_stop_time`] before `now` must have been handled.
    pub fn serve_without_data(&mut self, arrival: Time, now: Time, flushes: bool) -> (Time, Time) {
        self.work.drop_earlier_work(now);
        let start = now.max(arrival + self.takes(|overheads| overheads.write));
        let has_dirty = flushes && self.buffer.oldest_dirty().is_some();
        let done = if has_dirty { self.flush(start).max(start) } else { start };
        self.free = self.free.max(done);
        (start, done)
    }

    /// Works out the background work of the drive up to `now`, if no command waits: afterwards [`Self::unwritten_ranges`] is up to date.
    pub fn catch_up(&mut self, now: Time) {
        if self.waiting.is_empty() {
            self.by_itself(now);
        }
    }

    /// The drive loses its power at `now`, and loses the content of its buffer; commands that wait are withdrawn.
    pub fn power_off(&mut self, now: Time) {
        self.catch_up(now);
        self.forget_untaken(now);
        self.leave(now.max(self.medium_free));
        self.waiting.clear();
        self.buffer.clear();
    }

    /// Applies a command of the warm-up for its effect on the buffer: nothing takes time, and written data are on the medium.
    pub fn apply_warm_up_access(&mut self, write: bool, lbn: u64, blocks: u32) {
        let end = (lbn + u64::from(blocks)).min(self.capacity());
        if lbn >= end || self.buffer.dirty_segment_among(lbn, end).is_some() {
            return;
        }
        if write {
            self.buffer.drop_overwritten_blocks(lbn, end, None);
        }
        let known = self.buffer.segment_with_block(lbn).or_else(|| self.buffer.segment_ending_at(lbn));
        let Some(place) = known.or_else(|| self.buffer.allocate(lbn)) else { return };
        self.buffer.mark_recently_used(place);
        let upto = if write { end } else { self.limit_behind(lbn, end) };
        self.buffer.segment_filled(place, upto);
    }

    /// The time of the drive's next background work, if no command comes before: [`Self::catch_up`] works it out then. [`Time::NEVER`] if
    /// there is no background work.
    pub fn next_background_work(&self) -> Time {
        match self.destages_next() {
            // A command that comes at the same instant has precedence over background work. A stopped medium does no background work.
            Some((_, from)) if self.waiting.is_empty() && from < Time::NEVER => from + Span(1),
            _ => Time::NEVER,
        }
    }

    /// The segment that is written to the medium next while no command waits, and the time at which it is.
    fn destages_next(&self) -> Option<(usize, Time)> {
        let place = self.buffer.oldest_dirty()?;
        let since = self.buffer.segment(place).dirty.unwrap_or(Time::ZERO);
        let read = self.ahead.map_or(Time::ZERO, |ahead| ahead.read_ahead_end(&self.mechanics));
        Some((place, since.max(self.medium_free).max(self.free).max(read)))
    }

    /// Carries out the background work up to `now`, while no command waits.
    fn by_itself(&mut self, now: Time) {
        self.work.drop_earlier_work(now);
        while let Some((place, from)) = self.destages_next().filter(|(_, from)| *from < now) {
            self.destage(place, from);
        }
    }

    /// Lets the arm leave at an instant: blocks that were read ahead until then stay in their segment.
    fn leave(&mut self, now: Time) {
        self.read_on(now);
        if let Some(ahead) = self.ahead.take() {
            self.arm = ahead.course.arm;
        }
    }

    /// A transfer of the blocks from `lbn` to `end`, from `start` on; returns the progress and the first run. `each` is called for all runs
    /// of the transfer.
    fn transfer(
        &mut self,
        write: bool,
        (lbn, end): (u64, u64),
        (start, ready): (Time, Time),
        zero_latency: bool,
        mut each: impl FnMut(&Mechanics, &TrackRun),
    ) -> (TrackRun, TransferProgress, TransferProgress) {
        let mut course = TransferProgress { arm: self.arm, at: start, next: lbn, write };
        let first = self.mechanics.next_track_run(&mut course, end, ready, zero_latency);
        let behind_first = course;
        each(&self.mechanics, &first);
        while course.next < end {
            let run = self.mechanics.next_track_run(&mut course, end, Time::ZERO, zero_latency);
            each(&self.mechanics, &run);
        }
        self.arm = course.arm;
        self.medium_free = course.at;
        self.work.add_busy_time(At::Positioning, start, first.begin);
        self.work.add_busy_time(At::Transfer, first.begin, course.at);
        (first, behind_first, course)
    }
}

#[cfg(test)]
mod tests;
