//! A drive described by an access time and a transfer rate; with neither, a RAM disk.
//!
//! Source: Wang 2005, section 6.2.1 (seek and rotation are one access time, counted from the receipt of the command to the
//! beginning of the data transfer) and 4.3.3.2 (firmware with a limit on the commands it works on at a time).
//!
//! * A command waits while `concurrency` others are in work. A command in work leaves when its status is made.
//! * Read: access, then the media transfer of each data sequence in turn; a sequence is sent when it is complete.
//! * Write: access, then a buffer is given for each burst in turn (FCP_XFER_RDY); when all data are in, the status is made.
//!   The media transfer is paid before the first burst or after the last, see [`WriteTransfer`].
//!
//! Assumption: commands in work do not disturb each other's access.

use sansim_kernel::{RandomStream, Span, Time};
use std::collections::VecDeque;

/// How long an access takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessTime {
    /// Always the same.
    Fixed(Span),
    /// Exponentially distributed.
    Exponential {
        /// Mean.
        mean: Span,
    },
    /// Uniform between two bounds.
    Uniform {
        /// Least.
        low: Span,
        /// Greatest.
        high: Span,
    },
    /// Normal, cut off at zero.
    Normal {
        /// Mean of the uncut distribution.
        mean: Span,
        /// Standard deviation of the uncut distribution.
        deviation: Span,
    },
}

impl AccessTime {
    /// Draws one access time.
    pub fn draw(&self, random: &mut RandomStream) -> Span {
        match *self {
            Self::Fixed(time) => time,
            Self::Exponential { mean } => Span::from_ns_f64(random.exponential(mean.as_ns_f64())),
            Self::Uniform { low, high } => {
                Span::from_ns_f64(random.uniform(low.as_ns_f64(), high.as_ns_f64()))
            }
            Self::Normal { mean, deviation } => {
                Span::from_ns_f64(random.normal(mean.as_ns_f64(), deviation.as_ns_f64()))
            }
        }
    }
}

/// Parameters of a drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriveConfig {
    /// Access time.
    pub access: AccessTime,
    /// Media rate; `None` transfers in no time.
    pub bytes_per_second: Option<u64>,
    /// Commands in work at a time.
    pub concurrency: u32,
    /// When a write pays for its media transfer.
    pub write_transfer: WriteTransfer,
}

/// When a write pays for its media transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WriteTransfer {
    /// Before it asks for data: a command is executed by the drive in access time plus transfer time whatever its
    /// direction, then the data phase begins and the status follows it (Wang 4.3.2.3).
    #[default]
    BeforeData,
    /// After all data have come into the buffer; the status follows the transfer (no write cache).
    AfterData,
}

/// A command as the drive knows it. `tag` is the caller's and comes back in the effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Caller's name for it.
    pub tag: u32,
    /// Write or read.
    pub write: bool,
    /// Bytes of data.
    pub bytes: u64,
    /// Data come or go in pieces of this size.
    pub piece: u64,
    /// When it was received; the access is counted from here.
    pub received: Time,
}

/// What a command is doing in the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Waits for others to finish.
    Queue,
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
    Stage(u32, Stage),
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
    config: DriveConfig,
    random: RandomStream,
    waiting: VecDeque<Command>,
    in_work: Vec<InWork>,
    busy: Span,
}

impl Drive {
    /// An idle drive that draws its access times from `random`.
    pub fn new(config: DriveConfig, random: RandomStream) -> Self {
        Self {
            config,
            random,
            waiting: VecDeque::with_capacity(16),
            in_work: Vec::with_capacity(16),
            busy: Span::ZERO,
        }
    }

    /// The parameters.
    pub fn config(&self) -> &DriveConfig {
        &self.config
    }

    /// Sum of the access and media times of all commands, up to now.
    pub fn busy(&self, now: Time) -> Span {
        let ahead = |work: &InWork| if work.until > now { work.until - now } else { Span::ZERO };
        self.busy - self.in_work.iter().map(ahead).sum::<Span>()
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
        if self.in_work.len() < self.config.concurrency as usize {
            self.start(now, command, command.received, out);
        } else {
            out.push(DriveEffect::Stage(command.tag, Stage::Queue));
            self.waiting.push_back(command);
        }
    }

    fn start(&mut self, now: Time, command: Command, from: Time, out: &mut Vec<DriveEffect>) {
        let access = self.config.access.draw(&mut self.random);
        let ready = (from + access).max(now);
        // The access is counted from the receipt; what of it has passed by now is over before the command is in work.
        self.busy += access;
        self.in_work.push(InWork { command, transferred: 0, accessed: false, until: ready });
        out.push(DriveEffect::Stage(command.tag, Stage::Access));
        out.push(DriveEffect::Due(command.tag, ready));
    }

    fn media_time(&self, bytes: u64) -> Span {
        match self.config.bytes_per_second {
            Some(rate) => Span::from_ns_ratio(bytes * 1_000_000_000, rate),
            None => Span::ZERO,
        }
    }

