//! A drive described by an access time and a transfer rate; with neither, a RAM disk.
//!
//! Source: Wang 2005, section 6.2.1 (seek and rotation are one access time, counted from the receipt of the command to the
//! beginning of the data transfer) and 4.3.3.2 (firmware with a limit on the commands it works on at a time).
//!
//! * A command waits while `concurrency` others are in work. A command in work leaves when its status is made.
//! * Read: access, then the media transfer of each data sequence in turn; a sequence is sent when it is complete.
//! * Write: access, then a buffer is given for each burst in turn (FCP_XFER_RDY); when all data are in, the status is made.
//!   The media transfer is paid before the first burst or after the last, see [`WriteTransfer`].
//! * With a cache (see [`crate::cache`]) a command that follows the one before has no access: a read waits for its data at
//!   most until the medium has read ahead so far, a write only for room.
//!
//! Assumption: commands in work do not disturb each other's access.

use crate::cache::Cache;
use sansim_kernel::{RandomStream, Span, Time, TimeWeighted, Total};
use std::collections::VecDeque;

mod parameters;

pub use parameters::{DriveModel, DriveParameters, WriteTransfer};

/// A command as the drive knows it. `tag` is the caller's and comes back in the effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Caller's name for it.
    pub tag: u32,
    /// Write or read.
    pub write: bool,
    /// Bytes of data.
    pub bytes: u64,
    /// First byte on the drive.
    pub from: u64,
    /// Byte behind the last block.
    pub to: u64,
    /// Data come or go in pieces of this size; with a cache no larger than its segment.
    pub piece: u64,
    /// When it was received; the access is counted from here.
    pub received: Time,
}

/// What a command is doing in the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveStage {
    /// Waits for others to finish.
    Queue,
    /// With a cache: waits for the medium to take data written before, so that there is room, or the medium can be
    /// positioned anew.
    MediumTaken,
    /// Seek and rotation.
    Access,
    /// Media transfer.
    Transfer,
}

/// What a drive does in answer to an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveEffect {
    /// Call [`Drive::due`] for the command at this time.
    Due(u32, Time),
    /// Read: the data up to this byte are ready to be sent.
    DataReady(u32, u64),
    /// Write: there is a buffer for the next piece.
    BufferReady(u32),
    /// Write: the data are on the media.
    Written(u32),
    /// What the command is doing.
    Stage(u32, DriveStage),
}

#[derive(Clone, Copy, Debug)]
struct InWork {
    command: Command,
    transferred: u64,
    accessed: bool,
    /// End of the access or media transfer in progress.
    until: Time,
}

/// A drive. See the module text.
#[derive(Clone, Debug)]
pub struct Drive {
    parameters: DriveParameters,
    random: RandomStream,
    waiting: VecDeque<Command>,
    in_work: Vec<InWork>,
    /// Access and media times of all commands that were begun, without a cache.
    positioned: Total,
    transferred: Total,
    occupied: TimeWeighted,
    cache: Option<Cache>,
    /// The command in work waits for its next piece, and no time for it is known yet.
    short_of_room: bool,
}

impl Drive {
    /// An idle drive that draws its access times from `random`.
    pub fn new(parameters: &DriveParameters, random: RandomStream) -> Self {
        Self {
            parameters: *parameters,
            random,
            waiting: VecDeque::with_capacity(16),
            in_work: Vec::with_capacity(16),
            positioned: Total::ZERO,
            transferred: Total::ZERO,
            occupied: TimeWeighted::new(),
            cache: parameters.cache.map(|segment| Cache::new(segment, parameters.transfer_rate)),
            short_of_room: false,
        }
    }

    /// The parameters.
    pub fn parameters(&self) -> &DriveParameters {
        &self.parameters
    }

    /// Sum of the access and media times of all commands, up to now.
    pub fn busy(&self, now: Time) -> Total {
        self.positioning(now) + self.transferring(now)
    }

    /// Sum of the access times of all commands, up to now.
    pub fn positioning(&self, now: Time) -> Total {
        match &self.cache {
            Some(cache) => cache.positioning(now).into(),
            None => self.positioned - self.ahead(now, false),
        }
    }

