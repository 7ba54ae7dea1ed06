//! The end of a cached circuit.

use super::begin::on_line;
use super::local::Local;
use super::outcome::{End, EndState, OnLine, Passing, Place};
use super::{ActiveCircuit, ArbitratedLoop, CircuitCache, PortSet, Ports};
use crate::arbitrated_loop::LoopHost;
use crate::arbitrated_loop::fast::{Edge, Flight};
use crate::loop_port::snapshot::RelativeTime;
use sansim_kernel::Time;

impl ArbitratedLoop {
    /// Whether a circuit of these ports is over, and only fill words are in flight.
    pub(super) fn is_over(&self, ports: Ports, now: Time) -> bool {
        let fast = &self.fast;
        fast.in_circuit.is_empty()
            && fast.leaving.is_empty()
            && fast.addressed.is_empty()
            && self.items.len() == 0
            && ports.iter().all(|port| self.ports[port].is_quiescent(now))
    }

    /// The end of a circuit that is over, right after its last event.
    pub(super) fn end_here(&mut self, local: &Local) -> Option<End> {
        let ActiveCircuit { ports, origin, .. } = self.known.going;
        let (at, order) = local.present;
        let mut rest = std::mem::take(&mut self.known.scratch.rest);
        rest.idles = self.idles(ports).map(|at| RelativeTime::of(at, origin));
        let is_said = self.snapshot_now(at, &mut rest);
        let rest_at = is_said.then(|| self.known.memory.put_rest(&rest, ports.count()));
        self.known.scratch.rest = rest;
        is_said.then_some(End { place: Place { at: RelativeTime::of(at, origin), order }, rest: rest_at })
    }

    /// Records the state of everything that belongs to a circuit, except its IDLEs. Returns whether the state can be
    /// recorded.
    fn snapshot_now(&self, now: Time, rest: &mut EndState) -> bool {
        let ActiveCircuit { ports, origin, ref frames, .. } = self.known.going;
        let fast = &self.fast;
        let since = |at: Time| RelativeTime::of(at, origin);
        rest.unlocked_at = [RelativeTime::default(); Ports::MOST];
        rest.gone.clear();
        rest.lines.clear();
        for (number, (port, standing)) in (0u8..).zip(ports.iter().zip(&mut rest.standings)) {
            if !self.ports[port].snapshot(origin, |tag| frames.number_of_tag(tag), standing) {
                return false;
            }
            let gone = frames.gone_from(number, &self.ports[port]);
            rest.gone.extend(gone.map(|frame| (number, frame)));
            // No signal is in flight, and no rule asks when an earlier signal was in flight.
            rest.unlocked_at[usize::from(number)] = since(fast.unlocked_at[port]);
            rest.lines.extend(on_line(&fast.lines[port], number, origin));
        }
        let nobody = PortSet::default();
        (rest.awake, rest.locked) =
            (nobody.with(ports.set(), fast.awake), nobody.with(ports.set(), fast.locked));
        self.passes_now(now, &mut rest.passing);
        rest.passing_until = since(fast.passing_until);
        let resting = fast.awake.is_empty().then_some(fast.resting);
        rest.resting = resting.map(|(word, port, at)| (word, self.known.going.end_of(port), since(at)));
        true
    }

    /// Records the items that may still be passing through repeaters.
    fn passes_now(&self, now: Time, passing: &mut Vec<Passing>) {
        let ActiveCircuit { ports, origin, .. } = self.known.going;
        let way = |flight: &Flight| self.geometry.slot_distance_time(flight.from.into(), flight.to.into());
        let may_pass = |flight: &&Flight| flight.sent + flight.length + way(flight) > now;
        let number = |port: u8| ports.number_of(port.into()).unwrap_or_default();
        passing.clear();
        passing.extend(self.fast.flights.iter().filter(may_pass).map(|flight| Passing {
            ends: RelativeTime::of(flight.sent + flight.length, origin),
            length: flight.length,
            from: number(flight.from),
            to: number(flight.to),
        }));
    }

