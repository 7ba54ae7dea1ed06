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
//! * An aborted command is answered at once, and the rest of it is cancelled.
//! * Commands that it rejects or fails are described in [`crate::firmware`].
//!
//! Times in this file are those of the drive's own clock ([`crate::faults`]), except for the time that the controller needs to take a
//! command.
//!
//! Assumption: commands in work do not disturb each other's access.

use crate::cache::StreamCacheSegment;
use crate::firmware::Firmware;
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::{
    Action, BuildContext, Component, Context, DeviceAccess, DeviceRole, EventTurn, LeftoverFindings, Message,
    Timer, WarmAccessResult,
};
use sansim_kernel::{EventKey, RandomStream, Span, Time, TimeWeighted, Total};
use sansim_request::{BLOCK_BYTES, Operation, RequestId, Status};
use sansim_schema::catalogue::Catalogue;
use std::collections::VecDeque;

mod catalogue;
mod completions;
mod demand;
mod pace;
mod parameters;
mod segment_cache;
mod without_access;

use catalogue::{CATALOGUE, DriveStage, block, meter};
use pace::AT_WORK;
pub use parameters::{DriveModel, DriveParameters, WriteTransfer};

/// The purposes of the timers of a drive.
mod what {
    /// Timer: a command in service continues.
    pub const STEP: u8 = 0;
    /// The drive becomes slow, or fast again.
    pub const PACE: u8 = 1;
    /// Timer: the drive fails at random, or is repaired.
    pub const OUTAGE: u8 = 2;
}

/// A command in the drive, with what the drive has to know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Command {
    request: RequestId,
    /// The port by which it came.
    port: u16,
    operation: Operation,
    write: bool,
    /// Whether the command is a write that is done only when its data are on the medium.
    force_unit_access: bool,
    bytes: u64,
    /// The first byte of the command on the drive, and the byte after its last block.
    from: u64,
    to: u64,
    /// The data of the command move in pieces of this size; with a cache a piece is no larger than a cache segment.
    piece: u64,
    /// The time at which the command was received, from which the access counts.
    received: Time,
    /// The bytes of a read that can be read, if not all can be.
    readable: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct InWork {
    command: Command,
    transferred: u64,
    accessed: bool,
    /// The end of the access or media transfer in progress.
    until: Time,
    /// The timer of the next step of the command, and the time of that step.
    timer: Option<EventKey>,
    due: Time,
    /// Whether the initiator has the status.
    answered: bool,
}

/// A drive with a random access time and a transfer rate, behind its firmware.
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
    cache: Option<StreamCacheSegment>,
    /// The command in work waits for its next piece of data, and the time at which the cache has that piece is unknown yet.
    short_of_room: bool,
    /// The timer of the next change of pace.
    watched: Option<(Time, EventKey)>,
    firmware: Firmware,
}

impl Drive {
    /// An idle drive that draws its access times from `random`.
    pub fn new(parameters: &DriveParameters, random: RandomStream) -> Self {
        Self {
            parameters: parameters.clone(),
            random,
            waiting: VecDeque::with_capacity(16),
            in_work: Vec::with_capacity(16),
            positioned: Total::ZERO,
            transferred: Total::ZERO,
            occupied: TimeWeighted::new(),
            cache: parameters.cache.map(|segment| StreamCacheSegment::new(segment, parameters.transfer_rate)),
            short_of_room: false,
            watched: None,
            firmware: Firmware::new(parameters.firmware.queue_limit, DriveStage::NoAnswer as usize),
        }
    }

    /// Sum of the access times of all commands, up to now.
    fn positioning(&self, now: Time) -> Total {
        match &self.cache {
            Some(cache) => cache.positioning_time(now).into(),
            None => self.positioned - self.ahead(now, false),
        }
    }

    /// Sum of the media times of all commands, up to now.
    fn transferring(&self, now: Time) -> Total {
        match &self.cache {
            Some(cache) => cache.transfer_time(now).into(),
            None => self.transferred - self.ahead(now, true),
        }
    }

