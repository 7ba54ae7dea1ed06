//! The fast loop handles a port that only repeats as a fixed delay.
//!
//! *Awake* are the ports that arbitrate, take part in a circuit, or have something to watch for; the others are suspended. Fill edges
//! travel from an awake port to the next awake port downstream. Signals and frames travel directly from one end of the circuit to the other
//! end, because a repeater does not change them. Three things need care:
//!
//! * a suspended port that gets work is woken by splitting the line of fill edges on which it lies: edges that have passed the port stay on
//!   the far side, the other edges are delivered to the port; the word that the port is receiving is the last word that passed;
//! * a suspended port that has lost access notes when the first IDLE passes it;
//! * a repeater that wants to change its fill word must know whether a frame is passing through it just then.
//!
//! Proved equal to the reference loop by the property tests of this crate and of the simulator.

pub mod circuit_cache;

use super::{ArbitratedLoop, LoopEvent, LoopHost};
use crate::loop_port::PortState;
use crate::word::FillWord;
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// A set of port numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PortSet(u128);

impl PortSet {
    pub(super) fn of(port: usize) -> Self {
        Self(1 << port)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn contains(self, port: usize) -> bool {
        self.0 >> port & 1 == 1
    }

    pub(super) fn set(&mut self, port: usize, member: bool) {
        if member {
            self.0 |= 1 << port;
        } else {
            self.0 &= !(1 << port);
        }
    }

    /// The first member of the set downstream of `port`, with `port` itself as the last candidate.
    fn next_after(self, port: usize) -> Option<usize> {
        let above = self.0 >> port >> 1;
        if above != 0 {
            Some(port + 1 + above.trailing_zeros() as usize)
        } else {
            (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
        }
    }

    /// Members strictly between `from` and `to`, going downstream; all but `from` when they are equal.
    fn between(self, from: usize, to: usize) -> Self {
        let below = |p: usize| (1u128 << p) - 1;
        let up_to = |p: usize| below(p) | 1 << p;
        let range = if to > from { below(to) & !up_to(from) } else { !up_to(from) | below(to) };
        Self(self.0 & range & !(1 << from))
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let port = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(port)
        })
    }
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    at: Time,
    word: FillWord,
}

/// An item that may still be passing through repeaters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) sent: Time,
    pub(super) length: Span,
    pub(super) from: u8,
    pub(super) to: u8,
}

/// The state of the fast loop besides the ports.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    awake: PortSet,
    in_circuit: PortSet,
    /// The ports of a circuit that its owner has left already: a CLS is in flight to them, and later items
    /// pass them.
    leaving: PortSet,
    /// The ports to which an OPN is in flight.
    addressed: PortSet,
    /// The suspended ports that have lost access and have not been passed by an IDLE.
    locked: PortSet,
    /// For each port, the time at which an IDLE passes (or passed) it while it was suspended and had lost
    /// access.
    unlocked_at: Vec<Time>,
    /// Fill edges in flight to each awake port, in order of arrival.
    lines: Vec<VecDeque<Edge>>,
    flights: VecDeque<Flight>,
    /// The time at which the last item of `flights` has passed its last repeater.
    passing_until: Time,
    /// For each port, the arrival time of the last signal that was sent to it, except R_RDYs.
    signal_at: Vec<Time>,
    /// The fill word on the loop while all ports are idle, and the port and time at which the edge of that word came
    /// to its end.
    resting: (FillWord, usize, Time),
}

impl Fast {
    pub(super) fn new(ports: usize) -> Self {
        Self {
            awake: PortSet::default(),
            in_circuit: PortSet::default(),
            leaving: PortSet::default(),
            addressed: PortSet::default(),
            locked: PortSet::default(),
            unlocked_at: vec![Time::NEVER; ports],
            lines: (0..ports).map(|_| VecDeque::with_capacity(8)).collect(),
            flights: VecDeque::with_capacity(32),
            passing_until: Time::ZERO,
            signal_at: vec![Time::ZERO; ports],
            resting: (FillWord::Idle, 0, Time::ZERO),
        }
    }

    /// The loop is as it is at the beginning, with all ports awake: no word is in flight.
    pub(super) fn restart(&mut self) {
        let ports = self.lines.len();
        self.awake = PortSet((0..ports).fold(0, |set, port| set | 1 << port));
        self.in_circuit = PortSet::default();
        self.leaving = PortSet::default();
        self.addressed = PortSet::default();
        self.locked = PortSet::default();
        self.unlocked_at.fill(Time::NEVER);
        self.lines.iter_mut().for_each(VecDeque::clear);
        self.flights.clear();
        self.passing_until = Time::ZERO;
        self.signal_at.fill(Time::ZERO);
        self.resting = (FillWord::Idle, 0, Time::ZERO);
    }

    pub(super) fn note_state(&mut self, port: usize, state: PortState) {
        self.in_circuit.set(port, !state.is_repeating());
        self.leaving.set(port, false);
        if state == PortState::Opened {
            self.addressed.set(port, false);
        }
    }

    /// The owner `port` has left its circuit, or goes on to its next circuit, and has sent its last item
    /// there.
    pub(super) fn note_left(&mut self, port: usize) {
        self.leaving = self.in_circuit;
        self.leaving.set(port, false);
    }

