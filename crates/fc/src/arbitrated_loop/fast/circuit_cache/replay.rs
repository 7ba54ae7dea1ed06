//! Works out the elapsed part of a cached circuit by the rules.

use super::local::{Local, LocalEvent};
use super::{ActiveCircuit, ArbitratedLoop, CircuitCache, Given, LoopEvent, PortSet, Ports};
use crate::arbitrated_loop::LoopHost;
use crate::arbitrated_loop::answer::Answer;
use crate::loop_port::snapshot::RelativeTime;
use sansim_kernel::{Order, Time};

impl PortSet {
    pub(super) fn both(ports: [usize; 2]) -> Self {
        Self(1 << ports[0] | 1 << ports[1])
    }

    /// The set of the ports with the numbers 0 to `count - 1`.
    fn first(count: usize) -> Self {
        Self(1u128.checked_shl(count as u32).map_or(u128::MAX, |above| above - 1))
    }

    /// The set that has the state of the members of `these` from `other`, and of all other ports from this
    /// set.
    pub(super) fn with(self, these: Self, other: Self) -> Self {
        Self(self.0 & !these.0 | other.0 & these.0)
    }
}

impl ArbitratedLoop {
    /// Works out the elapsed part of a cached circuit, at the present instant up to a place in the order of events. Brings the ports of the
    /// circuit into their present state. Returns the pending events, and whether the circuit is over and only fill words still go round.
    pub(super) fn replay(
        &mut self,
        now: Time,
        has_passed: impl Fn(Order) -> bool,
    ) -> (Vec<LocalEvent>, bool) {
        let has_passed = |(at, order): (Time, Order)| at < now || (at == now && has_passed(order));
        let CircuitCache { memory, going, .. } = &mut self.known;
        let ports = going.ports;
        let over = memory.future(going.future).over.filter(|over| has_passed(going.time_of(&over.place)));
        let is_over = over.is_some();
        if let Some(over) = over {
            (going.behind, going.pending) = (going.time_of(&over.place), None);
            self.restore_cached(now, &over);
            self.known.going.inputs.clear();
        }
        let going = &mut self.known.going;
        let (pending, inputs) = (going.pending.take(), std::mem::take(&mut going.inputs));
        let present = going.behind;
        let pending = pending.unwrap_or_else(|| self.all_that_comes(ports));
        let told = std::mem::take(&mut self.known.scratch.told);
        let mut local = Local { pending, told, present };
        self.apart(|it| {
            for &given in &inputs {
                it.live(&mut local, |at, order| (at, order) <= given.behind);
                it.give(&mut local, given);
            }
            it.live(&mut local, |at, order| has_passed((at, order)));
        });
        let going = &mut self.known.going;
        going.inputs = inputs;
        going.inputs.clear();
        going.behind = local.present;
        #[cfg(debug_assertions)]
        {
            let before = going.told.len().checked_sub(local.told.len());
            let known = going.told.iter().skip(before.expect("all that is worked out is told"));
            let is_like = |(&known, (place, port, upcall)): (&(Time, usize, _), &(_, usize, _))| {
                let (at, _): (Time, Order) = *place;
                super::local::says(upcall, &going.frames).is_some_and(|says| known == (at, *port, says))
            };
            assert!(known.zip(&local.told).all(is_like), "a known circuit told something else");
            going.told.clear();
        }
        local.told.clear();
        self.known.scratch.told = local.told;
        (local.pending, is_over)
    }

    /// The slot that a port has asked for, and the next fill word in flight to the port.
    pub(super) fn comes_at(&self, port: usize) -> impl Iterator<Item = (Time, LoopEvent)> + use<> {
        let slots = self.ports[port].asked_for().map(|at| (at, LoopEvent::Slot));
        let fill = self.fast.lines[port].front().map(|edge| (edge.at, LoopEvent::Fill));
        slots.into_iter().chain(fill).filter(|&(at, _)| at < Time::NEVER)
    }

    /// The pending slots and fill words of all ports of a circuit.
    pub(super) fn all_that_comes(&mut self, ports: Ports) -> Vec<LocalEvent> {
        let mut pending = std::mem::take(&mut self.known.scratch.pending);
        pending.clear();
        for port in ports.iter() {
            let event = |(at, event): (Time, LoopEvent)| {
                let order = event.event_order(port as u16);
                LocalEvent { at, order, port, event }
            };
            pending.extend(self.comes_at(port).map(event));
        }
        pending
    }

