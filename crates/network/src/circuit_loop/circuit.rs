//! A circuit: how it is opened, what goes in each of its directions, and how it is closed.
//!
//! Sources: `crates/fc/src/loop_port/state.rs` and `signalling.rs`.

use super::account::{Carried, GoesOn};
use super::port::Item;
use super::stream::{Rules, Run, Stream};
use super::{CircuitLoop, request_of, segment, wake, what};
use sansim_component::{Context, Message};
use sansim_fc::al_pa::AlPa;
use sansim_fc::frame::{Frame, FrameKind};
use sansim_fc::loop_port::signalling::{FILL_BEFORE_CLOSE, FILL_BEFORE_READY, FRAME_GAP};
use sansim_kernel::{EventKey, Time};

/// What is being sent.
#[derive(Clone, Debug)]
pub(super) struct Current {
    pub item: Item,
    pub run: Run,
    /// The direction as it was before.
    pub before: Stream,
    /// Of data, as long as it has not come: the begin of the last frame.
    left: Option<EventKey>,
    /// The same: the begin of the frame with which the outgoing FIFO has room for the last.
    room: Option<EventKey>,
}

/// One direction of a circuit.
#[derive(Clone, Debug)]
pub(super) struct Direction {
    from: usize,
    to: usize,
    pub stream: Stream,
    pub current: Option<Current>,
    /// The last frames that were sent before.
    pub last: Option<Run>,
    pub carried: Carried,
    /// It will be looked at whether it may send more, or close.
    pub is_due: bool,
}

/// See the module text.
#[derive(Clone, Debug)]
pub(super) struct Circuit {
    /// When its owner won the loop, or came by TRANSFER.
    pub begin: Time,
    /// That of the owner, and that of the other end if it may send.
    pub directions: [Option<Direction>; 2],
    pub owner: usize,
    pub other: usize,
    /// When OPN came to the other end.
    pub opened: Time,
    /// Both ends support DHD.
    pub is_dynamic: bool,
    /// The owner has sent DHD.
    pub relinquished: bool,
    /// The owner has sent CLS, which the other end may answer from then on.
    pub heard: Option<Time>,
    pub tenancy: Tenancy,
}

/// What an owner keeps when it goes from a circuit to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tenancy {
    /// Frames that it may still send before it gives up the loop.
    pub allowance: u64,
    /// The port whose data a command interrupted.
    pub interrupted: Option<usize>,
}

impl Direction {
    /// What it has carried, with what it carries.
    fn carries(&self) -> (Carried, Option<&Run>) {
        (self.carried, self.current.as_ref().map(|current| &current.run))
    }

    /// What is being sent will have been sent when the next is.
    pub fn pass(&mut self) {
        if let Some(current) = self.current.take() {
            self.carried.add(&current.run);
            self.last = Some(current.run);
        }
    }
}

impl Circuit {
    /// Since when it has gone on, and what each direction carries.
    pub fn carries(&self) -> GoesOn<'_> {
        let carries = self
            .directions
            .each_ref()
            .map(|direction| direction.as_ref().map_or((Carried::default(), None), Direction::carries));
        (self.begin, carries)
    }

    /// The sequence that a port is sending, if it is a long one whose end is not known to anybody yet, and its direction.
    fn sends(&self, port: usize) -> Option<(usize, &Current)> {
        let number = self
            .directions
            .iter()
            .position(|direction| direction.as_ref().is_some_and(|direction| direction.from == port))?;
        let current = self.directions[number].as_ref()?.current.as_ref()?;
        current.left.is_some().then_some((number, current))
    }

    /// Frames of a sequence that a port is sending and has not begun.
    pub fn left_to_send(&self, port: usize, now: Time) -> u64 {
        self.sends(port).map_or(0, |(_, current)| current.run.frames - current.run.started_by(now))
    }

    /// The frames that its owner is sending.
    pub fn run(&self) -> Option<Run> {
        self.directions[0].as_ref()?.current.as_ref().map(|current| current.run)
    }
}

