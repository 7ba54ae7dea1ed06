//! A sequential tape drive: it streams as long as data come, or are taken, fast enough; otherwise it stops, goes back, and starts again.
//!
//! * A tape drive serves commands in the order in which they come, one at a time. A command that begins where the previous command ended,
//!   in the same direction, continues without a search; for any other command buffered writes go to the tape first, and then the tape is
//!   positioned ([`reel`]).
//! * A write is done when its data are in the buffer; it waits for buffer space for all of its data if they fit in, else for half a buffer
//!   at a time.
//! * A read gets the data that the drive has read ahead into the buffer, and waits for the other data. The data of a read go to the host in
//!   pieces of 64 KiB.
//! * The tape has wraps in alternating directions; the time to find a position depends on the distance along the tape, whatever the wrap.
//! * A command that is given up leaves the tape where it is, and the next command has the tape positioned anew.
//!
//! Source: general knowledge of streaming tape drives (start and stop, back-hitch, speed matching, serpentine recording); figures of
//! [`presets`] are published. Assumptions: the tape is positioned at one speed; nothing is compressed; a write in the middle leaves the
//! data behind it readable, which a real drive would not.

mod catalogue;
mod demand;
mod parameters;
mod presets;
mod reel;

use catalogue::{CATALOGUE, block, meter, segment};
pub use parameters::TapeDriveParameters;
pub use presets::TapePreset;
use reel::{Motion, Reel};

use crate::firmware::FirmwareParameters;
use crate::intake::Intake;
use crate::medium::{CommandOutcome, DriveComponent, Medium, MediumCommand};
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::{BuildContext, DeviceRole};
use sansim_kernel::{Time, Total};
use sansim_schema::catalogue::Catalogue;
use std::collections::VecDeque;

/// A tape drive as a component.
pub type TapeDrive = DriveComponent<Tape>;

/// Data of reads go in pieces of this size.
const PIECE: u64 = 64 << 10;

/// The stage of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Data of earlier writes go to the tape.
    Flushing,
    /// The tape winds to the position of the command.
    Locating,
    /// The data of the command move.
    Moving,
}

/// The command that is being served.
#[derive(Clone, Copy, Debug)]
struct Serving {
    command: MediumCommand,
    stage: Stage,
    /// The byte up to which a write has been given buffer space; for reads and writes also the byte up to which data came or were
    /// available.
    given: u64,
    moved: u64,
    /// The segment reported last.
    told: Option<usize>,
}

impl Serving {
    /// Notes that the command enters this segment.
    fn enters(&mut self, told: &mut VecDeque<(u32, CommandOutcome)>, segment: usize) {
        if self.told != Some(segment) {
            self.told = Some(segment);
            told.push_back((self.command.number, CommandOutcome::Enters(segment)));
        }
    }
}

/// A sequential tape drive, which streams as long as data come or are taken fast enough.
#[derive(Clone, Debug)]
pub struct Tape {
    buffer: u64,
    reel: Reel,
    waiting: VecDeque<MediumCommand>,
    serving: Option<Serving>,
    /// The position at which the last command ended, and whether it wrote; none if the tape is elsewhere.
    ended: Option<(bool, u64)>,
    /// Pending outcomes of commands, in the order in which they are reported.
    told: VecDeque<(u32, CommandOutcome)>,
}

impl Tape {
    /// A drive at the beginning of its tape.
    pub fn new(parameters: &TapeDriveParameters) -> Self {
        Self {
            buffer: parameters.buffer,
            reel: Reel::new(parameters),
            waiting: VecDeque::with_capacity(64),
            serving: None,
            ended: Some((true, 0)),
            told: VecDeque::with_capacity(64),
        }
    }

    /// Begins to serve the next command.
    fn next_command(&mut self) {
        if self.serving.is_none()
            && let Some(command) = self.waiting.pop_front()
        {
            let is_flush = command.bytes == 0;
            let goes_on = !is_flush && self.ended == Some((command.write, command.first_byte));
            let stage = if goes_on { Stage::Moving } else { Stage::Flushing };
            self.serving = Some(Serving { command, stage, given: 0, moved: 0, told: None });
        }
    }

    /// The number of bytes of room that a write is given next, and the most data that may be left for the tape at that moment. None if the
    /// data of the write have not come as far as it has room.
    fn wanted(&self, serving: &Serving) -> Option<(u64, u64)> {
        let Serving { command, given, moved, .. } = *serving;
        let piece = Intake::new(self.buffer).buffer_grant_bytes(command.bytes).min(command.bytes - given);
        (piece > 0 && moved == given).then(|| (piece, self.buffer.saturating_sub(piece)))
    }

    /// The byte of the tape up to which data have to be there for the next piece of a read.
    fn next_data(&self, serving: &Serving) -> u64 {
        let Serving { command, moved, .. } = *serving;
        command.first_byte + (moved + PIECE.min(self.buffer)).min(command.bytes)
    }