    /// Carries out pending events up to a place in the order of events.
    pub(super) fn live(&mut self, local: &mut Local, is_before: impl Fn(Time, Order) -> bool) {
        while let Some(next) = local.next()
            && is_before(next.at, next.order)
        {
            self.step(local);
        }
    }

    /// Carries out the next event.
    pub(super) fn step(&mut self, local: &mut Local) {
        if let Some(LocalEvent { at, port, event, .. }) = local.pop() {
            self.carry_out(at, port, event, local);
        }
    }

    /// Applies an input from a node.
    pub(super) fn give(&mut self, local: &mut Local, given: Given) {
        let Given { at, port, frame, .. } = given;
        local.present.0 = at;
        let mut answer = Answer::new(at, port, local);
        match frame {
            Some(frame) => self.ports[port].enqueue(at, frame, &mut answer),
            None => self.ports[port].buffer_freed(at, &mut answer),
        }
    }

    /// Applies `what` at the ports of a circuit. IDLEs of the circuit do not reach the other ports of the loop meanwhile; the times at
    /// which the first IDLE passes are recorded separately.
    pub(super) fn apart<T>(&mut self, what: impl FnOnce(&mut Self) -> T) -> T {
        let ActiveCircuit { ports, origin, idles, .. } = self.known.going;
        let these = ports.set();
        let mut unlocked_at = std::mem::take(&mut self.known.scratch.unlocked_at);
        unlocked_at.clear();
        unlocked_at.resize(self.ports.len(), Time::NEVER);
        for port in ports.iter() {
            unlocked_at[port] = self.fast.unlocked_at[port];
        }
        let locked = self.fast.locked;
        self.fast.locked = PortSet::first(self.ports.len()).with(these, locked);
        let mut others = std::mem::replace(&mut self.fast.unlocked_at, unlocked_at);
        self.let_idles_pass(ports, idles.map(|at| at.after(origin)));
        let result = what(self);
        self.known.going.idles = self.idles(ports).map(|at| RelativeTime::of(at, origin));
        for port in ports.iter() {
            others[port] = self.fast.unlocked_at[port];
        }
        self.known.scratch.unlocked_at = std::mem::replace(&mut self.fast.unlocked_at, others);
        self.fast.locked = locked.with(these, self.fast.locked);
        result
    }

    /// For each port of a circuit, the time at which the first IDLE passed or will pass it on to other ports,
    /// which take note of that IDLE.
    pub(super) fn idles(&self, ports: Ports) -> [Time; Ports::MOST] {
        let mut idles = [Time::NEVER; Ports::MOST];
        for (from, at) in ports.iter().zip(&mut idles) {
            let others = self.fast.locked.between(from, ports.behind(from));
            let first = others.iter().next().filter(|&port| self.fast.unlocked_at[port] < Time::NEVER);
            if let Some(port) = first {
                let way = self.geometry.slot_distance_time(from, port).ticks();
                *at = Time(self.fast.unlocked_at[port].ticks() - way);
            }
        }
        idles
    }

    /// The first IDLE passes these ports at these times: a port that had lost access regains it when the IDLE comes
    /// by.
    fn let_idles_pass(&mut self, ports: Ports, idles: [Time; Ports::MOST]) {
        if self.fast.locked.is_empty() {
            return;
        }
        for (from, at) in ports.iter().zip(idles) {
            if at == Time::NEVER {
                continue;
            }
            let to = ports.behind(from);
            for sleeper in self.fast.locked.between(from, to).iter() {
                let passes = at + self.geometry.slot_distance_time(from, sleeper);
                let unlocked = &mut self.fast.unlocked_at[sleeper];
                *unlocked = (*unlocked).min(passes);
            }
        }
    }

    /// Leaves a cached circuit: all other ports take note of the IDLEs that the circuit sent, and the pending
    /// events are scheduled.
    pub(super) fn go_on_by_events(&mut self, pending: Vec<LocalEvent>, around: &mut impl LoopHost) {
        self.let_others_know();
        self.ask_for(pending, around);
    }

    /// All other ports take note of the IDLEs that a cached circuit sent.
    pub(super) fn let_others_know(&mut self) {
        let CircuitCache { going, is_going, .. } = &mut self.known;
        *is_going = false;
        let (ports, idles) = (going.ports, going.idles.map(|at| at.after(going.origin)));
        self.let_idles_pass(ports, idles);
    }

    /// Schedules the pending events of ports as ordinary events.
    pub(super) fn ask_for(&mut self, pending: Vec<LocalEvent>, around: &mut impl LoopHost) {
        for &LocalEvent { at, port, event, .. } in &pending {
            around.schedule(at, port, event);
        }
        self.known.scratch.pending = pending;
    }
}
