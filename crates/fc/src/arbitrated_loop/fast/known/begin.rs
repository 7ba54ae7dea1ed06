//! Where a circuit begins that is known, or could be.

use super::future::{Root, Shape};
use super::local::{Local, LocalEvent};
use super::{ArbitratedLoop, Going, MOST_FRAMES, Pair, PortSet, number_of};
use crate::arbitrated_loop::answer::Answer;
use crate::arbitrated_loop::{LoopEvent, Surroundings};
use crate::frame::Frame;
use crate::loop_port::PortState;
use crate::loop_port::standing::{Since, Standing};
use crate::word::FillWord;
use sansim_kernel::{Order, Time};

impl ArbitratedLoop {
    /// A port has been opened. If nobody else has to do with the circuit, it goes on as a known one.
    pub(in crate::arbitrated_loop) fn begin_known(
        &mut self,
        now: Time,
        opened: usize,
        around: &mut impl Surroundings,
    ) {
        if around.sees_steps() {
            return;
        }
        if let Some(owner) = self.owner_of_quiet_circuit(now, opened) {
            let behind = (now, LoopEvent::Item(0).order(opened as u16));
            let going = &mut self.known.going;
            (going.ports, going.from_sleep) = ([owner, opened], false);
            if !self.known.pair().patience.is_out() {
                let origin = Time(now.ticks() - self.known.looks_back.ticks());
                self.begin_between([owner, opened], (origin, behind), around);
            }
        }
    }

    /// A frame is handed to a port of a loop that sleeps: with that its circuit may begin. Returns whether it has been taken.
    #[inline(never)]
    pub(in crate::arbitrated_loop) fn begin_known_asleep(
        &mut self,
        now: Time,
        port: usize,
        frame: Frame,
        around: &mut impl Surroundings,
    ) -> bool {
        let is_quiet = self.items.len() == 0
            && self.fast.passing_until <= now
            && now.ticks() >= (self.known.looks_back + self.word).ticks();
        let is_out = around.sees_steps() || self.known.from_sleep.is_out();
        if !is_quiet || is_out || !self.all_sleep(now, around) {
            return false;
        }
        let other = self.index_of(self.ports[port].towards(frame.destination));
        let Some(other) = other.filter(|&other| other != port) else { return false };
        let ports = [port, other];
        let stands = |port: usize| {
            let it = &self.ports[port];
            it.stands(now) && it.gets_no_frames_later() && self.fast.signal_at[port] <= now
        };
        if !ports.into_iter().all(stands) {
            return false;
        }
        self.known.going.ports = ports;
        let pair = self.known.pair();
        if pair.patience.is_out() || (frame.is_within_sequence() && pair.is_for_train()) {
            return false;
        }
        for port in ports {
            self.wake_port(now, port, around);
        }
        let (pending, told) = (self.all_that_comes(ports), std::mem::take(&mut self.known.scratch.told));
        let mut local = Local { pending, told, present: (now, Order::default()) };
        self.ports[port].enqueue(now, frame, &mut Answer::new(now, port, &mut local));
        for (_, port, upcall) in local.told.drain(..) {
            around.upcall(now, port, upcall);
        }
        self.known.scratch.told = local.told;
        let is_later = |event: &LocalEvent| event.at > now || !around.has_passed(event.order);
        let may_begin = local.pending.iter().all(is_later);
        self.known.going.from_sleep = true;
        // It is the same wherever in a word the frame comes: the port asks for its slot, and is told nothing before.
        let slot = self.ports[port].slot(now);
        let origin = Time(slot.ticks() - (self.known.looks_back + self.word).ticks());
        let behind = (origin, Order::default());
        if may_begin && self.begin_between(ports, (origin, behind), around) {
            self.known.scratch.pending = local.pending;
        } else {
            self.ask_for(local.pending, around);
        }
        true
    }

    /// A circuit between these ports begins, or will. Its times are counted from `origin`; `behind` is the last event before it.
    /// Returns whether it goes on as a known one.
    fn begin_between(
        &mut self,
        ports: [usize; 2],
        (origin, behind): (Time, (Time, Order)),
        around: &mut impl Surroundings,
    ) -> bool {
        let Some(is_within) = self.takes_frames(ports) else { return false };
        if is_within && !self.known.going.from_sleep && self.known.pair().is_for_train() {
            return false;
        }
        let frames = &self.known.going.frames;
        let stands = |port: usize| self.ports[port].standing(origin, |tag| number_of(frames, tag));
        let [Some(one), Some(other)] = ports.map(stands) else { return false };
        let going = &mut self.known.going;
        (going.origin, going.behind, going.next) = (origin, behind, 0);
        (going.pending, going.scheduled, going.idles) = (None, None, [Since::NEVER; 2]);
        going.inputs.clear();
        #[cfg(debug_assertions)]
        going.told.clear();
        let future = self.root(&[one, other]);
        if future.is_some() {
            self.known.pair().patience.pays();
        }
        let future = future.or_else(|| self.learn_root([one, other]));
        let Some(future) = future.filter(|&future| self.known.futures[future].is_of_use()) else {
            return false;
        };
        self.known.going.future = future;
        self.known.is_going = true;
        self.known.counts.begun += 1;
        self.schedule_known(around);
        true
    }

