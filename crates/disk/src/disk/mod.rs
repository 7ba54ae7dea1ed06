//! A disk at work: one command after the other, with read-ahead and write-behind.
//!
//! * Commands wait; when the drive can take one, its scheduler chooses it. Its outcome with all times is then known at once, and later events do not
//!   change it, except a host that is late (below).
//! * The drive's processor works on a command from its arrival on, in parallel to all other work: the arm leaves when that is over, and no earlier
//!   than it is free.
//! * The next command is taken when the data of the one before have left or come; with `preseek` when the medium is done with it.
//! * A read that the buffer has does not move the arm; one that continues where the medium reads waits for its blocks. For any other the arm leaves,
//!   and the read-ahead is abandoned.
//! * With `write_behind` a write is done when its data are in the buffer, or only one that goes on where the write before it ended. They go to the
//!   medium when no command waits and no block is being read ahead, those that have waited longest first; or when there is no room for others, or a
//!   command needs some of them and other blocks.
//! * Background work of the drive needs no calls: it is calculated when the next command comes.
//!
//! * With [`Disk::is_told_of_taken`] the disk keeps data in their segment until its host takes them. When a segment is full of them the medium stops;
//!   when there is room again it goes on as soon as the next block comes round (`untaken`). A command for which no segment is free waits for one.
//!
//! Assumption: without that call the host takes data as they come, at one block in `block_transfer`, so a segment never fills up with requested data.
//! Assumption: a drive that abandons a read-ahead is at the track that it was reading or switching to.
//! with what was asked for. Assumption: a drive that gives up a read-ahead is at the track that it was reading or switching to.
//! Assumption: a read that finds all segments full of written data goes to the host without one.
//!
//! Source: DiskSim 2.0 manual, disk buffer; Ruemmler, Wilkes 1994.

mod ahead;
mod read;
mod untaken;
mod write;

use crate::buffer::Buffer;
use crate::command::{DiskCommand, Served};
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

/// A mechanical disk. See the module text.
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
    buffer: Buffer,
    ahead: Option<Ahead>,
    /// Data that the host has not taken, if the disk is notified of that.
    untaken: Option<Vec<Untaken>>,
    /// The read that the medium is at, if its segment has no room yet for all of it.
    reading: Option<Reading>,
    /// The next command would find no segment until the host has taken something.
    held_up: bool,
    /// Where the arm is when the medium is free, if nothing is being read ahead.
    arm: Arm,
    medium_free: Time,
    interface_free: Time,
    /// When the next command can be taken.
    free: Time,
    /// The block behind the last command, and whether that wrote.
    block: u64,
    wrote: bool,
    /// The processor time for it.
    overhead: Span,
    work: Work,
}

/// Why a command was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beyond {
    /// The command.
    pub command: DiskCommand,
    /// How many blocks the disk has.
    pub capacity: u64,
}

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DiskCommand { lbn, blocks, .. } = self.command;
        let capacity = self.capacity;
        write!(f, "{blocks} blocks from block {lbn} on are not on a disk of {capacity} blocks; ")?;
        write!(f, "ask for one block at least, and none behind the last")
    }
}

impl std::error::Error for Beyond {}

impl Disk {
    /// An idle disk with its arm at the outermost cylinder. How its platters stand is drawn from `random`.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the parameters; none if they passed their checks.
    pub fn new(parameters: &DiskParameters, random: &mut RandomStream) -> Result<Self, String> {
        Ok(Self::like(parameters, &parameters.mechanics()?, random))
    }

