//! Drives of all kinds, except for the medium that stores their data.
//!
//! A [`Medium`] gets commands with their times and reports their progress: a medium has no ports and no requests, so a bench or a trace can
//! use it alone. [`DriveComponent`] is the component around a medium: a drive that answers on its ports, keeps the ledger, makes the
//! configured errors ([`crate::firmware`]), and fails by events. The times of a medium are those of its own clock ([`crate::faults`]),
//! which runs slower while the drive is slow.
//!
//! The medium gets every command on arrival, because the medium decides which commands wait and which are in work. A command is given up
//! when it is aborted, and leaves when its initiator has closed it.

use crate::faults::FAILS;
use crate::firmware::{Firmware, FirmwareParameters};
use sansim_component::demand::{Demand, DemandBound, DemandContext, RequestClass};
use sansim_component::{
    Action, BuildContext, Component, Context, DeviceAccess, DeviceRole, EventTurn, LeftoverFindings, Message,
    StockLevel, Timer, WarmAccessResult,
};
use sansim_kernel::{EventKey, Span, Time, Total};
use sansim_request::{Operation, RequestId, Status};
use sansim_schema::catalogue::Catalogue;

mod arrivals;

/// The reason why the demand of a drive with a queue limit leaves something out.
pub(crate) const REFUSES: &str = "a drive refuses commands beyond its queue limit, and hosts send them again";

/// The drive fails or is repaired by itself.
const OUTAGE: Timer = Timer::new(1, 0);

/// A command as a medium knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediumCommand {
    /// The number of the command, which is used again when the command has left.
    pub number: u32,
    /// Whether the command writes.
    pub write: bool,
    /// Whether the command writes and is done only when its data are on the medium, or where they survive a loss of power.
    pub force_unit_access: bool,
    /// The first byte of the command on the drive.
    pub first_byte: u64,
    /// The number of bytes, at least one.
    pub bytes: u64,
}

/// Progress of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutcome {
    /// The command is in this segment of the catalogue.
    Enters(usize),
    /// In hindsight, a part of the time since the command entered its present segment was spent in another segment. All such parts are
    /// reported at once, in their order, before any other outcome of the command.
    Was {
        /// The segment in which the part of the time was spent.
        segment: usize,
        /// The part of the time that counts for this segment, and the whole time since the command entered its present one.
        part: Span,
        /// The whole time of which `part` is a part.
        of: Span,
    },
    /// There is room for the data of a write up to this byte of the command; the data have come as far as room was granted before.
    Room(u64),
    /// The data of a read are available up to this byte of the command.
    Data(u64),
    /// The command is done: no outcome follows.
    Done,
}

/// The medium that stores the data of a drive.
pub trait Medium: Sized {
    /// The keys of the medium.
    type Parameters;

    /// All that can be observed of the medium.
    const CATALOGUE: &'static Catalogue;

    /// The segment of a command that the drive has and does not answer.
    const NO_ANSWER: usize;