impl CircuitLoop {
    pub(super) fn rules(&self, from: usize, to: usize) -> Rules {
        let (sender, receiver) = (&self.ports[from], &self.ports[to]);
        Rules {
            word: self.word,
            round: self.geometry.round(),
            reaction: self.in_words(sender.parameters.frame_reaction.span).max(self.word),
            login: receiver.parameters.login_credit.into(),
            buffers: receiver.parameters.incoming_buffers.into(),
            take: self.in_words(receiver.pace.take),
            fetch: sender.pace.fetch,
            between: receiver.parameters.ready_between_frames,
        }
    }

    pub(super) fn direction(&self, from: usize, to: usize, earliest: Time, ready: Time) -> Direction {
        let stream = Stream::new(self.rules(from, to), earliest, ready);
        Direction { from, to, stream, current: None, last: None, carried: Carried::default(), is_due: false }
    }

    /// A port has won the loop.
    pub(super) fn won(&mut self, cx: &mut Context<'_>, owner: usize) {
        self.planned = None;
        let regardless = self.ports[owner].is_unfair();
        self.account.begins();
        let allowance = self.ports[owner].parameters.frames_per_tenancy.unwrap_or(u64::MAX);
        let Some(other) = self.opens(owner) else { return };
        let idle = self.turns.won(cx.now, owner, other, regardless);
        self.open(cx, owner, Tenancy { allowance, interrupted: None }, idle);
        if let Some(idle) = idle {
            let run = self.circuit.as_ref().and_then(Circuit::run);
            self.turns.idle_goes(run.map_or(idle, |run| run.next_gap(idle)));
        }
    }

    /// The port that a port opens next.
    fn opens(&self, owner: usize) -> Option<usize> {
        self.port_of(AlPa::of(self.ports[owner].head()?.destination))
    }

    /// The owner sends OPN a word from now, and what it has. If it is to send IDLE, two words of that go before anything else.
    pub(super) fn open(
        &mut self,
        cx: &mut Context<'_>,
        owner: usize,
        mut tenancy: Tenancy,
        idle: Option<Time>,
    ) {
        let Some(other) = self.opens(owner) else { return };
        let (there, back) = (self.geometry.distance(owner, other), self.geometry.distance(other, owner));
        let open = cx.now + self.word;
        let opened = open + there;
        // Behind OPN: an R_RDY after two fill words, a frame after six.
        let (frame, ready) = (self.words(1 + FRAME_GAP), self.words(1 + FILL_BEFORE_READY));
        let (one, two) = (&self.ports[owner].parameters, &self.ports[other].parameters);
        let full_duplex = one.full_duplex && two.full_duplex;
        let is_dynamic = one.dynamic_half_duplex && two.dynamic_half_duplex;
        let mut sends = self.direction(owner, other, open + frame, opened + ready + back);
        sends.stream.idle = idle;
        self.turns.opened(owner, other);
        let answers = self.direction(other, owner, opened + frame, open + ready + there);
        if tenancy.interrupted == Some(other) {
            tenancy.interrupted = None;
        }
        self.circuit = Some(Circuit {
            begin: cx.now,
            directions: [Some(sends), full_duplex.then_some(answers)],
            owner,
            other,
            opened,
            is_dynamic,
            relinquished: false,
            heard: None,
            tenancy,
        });
        self.go_on(cx, 0);
        self.go_on(cx, 1);
    }

    pub(super) fn of(&mut self, number: usize) -> Option<&mut Direction> {
        self.circuit.as_mut()?.directions[number].as_mut()
    }

    /// The next frames that may go in a direction.
    fn take(&mut self, now: Time, number: usize) -> Option<Item> {
        let circuit = self.circuit.as_mut()?;
        let direction = circuit.directions[number].as_ref()?;
        let buffers = self.ports[direction.to].parameters.incoming_buffers;
        let allowance = match circuit.heard {
            _ if number == 0 => circuit.tenancy.allowance,
            // Until CLS comes in, and no more than it had R_RDYs for when that was sent.
            Some(heard) if now >= heard => 0,
            Some(_) => u64::from(buffers),
            None => u64::MAX,
        };
        if allowance == 0 || (number == 0 && (circuit.heard.is_some() || circuit.relinquished)) {
            return None;
        }
        let peer = self.al_pas[direction.to];
        let mut item = self.ports[direction.from].take(peer)?;
        if item.frames > allowance {
            let rest = Item { frames: item.frames - allowance, ..item };
            self.ports[direction.from].frames.push_front(rest);
            item = Item { frames: allowance, ends: false, ..item };
        }
        if number == 0 && allowance != u64::MAX {
            circuit.tenancy.allowance -= item.frames;
        }
        Some(item)
    }

