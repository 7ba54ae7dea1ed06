//! Where a circuit begins that is known, or could be.

use super::future::{Root, Shape};
use super::local::{Local, LocalEvent};
use super::{ArbitratedLoop, Began, Going, Known, MOST_FRAMES, Pair, Patience, PortSet, Ports, number_of};
use crate::arbitrated_loop::answer::Answer;
use crate::arbitrated_loop::{LoopEvent, Surroundings};
use crate::frame::Frame;
use crate::loop_port::PortState;
use crate::loop_port::standing::Since;
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
        let owner = PortSet(self.fast.in_circuit.0 & !(1 << opened)).next_after(opened);
        let is_circuit = |owner: usize| {
            self.fast.in_circuit == PortSet::both([owner, opened])
                && self.ports[owner].state() == PortState::Open
                && self.ports[opened].state() == PortState::Opened
        };
        if let Some(owner) = owner.filter(|&owner| is_circuit(owner)) {
            let behind = (now, LoopEvent::Item(0).order(opened as u16));
            self.begin_awake([owner, opened], behind, None, around);
        }
    }

    /// A circuit is over, and the port that wants the loop next is known, and whom it opens: with that a circuit begins. Returns whether
    /// it goes on as a known one.
    pub(super) fn begin_behind(
        &mut self,
        ports: Ports,
        behind: (Time, Order),
        around: &mut impl Surroundings,
    ) -> bool {
        let arbitrates = |port: &usize| self.ports[*port].state() == PortState::Arbitrating;
        let mut arbitrating = ports.iter().filter(arbitrates);
        // Of several one wins, and its circuit may be known then.
        let (Some(owner), None) = (arbitrating.next(), arbitrating.next()) else { return false };
        let opens = self.ports[owner].opens().and_then(|destination| self.index_of(destination));
        let Some(other) = opens.filter(|&other| other != owner) else { return false };
        self.fast.in_circuit.is_empty() && self.begin_awake([owner, other], behind, Some(ports), around)
    }

    /// A circuit between these ports begins, or will, if nothing is on its way but fill words, and who is awake besides only repeats. With an
    /// observer that sees steps none is known. Returns whether it goes on as a known one. `before`: those of another that is over just now.
    fn begin_awake(
        &mut self,
        both: [usize; 2],
        behind: (Time, Order),
        before: Option<Ports>,
        around: &mut impl Surroundings,
    ) -> bool {
        let (now, fast) = (behind.0, &self.fast);
        let is_quiet = !around.sees_steps()
            && fast.leaving.is_empty()
            && fast.addressed.is_empty()
            && self.items.len() == 0
            && fast.passing_until <= now + self.word
            && now.ticks() >= self.known.looks_back.ticks();
        let others = fast.awake.with(PortSet::both(both), PortSet::default());
        let Some(ports) = Ports::ends(both[0], both[1]).beside(others).filter(|_| is_quiet) else {
            return false;
        };
        let going = &mut self.known.going;
        going.ports = ports;
        going.is_rare = before.is_some() || !others.is_empty() || !fast.dozing.is_empty();
        let is_another = before.is_some_and(|before| !before.contains(both[1]));
        going.began = if is_another { Began::WithAnother } else { Began::Awake };
        let is_out = self.known.patience_of_beginning().is_some_and(Patience::is_out);
        if is_out || self.known.patience().is_out() {
            return false;
        }
        // That is seen sooner of its first frame than of all.
        if self.ports[both[0]].is_within_sequence() && self.known.pair().is_for_train() {
            return false;
        }
        self.wake_port(now, both[1], around);
        // Frames that come into a queue without a word to the port would not be known of.
        let fast = &self.fast;
        let stands = |port: usize| {
            let it = &self.ports[port];
            it.stands(now) && it.gets_no_frames_later() && fast.signal_at[port] <= now
        };
        let repeats = |port: usize| self.ports[port].state().repeats();
        if !(ports.iter().all(stands) && others.iter().all(repeats)) {
            return false;
        }
        let dozing = fast.dozing;
        let arbitrates = |&port: &usize| self.ports[port].state() == PortState::Arbitrating;
        let arbitrating = dozing.iter().filter(arbitrates).map(PortSet::of);
        let arbitrating = arbitrating.fold(PortSet::default(), |all, one| all.with(one, one));
        self.known.going.dozing = [dozing, arbitrating];
        let origin = Time(now.ticks() - self.known.looks_back.ticks());
        self.begin_there((origin, behind), around)
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
        let is_out = around.sees_steps() || self.known.asleep.is_out();
        if !is_quiet || is_out || !self.all_sleep(now, around) {
            return false;
        }
        let other = self.index_of(self.ports[port].towards(frame.destination));
        let Some(other) = other.filter(|&other| other != port) else { return false };
        let ports = Ports::ends(port, other);
        let stands = |port: usize| {
            let it = &self.ports[port];
            it.stands(now) && it.gets_no_frames_later() && self.fast.signal_at[port] <= now
        };
        if !ports.iter().all(stands) {
            return false;
        }
        let going = &mut self.known.going;
        (going.ports, going.dozing, going.is_rare) = (ports, [PortSet::default(); 2], false);
        let pair = self.known.pair();
        if pair.patience.is_out() || (frame.is_within_sequence() && pair.is_for_train()) {
            return false;
        }
        for port in ports.iter() {
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
        self.known.going.began = Began::Asleep;
        // It is the same wherever in a word the frame comes: the port asks for its slot, and is told nothing before.
        let slot = self.ports[port].slot(now);
        let origin = Time(slot.ticks() - (self.known.looks_back + self.word).ticks());
        let behind = (origin, Order::default());
        if may_begin && self.begin_there((origin, behind), around) {
            self.known.scratch.pending = local.pending;
        } else {
            self.ask_for(local.pending, around);
        }
        true
    }

    /// Between the ports of which that was noted ([`Going`]) a circuit begins, or will. Its times are counted from `origin`; `behind` is the
    /// last event before it. Returns whether it goes on as a known one.
    fn begin_there(
        &mut self,
        (origin, behind): (Time, (Time, Order)),
        around: &mut impl Surroundings,
    ) -> bool {
        let ports = self.known.going.ports;
        let Some(is_within) = self.takes_frames(ports) else { return false };
        if is_within && self.known.going.began != Began::Asleep && self.known.pair().is_for_train() {
            return false;
        }
        let Known { going, scratch, .. } = &mut self.known;
        for (port, standing) in ports.iter().zip(&mut scratch.standing) {
            if !self.ports[port].standing(origin, |tag| number_of(&going.frames, tag), standing) {
                return false;
            }
        }
        (going.origin, going.behind, going.next) = (origin, behind, 0);
        (going.pending, going.scheduled, going.idles) = (None, None, [Since::NEVER; Ports::MOST]);
        going.inputs.clear();
        #[cfg(debug_assertions)]
        going.told.clear();
        let future = self.root();
        if future.is_some() {
            self.known.patience().pays();
        } else if self.known.going.is_rare && !self.is_noted() {
            return false;
        }
        let future = future.or_else(|| self.learn_root());
        let Some(future) = future.filter(|&future| self.known.futures[future].is_of_use()) else {
            return false;
        };
        self.known.going.future = future;
        self.known.is_going = true;
        self.known.counts.begun += 1;
        self.schedule_known(around);
        true
    }

    /// Numbers the frames of the ports. Returns whether one at the two ends is within its sequence; none if there are too many, as many as
    /// for a train, or two that cannot be told apart.
    fn takes_frames(&mut self, ports: Ports) -> Option<bool> {
        let queued: usize = ports.iter().map(|port| self.ports[port].queued_frames()).sum();
        if queued > MOST_FRAMES / 2 {
            return None;
        }
        let Going { frames, shapes, within, .. } = &mut self.known.going;
        frames.clear();
        shapes.clear();
        *within = 0;
        let mut number = 0;
        for port in ports.iter() {
            let is_end = ports.both().contains(&port);
            for queue in self.ports[port].queues() {
                if queue.is_empty() {
                    number += 1;
                    continue;
                }
                for frame in queue {
                    *within += u32::from(is_end && frame.is_within_sequence());
                    let shape = Shape::of(frame, frames);
                    // Others have tags of their own.
                    let is_like_another = usize::from(shape.tag_of) < frames.len() && frames.contains(frame);
                    if is_like_another || *within > 1 {
                        return None;
                    }
                    shapes.push((number, shape));
                    frames.push(*frame);
                }
                number += 1;
            }
        }
        Some(*within > 0)
    }

    /// Fill words on their way to a port.
    pub(super) fn line(&self, port: usize, origin: Time) -> impl Iterator<Item = (Since, FillWord)> {
        self.fast.lines[port].iter().map(move |edge| (Since::of(edge.at, origin), edge.word))
    }

    /// What comes of a beginning that is known.
    fn root(&self) -> Option<usize> {
        let Known { going: Going { ports, dozing, origin, shapes, .. }, scratch, .. } = &self.known;
        let standing = &scratch.standing[..ports.count()];
        let is_like = |root: &&Root| {
            let mut lines = ports.iter().zip(&root.lines);
            root.frames == *shapes
                && (root.ports, root.dozing) == (ports.set(), *dozing)
                && root.standing == standing
                && lines.all(|(port, line)| self.line(port, *origin).eq(line.iter().copied()))
        };
        let [owner, other] = ports.both();
        let pair = &self.known.pairs[owner * self.known.ports + other];
        pair.roots.iter().find(is_like).map(|root| root.future)
    }

    /// Whether a rare beginning is noted; if not, it is now.
    fn is_noted(&mut self) -> bool {
        let Known { going: Going { ports, dozing: [dozing, _], shapes, .. }, scratch, .. } = &self.known;
        let set = ports.set().0 ^ dozing.0.rotate_left(64);
        let seed = set as u64 ^ (set >> 64) as u64 ^ shapes.len() as u64;
        let print = scratch.standing[..ports.count()].iter().fold(seed, |print, it| it.print(print));
        match self.known.going.began {
            Began::WithAnother => self.known.with_another.costs(1),
            _ => self.known.patience().costs(1),
        }
        let pair = self.known.pair();
        let is_noted = pair.noted.contains(&print);
        if !is_noted {
            pair.noted.rotate_right(1);
            pair.noted[0] = print;
        }
        is_noted
    }

    /// Looks what comes of a beginning, and remembers it.
    fn learn_root(&mut self) -> Option<usize> {
        if !self.known.has_room() {
            return None;
        }
        let Going { ports, dozing, origin, .. } = self.known.going;
        let pending = self.all_that_comes(ports);
        let future = self.learn(pending, Vec::new(), false);
        let lines = ports.iter().map(|port| self.line(port, origin).collect()).collect();
        let frames = self.known.going.shapes.clone();
        let standing = self.known.scratch.standing[..ports.count()].to_vec();
        let root = Root { ports: ports.set(), dozing, standing, frames, lines, future };
        self.known.pair().roots.push(root);
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