    /// A medium at rest, before any command.
    fn build(parameters: &Self::Parameters, cx: &BuildContext<'_, DeviceRole>) -> Self;

    /// The demand of a command at the medium, if the demand can be given.
    fn demand(
        _parameters: &Self::Parameters,
        _class: &RequestClass,
        _around: &DemandContext<'_>,
    ) -> Option<Demand> {
        None
    }

    /// The parameters of the firmware of the drive.
    fn firmware(parameters: &Self::Parameters) -> &FirmwareParameters;

    /// Before the run begins: works for some milliseconds on what the medium has to prepare, and returns the share of the whole preparation
    /// that is done.
    fn prepare(&mut self) -> f64 {
        1.0
    }

    /// Before the run begins: changes the content of the medium (buffers, mapping) as an access to these bytes would, in no time.
    fn warm(&mut self, _write: bool, _bytes: std::ops::Range<u64>) {}

    /// A command comes to the medium.
    fn comes(&mut self, now: Time, command: MediumCommand);

    /// A flush with this number comes: it is done when the data of all writes that are done are where they survive a loss of power.
    fn flush(&mut self, now: Time, number: u32);

    /// Whether the drive knows deallocations; a drive that does not refuses them.
    const DEALLOCATES: bool = true;

    /// A deallocation of these bytes comes, with its list.
    fn deallocate(&mut self, now: Time, number: u32, bytes: std::ops::Range<u64>);

    /// The data of a write have come up to this byte of the command.
    fn data_in(&mut self, now: Time, number: u32, upto: u64);

    /// The host has consumed the data of a read up to this byte of the command.
    fn taken(&mut self, _now: Time, _number: u32, _upto: u64) {}

    /// Drops a command that is no longer wanted; the command may be done already.
    fn gives_up(&mut self, now: Time, number: u32);

    /// The initiator has closed a command.
    fn leaves(&mut self, _now: Time, _number: u32) {}

    /// The medium fails: it continues no command.
    fn fails(&mut self, now: Time);

    /// The time of the next outcome; [`Time::NEVER`] if no outcome comes without an input.
    fn next(&self) -> Time;

    /// Works up to now and reports the outcomes of commands, in the order of the medium.
    fn go_on(&mut self, now: Time, tell: &mut impl FnMut(u32, CommandOutcome));

    /// The present value of a gauge.
    fn gauge(&self, now: Time, gauge: usize) -> u32;

    /// The level of a stock; none where the level does not matter.
    fn stock(&self, _stock: usize) -> Option<StockLevel> {
        None
    }

    /// The time in which a block was busy.
    fn busy(&self, now: Time, block: usize) -> Total;

    /// The present value of a meter.
    fn meter(&self, now: Time, meter: usize) -> Total;

    /// The number of servers whose busy time a meter adds up.
    fn capacity(&self, _meter: usize) -> u64 {
        1
    }

    /// The reason why the medium cannot go on, if it cannot.
    fn fault(&self) -> Option<String> {
        None
    }
}

/// A command that the drive has.
#[derive(Clone, Copy, Debug)]
struct InHand {
    request: RequestId,
    /// The port by which it came.
    port: u16,
    /// The readable bytes of a read, if not all can be read, and the number of bytes that were reported as read.
    readable: Option<u64>,
    there: u64,
    /// The segment that the command entered last, and the time at which it entered.
    entered: (usize, Time),
    answered: bool,
}

/// A drive as a component: a medium behind its firmware, with ports, requests and failures.
#[derive(Clone, Debug)]
pub struct DriveComponent<M> {
    medium: M,
    firmware: Firmware,
    in_hand: Vec<InHand>,
    /// Notifications of the medium that are not carried out yet.
    told: Vec<(u32, CommandOutcome)>,
    timer: Option<(Time, EventKey)>,
}

impl<M: Medium> DriveComponent<M> {
    /// A drive around this medium that makes no errors.
    pub fn new(medium: M, queue_limit: Option<u64>) -> Self {
        Self {
            medium,
            firmware: Firmware::new(queue_limit, M::NO_ANSWER),
            in_hand: Vec::with_capacity(64),
            told: Vec::with_capacity(64),
            timer: None,
        }
    }

    fn place_of(&self, request: RequestId) -> Option<usize> {
        self.in_hand.iter().position(|in_hand| in_hand.request == request)
    }

    /// The number of busy times that the medium reports: first the times of its blocks, then its meters.
    const AT_WORK: usize = M::CATALOGUE.blocks.len() + M::CATALOGUE.meters.len();

    /// A busy time of the medium, by the clock of the medium.
    fn reported_at_work(medium: &M, own: Time, number: usize) -> Total {
        let blocks = M::CATALOGUE.blocks.len();
        if number < blocks { medium.busy(own, number) } else { medium.meter(own, number - blocks) }
    }

    /// The time of the clock of the medium, after all changes of its pace up to now.
    fn own_time(&mut self, now: Time) -> Time {
        let (slowness, medium) = (&mut self.firmware.faults.slowness, &self.medium);
        if slowness.next_phase_change() <= now {
            slowness.catch_up(now, Self::AT_WORK, |own, number| Self::reported_at_work(medium, own, number));
        }
        slowness.medium_clock_time(now)
    }