    /// The other ports that are in the circuit, or to which an OPN is in flight.
    pub(super) fn others_in_circuit(&self, from: usize) -> PortSet {
        let mut others = PortSet(self.in_circuit.0 & !self.leaving.0 | self.addressed.0);
        others.set(from, false);
        others
    }

    /// The port at which an item sent by `from` ends: the port that `from` opens, or the other end of the
    /// circuit.
    pub(super) fn target(&mut self, from: usize, opened: Option<usize>) -> usize {
        if let Some(port) = opened {
            self.addressed.set(port, true);
        }
        PortSet(self.in_circuit.0 & !self.leaving.0 | self.addressed.0).next_after(from).unwrap_or(from)
    }

    /// An item is sent to a port at this distance.
    #[inline]
    pub(super) fn note_flight(&mut self, flight: Flight, distance: Span, round: Span) {
        let Flight { sent, length, .. } = flight;
        self.passing_until = self.passing_until.max(sent + length + distance);
        while self.flights.front().is_some_and(|f| f.sent + f.length + round < sent) {
            self.flights.pop_front();
        }
        self.flights.push_back(flight);
    }

    /// A signal will arrive at a port at this time.
    pub(super) fn note_signal(&mut self, port: usize, at: Time) {
        self.signal_at[port] = at;
    }

    /// The edge that reaches `port` now; The result is `None` when the event is stale.
    pub(super) fn next_fill(
        &mut self,
        now: Time,
        port: usize,
        around: &mut impl LoopHost,
    ) -> Option<FillWord> {
        let line = &mut self.lines[port];
        if line.front().is_none_or(|e| e.at != now) {
            return None;
        }
        let edge = line.pop_front()?;
        if let Some(next) = line.front() {
            around.schedule(next.at, port, LoopEvent::Fill);
        }
        Some(edge.word)
    }
}

impl ArbitratedLoop {
    pub(super) fn carry_fill_fast(
        &mut self,
        now: Time,
        port: usize,
        (sent, word): (Time, FillWord),
        around: &mut impl LoopHost,
    ) {
        // A suspended port must see its own ARB(x).
        if let FillWord::Arb(x) = word
            && let Some(owner) = self.index_of(x)
        {
            self.wake_port(now, owner, around);
        }
        let mut to = self.fast.awake.next_after(port).unwrap_or(port);
        while self.tells_ahead && to != port && self.may_suspend(sent, to) {
            self.suspend(to, around);
            to = self.fast.awake.next_after(port).unwrap_or(port);
        }
        if word == FillWord::Idle {
            for sleeper in self.fast.locked.between(port, to).iter() {
                let passes = sent + self.geometry.slot_distance_time(port, sleeper);
                let at = &mut self.fast.unlocked_at[sleeper];
                *at = (*at).min(passes);
            }
        }
        let at = sent + self.geometry.slot_distance_time(port, to);
        let line = &mut self.fast.lines[to];
        debug_assert!(line.back().is_none_or(|e| e.at < at));
        line.push_back(Edge { at, word });
        if line.len() == 1 {
            around.schedule(at, to, LoopEvent::Fill);
        }
    }

    /// Whether nothing can come to `port` from the loop in its next slot: no item in flight to the port arrives by then, and anything sent
    /// from now on takes longer.
    pub(super) fn stays_alone(&self, now: Time, port: usize) -> bool {
        let next = now + self.word;
        self.hops_outlast_a_word
            && self.fast.signal_at[port] <= now
            && self.fast.lines[port].front().is_none_or(|edge| edge.at > next)
    }

    /// Makes sure that `port` is awake and, if it repeats, that it has recorded until when an item passes
    /// through it.
    #[inline(always)]
    pub(super) fn wake_port(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        if self.reference.is_some() {
            return;
        }
        if !self.fast.awake.contains(port) {
            self.split_line(now, port, around);
        }
        if now < self.fast.passing_until && self.ports[port].state().is_repeating() {
            let until = self.passing_until(now, port);
            self.ports[port].transmitter_busy_until(until);
        }
    }

    /// A suspended port wakes and receives the fill edges that have not yet passed it.
    #[inline(never)]
    fn split_line(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let access = self.fast.unlocked_at[port] <= now;
        self.fast.locked.set(port, false);
        self.fast.unlocked_at[port] = Time::NEVER;
        let Some(next) = self.fast.awake.next_after(port) else {
            let (word, last, at) = self.fast.resting;
            let since =
                if last == port { self.ports[port].sent_fill_word().1 } else { self.before(at, port, last) };
            self.ports[port].catch_up(word, since, access);
            self.fast.awake.set(port, true);
            return;
        };
        let distance = self.geometry.slot_distance_time(port, next);
        let passed = self.fast.lines[next].partition_point(|e| e.at <= now + distance);
        let (word, at) = match passed.checked_sub(1) {
            Some(last) => (self.fast.lines[next][last].word, self.fast.lines[next][last].at),
            None => self.ports[next].received_fill_word(),
        };
        let since = self.before(at, port, next);
        self.ports[port].catch_up(word, since, access);
        for sleeper in self.fast.locked.between(port, next).iter() {
            let passes = self.fast.unlocked_at[sleeper];
            if passes < Time::NEVER && passes > now + self.geometry.slot_distance_time(port, sleeper) {
                self.fast.unlocked_at[sleeper] = Time::NEVER;
            }
        }
        self.fast.awake.set(port, true);
        if passed == self.fast.lines[next].len() {
            return;
        }
        let mut line = std::mem::take(&mut self.fast.lines[port]);
        debug_assert!(line.is_empty());
        line.extend(
            self.fast.lines[next].drain(passed..).map(|e| Edge { at: e.at - distance, word: e.word }),
        );
        if let Some(first) = line.front() {
            around.schedule(first.at, port, LoopEvent::Fill);
        }
        self.fast.lines[port] = line;
    }

