//! Drives of all kinds but for what stores their data.
//!
//! A [`Medium`] is given commands with their times and says what becomes of them: pure, without ports or requests, as a bench or a
//! trace alone can use it. [`DriveOf`] is the drive around it, a component: it answers on its ports, keeps the ledger, makes the errors
//! that are described of it ([`crate::firmware`]), and fails when it is told to.
//!
//! Every command that comes is the medium's at once, for what is in work and what waits is its own to say. A command is given up when it is
//! aborted, and leaves when the one who asked is done with it.

use crate::firmware::Firmware;
use sansim_component::errors::{ErrorParameters, Errors};
use sansim_component::{Access, Action, Component, Context, Message, Rest, Setting, Timer, Turn, Warmed};
use sansim_describe::catalogue::Catalogue;
use sansim_kernel::{EventKey, Time, Total};
use sansim_request::{RequestId, Status};

/// A command as a medium knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its number, used again when it has left.
    pub number: u32,
    /// Whether it writes.
    pub write: bool,
    /// First byte on the drive.
    pub first_byte: u64,
    /// How many bytes; at least one.
    pub bytes: u64,
}

/// What becomes of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It is in this segment of the catalogue.
    Enters(usize),
    /// There is room for the data of a write up to this byte of it.
    Room(u64),
    /// The data of a read are there up to this byte of it.
    Data(u64),
    /// Nothing more will come of it.
    Done,
}

/// What stores the data of a drive.
pub trait Medium: Sized {
    /// Its keys.
    type Parameters;

    /// What is to be seen of it.
    const CATALOGUE: &'static Catalogue;

    /// The segment of a command that the drive has and does not answer.
    const NO_ANSWER: usize;

    /// At rest.
    fn build(parameters: &Self::Parameters, setting: &Setting<'_>) -> Self;

    /// Commands that the drive has at most, and the errors that it makes.
    fn firmware(parameters: &Self::Parameters) -> (Option<u64>, ErrorParameters);

    /// Before the run begins: it does to what it holds what an access of these bytes does, in no time.
    fn warm(&mut self, _write: bool, _bytes: std::ops::Range<u64>) {}

    /// A command comes.
    fn comes(&mut self, now: Time, command: Command);

    /// The data of a write have come up to this byte of it.
    fn data_in(&mut self, now: Time, number: u32, upto: u64);

    /// The data of a read have been taken up to this byte of it.
    fn taken(&mut self, _now: Time, _number: u32, _upto: u64) {}

    /// Nothing more is wanted of a command that is not done.
    fn gives_up(&mut self, now: Time, number: u32);

    /// The one who asked knows that a command is done.
    fn leaves(&mut self, _now: Time, _number: u32) {}

    /// It fails: no command is gone on with.
    fn fails(&mut self, now: Time);

    /// When it has something to tell next; [`Time::NEVER`] if nothing is to come by itself.
    fn next(&self) -> Time;

    /// Goes on up to now and tells what has become of commands, in its order.
    fn go_on(&mut self, now: Time, tell: &mut impl FnMut(u32, Told));

    /// The present value of a gauge.
    fn gauge(&self, now: Time, gauge: usize) -> u32;

    /// Time in which a block was at work.
    fn busy(&self, now: Time, block: usize) -> Total;

    /// A meter.
    fn meter(&self, now: Time, meter: usize) -> Total;

    /// How much it does at once of what a meter measures.
    fn capacity(&self, _meter: usize) -> u64 {
        1
    }

    /// Why it cannot go on.
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
    answered: bool,
}

/// A drive. See the module text.
#[derive(Clone, Debug)]
pub struct DriveOf<M> {
    medium: M,
    firmware: Firmware,
    in_hand: Vec<InHand>,
    /// What the medium has told and is not carried out.
    told: Vec<(u32, Told)>,
    timer: Option<(Time, EventKey)>,
}

impl<M: Medium> DriveOf<M> {
    /// A drive before this medium that makes no errors.
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

    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, request: RequestId) {
        if self.firmware.turns_away(cx, port, request, self.in_hand.len()) {
            return;
        }
        let asked = cx.request(request);
        let command = Command {
            number: request.0,
            write: asked.is_write(),
            first_byte: asked.first_byte(),
            bytes: asked.bytes,
        };
        self.in_hand.push(InHand { request, port, answered: false });
        self.medium.comes(cx.now, command);
        self.go_on(cx);
    }