    /// Sum of the media times of all commands, up to now.
    pub fn transferring(&self, now: Time) -> Total {
        match &self.cache {
            Some(cache) => cache.transferring(now).into(),
            None => self.transferred - self.ahead(now, true),
        }
    }

    /// What is still to come of the accesses, or of the media transfers, that are in progress.
    fn ahead(&self, now: Time, accessed: bool) -> Total {
        let these = self.in_work.iter().filter(|work| work.accessed == accessed);
        these.map(|work| work.until.saturating_since(now)).sum()
    }

    /// Time in which commands were in work, from their start until their status was made, up to now; of several at a time
    /// the sum.
    pub fn occupied(&self, now: Time) -> Total {
        self.occupied.total(now)
    }

    /// Commands waiting and in work.
    pub fn commands(&self) -> usize {
        self.waiting.len() + self.in_work.len()
    }

    /// Commands that wait for others.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The firmware gets a command.
    pub fn command(&mut self, now: Time, command: Command, out: &mut Vec<DriveEffect>) {
        if self.in_work.len() < self.parameters.concurrency as usize {
            self.start(now, command, command.received, out);
        } else {
            out.push(DriveEffect::Stage(command.tag, DriveStage::Queue));
            self.waiting.push_back(command);
        }
    }

    fn start(&mut self, now: Time, command: Command, from: Time, out: &mut Vec<DriveEffect>) {
        self.occupied.increase(now, 1);
        if self.cache.is_some() {
            self.start_cached(now, command, from, out);
            return;
        }
        let access = self.parameters.access_time.draw(&mut self.random);
        let ready = (from + access).max(now);
        // The access is counted from the receipt; what of it has passed by now is over before the command is in work.
        self.positioned += access;
        self.in_work.push(InWork { command, transferred: 0, accessed: false, until: ready });
        out.push(DriveEffect::Stage(command.tag, DriveStage::Access));
        out.push(DriveEffect::Due(command.tag, ready));
    }

    fn media_time(&self, bytes: u64) -> Span {
        Span::to_move(bytes, self.parameters.transfer_rate)
    }

    /// The access or a media transfer of a command is done.
    pub fn due(&mut self, now: Time, tag: u32, out: &mut Vec<DriveEffect>) {
        let Some(index) = self.in_work.iter().position(|w| w.command.tag == tag) else { return };
        let command = self.in_work[index].command;
        if self.cache.is_some() {
            self.serve_cached(now, out);
            return;
        }
        if !self.in_work[index].accessed {
            self.in_work[index].accessed = true;
            if !command.write {
                self.transfer_piece(now, index, out);
            } else if self.parameters.write_transfer == WriteTransfer::BeforeData {
                self.transfer_write(now, index, out);
            } else {
                out.push(DriveEffect::BufferReady(tag));
            }
            return;
        }
        if command.write {
            out.push(match self.parameters.write_transfer {
                WriteTransfer::BeforeData => DriveEffect::BufferReady(tag),
                WriteTransfer::AfterData => DriveEffect::Written(tag),
            });
            return;
        }
        let piece = command.piece.min(command.bytes - self.in_work[index].transferred);
        self.in_work[index].transferred += piece;
        let transferred = self.in_work[index].transferred;
        out.push(DriveEffect::DataReady(tag, transferred));
        if transferred < command.bytes {
            self.transfer_piece(now, index, out);
        }
    }

    fn transfer_piece(&mut self, now: Time, index: usize, out: &mut Vec<DriveEffect>) {
        let InWork { command, transferred, .. } = self.in_work[index];
        let time = self.media_time(command.piece.min(command.bytes - transferred));
        self.transferred += time;
        self.in_work[index].until = now + time;
        // Of what follows the adapter knows when it has sent everything before.
        if transferred == 0 {
            out.push(DriveEffect::Stage(command.tag, DriveStage::Transfer));
        }
        out.push(DriveEffect::Due(command.tag, now + time));
    }