    /// The remaining time of the accesses, or of the media transfers, that are in progress.
    fn ahead(&self, now: Time, accessed: bool) -> Total {
        let these = self.in_work.iter().filter(|work| work.accessed == accessed);
        these.map(|work| work.until.saturating_since(now)).sum()
    }

    fn place_of(&self, request: RequestId) -> Option<usize> {
        self.in_work.iter().position(|work| work.command.request == request)
    }

    /// The firmware gets a command.
    fn command(&mut self, cx: &mut Context<'_>, port: u16, request: RequestId, received: Time) {
        let others = self.waiting.len() + self.in_work.len();
        if self.firmware.turns_away(cx, port, request, others) {
            if self.has_work() {
                // The firmware may keep the command, and the drive may fail because of it.
                self.watch(cx);
            }
            return;
        }
        let asked = *cx.request(request);
        let write = asked.is_write();
        let pieces =
            if write { self.parameters.write_burst_bytes() } else { self.parameters.read_sequence_bytes() };
        let sectors = &mut self.firmware.faults.sectors;
        let readable =
            asked.is_read().then(|| sectors.read_sectors(asked.first_byte(), asked.bytes)).flatten();
        let command = Command {
            request,
            port,
            operation: asked.operation,
            write,
            force_unit_access: asked.forces_unit_access(),
            bytes: asked.data_bytes(),
            from: asked.first_byte(),
            to: asked.end_byte(),
            piece: pieces.unwrap_or(asked.data_bytes()),
            received,
            readable,
        };
        if self.in_work.len() < self.parameters.concurrency as usize {
            self.start(cx, command, received);
        } else {
            cx.ledger().enter_segment(request, DriveStage::Queue as usize);
            self.waiting.push_back(command);
        }
    }

    /// Wakes the command in work at this place when its access or transfer is done.
    fn wake(&mut self, cx: &mut Context<'_>, index: usize, at: Time) {
        let request = self.in_work[index].command.request;
        // Numbers of requests are used again, so no number is larger than the most requests in flight; that is below the number of units,
        // except with several workloads that each have millions of slots.
        let turn = EventTurn::turn_of_node(request.0 % sansim_kernel::Order::UNITS);
        let real = self.firmware.faults.slowness.simulated_time_of(at, cx.now);
        self.in_work[index].due = at;
        self.in_work[index].timer =
            Some(cx.set_cancellable_timer(real, turn, Timer::new(what::STEP, request.0)));
        self.watch(cx);
    }

    fn start(&mut self, cx: &mut Context<'_>, command: Command, from: Time) {
        self.occupied.increase(cx.now, 1);
        let now = self.own_time(cx);
        let new = InWork {
            command,
            transferred: 0,
            accessed: self.cache.is_some(),
            until: now,
            timer: None,
            due: now,
            answered: false,
        };
        if matches!(command.operation, Operation::Flush | Operation::Deallocate) {
            self.start_without_access(cx, new);
            return;
        }
        let from = self.firmware.faults.slowness.medium_clock_time(from);
        if self.cache.is_some() {
            self.start_cached(cx, new, from);
            return;
        }
        let access = self.parameters.access_time.draw(&mut self.random);
        let ready = (from + access).max(now);
        // The access is counted from the receipt; the part of the access time that has passed by now is over before the command is in work.
        self.positioned += access;
        self.in_work.push(InWork { until: ready, ..new });
        cx.ledger().enter_segment(command.request, DriveStage::Access as usize);
        self.wake(cx, self.in_work.len() - 1, ready);
    }

    fn media_time(&self, bytes: u64) -> Span {
        Span::to_move(bytes, self.parameters.transfer_rate)
    }

    /// There is room for the next piece of a write.
    fn give_room(&mut self, cx: &mut Context<'_>, index: usize) {
        let InWork { command, transferred, .. } = self.in_work[index];
        let upto = (transferred + command.piece).min(command.bytes);
        cx.send(command.port, Message::WriteCredit(command.request, upto));
    }

