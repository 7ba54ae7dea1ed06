//! A circuit: how it is opened, what goes in each of its directions, and how it is closed.
//!
//! Sources: `crates/fc/src/loop_port/state.rs` and `signalling.rs`.

use super::account::Carried;
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
struct Current {
    item: Item,
    run: Run,
    /// The direction as it was before.
    before: Stream,
    /// Of data, as long as it has not come: the begin of the last frame.
    left: Option<EventKey>,
    /// The same: the begin of the frame with which the outgoing FIFO has room for the last.
    room: Option<EventKey>,
}

/// One direction of a circuit.
#[derive(Clone, Debug)]
struct Direction {
    from: usize,
    to: usize,
    stream: Stream,
    current: Option<Current>,
    /// The last frames that were sent before.
    last: Option<Run>,
    carried: Carried,
    /// It will be looked at whether it may send more, or close.
    is_due: bool,
}

/// See the module text.
#[derive(Clone, Debug)]
pub(super) struct Circuit {
    /// When its owner won the loop, or came by TRANSFER.
    begin: Time,
    /// That of the owner, and that of the other end if it may send.
    directions: [Option<Direction>; 2],
    owner: usize,
    other: usize,
    /// When OPN came to the other end.
    opened: Time,
    /// Both ends support DHD.
    is_dynamic: bool,
    /// The owner has sent DHD.
    relinquished: bool,
    /// The owner has sent CLS, which the other end may answer from then on.
    heard: Option<Time>,
    tenancy: Tenancy,
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
    fn pass(&mut self) {
        if let Some(current) = self.current.take() {
            self.carried.add(&current.run);
            self.last = Some(current.run);
        }
    }
}