    /// A direction sends what it may, one sequence behind the other, until something is to be told before it is known what comes
    /// next. Returns whether there was anything.
    pub(super) fn go_on(&mut self, cx: &mut Context<'_>, number: usize) -> bool {
        let mut any = false;
        while let Some(item) = self.take(cx.now, number) {
            any = true;
            let Some(direction) = self.of(number) else { return any };
            direction.pass();
            let (from, to) = (direction.from, direction.to);
            self.note(cx.now, from);
            let (full, last) = self.ports[from].lengths(&item, self.word);
            let (slot, way) = (self.slot(from, cx.now), self.geometry.distance(from, to));
            let Some(direction) = self.of(number) else { return any };
            let before = direction.stream;
            let run = direction.stream.send(slot, item.frames, full, last);
            let is_data = item.frame.kind == FrameKind::Data;
            let tells = is_data && item.ends;
            let left = tells.then(|| wake(cx, run.last_start(), what::LEFT, from, number));
            // A target makes the status of a read then.
            let whole = self.ports[from].frames_of(&item.frame);
            let ready = self.ports[from].pace.ready_frames;
            let awaited = tells && !item.frame.write && !item.room_told && whole > ready;
            let at = run.start(item.frames.saturating_sub(ready + 1));
            let room = awaited.then(|| wake(cx, at.max(cx.now), what::HAS_ROOM, from, number));
            let Some(direction) = self.of(number) else { return any };
            direction.current = Some(Current { item, run, before, left, room });
            cx.enter(request_of(&item.frame), segment::CIRCUIT);
            if tells {
                return any;
            }
            if !is_data {
                self.last_goes(cx, number, &item, run.end() + way);
            }
        }
        if any {
            self.look_again(cx, number);
        }
        any
    }

    /// The last frame of a sequence, which is in at a time, is as good as sent.
    fn last_goes(&mut self, cx: &mut Context<'_>, number: usize, item: &Item, arrives: Time) {
        let Some(to) = self.of(number).map(|direction| direction.to) else { return };
        wake(cx, arrives, what::ARRIVED, to, number);
        cx.frame_leaves(request_of(&item.frame));
        self.account.sent(&item.frame);
        self.flying[number].push_back(item.frame);
    }

    /// When the last frame has been sent and CLS, or DHD, could go, it will be looked at whether there is more.
    pub(super) fn look_again(&mut self, cx: &mut Context<'_>, number: usize) {
        let dhd = self.words(FILL_BEFORE_CLOSE - FILL_BEFORE_READY);
        let early = self.ends_early(number);
        let Some(direction) = self.of(number) else { return };
        direction.is_due = true;
        let (from, next) = (direction.from, direction.stream.earliest);
        let at = if early { Time(next.ticks() - dhd.ticks()) } else { next };
        wake(cx, at.max(cx.now), what::MAY_SEND, from, number);
    }

    /// Whether DHD, which has fewer words before it than CLS, may follow what a direction sends.
    fn ends_early(&self, number: usize) -> bool {
        let circuit = self.circuit.as_ref();
        number == 0 && circuit.is_some_and(|circuit| circuit.is_dynamic && !circuit.relinquished)
    }

    /// The outgoing FIFO has room for the last frame of a sequence of data.
    pub(super) fn has_room(&mut self, cx: &mut Context<'_>, number: usize) {
        let Some(direction) = self.of(number) else { return };
        let from = direction.from;
        if let Some(current) = &mut direction.current {
            (current.room, current.item.room_told) = (None, true);
            cx.send(from as u16, Message::HasRoom(current.item.frame));
        }
    }

    /// The last frame of a sequence of data begins.
    pub(super) fn last_frame_begins(&mut self, cx: &mut Context<'_>, number: usize) {
        let Some(direction) = self.of(number) else { return };
        let (from, to) = (direction.from, direction.to);
        let Some(current) = &mut direction.current else { return };
        current.left = None;
        let (item, end) = (current.item, current.run.end());
        self.last_goes(cx, number, &item, end + self.geometry.distance(from, to));
        cx.send(from as u16, Message::Left(item.frame));
        if item.frame.last_of_data && !item.frame.write {
            wake(cx, end, what::SENT, from, number);
        } else if !self.go_on(cx, number) {
            self.look_again(cx, number);
        }
    }