    /// The same from mechanics that were made of these parameters before: disks of one kind share a seek curve.
    pub fn like(parameters: &DiskParameters, mechanics: &Mechanics, random: &mut RandomStream) -> Self {
        let mut mechanics = mechanics.clone();
        let phase = random.below(mechanics.rotation.period().ticks());
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
            buffer: Buffer::new(segments, segment_blocks, write_segments),
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

    /// Its mechanics.
    pub fn mechanics(&self) -> &Mechanics {
        &self.mechanics
    }

    /// How many blocks it has.
    pub fn capacity(&self) -> u64 {
        self.mechanics.geometry.blocks()
    }

    /// How many commands wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The written data that are not on the medium, as first block and the one behind the last, as of the last call; data count as
    /// written when the arm has left for them.
    pub fn unwritten(&self) -> impl Iterator<Item = (u64, u64)> {
        self.buffer.dirty().map(|segment| (segment.first, segment.end))
    }

    /// How long the arm was on its way and waited for blocks to come round, up to an instant no earlier than the last call. Reading ahead does not
    /// count: the arm leaves it for any command.
    pub fn positioning(&self, now: Time) -> Total {
        self.work.up_to(At::Positioning, now)
    }

    /// How long requested or written blocks passed under a head. See [`Self::positioning`].
    pub fn transferring(&self, now: Time) -> Total {
        self.work.up_to(At::Transfer, now)
    }

    /// A command comes, at its arrival; no earlier one may come later.
    ///
    /// # Errors
    /// If it asks for blocks that the disk does not have.
    pub fn submit(&mut self, command: DiskCommand) -> Result<(), Beyond> {
        let capacity = self.capacity();
        if command.blocks == 0 || command.lbn >= capacity || command.blocks as u64 > capacity - command.lbn {
            return Err(Beyond { command, capacity });
        }
        if self.waiting.is_empty() {
            self.by_itself(command.arrival);
        }
        let place = self.mechanics.geometry.place_of(command.lbn);
        self.waiting.push_back(QueuedCommand { command, place });
        // It may need no segment, and be chosen.
        self.held_up = false;
        Ok(())
    }

    /// Takes a command back that still waits; whether there was one of this name.
    pub fn withdraw(&mut self, id: u64) -> bool {
        let place = self.waiting.iter().position(|one| one.command.id == id);
        place.is_some_and(|place| self.waiting.remove(place).is_some())
    }

    /// When [`Self::begin`] can take the next waiting command; the caller must not be earlier. [`Time::NEVER`] if none waits, or until the host has
    /// taken data.
    pub fn next_event(&self) -> Time {
        let first = self.waiting.front().filter(|_| !self.held_up);
        first.map_or(Time::NEVER, |first| self.free.max(first.command.arrival))
    }

    /// Takes the next command, if one waits and the drive can take it at `now`, and says what comes of it. No [`Self::next_stop`] may be past.
    pub fn begin(&mut self, now: Time) -> Option<Served> {
        if now < self.next_event() {
            return None;
        }
        let place = if self.waiting.len() == 1 { 0 } else { self.scheduled(now) };
        self.held_up = self.finds_no_segment(place, now);
        if self.held_up {
            return None;
        }
        let command = self.waiting.remove(place)?.command;
        self.work.forget(now);
        self.reading = None;
        let served = if command.write { self.write(command, now) } else { self.read(command, now) };
        (self.block, self.wrote) = (command.end(), command.write);
        self.free = self.free_behind(&served);
        Some(served)
    }

    /// When the next command can be taken.
    fn free_behind(&self, served: &Served) -> Time {
        if self.preseek { served.start.max(served.transfer_end) } else { served.done }
    }

    /// The processor time for a command of this sort, after the one before.
    fn takes(&mut self, overhead: impl Fn(&Overheads) -> AfterEither) -> Span {
        self.overhead = overhead(&self.overheads).behind(self.wrote);
        self.overhead
    }

    /// The processor time for the last command that was begun.
    pub fn overhead(&self) -> Span {
        self.overhead
    }

    /// The place of the command that the scheduler chooses.
    fn scheduled(&mut self, now: Time) -> usize {
        let view = SchedulerView {
            now,
            arm: self.ahead.map_or(self.arm, |ahead| ahead.course.arm),
            arm_free: self.medium_free,
            block: self.block,
            waiting: &self.waiting,
            mechanics: &self.mechanics,
            overheads: [self.overheads.read, self.overheads.write].map(|one| one.behind(self.wrote)),
        };
        self.scheduler.next(&view)
    }

    /// When the first so many blocks of a read are in the buffer; for a write with all its blocks, when it is done. [`Time::NEVER`] while the medium
    /// is stopped before them. Blocks that had come when it stopped count as if the buffer had them at the start.
    pub fn there(&self, served: &Served, count: u32) -> Time {
        let Served { command, data, .. } = served;
        let count = count.min(command.blocks);
        if count <= data.cached {
            return served.start;
        }
        let Some(mut run) = data.run else { return Time::NEVER };
        let (mut course, upto) = (data.course, command.lbn + u64::from(count));
        while upto > run.first + u64::from(run.blocks) {
            run = self.mechanics.run(&mut course, command.end(), Time::ZERO, data.zero_latency);
        }
        self.mechanics.transferred(&run, (upto - run.first) as u32).max(served.start)
    }

    /// Writes what is only in the buffer to the medium, from `now` on, and says when all is there.
    pub fn flush(&mut self, now: Time) -> Time {
        while let Some(place) = self.buffer.oldest_dirty() {
            self.destage(place, now.max(self.medium_free));
        }
        self.medium_free.max(now)
    }

    /// Works out what the drive has done by itself up to `now`, if nothing waits: afterwards [`Self::unwritten`] is what is left.
    pub fn catch_up(&mut self, now: Time) {
        if self.waiting.is_empty() {
            self.by_itself(now);
        }
    }

    /// The drive loses its power at `now`, and with it what is in the buffer; commands that wait are withdrawn.
    pub fn power_off(&mut self, now: Time) {
        self.catch_up(now);
        self.forget_untaken(now);
        self.leave(now.max(self.medium_free));
        self.waiting.clear();
        self.buffer.clear();
    }

    /// A command of the past, for what it leaves in the buffer: nothing takes time, and what was written is on the medium.
    pub fn warm(&mut self, write: bool, lbn: u64, blocks: u32) {
        let end = (lbn + u64::from(blocks)).min(self.capacity());
        if lbn >= end || self.buffer.dirty_among(lbn, end).is_some() {
            return;
        }
        if write {
            self.buffer.forget(lbn, end, None);
        }
        let known = self.buffer.having(lbn).or_else(|| self.buffer.ending(lbn));
        let Some(place) = known.or_else(|| self.buffer.allocate(lbn)) else { return };
        self.buffer.touch(place);
        let upto = if write { end } else { self.limit_behind(lbn, end) };
        self.buffer.filled(place, upto);
    }

    /// When the drive does something by itself next, if no command comes before: [`Self::catch_up`] works it out then. [`Time::NEVER`] if there is
    /// nothing.
    pub fn next_by_itself(&self) -> Time {
        match self.destages_next() {
            // A command that comes at the very moment goes first. A stopped medium does nothing.
            Some((_, from)) if self.waiting.is_empty() && from < Time::NEVER => from + Span(1),
            _ => Time::NEVER,
        }
    }

    /// The segment that is written to the medium next while no command waits, and when.
    fn destages_next(&self) -> Option<(usize, Time)> {
        let place = self.buffer.oldest_dirty()?;
        let since = self.buffer.segment(place).dirty.unwrap_or(Time::ZERO);
        let read = self.ahead.map_or(Time::ZERO, |ahead| ahead.ends(&self.mechanics));
        Some((place, since.max(self.medium_free).max(self.free).max(read)))
    }

    /// Carries out the background work up to `now`, while no command waits.
    fn by_itself(&mut self, now: Time) {
        self.work.forget(now);
        while let Some((place, from)) = self.destages_next().filter(|(_, from)| *from < now) {
            self.destage(place, from);
        }
    }

    /// Lets the arm leave at an instant: what was read ahead until then stays in its segment.
    fn leave(&mut self, now: Time) {
        self.read_on(now);
        if let Some(ahead) = self.ahead.take() {
            self.arm = ahead.course.arm;
        }
    }

    /// A transfer of the blocks from `lbn` to `end`, from `start` on; the course and the first run. `each` is called for all runs.
    fn transfer(
        &mut self,
        write: bool,
        (lbn, end): (u64, u64),
        (start, ready): (Time, Time),
        zero_latency: bool,
        mut each: impl FnMut(&Mechanics, &TrackRun),
    ) -> (TrackRun, TransferProgress, TransferProgress) {
        let mut course = TransferProgress { arm: self.arm, at: start, next: lbn, write };
        let first = self.mechanics.run(&mut course, end, ready, zero_latency);
        let behind_first = course;
        each(&self.mechanics, &first);
        while course.next < end {
            let run = self.mechanics.run(&mut course, end, Time::ZERO, zero_latency);
            each(&self.mechanics, &run);
        }
        self.arm = course.arm;
        self.medium_free = course.at;
        self.work.add(At::Positioning, start, first.begin);
        self.work.add(At::Transfer, first.begin, course.at);
        (first, behind_first, course)
    }
}

#[cfg(test)]
mod tests;