impl Circuit {
    /// Since when it has gone on, and what each direction carries.
    pub fn carries(&self) -> (Time, [(Carried, Option<&Run>); 2]) {
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
    fn rules(&self, from: usize, to: usize) -> Rules {
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

    fn direction(&self, from: usize, to: usize, earliest: Time, ready: Time) -> Direction {
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

    fn of(&mut self, number: usize) -> Option<&mut Direction> {
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
    fn go_on(&mut self, cx: &mut Context<'_>, number: usize) -> bool {
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
            cx.enter(request_of(&item.frame), segment::WIRE);
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
    fn look_again(&mut self, cx: &mut Context<'_>, number: usize) {
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
    fn cut(&mut self, cx: &mut Context<'_>, number: usize, frames: u64) {
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

    /// Whether the owner goes on to its next circuit without arbitrating.
    fn keeps_loop(&self, owner: usize, tenancy: Tenancy) -> bool {
        let port = &self.ports[owner];
        let first =
            port.schedule.command_first_preemption && (port.is_unfair() || tenancy.interrupted.is_some());
        port.queued() > 0 && tenancy.allowance > 0 && (!port.schedule.is_fair() || first)
    }

    fn shall_relinquish(&self) -> bool {
        self.circuit.as_ref().is_some_and(|circuit| {
            circuit.is_dynamic
                && !circuit.relinquished
                && circuit.tenancy.allowance > 0
                && !self.ports[circuit.owner].is_preempted(self.al_pas[circuit.other])
                && !self.keeps_loop(circuit.owner, circuit.tenancy)
        })
    }

    /// The owner sends DHD: the other end sends what it has and closes.
    fn relinquish(&mut self, cx: &mut Context<'_>) {
        let Some(circuit) = &mut self.circuit else { return };
        circuit.relinquished = true;
        let (owner, other) = (circuit.owner, circuit.other);
        let there = self.geometry.distance(owner, other);
        let ready = self.words(1 + FILL_BEFORE_READY);
        // It has been opened for long, so that no gap is left to be kept.
        let back = self.direction(other, owner, cx.now + there + self.word, cx.now + ready + there);
        if let Some(circuit) = &mut self.circuit
            && circuit.directions[1].is_none()
        {
            circuit.directions[1] = Some(back);
        }
        let is_idle = self.of(1).is_some_and(|back| !back.is_due && back.current.is_none());
        if is_idle && !self.go_on(cx, 1) {
            if let Some(back) = self.of(1) {
                back.stream.earliest = back.stream.earliest.max(cx.now);
            }
            self.look_again(cx, 1);
        }
    }

    /// The owner sends CLS. The other end answers when it has sent what it has been given R_RDYs for.
    fn close(&mut self, cx: &mut Context<'_>) {
        let Some(circuit) = &mut self.circuit else { return };
        let (owner, other) = (circuit.owner, circuit.other);
        let heard = cx.now + self.geometry.distance(owner, other) + self.word;
        circuit.heard = Some(heard);
        let preempted = self.ports[owner].is_preempted(self.al_pas[other]);
        let peer = self.al_pas[other];
        let left = self.ports[owner].frames.front();
        if preempted && left.is_some_and(|item| AlPa::of(item.frame.destination) == peer) {
            circuit.tenancy.interrupted = Some(other);
        }
        let Some(back) = self.circuit.as_ref().and_then(|circuit| circuit.directions[1].as_ref()) else {
            self.answer(cx, heard);
            return;
        };
        let (is_due, way) = (back.is_due, self.geometry.distance(other, owner));
        let Some(current) = &back.current else {
            if !is_due {
                // It may still have something to send before CLS comes in.
                wake(cx, heard, what::MAY_SEND, other, 1);
            }
            return;
        };
        let rules = self.rules(other, owner);
        let seen = Time(cx.now.ticks().saturating_sub((way + rules.take).ticks()));
        let processed = current.before.sent + current.run.sent_by(seen);
        let promised = rules.login.max(rules.buffers + processed) - current.before.sent;
        let frames = promised.max(current.run.started_by(heard));
        self.cut(cx, 1, frames);
    }

    /// When the other end can answer CLS: not while it has R_RDYs to send that hold back CLS, or frames in buffers that it has promised.
    fn may_answer(&self, circuit: &Circuit, heard: Time) -> Time {
        let Some(sends) = &circuit.directions[0] else { return heard };
        let (Some(last), port) = (sends.last, &self.ports[circuit.other].parameters) else { return heard };
        let rules = self.rules(circuit.owner, circuit.other);
        let there = self.geometry.distance(circuit.owner, circuit.other);
        let processed = |frame: u64| last.end_of(frame) + there + rules.take;
        let behind_ready = self.words(1 + FILL_BEFORE_CLOSE);
        let every = self.words(1 + FILL_BEFORE_READY);
        let came = heard.saturating_since(circuit.opened + self.word);
        let ready = rules.buffers.min(came.ticks() / every.ticks());
        let mut at = heard.max(circuit.opened + every * ready + behind_ready);
        let all = processed(last.frames - 1);
        if all < heard || port.close_after_frames {
            at = at.max(all + behind_ready);
        }
        let kept = rules.buffers - rules.login;
        if rules.login > 0 && kept < last.frames {
            at = at.max(processed(last.frames - 1 - kept));
        }
        at
    }

    /// The other end answers CLS, and the owner leaves the loop.
    fn answer(&mut self, cx: &mut Context<'_>, heard: Time) {
        let Some(circuit) = &self.circuit else { return };
        let closes = self.may_answer(circuit, heard);
        let leaves = closes + self.geometry.distance(circuit.other, circuit.owner) + self.word;
        self.over(cx, leaves, closes + self.word);
    }

    /// The other end closes first, after DHD, and the owner answers.
    fn close_first(&mut self, cx: &mut Context<'_>) {
        let Some(circuit) = &self.circuit else { return };
        let (owner, other) = (circuit.owner, circuit.other);
        let answers = cx.now + self.geometry.distance(other, owner) + self.word;
        self.over(cx, answers + self.word, answers + self.geometry.distance(owner, other) + self.word);
    }

    /// The owner leaves the loop at a time, and the other end the circuit.
    fn over(&mut self, cx: &mut Context<'_>, leaves: Time, other_leaves: Time) {
        let Some(circuit) = self.circuit.take() else { return };
        let Circuit { begin, owner, other, tenancy, .. } = circuit;
        let keeps = self.keeps_loop(owner, tenancy);
        let until = if keeps { Time(leaves.ticks() - self.word.ticks()) } else { leaves };
        let carried = circuit.directions.map(|direction| {
            direction.map_or(Carried::default(), |mut direction| {
                direction.pass();
                direction.carried
            })
        });
        self.account.ends(until - begin, &carried);
        self.turns.left((owner, leaves), (other, other_leaves));
        for port in [owner, other] {
            cx.send(port as u16, Message::CircuitEnded);
            self.note(cx.now, port);
            self.tell_head(cx, port);
        }
        if keeps {
            self.transfer = Some(tenancy);
            wake(cx, until, what::TRANSFER, owner, 0);
        } else {
            self.plan(cx);
        }
    }
}