    /// Notes that data of a read are available up to this byte. Returns whether all data of the read can be read; if not, the command is
    /// answered.
    fn give_data(&mut self, cx: &mut Context<'_>, index: usize, upto: u64) -> bool {
        let InWork { command, transferred, answered, .. } = &mut self.in_work[index];
        let before = std::mem::replace(transferred, upto);
        let readable = command.readable.unwrap_or(u64::MAX);
        if upto.min(readable) > before {
            cx.send(command.port, Message::ReadDataUpTo(command.request, upto.min(readable)));
        }
        if upto <= readable {
            return true;
        }
        *answered = true;
        cx.answer(command.port, command.request, Status::Unreadable);
        false
    }

    /// The access or a media transfer of a command is done.
    fn step(&mut self, cx: &mut Context<'_>, index: usize) {
        let InWork { command, due, .. } = self.in_work[index];
        self.in_work[index].timer = None;
        if self.own_time(cx) < due {
            // No wait is longer than 30 days, so a long transfer is waited for in several steps.
            self.wake(cx, index, due);
            return;
        }
        if command.operation == Operation::Flush || self.awaits_medium(index) {
            self.done(cx, index);
            return;
        }
        if self.cache.is_some() {
            self.serve_cached(cx);
            return;
        }
        if !self.in_work[index].accessed {
            self.in_work[index].accessed = true;
            if !command.write {
                self.transfer_piece(cx, index);
            } else if self.parameters.write_transfer == WriteTransfer::BeforeData {
                self.transfer_write(cx, index);
            } else {
                self.give_room(cx, index);
            }
            return;
        }
        if command.write {
            match self.parameters.write_transfer {
                WriteTransfer::BeforeData => self.give_room(cx, index),
                WriteTransfer::AfterData => self.done(cx, index),
            }
            return;
        }
        let piece = command.piece.min(command.bytes - self.in_work[index].transferred);
        let upto = self.in_work[index].transferred + piece;
        if !self.give_data(cx, index, upto) {
            return;
        }
        if upto < command.bytes {
            self.transfer_piece(cx, index);
        } else {
            self.done(cx, index);
        }
    }

    fn transfer_piece(&mut self, cx: &mut Context<'_>, index: usize) {
        let InWork { command, transferred, .. } = self.in_work[index];
        let time = self.media_time(command.piece.min(command.bytes - transferred));
        self.transferred += time;
        let until = self.own_time(cx) + time;
        self.in_work[index].until = until;
        // Only the first sequence is entered here: for a later sequence the adapter enters the segment when it has sent the sequence
        // before.
        if transferred == 0 {
            cx.ledger().enter_segment(command.request, DriveStage::Transfer as usize);
        }
        self.wake(cx, index, until);
    }

    /// The data of a write are in its buffer up to this byte.
    fn data_in(&mut self, cx: &mut Context<'_>, request: RequestId, upto: u64) {
        let Some(index) = self.place_of(request) else { return };
        let work = &mut self.in_work[index];
        let before = work.transferred;
        work.transferred = upto.min(work.command.bytes);
        let (came, complete) = (work.transferred - before, work.transferred == work.command.bytes);
        if complete && work.command.operation == Operation::Deallocate {
            self.done(cx, index);
            return;
        }
        let now = self.own_time(cx);
        if let Some(cache) = &mut self.cache {
            cache.write_data_arrived(now, came);
            if complete {
                self.end_cached_write(cx, index)
            } else {
                self.serve_cached(cx)
            }
            return;
        }
        match self.parameters.write_transfer {
            _ if !complete => self.give_room(cx, index),
            WriteTransfer::BeforeData => self.done(cx, index),
            WriteTransfer::AfterData => self.transfer_write(cx, index),
        }
    }

    fn transfer_write(&mut self, cx: &mut Context<'_>, index: usize) {
        let command = self.in_work[index].command;
        let time = self.media_time(command.bytes);
        self.transferred += time;
        let until = self.own_time(cx) + time;
        self.in_work[index].until = until;
        cx.ledger().enter_segment(command.request, DriveStage::Transfer as usize);
        self.wake(cx, index, until);
    }