    /// A piece of a write has come into the buffer.
    pub fn piece_stored(&mut self, now: Time, tag: u32, out: &mut Vec<DriveEffect>) {
        let Some(index) = self.in_work.iter().position(|w| w.command.tag == tag) else { return };
        let work = &mut self.in_work[index];
        let before = work.transferred;
        work.transferred = (before + work.command.piece).min(work.command.bytes);
        if let Some(cache) = &mut self.cache {
            cache.accept(now, work.transferred - before);
            if work.transferred < work.command.bytes {
                self.serve_cached(now, out);
            } else {
                out.push(DriveEffect::Written(tag));
            }
            return;
        }
        if work.transferred < work.command.bytes {
            out.push(DriveEffect::BufferReady(tag));
            return;
        }
        match self.parameters.write_transfer {
            WriteTransfer::BeforeData => out.push(DriveEffect::Written(tag)),
            WriteTransfer::AfterData => self.transfer_write(now, index, out),
        }
    }

    fn transfer_write(&mut self, now: Time, index: usize, out: &mut Vec<DriveEffect>) {
        let command = self.in_work[index].command;
        let time = self.media_time(command.bytes);
        self.transferred += time;
        self.in_work[index].until = now + time;
        out.push(DriveEffect::Stage(command.tag, DriveStage::Transfer));
        out.push(DriveEffect::Due(command.tag, now + time));
    }

    /// A command of a drive with a cache comes into work.
    fn start_cached(&mut self, now: Time, command: Command, from: Time, out: &mut Vec<DriveEffect>) {
        let Some(cache) = &mut self.cache else { return };
        let mut work = InWork { command, transferred: 0, accessed: true, until: now };
        let mut free = now;
        if !cache.begin(now, command.write, command.from, command.to) {
            free = cache.free_at();
            let access = self.parameters.access_time.draw(&mut self.random);
            work.until = cache.position(now, command.write, command.from, from, access);
        }
        self.in_work.push(work);
        if free > now {
            out.push(DriveEffect::Stage(command.tag, DriveStage::MediumTaken));
            out.push(DriveEffect::Due(command.tag, free));
        } else {
            self.serve_cached(now, out);
        }
    }

    /// Hands on what the cache has for the command in work, or finds out when there will be more.
    fn serve_cached(&mut self, now: Time, out: &mut Vec<DriveEffect>) {
        let (Some(work), Some(cache)) = (self.in_work.first_mut(), &mut self.cache) else { return };
        let InWork { command, transferred, until: positioned, .. } = *work;
        let tag = command.tag;
        self.short_of_room = false;
        let mut done = transferred;
        let next = |done: u64| (done + command.piece).min(command.bytes);
        let (stage, at) = if command.write && cache.room_at(next(done) - done) <= now {
            // The data of a write can come while the medium is being positioned.
            out.push(DriveEffect::BufferReady(tag));
            return;
        } else if positioned > now {
            (DriveStage::Access, Some(positioned))
        } else if command.write {
            (DriveStage::MediumTaken, Some(cache.room_at(next(done) - done)))
        } else {
            let at = loop {
                if done == command.bytes {
                    return;
                }
                match cache.data_at(command.from + next(done)) {
                    Some(at) if at <= now => {
                        done = next(done);
                        work.transferred = done;
                        cache.give(command.from + done);
                        out.push(DriveEffect::DataReady(tag, done));
                    }
                    later => break later,
                }
            };
            (DriveStage::Transfer, at)
        };
        // Of what follows its first data in a read the adapter knows when it has sent everything before.
        if command.write || done == 0 {
            out.push(DriveEffect::Stage(tag, stage));
        }
        match at {
            Some(at) => out.push(DriveEffect::Due(tag, at)),
            None => self.short_of_room = true,
        }
    }

    /// With a cache: the data of a read up to this byte of the drive have left.
    pub fn sent_up_to(&mut self, now: Time, byte: u64, out: &mut Vec<DriveEffect>) {
        if let Some(cache) = &mut self.cache {
            cache.sent_up_to(now, byte);
            if self.short_of_room {
                self.serve_cached(now, out);
            }
        }
    }

    /// The status of a command has been made: it leaves the drive, and the next waiting one starts.
    pub fn finished(&mut self, now: Time, tag: u32, out: &mut Vec<DriveEffect>) {
        let Some(index) = self.in_work.iter().position(|w| w.command.tag == tag) else { return };
        self.in_work.swap_remove(index);
        self.occupied.decrease(now, 1);
        if let Some(next) = self.waiting.pop_front() {
            self.start(now, next, now, out);
        }
    }
}

#[cfg(test)]
mod tests;
