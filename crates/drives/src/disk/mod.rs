//! A drive with a mechanical disk: [`sansim_disk::Disk`] behind its firmware.
//!
//! The crate `sansim-disk` models the arm, the platters and the buffer; this module moves the data of commands.
//!
//! * A read waits for the disk. Data of a read that are in the buffer are sent at once, and the other data in pieces of `read_sequence` as
//!   blocks pass under the head. Data of a read stay in the segment until the host has consumed them, and the medium stops when the segment
//!   is full of unsent data (`sansim_disk::disk`); then all of the segment is sent, however little it is. A read larger than a segment is
//!   sent in pieces of at most half a segment.
//! * The data of a write come first, as far as there is `write_room`; when all data are in, the write waits for the disk as other commands
//!   do. A write larger than the room goes to the disk in pieces of half the room: one half is filled while the other half is written.
//! * A flush goes before commands that wait: the processor takes the time of a write, then the disk writes what is only in its buffer. A
//!   deallocation only takes the time of the processor. Assumed: SBC-4 leaves the order to the drive.
//! * An aborted command leaves the queue of the disk; a movement of the arm that has begun continues.
//! * A drive that fails loses the content of its buffer.
//!
//! Assumption: data of writes that are still coming and data that write-behind keeps have separate room.

mod catalogue;
mod demand;
mod parameters;
mod serving;

use catalogue::{CATALOGUE, block, gauge, meter, segment};
pub use parameters::DiskDriveParameters;
use serving::{NOBODY, Serving};

use crate::firmware::FirmwareParameters;
use crate::intake::Intake;
use crate::medium::{CommandOutcome, DriveComponent, Medium, MediumCommand};
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::{BuildContext, DeviceRole};
use sansim_disk::{BLOCK_BYTES, BufferHit, Disk, ServedCommand};
use sansim_kernel::{RandomStream, Span, Time, Total};
use sansim_schema::catalogue::Catalogue;
use std::collections::VecDeque;
use std::ops::Range;

/// A drive with a mechanical disk.
pub type DiskDrive = DriveComponent<DiskMedium>;

/// A command that is not done.
#[derive(Clone, Copy, Debug)]
struct Active {
    command: MediumCommand,
    /// The bytes of a write up to which it has room, up to which room was granted, up to which data have come, up to which data were passed
    /// to the disk, and up to which they are written.
    given: u64,
    told: u64,
    came: u64,
    handed: u64,
    done: u64,
}

/// A flush or a deallocation, and where it is.
#[derive(Clone, Copy, Debug)]
struct WithoutData {
    number: u32,
    arrival: Time,
    flushes: bool,
    /// Where the disk has begun it: the time at which its processor is done, if the medium still works then, and the time at which all is.
    begun: Option<(Option<Time>, Time)>,
}

/// A mechanical disk as the medium of a drive.
#[derive(Clone, Debug)]
pub struct DiskMedium {
    /// The disk; none if its parameters are invalid.
    disk: Option<Disk>,
    /// The number of blocks in a piece of the data of a read.
    piece: u32,
    intake: Intake,
    active: Vec<Active>,
    serving: Vec<Serving>,
    /// Flushes and deallocations, in the order in which they came.
    without_data: VecDeque<WithoutData>,
    /// Pending outcomes of commands, in the order in which they are reported.
    told: VecDeque<(u32, CommandOutcome)>,
    /// Sums over the commands for which the arm had to move, and the number of those commands.
    seeking: Total,
    rotating: Total,
    accesses: u64,
    reads: u64,
    hits: u64,
    stops: u64,
    fault: Option<String>,
}

impl DiskMedium {
    /// An idle drive. The angle of its platters is drawn from `random`.
    pub fn new(parameters: &DiskDriveParameters, mut random: RandomStream) -> Self {
        let mut disk = Disk::new(&parameters.disk, &mut random);
        if let Ok(disk) = &mut disk {
            disk.expect_consumption_notices();
        }
        let fault = disk.as_ref().err().cloned();
        let piece = parameters.read_sequence.map_or(u64::MAX, |bytes| bytes / BLOCK_BYTES);
        Self {
            disk: disk.ok(),
            piece: u32::try_from(piece).unwrap_or(u32::MAX),
            intake: Intake::new(parameters.write_buffer_bytes()),
            active: Vec::with_capacity(64),
            serving: Vec::with_capacity(4),
            without_data: VecDeque::new(),
            told: VecDeque::with_capacity(64),
            seeking: Total::ZERO,
            rotating: Total::ZERO,
            accesses: 0,
            reads: 0,
            hits: 0,
            stops: 0,
            fault,
        }
    }