    /// The status of a command has been made: the command leaves the drive, and the next waiting command starts.
    fn closed(&mut self, cx: &mut Context<'_>, request: RequestId) {
        if let Some(index) = self.place_of(request) {
            self.leave(cx, index);
        }
    }

    /// A command leaves the drive, and the next waiting command starts.
    fn leave(&mut self, cx: &mut Context<'_>, index: usize) {
        self.in_work.swap_remove(index);
        self.occupied.decrease(cx.now, 1);
        if let Some(next) = self.waiting.pop_front() {
            self.start(cx, next, cx.now);
        }
    }
}

impl Component for Drive {
    type Parameters = DriveParameters;
    type Role = DeviceRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        parameters: &Self::Parameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, class, around))
    }

    fn build(parameters: &DriveParameters, cx: &BuildContext<'_, DeviceRole>) -> Self {
        let firmware = Firmware::build(&parameters.firmware, DriveStage::NoAnswer as usize, cx);
        Self { firmware, ..Self::new(parameters, cx.random_stream("access")) }
    }

    fn warm(&mut self, access: &DeviceAccess, _behind: &mut Vec<DeviceAccess>) -> WarmAccessResult {
        if let Some(cache) = &mut self.cache {
            cache.apply_warm_up_access(access.write, access.bytes.end.next_multiple_of(BLOCK_BYTES));
        }
        WarmAccessResult::Done
    }

    fn start(&mut self, cx: &mut Context<'_>) {
        self.firmware.watch_outages(cx, Timer::new(what::OUTAGE, 0));
    }

    #[inline(always)]
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        if timer.what == what::OUTAGE {
            self.pass(cx);
            self.firmware.watch_outages(cx, timer);
        } else if timer.what == what::PACE {
            self.watched = None;
            self.pass(cx);
            self.own_time(cx);
            if self.has_work() {
                self.watch(cx);
            }
        } else if let Some(index) = self.place_of(RequestId(timer.number)) {
            self.step(cx, index);
        }
    }

    #[inline(always)]
    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        self.pass(cx);
        match message {
            Message::Request(request, since) => self.command(cx, port, request, since),
            Message::WriteDataUpTo(request, upto) => self.data_in(cx, request, upto),
            Message::ReadConsumedUpTo(request, upto) => self.taken(cx, request, upto),
            Message::Release(request) => self.closed(cx, request),
            Message::Abort(request) => self.abort(cx, request),
            _ => {}
        }
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        self.pass(cx);
        match action {
            Action::Fail => {
                self.firmware.fail(cx);
                self.end_all(cx);
            }
            Action::Repair => {
                self.firmware.repair(cx.now);
                self.firmware.watch_outages(cx, Timer::new(what::OUTAGE, 0));
                self.at_pace(cx, |slowness, now, told| slowness.repair(now, AT_WORK, told));
            }
            Action::Slow(thousandths) => {
                self.at_pace(cx, |slowness, now, told| slowness.make_slow(now, thousandths, AT_WORK, told));
            }
            Action::Unreadable { first_byte, bytes } => {
                self.firmware.faults.sectors.make_unreadable(first_byte, bytes)
            }
            // All others concern paths, devices behind, and networks, of which a drive has none.
            _ => {}
        }
    }

    fn gauge(&self, _now: Time, _gauge: usize, _place: u16) -> u32 {
        self.waiting.len() as u32
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        let slowness = &self.firmware.faults.slowness;
        slowness.busy_simulated_time(block, self.reported_at_work(slowness.medium_clock_time(now), block))
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        match meter {
            meter::WORKING => self.busy(now, block::POSITIONING) + self.busy(now, block::MEDIUM),
            _ => self.occupied.total(now),
        }
    }

    fn capacity(&self, _meter: usize) -> u64 {
        u64::from(self.parameters.concurrency)
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        let left = self.waiting.len() + self.in_work.len() + self.firmware.keeps();
        leftovers.check_zero("commands left in a drive", left as u64);
    }

    fn fault(&self) -> Option<String> {
        self.firmware.fault()
    }
}

#[cfg(test)]
mod tests;