    /// Goes on with the command in service. Returns whether there was any progress.
    fn serve(&mut self, now: Time) -> bool {
        self.next_command();
        let Some(mut serving) = self.serving else { return false };
        let MediumCommand { number, write, first_byte, bytes, .. } = serving.command;
        let goes_on = match serving.stage {
            Stage::Flushing if self.reel.flush_buffer(now) && bytes == 0 => {
                self.told.push_back((number, CommandOutcome::Done));
                self.serving = None;
                return true;
            }
            Stage::Flushing if self.reel.flush_buffer(now) => {
                self.reel.move_tape(now, first_byte, write);
                serving.stage = Stage::Locating;
                serving.enters(&mut self.told, segment::LOCATE);
                true
            }
            Stage::Flushing => {
                serving.enters(&mut self.told, segment::MEDIA_QUEUE);
                false
            }
            Stage::Locating => {
                let there = !matches!(self.reel.motion(), Motion::Locates(_));
                serving.stage = if there { Stage::Moving } else { Stage::Locating };
                there
            }
            Stage::Moving if write && serving.moved == bytes => {
                self.told.push_back((number, CommandOutcome::Done));
                self.ended = Some((true, first_byte + bytes));
                self.serving = None;
                return true;
            }
            Stage::Moving if write => match self.wanted(&serving) {
                Some((piece, most)) if self.reel.outstanding_work(now) <= most => {
                    serving.given += piece;
                    self.told.push_back((number, CommandOutcome::Room(serving.given)));
                    true
                }
                Some(_) => {
                    self.reel.start_tape(now);
                    if serving.given == 0 {
                        serving.enters(&mut self.told, segment::ROOM);
                    }
                    false
                }
                None => false,
            },
            Stage::Moving if self.reel.tape_position(now) >= self.next_data(&serving) => {
                let upto = self.next_data(&serving) - first_byte;
                self.reel.add_work(now, upto - serving.moved);
                serving.moved = upto;
                self.told.push_back((number, CommandOutcome::Data(upto)));
                if upto == bytes {
                    self.told.push_back((number, CommandOutcome::Done));
                    self.ended = Some((false, first_byte + bytes));
                    self.serving = None;
                    return true;
                }
                true
            }
            Stage::Moving => {
                self.reel.start_tape(now);
                if serving.moved == 0 {
                    let waits = matches!(self.reel.motion(), Motion::BackHitch(_));
                    let segment = if waits { segment::BACK_HITCH } else { segment::TRANSFER };
                    serving.enters(&mut self.told, segment);
                }
                false
            }
        };
        self.serving = Some(serving);
        goes_on
    }
}

impl Medium for Tape {
    type Parameters = TapeDriveParameters;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;
    const NO_ANSWER: usize = segment::NO_ANSWER;

    fn demand(
        parameters: &TapeDriveParameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, class, around))
    }

    fn build(parameters: &TapeDriveParameters, _cx: &BuildContext<'_, DeviceRole>) -> Self {
        Self::new(parameters)
    }

    fn firmware(parameters: &TapeDriveParameters) -> &FirmwareParameters {
        &parameters.firmware
    }

    fn comes(&mut self, _now: Time, command: MediumCommand) {
        self.waiting.push_back(command);
        self.told.push_back((command.number, CommandOutcome::Enters(segment::QUEUE)));
    }

    /// A flush is a command without bytes: it has its turn among the others.
    fn flush(&mut self, now: Time, number: u32) {
        self.comes(
            now,
            MediumCommand { number, write: true, force_unit_access: false, first_byte: 0, bytes: 0 },
        );
    }

    /// Tapes know no deallocation (SSC-4 has none).
    const DEALLOCATES: bool = false;

    fn deallocate(&mut self, _now: Time, _number: u32, _bytes: std::ops::Range<u64>) {}

    fn data_in(&mut self, now: Time, number: u32, upto: u64) {
        if let Some(serving) = self.serving.as_mut().filter(|serving| serving.command.number == number) {
            let came = upto - serving.moved;
            serving.moved = upto;
            self.reel.add_work(now, came);
        }
    }

    fn gives_up(&mut self, _now: Time, number: u32) {
        self.waiting.retain(|command| command.number != number);
        self.told.retain(|(other, _)| *other != number);
        if self.serving.take_if(|serving| serving.command.number == number).is_some() {
            self.ended = None;
        }
    }

    fn fails(&mut self, now: Time) {
        self.waiting.clear();
        self.told.clear();
        (self.serving, self.ended) = (None, None);
        self.reel.lose_buffer(now);
    }

    fn next(&self) -> Time {
        let served = self.serving.as_ref().filter(|serving| serving.stage == Stage::Moving);
        let served = served.and_then(|serving| match serving.command.write {
            true => self.wanted(serving).and_then(|(_, most)| self.reel.time_at_work_left(most)),
            false => self.reel.time_at_position(self.next_data(serving)),
        });
        served.unwrap_or(Time::NEVER).min(self.reel.next_motion_change())
    }

    fn go_on(&mut self, now: Time, tell: &mut impl FnMut(u32, CommandOutcome)) {
        self.reel.catch_up(now);
        loop {
            while let Some((number, what)) = self.told.pop_front() {
                tell(number, what);
            }
            if !self.serve(now) && self.told.is_empty() {
                return;
            }
        }
    }

    fn gauge(&self, _now: Time, _gauge: usize) -> u32 {
        self.waiting.len() as u32
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        match block {
            block::POSITIONING => self.reel.locating.total(now) + self.reel.back_hitching.total(now),
            _ => self.reel.streaming.total(now),
        }
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        match meter {
            meter::STREAMING => self.reel.streaming.total(now),
            meter::LOCATING => self.reel.locating.total(now),
            meter::BACK_HITCHING => self.reel.back_hitching.total(now),
            meter::BACK_HITCHES => Total(self.reel.back_hitches.into()),
            _ => Total::ZERO,
        }
    }
}

#[cfg(test)]
mod tests;
