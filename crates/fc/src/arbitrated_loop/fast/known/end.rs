//! Where a known circuit is over.

use super::future::{AtPort, End, Future, Passing, Place, Rest};
use super::local::Local;
use super::{ArbitratedLoop, Began, Going, Known, LoopEvent, PortSet, Ports};
use crate::arbitrated_loop::Surroundings;
use crate::arbitrated_loop::fast::{Edge, Flight};
use crate::loop_port::standing::Since;
use crate::word::Item;
use sansim_kernel::{Order, Time};

impl ArbitratedLoop {
    /// Whether a circuit of these ports is over, and nothing is on its way but fill words.
    pub(super) fn is_over(&self, ports: Ports, now: Time) -> bool {
        let fast = &self.fast;
        fast.in_circuit.is_empty()
            && fast.leaving.is_empty()
            && fast.addressed.is_empty()
            && self.items.len() == 0
            && ports.iter().all(|port| self.ports[port].stands(now))
    }

    /// The end of a circuit that is over, or is left in its midst, behind the last event.
    pub(super) fn end_here(&self, local: &Local) -> Option<End> {
        let Going { ports, origin, .. } = self.known.going;
        let (at, order) = local.present;
        let mut rest = Box::<Rest>::default();
        let idles = self.idles(ports).map(|at| Since::of(at, origin));
        let place = Place { at: Since::of(at, origin), order };
        self.stands_now(at, &mut rest).then_some(End { place, idles, rest: Some(rest) })
    }

    /// Says how everything stands that has to do with a circuit. Returns whether it can be said.
    fn stands_now(&self, now: Time, rest: &mut Rest) -> bool {
        let Going { ports, origin, ref frames, .. } = self.known.going;
        let fast = &self.fast;
        let since = |at: Time| Since::of(at, origin);
        // What there is of more ports is left, for its memory.
        rest.ports.resize_with(ports.count().max(rest.ports.len()), AtPort::default);
        for (number, (port, at_port)) in (0u8..).zip(ports.iter().zip(&mut rest.ports)) {
            let AtPort { standing, unlocked_at, gone, line } = at_port;
            if !self.ports[port].standing(origin, |tag| frames.number_of_tag(tag), standing) {
                return false;
            }
            gone.clear();
            gone.extend(frames.gone_from(number, &self.ports[port]));
            // No signal is on its way, and nobody asks when one was.
            *unlocked_at = since(fast.unlocked_at[port]);
            line.clear();
            line.extend(self.line(port, origin));
        }
        let nobody = PortSet::default();
        (rest.awake, rest.locked) =
            (nobody.with(ports.set(), fast.awake), nobody.with(ports.set(), fast.locked));
        rest.in_circuit = fast.in_circuit;
        let is_said = if fast.in_circuit.is_empty() {
            rest.frames.clear();
            true
        } else {
            self.moves_now(&mut rest.moving, &mut rest.frames)
        };
        if !is_said {
            return false;
        }
        self.passes_now(now, &mut rest.passing);
        rest.passing_until = since(fast.passing_until);
        let resting = fast.awake.is_empty().then_some(fast.resting);
        rest.resting = resting.map(|(word, port, at)| (word, self.known.going.end_of(port), since(at)));
        true
    }

    /// Says what may still be passing through repeaters. Returns whether it can be said: all of that is between ports of the circuit, and none
    /// of it was sent so long ago that nobody knows when.
    pub(super) fn passes_now(&self, now: Time, passing: &mut Vec<Passing>) -> bool {
        let Going { ports, origin, .. } = self.known.going;
        let way = |flight: &Flight| self.geometry.distance(flight.from.into(), flight.to.into());
        let may_pass = |flight: &&Flight| flight.sent + flight.length + way(flight) > now;
        let mut is_said = true;
        let mut number = |port: u8| {
            let number = ports.number_of(port.into());
            is_said &= number.is_some();
            number.unwrap_or_default()
        };
        passing.clear();
        passing.extend(self.fast.flights.iter().filter(may_pass).map(|flight| Passing {
            ends: Since::of(flight.sent + flight.length, origin),
            length: flight.length,
            from: number(flight.from),
            to: number(flight.to),
        }));
        is_said && passing.iter().all(|passing| passing.ends > Since::of(origin, origin))
    }