    /// The time at which `port` sent a word that arrives at the port `to` at this time; the first slot of `port` for a
    /// word that has always been sent.
    fn before(&self, at: Time, port: usize, to: usize) -> Time {
        let way = self.geometry.slot_distance_time(port, to).ticks();
        at.ticks().checked_sub(way).map_or(Time::ZERO + self.geometry.slots(port).first_slot_start(), Time)
    }

    /// Until when items pass through a repeater without a fill word between them.
    #[inline(never)]
    fn passing_until(&self, now: Time, port: usize) -> Time {
        let mut until = now;
        for flight in &self.fast.flights {
            let (from, to) = (usize::from(flight.from), usize::from(flight.to));
            let way = self.geometry.slot_distance_time(from, port);
            if from == port || to == port || way >= self.geometry.slot_distance_time(from, to) {
                continue;
            }
            let start = flight.sent + way;
            if start <= until && until < start + flight.length {
                until = start + flight.length;
            }
        }
        until
    }

    /// Suspends `port` when it has become a pure delay: its line of fill edges joins the line of the next
    /// awake port downstream.
    #[inline]
    pub(super) fn suspend_if_idle(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        if self.ports[port].is_pure_delay(now)
            && !self.fast.in_circuit.contains(port)
            && self.reference.is_none()
        {
            self.suspend(port, around);
        }
    }

    /// Whether a port with no fill edge in flight to it has become a pure delay since its last event.
    fn may_suspend(&self, now: Time, port: usize) -> bool {
        self.fast.lines[port].is_empty()
            && !self.fast.in_circuit.contains(port)
            && !self.fast.addressed.contains(port)
            && self.ports[port].is_pure_delay(now)
    }

    /// Suspends all ports, if no port has anything left to do. Returns whether all ports are suspended.
    pub(super) fn all_suspend(&mut self, now: Time, around: &mut impl LoopHost) -> bool {
        let awake = self.fast.awake;
        if !awake.iter().all(|port| self.may_suspend(now, port)) {
            return false;
        }
        awake.iter().for_each(|port| self.suspend(port, around));
        true
    }

    fn suspend(&mut self, port: usize, around: &mut impl LoopHost) {
        let next = self.fast.awake.next_after(port).unwrap_or(port);
        if next == port {
            if self.fast.lines[port].is_empty() {
                let (word, since) = self.ports[port].received_fill_word();
                self.fast.resting = (word, port, since);
                self.become_suspended(port);
            }
            return;
        }
        self.become_suspended(port);
        let distance = self.geometry.slot_distance_time(port, next);
        let line = std::mem::take(&mut self.fast.lines[port]);
        for edge in &line {
            if edge.word == FillWord::Idle {
                for sleeper in self.fast.locked.between(port, next).iter() {
                    let passes = edge.at + self.geometry.slot_distance_time(port, sleeper);
                    let at = &mut self.fast.unlocked_at[sleeper];
                    *at = (*at).min(passes);
                }
                if self.fast.locked.contains(port) {
                    let at = &mut self.fast.unlocked_at[port];
                    *at = (*at).min(edge.at);
                }
            }
            let to = &mut self.fast.lines[next];
            let at = edge.at + distance;
            to.push_back(Edge { at, word: edge.word });
            if to.len() == 1 {
                around.schedule(at, next, LoopEvent::Fill);
            }
        }
        let mut line = line;
        line.clear();
        self.fast.lines[port] = line;
    }

    fn become_suspended(&mut self, port: usize) {
        self.fast.awake.set(port, false);
        self.fast.unlocked_at[port] = Time::NEVER;
        self.fast.locked.set(port, !self.ports[port].has_access_window());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The result is compared with a search that goes round the loop port by port.
        #[test]
        fn the_next_member_downstream_is_the_first_that_one_meets_on_the_way_round(
            members in prop::collection::btree_set(0..128usize, 0..6),
            from in 0..128usize,
        ) {
            let mut set = PortSet::default();
            for &member in &members {
                set.set(member, true);
            }
            let met = (1..=128).map(|step| (from + step) % 128).find(|port| members.contains(port));
            prop_assert_eq!(set.next_after(from), met);
            for &member in &members {
                set.set(member, false);
            }
            prop_assert_eq!(set, PortSet::default());
        }
    }
}
