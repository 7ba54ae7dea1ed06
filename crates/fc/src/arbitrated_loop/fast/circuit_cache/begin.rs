//! The beginning of a circuit that is cached, or could be.

use super::local::{Local, LocalEvent};
use super::outcome::OnLine;
use super::{ActiveCircuit, ArbitratedLoop, Began, CircuitCache, LearningBudget, PortSet, Ports};
use crate::arbitrated_loop::answer::Answer;
use crate::arbitrated_loop::fast::Edge;
use crate::arbitrated_loop::{LoopEvent, LoopHost};
use crate::frame::Frame;
use crate::loop_port::PortState;
use crate::loop_port::snapshot::RelativeTime;
use sansim_kernel::{Order, Time};
use std::collections::VecDeque;

impl ArbitratedLoop {
    /// A port has been opened by another port. If no other component affects the circuit, it runs from the
    /// cache.
    pub(in crate::arbitrated_loop) fn begin_known(
        &mut self,
        now: Time,
        opened: usize,
        around: &mut impl LoopHost,
    ) {
        let owner = PortSet(self.fast.in_circuit.0 & !(1 << opened)).next_after(opened);
        let is_circuit = |owner: usize| {
            self.fast.in_circuit == PortSet::both([owner, opened])
                && self.ports[owner].state() == PortState::Open
                && self.ports[opened].state() == PortState::Opened
        };
        if let Some(owner) = owner.filter(|&owner| is_circuit(owner)) {
            let behind = (now, LoopEvent::Item(0).event_order(opened as u16));
            self.begin_awake([owner, opened], behind, None, around);
        }
    }

    /// When a circuit of some ports is over, and the next owner of the loop and its destination are known, the next circuit begins. Returns
    /// whether the new circuit runs from the cache.
    pub(super) fn begin_behind(
        &mut self,
        over: Ports,
        behind: (Time, Order),
        around: &mut impl LoopHost,
    ) -> bool {
        let arbitrates = |port: &usize| self.ports[*port].state() == PortState::Arbitrating;
        // If several ports arbitrate, the port with the highest priority usually wins.
        let owner =
            over.iter().filter(arbitrates).min_by_key(|&port| self.ports[port].al_pa().address_byte());
        let Some(owner) = owner else { return false };
        let opens = self.ports[owner].opens().and_then(|destination| self.index_of(destination));
        let Some(other) = opens.filter(|&other| other != owner) else { return false };
        self.fast.in_circuit.is_empty() && self.begin_awake([owner, other], behind, Some(over), around)
    }

    /// Whether the state of the ports of a circuit can be recorded, and other ports that are awake only repeat. Frames that come into a
    /// queue without a call to the port would be missed.
    pub(super) fn can_be_said(&self, now: Time, ports: Ports) -> bool {
        ports.iter().all(|port| {
            let (it, is_end) = (&self.ports[port], ports.both().contains(&port));
            it.is_quiescent(now)
                && it.gets_no_frames_later()
                && self.fast.signal_at[port] <= now
                && (is_end || it.state().is_repeating())
        })
    }

    /// A circuit between these ports begins, or is about to begin, if only fill words are in flight and the other ports that are awake only
    /// repeat. The cache is not used with an observer that records single steps of ports. Returns whether the circuit runs from the cache.
    /// `before` are the ports of another circuit that ends at this moment.
    fn begin_awake(
        &mut self,
        both: [usize; 2],
        behind: (Time, Order),
        before: Option<Ports>,
        around: &mut impl LoopHost,
    ) -> bool {
        let (now, fast) = (behind.0, &self.fast);
        let is_quiet = !around.sees_steps()
            && fast.leaving.is_empty()
            && fast.addressed.is_empty()
            && self.items.len() == 0
            && fast.passing_until <= now + self.word
            && now.ticks() >= self.known.looks_back.ticks();
        let waits_anybody = fast.awake.0 & !PortSet::both(both).0 != 0;
        let going = &mut self.known.going;
        going.ports = Ports::ends(both[0], both[1]);
        going.is_rare = before.is_some() || waits_anybody;
        let is_another = before.is_some_and(|over| !over.contains(both[1]));
        going.began = if is_another { Began::WithAnother } else { Began::Awake };
        if self.is_for_burst(both) {
            return false;
        }
        let is_out = self.known.patience_of_beginning().is_some_and(LearningBudget::is_out);
        if !is_quiet || is_out || self.known.patience().is_out() {
            return false;
        }
        self.wake_port(now, both[1], around);
        let others = self.fast.awake.with(PortSet::both(both), PortSet::default());
        let Some(ports) = Ports::ends(both[0], both[1]).beside(others) else { return false };
        self.known.going.ports = ports;
        if !self.can_be_said(now, ports) {
            return false;
        }
        let origin = Time(now.ticks() - self.known.looks_back.ticks());
        self.begin_there((origin, behind), around)
    }