    /// A known circuit comes to its end with the present event.
    pub(super) fn end_known(&mut self, now: Time, around: &mut impl Surroundings) {
        #[cfg(debug_assertions)]
        if self.known.counts.is_compared() {
            self.compare_end(now, around);
        }
        if let Some(patience) = self.known.patience_of_beginning() {
            patience.pays();
        }
        let Known { going, counts, futures, .. } = &mut self.known;
        counts.ended += 1;
        counts.beside += u64::from(going.waits_anybody());
        counts.behind_trains += u64::from(going.began == Began::Midst);
        let Going { ports, future, .. } = *going;
        let end = futures[future].end.as_ref();
        let behind = end.map_or((now, Order::default()), |end| going.time_of(&end.place));
        self.stand_as_known(now, future, |future| &future.end);
        self.let_others_know();
        if !self.fast.in_circuit.is_empty() {
            self.known.counts.before_trains += 1;
            for (id, pending) in self.items.numbered() {
                around.schedule(pending.at, pending.to, LoopEvent::FrameEnd(id));
            }
        }
        let goes_on = !self.fast.awake.is_empty() && self.begin_behind(ports, behind, around);
        // Not at those that have a part in the next as well.
        for port in ports.iter().filter(|&port| !(goes_on && self.known.is_at(port))) {
            for (at, event) in self.comes_at(port) {
                around.schedule(at, port, event);
            }
        }
    }

    /// Works out by the rules what was known, and how everything stands now.
    #[cfg(debug_assertions)]
    fn compare_end(&mut self, now: Time, around: &mut impl Surroundings) {
        (self.known.scratch.pending, _) = self.replay_known(now, |order| around.has_passed(order));
        let mut worked_out = std::mem::take(&mut self.known.scratch.rest);
        assert!(self.stands_now(now, &mut worked_out), "a known circuit ended in what cannot be told");
        let Known { futures, going, .. } = &self.known;
        let Some(End { idles, rest: Some(rest), .. }) = &futures[going.future].end else {
            unreachable!("the end of one that is known is told")
        };
        let count = going.ports.count();
        assert_eq!(rest.of(count), worked_out.of(count), "a known circuit ended another way");
        assert_eq!(*idles, going.idles, "IDLEs of a known circuit passed at other times");
        self.known.scratch.rest = worked_out;
    }

    /// Everything at the ports of a circuit stands as it does at an end of a future.
    pub(super) fn stand_as_known(
        &mut self,
        now: Time,
        future: usize,
        which: impl Fn(&Future) -> &Option<End>,
    ) {
        let Going { ports, origin, ref frames, ref inputs, .. } = self.known.going;
        let Some(End { rest: Some(rest), idles, .. }) = which(&self.known.futures[future]) else { return };
        // Of the frames that were handed over meanwhile those that have gone were never in a queue.
        let handed = inputs.iter().filter_map(|given| Some((given.port, given.frame?)));
        let first_handed = frames.len() - handed.clone().count();
        for (number, (port, frame)) in (first_handed as u8..).zip(handed) {
            let at_port = &rest.ports[usize::from(ports.number_of(port).unwrap_or_default())];
            if !at_port.gone.contains(&number) {
                self.ports[port].put_in_queue(frame);
            }
        }
        let fast = &mut self.fast;
        fast.in_circuit = rest.in_circuit;
        fast.leaving = PortSet::default();
        fast.addressed = PortSet::default();
        self.items.clear();
        fast.flights.clear();
        fast.passing_until = rest.passing_until.after(origin);
        if now < fast.passing_until {
            fast.flights.extend(rest.passing.iter().map(|passing| Flight {
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
        for (port, at_port) in ports.iter().zip(&rest.ports) {
            fast.unlocked_at[port] = at_port.unlocked_at.after(origin);
            fast.lines[port].clear();
            for &(at, word) in &at_port.line {
                fast.lines[port].push_back(Edge { at: at.after(origin), word });
            }
            let tag = |number: u8| frames.tag(number);
            self.ports[port].stand(&at_port.standing, origin, tag);
            let gone = at_port.gone.iter().filter(|&&number| usize::from(number) < first_handed);
            for frame in gone.filter_map(|&number| frames.get(number)) {
                self.ports[port].take_out_of_queue(&frame);
            }
        }
        if !rest.in_circuit.is_empty() {
            let frame = |number: u8| frames.get(number);
            for (port, moving) in ports.iter().zip(&rest.moving) {
                self.ports[port].move_as(moving, origin, frame);
            }
            for on_its_way in &rest.frames {
                if let Some(frame) = frame(on_its_way.frame) {
                    let at = on_its_way.at.after(origin);
                    self.items.put(Item::Frame(frame), ports.at(on_its_way.to), at);
                }
            }
        }
        self.known.going.idles = *idles;
    }
}