    /// Carries out the outcomes that the medium reports up to now, and sets a timer for the next outcome.
    fn go_on(&mut self, cx: &mut Context<'_>) {
        let own = self.own_time(cx.now);
        let told = &mut self.told;
        self.medium.go_on(own, &mut |number, what| told.push((number, what)));
        for place in 0..self.told.len() {
            let (number, what) = self.told[place];
            self.carry_out(cx, RequestId(number), what);
        }
        self.told.clear();
        let slowness = &self.firmware.faults.slowness;
        let mut next = slowness.simulated_time_of(self.medium.next(), cx.now);
        if next < Time::NEVER || !self.in_hand.is_empty() || self.firmware.keeps() > 0 {
            next = next.min(slowness.next_phase_change());
        }
        match self.timer {
            Some((at, _)) if at == next => return,
            Some((_, timer)) => {
                cx.cancel_timer(timer);
            }
            None => {}
        }
        self.timer = (next < Time::NEVER)
            .then(|| (next, cx.set_cancellable_timer(next, EventTurn::turn_of_node(0), Timer::new(0, 0))));
    }

    fn carry_out(&mut self, cx: &mut Context<'_>, request: RequestId, what: CommandOutcome) {
        let Some(place) = self.place_of(request) else { return };
        let InHand { port, readable, there, entered, answered, .. } = self.in_hand[place];
        match what {
            _ if answered => {}
            CommandOutcome::Enters(segment) => {
                self.in_hand[place].entered = (segment, cx.now);
                cx.ledger().enter_segment(request, segment);
            }
            CommandOutcome::Was { segment, part, of } => {
                // The time by the clock of the medium equals simulated time unless the drive was slow, so the part is scaled by the ratio
                // of both.
                let all = u128::from((cx.now - entered.1).ticks());
                let part = all * u128::from(part.ticks()) / u128::from(of.ticks().max(1));
                cx.ledger().reattribute_time(request, entered.0, segment, Span(part as u64));
            }
            CommandOutcome::Room(upto) => cx.send(port, Message::WriteCredit(request, upto)),
            CommandOutcome::Data(upto) => {
                let readable = readable.unwrap_or(u64::MAX);
                self.in_hand[place].there = upto.min(readable);
                if upto.min(readable) > there {
                    cx.send(port, Message::ReadDataUpTo(request, upto.min(readable)));
                }
                if upto > readable {
                    self.in_hand[place].answered = true;
                    let own = self.own_time(cx.now);
                    self.medium.gives_up(own, request.0);
                    cx.answer(port, request, Status::Unreadable);
                }
            }
            CommandOutcome::Done => {
                self.in_hand[place].answered = true;
                let asked = cx.request(request);
                if asked.operation == Operation::Write {
                    self.firmware.faults.sectors.make_readable(asked.first_byte(), asked.bytes);
                }
                cx.answer(port, request, Status::Good);
            }
        }
    }

    fn closed(&mut self, cx: &mut Context<'_>, request: RequestId) {
        if let Some(place) = self.place_of(request) {
            self.in_hand.swap_remove(place);
            let own = self.own_time(cx.now);
            self.medium.leaves(own, request.0);
            self.go_on(cx);
        }
    }

    fn abort(&mut self, cx: &mut Context<'_>, request: RequestId) {
        if self.firmware.abort(cx, request) {
            return;
        }
        if let Some(place) = self.place_of(request)
            && !self.in_hand[place].answered
        {
            let InHand { port, .. } = self.in_hand.swap_remove(place);
            let own = self.own_time(cx.now);
            self.medium.gives_up(own, request.0);
            cx.answer(port, request, Status::Aborted);
            self.go_on(cx);
        }
    }

    /// Brings the drive to the present; the drive may have failed at random since it was last brought to the present.
    #[inline]
    fn pass(&mut self, cx: &mut Context<'_>) {
        if self.firmware.faults.outages.next_phase_change() <= cx.now
            && self.firmware.faults.outages.catch_up(cx.now)
        {
            self.firmware.give_up(cx);
            self.end_all(cx);
        }
    }

    /// All commands in the drive end with a failure.
    fn end_all(&mut self, cx: &mut Context<'_>) {
        let own = self.own_time(cx.now);
        self.medium.fails(own);
        for in_hand in self.in_hand.drain(..).filter(|in_hand| !in_hand.answered) {
            cx.answer(in_hand.port, in_hand.request, Status::Failed);
        }
        self.go_on(cx);
    }
}

impl<M: Medium> Component for DriveComponent<M> {
    type Parameters = M::Parameters;
    type Role = DeviceRole;