    /// Handles a frame that is handed to a port while the loop is idle or other ports arbitrate: a cached circuit may begin with it.
    /// Returns whether the frame was accepted.
    #[inline(never)]
    pub(in crate::arbitrated_loop) fn begin_known_with(
        &mut self,
        now: Time,
        port: usize,
        frame: Frame,
        around: &mut impl LoopHost,
    ) -> bool {
        let fast = &self.fast;
        let is_quiet = self.items.len() == 0
            && fast.in_circuit.is_empty()
            && fast.leaving.is_empty()
            && fast.addressed.is_empty()
            && fast.passing_until <= now
            && now.ticks() >= (self.known.looks_back + self.word).ticks();
        if !is_quiet || around.sees_steps() {
            return false;
        }
        let begins =
            self.begins_suspended(now, port, &frame, around) || self.begins_joined(now, port, &frame, around);
        if !begins {
            return false;
        }
        let ports = self.known.going.ports;
        let (pending, told) = (self.all_that_comes(ports), std::mem::take(&mut self.known.scratch.told));
        let before = pending.len();
        let mut local = Local { pending, told, present: (now, Order::default()) };
        self.ports[port].enqueue(now, frame, &mut Answer::new(now, port, &mut local));
        for (_, port, upcall) in local.told.drain(..) {
            around.upcall(now, port, upcall);
        }
        self.known.scratch.told = local.told;
        let is_later = |event: &LocalEvent| event.at > now || !around.has_passed(event.order);
        let may_begin = local.pending.iter().all(is_later);
        // The position within a word at which the frame comes makes no difference: the port asks for its slot, and gets no notification
        // before that slot.
        let slot = self.ports[port].next_word_slot(now);
        let origin = Time(slot.ticks() - (self.known.looks_back + self.word).ticks());
        let behind = (origin, Order::default());
        if may_begin && self.begin_there((origin, behind), around) {
            self.known.scratch.pending = local.pending;
        } else {
            // The earlier events have been scheduled already.
            local.pending.drain(..before);
            self.ask_for(local.pending, around);
        }
        true
    }

    /// Whether a frame that is handed to a port may begin a circuit in an idle loop.
    fn begins_suspended(
        &mut self,
        now: Time,
        port: usize,
        frame: &Frame,
        around: &mut impl LoopHost,
    ) -> bool {
        if self.known.asleep.is_out() || !self.all_suspend(now, around) {
            return false;
        }
        let other = self.index_of(self.ports[port].towards(frame.destination));
        let Some(other) = other.filter(|&other| other != port) else { return false };
        let ports = Ports::ends(port, other);
        let going = &mut self.known.going;
        (going.ports, going.is_rare, going.began) = (ports, false, Began::Asleep);
        self.may_begin_with(now, port, frame, around)
    }

    /// Whether a frame that is handed to a port may begin a circuit in a loop in which another port arbitrates. The circuit is the circuit
    /// of the port with the higher priority.
    fn begins_joined(&mut self, now: Time, port: usize, frame: &Frame, around: &mut impl LoopHost) -> bool {
        let it = &self.ports[port];
        let is_first = it.state() == PortState::Monitoring && it.queued_frames() == 0;
        if self.fast.awake.is_empty() || !is_first {
            return false;
        }
        let mut arbitrating =
            self.fast.awake.iter().filter(|&other| self.ports[other].state() == PortState::Arbitrating);
        // If several ports arbitrate, one of them wins the loop, and its circuit is looked up when it wins.
        let (Some(before), None) = (arbitrating.next(), arbitrating.next()) else { return false };
        if self.known.joined.is_out() {
            return false;
        }
        let goes_first = it.al_pa().address_byte() < self.ports[before].al_pa().address_byte();
        let (owner, opens) = if goes_first {
            (port, Some(it.towards(frame.destination)))
        } else {
            (before, self.ports[before].opens())
        };
        let other = opens.and_then(|opens| self.index_of(opens)).filter(|&other| other != owner);
        let Some(other) = other else { return false };
        let others = self.fast.awake.with(PortSet::of(port), PortSet::of(port));
        let others = others.with(PortSet::both([owner, other]), PortSet::default());
        let Some(ports) = Ports::ends(owner, other).beside(others) else { return false };
        let going = &mut self.known.going;
        (going.ports, going.is_rare, going.began) = (ports, true, Began::Joined);
        self.may_begin_with(now, port, frame, around)
    }