    /// Submits blocks of a command to the disk.
    fn submit(&mut self, now: Time, command: &MediumCommand, first_byte: u64, bytes: u64) {
        let Some(disk) = &mut self.disk else { return };
        let asked = sansim_disk::DiskCommand {
            id: command.number.into(),
            write: command.write,
            force_unit_access: command.force_unit_access,
            lbn: first_byte / BLOCK_BYTES,
            blocks: bytes.div_ceil(BLOCK_BYTES) as u32,
            arrival: now,
        };
        self.told.push_back((command.number, CommandOutcome::Enters(segment::QUEUE)));
        if let Err(beyond) = disk.submit_command(asked) {
            self.fault = Some(beyond.to_string());
        }
    }

    /// Passes the data of a write that have come to the disk, as far as pieces are complete.
    fn hand_over(&mut self, now: Time, place: usize) {
        loop {
            let Active { command, came, handed, .. } = self.active[place];
            let piece = self.intake.buffer_grant_bytes(command.bytes).min(command.bytes - handed);
            if piece == 0 || came < handed + piece {
                return;
            }
            self.active[place].handed += piece;
            self.submit(now, &command, command.first_byte + handed, piece);
        }
    }

    fn give_room(&mut self) {
        while let Some((number, upto)) = self.intake.grant_buffer_space() {
            if let Some(place) = self.active.iter().position(|active| active.command.number == number) {
                self.active[place].given = upto;
                self.tell_room(place);
            }
        }
    }

    /// Grants a write more room, when its data have come as far as room was granted before.
    fn tell_room(&mut self, place: usize) {
        let active = &mut self.active[place];
        if active.came == active.told && active.given > active.told {
            active.told = active.given;
            self.told.push_back((active.command.number, CommandOutcome::Room(active.given)));
        }
    }

    /// The disk has begun to serve a command or a piece of a write.
    fn begun(&mut self, served: ServedCommand) {
        let number = served.command.id as u32;
        let read = !served.command.write;
        let is_hit = matches!(served.hit, BufferHit::Full | BufferHit::Almost);
        let overhead = self.disk.as_ref().map_or(Span::ZERO, Disk::overhead);
        self.reads += u64::from(read);
        self.hits += u64::from(read && is_hit);
        if matches!(served.hit, BufferHit::Miss | BufferHit::Partial) {
            self.seeking += served.seek_end - served.start;
            self.rotating += served.transfer_begin - served.seek_end;
            self.accesses += 1;
        }
        let active = self.active.iter().find(|active| active.command.number == number);
        let frees = active.filter(|_| !read).map_or(0, |active| {
            let MediumCommand { first_byte, bytes, .. } = active.command;
            let from = served.command.lbn * BLOCK_BYTES - first_byte;
            self.intake.buffer_grant_bytes(bytes).min(bytes - from)
        });
        let piece = self.piece_of(&served);
        self.serving.push(Serving::new(number, served, frees, piece, overhead));
    }

    /// The number of blocks in which the data of a read are passed on.
    fn piece_of(&self, served: &ServedCommand) -> u32 {
        let segment = self.disk.as_ref().and_then(Disk::segment_blocks);
        match segment.filter(|&segment| served.command.blocks > segment) {
            Some(segment) => self.piece.min((segment / 2).max(1)),
            None => self.piece,
        }
    }

    /// Revises the read in service, if its outcome has changed.
    fn revise(&mut self, now: Time, served: Option<ServedCommand>) {
        let Some(served) = served else { return };
        let same = |serving: &&mut Serving| serving.served.command == served.command;
        if let Some(serving) = self.serving.iter_mut().find(same) {
            serving.revise_command_outcome(now, served);
        }
    }

    /// Notes that the host has consumed a read up to a block, or wants no more data of the read.
    fn host_took(&mut self, now: Time, number: u32, blocks: u64) {
        let changed = self.disk.as_mut().and_then(|disk| disk.data_consumed(number.into(), blocks, now));
        self.revise(now, changed);
    }

    /// The disk has finished a command or a piece of a write.
    fn is_done(&mut self, serving: Serving) {
        self.intake.free_buffer_space(serving.frees);
        let place = self.active.iter().position(|active| active.command.number == serving.number);
        if let Some(place) = place.filter(|_| serving.number != NOBODY) {
            let active = &mut self.active[place];
            active.done += serving.frees;
            if !active.command.write || active.done == active.command.bytes {
                self.active.swap_remove(place);
                self.told.push_back((serving.number, CommandOutcome::Done));
            }
        }
        self.give_room();
    }