    /// The last data of a read have been sent.
    pub(super) fn sent(&mut self, cx: &mut Context<'_>, number: usize) {
        let Some(direction) = self.of(number) else { return };
        let from = direction.from;
        if let Some(current) = &direction.current {
            cx.send(from as u16, Message::Sent(current.item.frame));
        }
        if !self.go_on(cx, number) {
            self.look_again(cx, number);
        }
    }

    /// A direction may send again, or its end of the circuit be closed.
    pub(super) fn may_send(&mut self, cx: &mut Context<'_>, number: usize) {
        let Some(direction) = self.of(number) else { return };
        if direction.current.is_some() && direction.stream.earliest > cx.now && !self.ends_early(number) {
            // It has begun to send since it was to be looked at.
            return;
        }
        let Some(direction) = self.of(number) else { return };
        direction.is_due = false;
        direction.pass();
        if self.go_on(cx, number) {
            return;
        }
        let Some(circuit) = &self.circuit else { return };
        let (heard, relinquished) = (circuit.heard, circuit.relinquished);
        match heard {
            _ if number == 0 && self.shall_relinquish() => self.relinquish(cx),
            _ if number == 0 => self.close(cx),
            Some(heard) => self.answer(cx, heard.max(cx.now)),
            None if relinquished => self.close_first(cx),
            None => {}
        }
    }

    /// Something has been handed over at a port while a circuit goes on.
    pub(super) fn queued_in_circuit(&mut self, cx: &mut Context<'_>, port: usize) {
        let Some(circuit) = &self.circuit else { return };
        if port == circuit.owner {
            let peer = self.al_pas[circuit.other];
            if circuit.heard.is_none() && self.ports[port].is_preempted(peer) {
                let begun = circuit.run().map_or(0, |run| run.started_by(cx.now));
                self.cut(cx, 0, begun);
            }
        } else if port != circuit.other {
            self.tell_head(cx, port);
        } else if circuit.directions[1].as_ref().is_some_and(|back| !back.is_due && back.current.is_none()) {
            self.go_on(cx, 1);
        }
    }

    /// What is no data lands behind the frames of a sequence that are ready, not behind all of it, unless it follows from that.
    pub(super) fn make_room(&mut self, cx: &mut Context<'_>, port: usize, frame: &Frame) {
        let Some(circuit) = &self.circuit else { return };
        let Some((number, current)) = circuit.sends(port) else { return };
        let overtakes = self.ports[port].schedule.command_first_queue && frame.kind == FrameKind::Command;
        if frame.kind == FrameKind::Data || overtakes || frame.tag == current.item.frame.tag {
            return;
        }
        let frames = current.run.started_by(cx.now) + self.ports[port].pace.ready_frames;
        self.cut(cx, number, frames);
    }

    /// Of the data that a direction is sending only so many frames go, and the rest later.
    pub(super) fn cut(&mut self, cx: &mut Context<'_>, number: usize, frames: u64) {
        let word = self.word;
        let Some(direction) = self.of(number) else { return };
        let is_long = |current: &Current| current.left.is_some() && frames < current.run.frames;
        let Some(mut current) = direction.current.take_if(|current| is_long(current)) else { return };
        for key in [current.left.take(), current.room.take()].into_iter().flatten() {
            cx.cancel(key);
        }
        let from = direction.from;
        direction.stream = current.before;
        let rest = Item { frames: current.run.frames - frames, ..current.item };
        let (full, _) = self.ports[from].lengths(&current.item, word);
        self.ports[from].frames.push_front(rest);
        self.note(cx.now, from);
        if let Some(circuit) = &mut self.circuit
            && number == 0
            && circuit.tenancy.allowance != u64::MAX
        {
            circuit.tenancy.allowance += rest.frames;
        }
        let Some(direction) = self.of(number) else { return };
        if frames > 0 {
            let run = direction.stream.send(current.run.begin(), frames, full, full);
            let item = Item { frames, ends: false, ..current.item };
            direction.current = Some(Current { item, run, ..current });
        }
        self.look_again(cx, number);
    }
}