    /// Whether the circuit in `known.going` may begin with a frame that is handed to a port.
    fn may_begin_with(&mut self, now: Time, port: usize, frame: &Frame, around: &mut impl LoopHost) -> bool {
        let ports = self.known.going.ports;
        let [owner, _] = ports.both();
        let is_for_train = if owner == port {
            frame.is_within_unit() && self.known.pair().leaves_alone()
        } else {
            self.is_for_burst(ports.both())
        };
        if is_for_train || !self.can_be_said(now, ports) || self.known.patience().is_out() {
            return false;
        }
        for port in ports.iter() {
            self.wake_port(now, port, around);
        }
        true
    }

    /// Whether a circuit between these ports will carry a frame burst. A circuit will carry a frame burst if a port has two frames of one
    /// sequence in its queue, or has one frame of a sequence and further frames have lately followed such a frame.
    fn is_for_burst(&mut self, both: [usize; 2]) -> bool {
        let next = both.map(|port| self.ports[port].next_within_sequence());
        match next[0].max(next[1]) {
            0 => false,
            1 => self.known.pair().leaves_alone(),
            _ => true,
        }
    }

    /// A circuit begins, or is about to begin, between the ports in [`ActiveCircuit`]. The times of the circuit are relative to `origin`;
    /// `behind` is the last event before the circuit. Returns whether the circuit runs from the cache.
    pub(super) fn begin_there(
        &mut self,
        (origin, behind): (Time, (Time, Order)),
        around: &mut impl LoopHost,
    ) -> bool {
        let ports = self.known.going.ports;
        if !self.takes_frames(ports) {
            return false;
        }
        // The circuit carries two I/Os at once, and the same combination hardly ever recurs.
        if self.known.going.within > 1 {
            return false;
        }
        self.known.going.origin = origin;
        let going = &mut self.known.going;
        going.behind = behind;
        (going.pending, going.scheduled, going.idles) = (None, None, [RelativeTime::NEVER; Ports::MOST]);
        going.inputs.clear();
        #[cfg(debug_assertions)]
        going.told.clear();
        let Some(root) = self.root() else { return false };
        let future = self.known.memory.comes_of(root);
        if !self.known.memory.future(future).is_of_use() {
            return false;
        }
        self.known.goes_on_with(future);
        self.known.is_going = true;
        self.known.counts.begun += 1;
        self.schedule_cached(around);
        true
    }

    /// The number of the present circuit key, if it is cached, or is learned now.
    fn root(&mut self) -> Option<u32> {
        if !self.is_where_one_begins() {
            return None;
        }
        let print = self.known.scratch.beginning.print();
        match self.known.root(print) {
            Some(root) => {
                self.note_use(root);
                Some(root)
            }
            None if self.known.going.is_rare && !self.is_noted(print) => None,
            None => self.learn_root(print),
        }
    }

    /// A circuit key was cached, which pays if the outcome can be used.
    fn note_use(&mut self, root: u32) {
        let CircuitCache { memory, .. } = &self.known;
        let is_of_use = memory.future(memory.comes_of(root)).is_of_use();
        let patience = self.known.patience();
        if is_of_use { patience.pays() } else { patience.costs(1) }
    }

    /// Records the circuit key: the ports, their states, and the fill words in flight. Returns whether the circuit key can
    /// be recorded.
    fn is_where_one_begins(&mut self) -> bool {
        let Self { ports: all, fast, known: CircuitCache { going, scratch, .. }, .. } = self;
        let ActiveCircuit { ports, origin, ref frames, .. } = *going;
        let beginning = &mut scratch.beginning;
        (beginning.ports, beginning.count) = (ports.set(), ports.count());
        beginning.lines.clear();
        for (number, (port, standing)) in (0u8..).zip(ports.iter().zip(&mut beginning.standings)) {
            if !all[port].snapshot(origin, |tag| frames.number_of_tag(tag), standing) {
                return false;
            }
            on_line(&fast.lines[port], number, origin).for_each(|on_line| beginning.lines.push(on_line));
        }
        true
    }

    /// Whether a rare circuit key has been noted before; if not, it is noted now.
    fn is_noted(&mut self, print: u64) -> bool {
        match self.known.going.began {
            Began::WithAnother => self.known.with_another.costs(1),
            Began::Joined => self.known.joined.costs(1),
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

    /// Learns the outcome of a circuit key, and caches it.
    fn learn_root(&mut self, print: u64) -> Option<u32> {
        if !self.known.has_room() {
            return None;
        }
        let pending = self.all_that_comes(self.known.going.ports);
        let future = self.learn(pending, Vec::new(), false);
        let CircuitCache { memory, scratch, .. } = &mut self.known;
        let root = memory.put_root(&scratch.beginning, future);
        self.known.pair().roots.push((print, root));
        Some(root)
    }
}

/// The fill words in flight to the port with this number.
pub(super) fn on_line(line: &VecDeque<Edge>, number: u8, origin: Time) -> impl Iterator<Item = OnLine> {
    line.iter().map(move |edge| OnLine { at: RelativeTime::of(edge.at, origin), to: number, word: edge.word })
}