    /// A flush or a deallocation comes.
    fn comes_without_data(&mut self, now: Time, number: u32, flushes: bool) {
        self.told.push_back((number, CommandOutcome::Enters(segment::QUEUE)));
        self.without_data.push_back(WithoutData { number, arrival: now, flushes, begun: None });
    }

    /// The time of the next step of the first flush or deallocation: its begin, the end of the processor's work, or its end.
    fn next_without_data(&self) -> Time {
        let (Some(first), Some(disk)) = (self.without_data.front(), &self.disk) else { return Time::NEVER };
        match first.begun {
            None => disk.next_free_time().max(first.arrival),
            Some((Some(processed), _)) => processed,
            Some((None, done)) => done,
        }
    }

    /// Carries out the next step of the first flush or deallocation. Flushes and deallocations go before commands that wait.
    fn serve_without_data(&mut self, now: Time) {
        let (Some(first), Some(disk)) = (self.without_data.front_mut(), &mut self.disk) else { return };
        let number = first.number;
        match first.begun {
            None => {
                let (processed, done) = disk.serve_without_data(first.arrival, now, first.flushes);
                first.begun = Some(((processed < done).then_some(processed), done));
                self.told.push_back((number, CommandOutcome::Enters(segment::OVERHEAD)));
            }
            Some((Some(_), done)) => {
                first.begun = Some((None, done));
                self.told.push_back((number, CommandOutcome::Enters(segment::MEDIA_QUEUE)));
            }
            Some((None, _)) => {
                self.without_data.pop_front();
                if number != NOBODY {
                    self.told.push_back((number, CommandOutcome::Done));
                }
            }
        }
    }

    /// Handles all events of one instant. Returns whether there was any event.
    fn happens(&mut self, now: Time) -> bool {
        let Some(disk) = &mut self.disk else { return false };
        if let Some(place) = self.serving.iter().position(|serving| serving.next <= now) {
            let (serving, told) = (&mut self.serving[place], &mut self.told);
            let Serving { number, .. } = *serving;
            let bytes = self.active.iter().find(|active| active.command.number == number);
            let bytes = bytes.map_or(u64::MAX, |active| active.command.bytes);
            if serving.report_events(now, disk, |what| match what {
                _ if number == NOBODY => {}
                // Only a part of the last block may belong to the command.
                CommandOutcome::Data(upto) => told.push_back((number, CommandOutcome::Data(upto.min(bytes)))),
                what => told.push_back((number, what)),
            }) {
                let done = self.serving.remove(place);
                self.is_done(done);
            }
            return true;
        }
        if disk.medium_stop_time() <= now {
            let changed = disk.stop_medium(now);
            // A revised command that the medium will never finish is one at which the medium has stopped.
            self.stops += u64::from(changed.is_some_and(|served| served.done == Time::NEVER));
            self.revise(now, changed);
            return true;
        }
        if self.next_without_data() <= now {
            self.serve_without_data(now);
            return true;
        }
        let Some(disk) = &mut self.disk else { return false };
        if disk.next_event() <= now
            && let Some(served) = disk.begin_command(now)
        {
            self.begun(served);
            return true;
        }
        if disk.next_background_work() <= now {
            disk.catch_up(now);
        }
        false
    }
}

impl Medium for DiskMedium {
    type Parameters = DiskDriveParameters;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;
    const NO_ANSWER: usize = segment::NO_ANSWER;

    fn demand(
        parameters: &DiskDriveParameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        demand::of(parameters, class, around)
    }

    fn build(parameters: &DiskDriveParameters, cx: &BuildContext<'_, DeviceRole>) -> Self {
        let mut parameters = parameters.clone();
        if cx.on_network {
            // A drive on a network has no own block transfer, because the network carries the data.
            parameters.disk.block_transfer = Span::ZERO;
        }
        Self::new(&parameters, cx.random_stream("platters"))
    }

    fn firmware(parameters: &DiskDriveParameters) -> &FirmwareParameters {
        &parameters.firmware
    }

    /// Commands of a disk cover whole blocks, so the bytes are rounded out to blocks.
    fn warm(&mut self, write: bool, bytes: Range<u64>) {
        let first = bytes.start / BLOCK_BYTES;
        if let Some(disk) = &mut self.disk {
            disk.apply_warm_up_access(write, first, (bytes.end.div_ceil(BLOCK_BYTES) - first) as u32);
        }
    }