    /// A cached circuit ends with the present event.
    pub(super) fn end_cached(&mut self, now: Time, around: &mut impl LoopHost) {
        #[cfg(debug_assertions)]
        if self.known.counts.is_compared() {
            self.compare_end(now, around);
        }
        if let Some(patience) = self.known.patience_of_beginning() {
            patience.pays();
        }
        let CircuitCache { going, counts, memory, .. } = &mut self.known;
        counts.ended += 1;
        counts.beside += u64::from(going.waits_anybody());
        let ports = going.ports;
        let Some(end) = memory.future(going.future).end else { return };
        let behind = going.time_of(&end.place);
        self.restore_cached(now, &end);
        self.let_others_know();
        let goes_on = !self.fast.awake.is_empty() && self.begin_behind(ports, behind, around);
        // Pending events are not scheduled at ports that have a part in the next circuit as well.
        for port in ports.iter().filter(|&port| !(goes_on && self.known.is_at(port))) {
            for (at, event) in self.comes_at(port) {
                around.schedule(at, port, event);
            }
        }
    }

    /// Computes the cached circuit by the rules up to the present moment, and compares the state with the
    /// cached end.
    #[cfg(debug_assertions)]
    fn compare_end(&mut self, now: Time, around: &mut impl LoopHost) {
        (self.known.scratch.pending, _) = self.replay(now, |order| around.has_passed(order));
        let mut worked_out = std::mem::take(&mut self.known.scratch.rest);
        assert!(self.snapshot_now(now, &mut worked_out), "a known circuit ended in what cannot be told");
        let CircuitCache { memory, going, .. } = &self.known;
        worked_out.idles = going.idles;
        let end = memory.future(going.future).end.as_ref();
        let rest = end.and_then(|end| memory.rest(end)).expect("the end of one that is known is told");
        let is_like = memory.is_rest(rest, &worked_out, going.ports.count());
        assert!(
            is_like,
            "a known circuit ended another way: {:#?}, worked out {worked_out:#?}",
            memory.all_of(rest)
        );
        self.known.scratch.rest = worked_out;
    }

    /// Sets everything at the ports of a circuit to the cached end state of an outcome, if the state is
    /// cached.
    pub(super) fn restore_cached(&mut self, now: Time, end: &End) {
        let Self { ports: all, fast, items, known: CircuitCache { memory, going, .. }, .. } = self;
        let ActiveCircuit { ports, origin, ref frames, ref inputs, .. } = *going;
        let Some(rest) = memory.rest(end) else { return };
        going.idles = rest.idles;
        // Frames that were handed over during the circuit and have left again were never in a queue.
        let gone = memory.gone(rest);
        let handed = inputs.iter().filter_map(|given| Some((given.port, given.frame?)));
        let first_handed = (frames.len() - handed.clone().count()) as u8;
        for (number, (port, frame)) in (first_handed..).zip(handed) {
            if !gone.iter().any(|&(_, gone)| gone == number) {
                all[port].put_in_queue(frame);
            }
        }
        for &(port, number) in gone.iter().filter(|&&(_, number)| number < first_handed) {
            if let Some(frame) = frames.get(number) {
                all[ports.at(port)].take_out_of_queue(frame);
            }
        }
        fast.in_circuit = PortSet::default();
        fast.leaving = PortSet::default();
        fast.addressed = PortSet::default();
        items.clear();
        fast.flights.clear();
        fast.passing_until = rest.passing_until.after(origin);
        if now < fast.passing_until {
            fast.flights.extend(memory.passing(rest).iter().map(|passing| Flight {
                sent: passing.ends.after(origin) - passing.length,
                length: passing.length,
                from: ports.at(passing.from) as u8,
                to: ports.at(passing.to) as u8,
            }));
        }
        if let Some((word, end, at)) = rest.resting {
            fast.resting = (word, ports.at(end), at.after(origin));
        }
        fast.awake = fast.awake.with(ports.set(), rest.awake);
        fast.locked = fast.locked.with(ports.set(), rest.locked);
        let tag = |number: u8| frames.tag(number);
        for ((port, standing), unlocked_at) in ports.iter().zip(memory.snapshots(rest)).zip(rest.unlocked_at)
        {
            fast.unlocked_at[port] = unlocked_at.after(origin);
            fast.lines[port].clear();
            all[port].restore(standing, origin, tag);
        }
        for &OnLine { at, to, word } in memory.lines(rest) {
            fast.lines[ports.at(to)].push_back(Edge { at: at.after(origin), word });
        }
    }
}