    /// Carries out what the medium says up to now, and sees to it that it is asked again when it has more to say.
    fn go_on(&mut self, cx: &mut Context<'_>) {
        let told = &mut self.told;
        self.medium.go_on(cx.now, &mut |number, what| told.push((number, what)));
        for place in 0..self.told.len() {
            let (number, what) = self.told[place];
            self.carry_out(cx, RequestId(number), what);
        }
        self.told.clear();
        let next = self.medium.next();
        match self.timer {
            Some((at, _)) if at == next => return,
            Some((_, timer)) => {
                cx.cancel(timer);
            }
            None => {}
        }
        self.timer =
            (next < Time::NEVER).then(|| (next, cx.wake_cancellable(next, Turn::node(0), Timer::new(0, 0))));
    }

    fn carry_out(&mut self, cx: &mut Context<'_>, request: RequestId, what: Told) {
        let Some(place) = self.place_of(request) else { return };
        let InHand { port, answered, .. } = self.in_hand[place];
        match what {
            _ if answered => {}
            Told::Enters(segment) => cx.enter(request, segment),
            Told::Room(upto) => cx.send(port, Message::Room(request, upto)),
            Told::Data(upto) => cx.send(port, Message::DataOut(request, upto)),
            Told::Done => {
                self.in_hand[place].answered = true;
                cx.answer(port, request, Status::Good);
            }
        }
    }

    fn closed(&mut self, cx: &mut Context<'_>, request: RequestId) {
        if let Some(place) = self.place_of(request) {
            self.in_hand.swap_remove(place);
            self.medium.leaves(cx.now, request.0);
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
            self.medium.gives_up(cx.now, request.0);
            cx.answer(port, request, Status::Aborted);
            self.go_on(cx);
        }
    }

    fn fail(&mut self, cx: &mut Context<'_>) {
        self.firmware.fail(cx);
        self.medium.fails(cx.now);
        for in_hand in self.in_hand.drain(..).filter(|in_hand| !in_hand.answered) {
            cx.answer(in_hand.port, in_hand.request, Status::Failed);
        }
        self.go_on(cx);
    }
}

impl<M: Medium> Component for DriveOf<M> {
    type Parameters = M::Parameters;

    const CATALOGUE: &'static Catalogue = M::CATALOGUE;

    fn build(parameters: &M::Parameters, setting: &Setting<'_>) -> Self {
        let (queue_limit, errors) = M::firmware(parameters);
        let drive = Self::new(M::build(parameters, setting), queue_limit);
        Self { firmware: drive.firmware.with_errors(Errors::new(&errors, setting)), ..drive }
    }

    fn warm(&mut self, access: &Access, _behind: &mut Vec<Access>) -> Warmed {
        self.medium.warm(access.write, access.bytes.clone());
        Warmed::Done
    }

    fn due(&mut self, cx: &mut Context<'_>, _timer: Timer) {
        self.timer = None;
        self.go_on(cx);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Request(request, _) => self.arrive(cx, port, request),
            Message::DataIn(request, upto) if self.place_of(request).is_some() => {
                self.medium.data_in(cx.now, request.0, upto);
                self.go_on(cx);
            }
            Message::Taken(request, upto) => {
                self.medium.taken(cx.now, request.0, upto);
                self.go_on(cx);
            }
            Message::Close(request) => self.closed(cx, request),
            Message::Abort(request) => self.abort(cx, request),
            _ => {}
        }
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        match action {
            Action::Fail => self.fail(cx),
            Action::Repair => self.firmware.repair(),
            // It asks nobody.
            Action::WayFails(_) | Action::WayWorks(_) => {}
        }
    }

    fn gauge(&self, now: Time, gauge: usize, _place: u16) -> u32 {
        self.medium.gauge(now, gauge)
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        self.medium.busy(now, block)
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        self.medium.meter(now, meter)
    }

    fn capacity(&self, meter: usize) -> u64 {
        self.medium.capacity(meter)
    }

    fn rest(&self, rest: &mut Rest) {
        rest.none("commands left in a drive", (self.in_hand.len() + self.firmware.keeps()) as u64);
    }

    fn fault(&self) -> Option<String> {
        self.medium.fault().or_else(|| self.firmware.fault())
    }
}