    fn comes(&mut self, now: Time, command: MediumCommand) {
        self.active.push(Active { command, given: 0, told: 0, came: 0, handed: 0, done: 0 });
        if command.write {
            self.told.push_back((command.number, CommandOutcome::Enters(segment::ROOM)));
            self.intake.request_buffer_space(command.number, command.bytes);
            self.give_room();
        } else {
            self.submit(now, &command, command.first_byte, command.bytes);
        }
    }

    fn flush(&mut self, now: Time, number: u32) {
        self.comes_without_data(now, number, true);
    }

    /// A disk keeps no list of the blocks in use, so it only answers.
    fn deallocate(&mut self, now: Time, number: u32, _bytes: Range<u64>) {
        self.comes_without_data(now, number, false);
    }

    fn data_in(&mut self, now: Time, number: u32, upto: u64) {
        if let Some(place) = self.active.iter().position(|active| active.command.number == number) {
            self.active[place].came = upto;
            self.hand_over(now, place);
            self.tell_room(place);
        }
    }

    fn taken(&mut self, now: Time, number: u32, upto: u64) {
        self.host_took(now, number, upto / BLOCK_BYTES);
    }

    fn leaves(&mut self, now: Time, number: u32) {
        self.host_took(now, number, u64::MAX);
    }

    fn gives_up(&mut self, now: Time, number: u32) {
        if let Some(place) = self.without_data.iter().position(|command| command.number == number) {
            self.told.retain(|(other, _)| *other != number);
            match self.without_data[place].begun {
                None => drop(self.without_data.remove(place)),
                // The disk finishes it, and no host is answered.
                Some(_) => self.without_data[place].number = NOBODY,
            }
            return;
        }
        let Some(place) = self.active.iter().position(|active| active.command.number == number) else {
            return;
        };
        let active = self.active.swap_remove(place);
        self.told.retain(|(other, _)| *other != number);
        self.intake.drop_command(number);
        while self.disk.as_mut().is_some_and(|disk| disk.withdraw_command(number.into())) {}
        let mut in_work = 0;
        for serving in self.serving.iter_mut().filter(|serving| serving.number == number) {
            serving.number = NOBODY;
            in_work += serving.frees;
        }
        if active.command.write {
            self.intake.free_buffer_space(active.given - active.done - in_work);
        }
        self.host_took(now, number, u64::MAX);
        self.give_room();
    }

    fn fails(&mut self, now: Time) {
        self.active.clear();
        self.serving.clear();
        self.without_data.clear();
        self.told.clear();
        self.intake.clear_all();
        if let Some(disk) = &mut self.disk {
            disk.power_off(now);
        }
    }

    fn next(&self) -> Time {
        let Some(disk) = &self.disk else { return Time::NEVER };
        let serving = self.serving.iter().map(|serving| serving.next).min().unwrap_or(Time::NEVER);
        serving
            .min(self.next_without_data())
            .min(disk.next_event())
            .min(disk.medium_stop_time())
            .min(disk.next_background_work())
    }

    fn go_on(&mut self, now: Time, tell: &mut impl FnMut(u32, CommandOutcome)) {
        loop {
            while let Some((number, what)) = self.told.pop_front() {
                tell(number, what);
            }
            if !self.happens(now) {
                return;
            }
        }
    }

    fn gauge(&self, _now: Time, gauge: usize) -> u32 {
        if gauge == gauge::CYLINDER {
            return self.disk.as_ref().map_or(0, Disk::cylinder);
        }
        let waiting = self.disk.as_ref().map_or(0, Disk::waiting_command_count);
        (waiting + self.intake.waiting_command_count()) as u32
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        let Some(disk) = &self.disk else { return Total::ZERO };
        if block == block::POSITIONING { disk.positioning_time(now) } else { disk.transfer_time(now) }
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        match meter {
            meter::WORKING => self.busy(now, block::POSITIONING) + self.busy(now, block::MEDIUM),
            meter::SEEKING => self.seeking,
            meter::ROTATING => self.rotating,
            meter::ACCESSES => Total(self.accesses.into()),
            meter::READS => Total(self.reads.into()),
            meter::HITS => Total(self.hits.into()),
            meter::STOPS => Total(self.stops.into()),
            _ => Total::ZERO,
        }
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }
}

#[cfg(test)]
mod tests;