    /// The owner of the circuit in which a port has just been opened, if nobody else has to do with that, and nothing is on its way but
    /// fill words.
    fn owner_of_quiet_circuit(&self, now: Time, opened: usize) -> Option<usize> {
        let fast = &self.fast;
        let is_quiet = fast.awake == fast.in_circuit
            && fast.dozing.is_empty()
            && fast.leaving.is_empty()
            && fast.addressed.is_empty()
            && self.items.len() == 0
            && fast.passing_until <= now + self.word
            && now.ticks() >= self.known.looks_back.ticks();
        let owner = PortSet(fast.in_circuit.0 & !(1 << opened)).next_after(opened)?;
        let both = [owner, opened];
        let stand = |port: usize| self.ports[port].stands(now) && fast.signal_at[port] <= now;
        let is_circuit = fast.in_circuit == PortSet::both(both)
            && self.ports[owner].state() == PortState::Open
            && self.ports[opened].state() == PortState::Opened
            && self.ports[opened].gets_no_frames_later();
        (is_quiet && is_circuit && both.into_iter().all(stand)).then_some(owner)
    }

    /// Numbers the frames of the two ports. Returns whether one is within its sequence; none if there are too many, as many as for a
    /// train, or two that cannot be told apart.
    fn takes_frames(&mut self, ports: [usize; 2]) -> Option<bool> {
        let queued: usize = ports.into_iter().map(|port| self.ports[port].queued_frames()).sum();
        if queued > MOST_FRAMES / 2 {
            return None;
        }
        let Going { frames, shapes, .. } = &mut self.known.going;
        frames.clear();
        shapes.clear();
        let mut within = 0;
        let queues = ports.into_iter().flat_map(|port| self.ports[port].queues());
        for (number, queue) in (0..).zip(queues) {
            for frame in queue {
                within += u32::from(frame.is_within_sequence());
                let shape = Shape::of(frame, frames);
                // Others have tags of their own.
                if usize::from(shape.tag_of) < frames.len() && frames.contains(frame) {
                    return None;
                }
                shapes.push((number, shape));
                frames.push(*frame);
                if within > 1 {
                    return None;
                }
            }
        }
        Some(within > 0)
    }

    /// Fill words on their way to a port.
    pub(super) fn line(&self, port: usize, origin: Time) -> impl Iterator<Item = (Since, FillWord)> {
        self.fast.lines[port].iter().map(move |edge| (Since::of(edge.at, origin), edge.word))
    }

    /// What comes of a beginning that is known.
    fn root(&self, standing: &[Standing; 2]) -> Option<usize> {
        let Going { ports, origin, shapes, .. } = &self.known.going;
        let is_like = |root: &&Root| {
            let mut lines = ports.iter().zip(&root.lines);
            root.ports == *standing
                && root.frames == *shapes
                && lines.all(|(&port, line)| self.line(port, *origin).eq(line.iter().copied()))
        };
        let [owner, other] = *ports;
        let pair = &self.known.pairs[owner * self.known.ports + other];
        pair.roots.iter().find(is_like).map(|root| root.future)
    }

    /// Looks what comes of a beginning, and remembers it.
    fn learn_root(&mut self, standing: [Standing; 2]) -> Option<usize> {
        if !self.known.has_room() {
            return None;
        }
        let Going { ports, origin, .. } = self.known.going;
        let pending = self.all_that_comes(ports);
        let future = self.learn(pending, Vec::new(), false);
        let lines = ports.map(|port| self.line(port, origin).collect());
        let frames = self.known.going.shapes.clone();
        self.known.pair().roots.push(Root { ports: standing, frames, lines, future });
        Some(future)
    }
}

impl Pair {
    /// Whether a circuit that begins with a frame within its sequence is not looked at: the last one was for a train.
    fn is_for_train(&mut self) -> bool {
        let is_for_train = self.for_trains > 0;
        self.for_trains -= u8::from(is_for_train);
        is_for_train
    }
}