    const CATALOGUE: &'static Catalogue = M::CATALOGUE;

    fn demand(
        parameters: &M::Parameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        let fails = M::firmware(parameters).faults.fails_every.is_some() && around.say == DemandBound::Least;
        if fails {
            return Some(Demand::wholly_uncertain(FAILS));
        }
        let demand = M::demand(parameters, class, around)?;
        let refuses = around.say == DemandBound::Mean && M::firmware(parameters).queue_limit.is_some();
        let less_because = demand.less_because.or(refuses.then_some(REFUSES));
        Some(Demand { less_because, ..demand })
    }

    fn build(parameters: &M::Parameters, cx: &BuildContext<'_, DeviceRole>) -> Self {
        let described = M::firmware(parameters);
        let firmware = Firmware::build(described, M::NO_ANSWER, cx);
        Self { firmware, ..Self::new(M::build(parameters, cx), described.queue_limit) }
    }

    fn prepare(&mut self) -> f64 {
        self.medium.prepare()
    }

    fn warm(&mut self, access: &DeviceAccess, _behind: &mut Vec<DeviceAccess>) -> WarmAccessResult {
        self.medium.warm(access.write, access.bytes.clone());
        WarmAccessResult::Done
    }

    fn start(&mut self, cx: &mut Context<'_>) {
        self.firmware.watch_outages(cx, OUTAGE);
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        if timer == OUTAGE {
            self.pass(cx);
            self.firmware.watch_outages(cx, OUTAGE);
            return;
        }
        self.timer = None;
        self.pass(cx);
        self.go_on(cx);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        self.pass(cx);
        match message {
            Message::Request(request, _) => self.arrive(cx, port, request),
            Message::WriteDataUpTo(request, upto) => self.data_in(cx, request, upto),
            Message::ReadConsumedUpTo(request, upto) => {
                let own = self.own_time(cx.now);
                self.medium.taken(own, request.0, upto);
                self.go_on(cx);
            }
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
                self.firmware.watch_outages(cx, OUTAGE);
                self.own_time(cx.now);
                let (slowness, medium) = (&mut self.firmware.faults.slowness, &self.medium);
                slowness
                    .repair(cx.now, Self::AT_WORK, |own, number| Self::reported_at_work(medium, own, number));
                self.go_on(cx);
            }
            Action::Slow(thousandths) => {
                self.own_time(cx.now);
                let (slowness, medium) = (&mut self.firmware.faults.slowness, &self.medium);
                slowness.make_slow(cx.now, thousandths, Self::AT_WORK, |own, number| {
                    Self::reported_at_work(medium, own, number)
                });
                self.go_on(cx);
            }
            Action::Unreadable { first_byte, bytes } => {
                self.firmware.faults.sectors.make_unreadable(first_byte, bytes)
            }
            // A drive has no child requests.
            Action::PathFails(_)
            | Action::PathWorks(_)
            | Action::PathAccess(..)
            | Action::Access(..)
            | Action::DeviceFails(_)
            | Action::Delay(_)
            | Action::Silence
            | Action::Network(_) => {}
        }
    }

    fn gauge(&self, now: Time, gauge: usize, _place: u16) -> u32 {
        self.medium.gauge(self.firmware.faults.slowness.medium_clock_time(now), gauge)
    }

    fn stock(&self, _now: Time, stock: usize) -> Option<StockLevel> {
        self.medium.stock(stock)
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        let slowness = &self.firmware.faults.slowness;
        slowness.busy_simulated_time(block, self.medium.busy(slowness.medium_clock_time(now), block))
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let slowness = &self.firmware.faults.slowness;
        let told = self.medium.meter(slowness.medium_clock_time(now), meter);
        let counts = M::CATALOGUE.is_count(meter);
        if counts { told } else { slowness.busy_simulated_time(M::CATALOGUE.blocks.len() + meter, told) }
    }

    fn capacity(&self, meter: usize) -> u64 {
        self.medium.capacity(meter)
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("commands left in a drive", (self.in_hand.len() + self.firmware.keeps()) as u64);
    }

    fn fault(&self) -> Option<String> {
        self.medium.fault().or_else(|| self.firmware.fault())
    }
}