    /// The access or a media transfer of a command is done.
    pub fn due(&mut self, now: Time, tag: u32, out: &mut Vec<DriveEffect>) {
        let Some(index) = self.in_work.iter().position(|w| w.command.tag == tag) else { return };
        let command = self.in_work[index].command;
        if !self.in_work[index].accessed {
            self.in_work[index].accessed = true;
            if !command.write {
                self.transfer_piece(now, index, out);
            } else if self.config.write_transfer == WriteTransfer::BeforeData {
                self.transfer_write(now, index, out);
            } else {
                out.push(DriveEffect::BufferReady(tag));
            }
            return;
        }
        if command.write {
            out.push(match self.config.write_transfer {
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
        self.busy += time;
        self.in_work[index].until = now + time;
        if transferred == 0 {
            out.push(DriveEffect::Stage(command.tag, Stage::Transfer));
        }
        out.push(DriveEffect::Due(command.tag, now + time));
    }

    /// A piece of a write has come into the buffer.
    pub fn piece_stored(&mut self, now: Time, tag: u32, out: &mut Vec<DriveEffect>) {
        let Some(index) = self.in_work.iter().position(|w| w.command.tag == tag) else { return };
        let work = &mut self.in_work[index];
        work.transferred = (work.transferred + work.command.piece).min(work.command.bytes);
        if work.transferred < work.command.bytes {
            out.push(DriveEffect::BufferReady(tag));
            return;
        }
        match self.config.write_transfer {
            WriteTransfer::BeforeData => out.push(DriveEffect::Written(tag)),
            WriteTransfer::AfterData => self.transfer_write(now, index, out),
        }
    }

    fn transfer_write(&mut self, now: Time, index: usize, out: &mut Vec<DriveEffect>) {
        let command = self.in_work[index].command;
        let time = self.media_time(command.bytes);
        self.busy += time;
        self.in_work[index].until = now + time;
        out.push(DriveEffect::Stage(command.tag, Stage::Transfer));
        out.push(DriveEffect::Due(command.tag, now + time));
    }

    /// The status of a command has been made: it leaves the drive, and the next waiting one starts.
    pub fn finished(&mut self, now: Time, tag: u32, out: &mut Vec<DriveEffect>) {
        let Some(index) = self.in_work.iter().position(|w| w.command.tag == tag) else { return };
        self.in_work.swap_remove(index);
        if let Some(next) = self.waiting.pop_front() {
            self.start(now, next, now, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(concurrency: u32) -> Drive {
        let config = DriveConfig {
            access: AccessTime::Fixed(Span::from_ms(2)),
            bytes_per_second: Some(50 << 20),
            concurrency,
            write_transfer: WriteTransfer::AfterData,
        };
        Drive::new(config, RandomStream::new(1, "drive"))
    }

    fn command(tag: u32, write: bool, bytes: u64, piece: u64) -> Command {
        Command { tag, write, bytes, piece, received: Time::ZERO }
    }

    #[test]
    fn a_read_takes_its_access_from_receipt_and_then_the_media_transfer() {
        let mut drive = drive(1);
        let mut out = Vec::new();
        let later = Time::ZERO + Span::from_us(67);
        drive.command(later, command(7, false, 32 << 10, 32 << 10), &mut out);
        let accessed = Time::ZERO + Span::from_ms(2);
        assert_eq!(out, [DriveEffect::Stage(7, Stage::Access), DriveEffect::Due(7, accessed)]);
        out.clear();
        drive.due(accessed, 7, &mut out);
        let read = accessed + Span::from_us(625);
        assert_eq!(out, [DriveEffect::Stage(7, Stage::Transfer), DriveEffect::Due(7, read)]);
        out.clear();
        drive.due(read, 7, &mut out);
        assert_eq!(out, [DriveEffect::DataReady(7, 32 << 10)]);
    }

    #[test]
    fn a_write_asks_for_each_burst_and_is_written_when_all_are_in() {
        let mut drive = drive(1);
        let mut out = Vec::new();
        drive.command(Time::ZERO, command(1, true, 96 << 10, 64 << 10), &mut out);
        out.clear();
        let accessed = Time::ZERO + Span::from_ms(2);
        drive.due(accessed, 1, &mut out);
        assert_eq!(out, [DriveEffect::BufferReady(1)]);
        out.clear();
        drive.piece_stored(accessed, 1, &mut out);
        assert_eq!(out, [DriveEffect::BufferReady(1)]);
        out.clear();
        drive.piece_stored(accessed, 1, &mut out);
        let written = accessed + Span::from_us(1875);
        assert_eq!(out, [DriveEffect::Stage(1, Stage::Transfer), DriveEffect::Due(1, written)]);
        out.clear();
        drive.due(written, 1, &mut out);
        assert_eq!(out, [DriveEffect::Written(1)]);
    }

    #[test]
    fn no_more_commands_are_in_work_than_the_limit() {
        let mut drive = drive(2);
        let mut out = Vec::new();
        for tag in 0..3 {
            drive.command(Time::ZERO, command(tag, false, 512, 512), &mut out);
        }
        assert_eq!(out.last(), Some(&DriveEffect::Stage(2, Stage::Queue)));
        out.clear();
        let now = Time::ZERO + Span::from_ms(3);
        drive.finished(now, 0, &mut out);
        assert_eq!(
            out[1],
            DriveEffect::Due(2, now + Span::from_ms(2)),
            "its access begins when it is taken into work"
        );
        assert_eq!(drive.commands(), 2);
    }
}
