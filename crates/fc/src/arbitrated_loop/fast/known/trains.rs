//! Known circuits beside trains: what comes behind one, to the end of its circuit, and what comes before one, from the begin of its circuit
//! to where it may begin.
//!
//! There frames are under way: one is sent, and others are coming in. How a port stands has more to it then, and so has what is on its way.

use super::frames::MOVING;
use super::future::{Flow, OnItsWay, Shape};
use super::{ArbitratedLoop, Began, Going, Known, Pair, PortSet, Ports};
use crate::arbitrated_loop::items::Pending;
use crate::arbitrated_loop::{Surroundings, Upcall};
use crate::frame::Frame;
use crate::loop_port::standing::{Moving, Since};
use crate::word::Item;
use sansim_kernel::{Order, Time};

impl ArbitratedLoop {
    /// The train is over that a port sent, and what goes next is not of one: the rest of its circuit goes on as a known one, if it can.
    /// `order`: the place of the present event in the order of the loop's.
    pub fn begin_behind_train(
        &mut self,
        now: Time,
        order: Order,
        from: usize,
        around: &mut impl Surroundings,
    ) {
        let both = self.fast.in_circuit;
        let Some(to) = PortSet(both.0 & !(1 << from)).next_after(from) else { return };
        let is_circuit = both == PortSet::both([from, to]) && !self.known.is_going;
        let is_quiet = !around.sees_steps()
            && self.fast.leaving.is_empty()
            && self.fast.addressed.is_empty()
            && now.ticks() >= self.known.looks_back.ticks();
        // Two frames may be a train again. One is none, and then the queue runs empty.
        let within = self.ports[from].within_sequence_in_row();
        if !is_circuit || !is_quiet || within > 1 {
            return;
        }
        let (owner, other) = if self.ports[from].is_owner() { (from, to) } else { (to, from) };
        let others = self.fast.awake.with(both, PortSet::default());
        let Some(ports) = Ports::ends(owner, other).beside(others) else { return };
        if !self.can_be_said(now, ports, true) {
            return;
        }
        let going = &mut self.known.going;
        (going.ports, going.began, going.is_for_train) = (ports, Began::Midst, within == 0);
        going.is_rare = !others.is_empty();
        if self.known.patience().is_out() {
            return;
        }
        let origin = Time(now.ticks() - self.known.looks_back.ticks());
        self.begin_there((origin, (now, order)), around);
    }

    /// Whether a circuit between these ports is for a train: one has two frames that follow each other in a sequence, or one, and others
    /// have come of late. None if it is left alone.
    pub(super) fn is_for_train(&mut self, both: [usize; 2]) -> Option<bool> {
        let next = both.map(|port| self.ports[port].next_within_sequence());
        match next[0].max(next[1]) {
            0 => Some(false),
            1 => self.known.pair().is_for_train(),
            _ => Some(true),
        }
    }

    /// Whether a frame has started that is within its sequence, where the circuit is known no further: at an end of one that is for a train,
    /// or at a port that waited.
    pub(super) fn may_begin_train(&self, told: &[((Time, Order), usize, Upcall)], ports: Ports) -> bool {
        let is_for_train = self.known.going.is_for_train;
        let started = |(_, port, upcall): &(_, usize, Upcall)| {
            let within = matches!(upcall, Upcall::Started(frame) if frame.is_within_sequence());
            within && (is_for_train || !ports.both().contains(port))
        };
        told.iter().any(started)
    }

    /// Says what moves at the ports of a circuit and between them. Returns whether it can be said.
    pub(super) fn moves_now(&self, Flow { moving, frames: on_its_way }: &mut Flow) -> bool {
        let Going { ports, origin, ref frames, .. } = self.known.going;
        let number = |frame: &Frame| frames.number_of(frame);
        // What there is of more ports is left, for its memory.
        moving.resize_with(ports.count().max(moving.len()), Moving::default);
        let mut is_said = self.fast.leaving.is_empty() && self.fast.addressed.is_empty();
        for (port, moving) in ports.iter().zip(moving) {
            let numbers = (number, |tag| frames.number_of_tag(tag));
            is_said &= self.ports[port].moving(origin, numbers, moving);
        }
        on_its_way.clear();
        for &Pending { item, to, at } in self.items.pending() {
            let frame = if let Item::Frame(frame) = item { number(&frame) } else { None };
            let (Some(frame), Some(to)) = (frame, ports.number_of(to)) else { return false };
            on_its_way.push(OnItsWay { at: Since::of(at, origin), to, frame });
        }
        on_its_way.sort_unstable();
        is_said
    }

    /// Notes what moves in the midst of a circuit, and numbers the frames of that behind the others. Returns whether it can be done.
    pub(super) fn takes_what_moves(&mut self, now: Time) -> bool {
        let Known { going: Going { frames, ports, .. }, scratch, .. } = &mut self.known;
        let shapes = &mut scratch.beginning.shapes;
        let items = self.items.pending().map(|pending| match pending.item {
            Item::Frame(frame) => Some(frame),
            Item::Signal(_) => None,
        });
        let sent = ports.iter().filter_map(|port| self.ports[port].sends().copied()).map(Some);
        for frame in items.chain(sent) {
            let Some(frame) = frame else { return false };
            if frames.number_of(&frame).is_none() {
                shapes.push((MOVING, Shape::of(&frame, Some(MOVING), frames)));
                frames.put(&frame, MOVING);
            }
        }
        let mut midst = std::mem::take(&mut self.known.scratch.beginning.midst);
        midst.passing_until = Since::of(self.fast.passing_until, self.known.going.origin);
        let is_said = self.moves_now(&mut midst.flow) && self.passes_now(now, &mut midst.passing);
        self.known.scratch.beginning.midst = midst;
        is_said
    }
}

impl Pair {
    /// Whether a circuit that begins with one frame within its sequence is for a train: one of late was. None if it is left alone.
    pub(super) fn is_for_train(&mut self) -> Option<bool> {
        let (is_for_train, is_left_alone) = (self.are_for_trains > 0, self.left_alone > 0);
        self.are_for_trains -= u8::from(is_for_train);
        self.left_alone -= u8::from(is_left_alone);
        (!is_left_alone).then_some(is_for_train)
    }
}
