//! Where a known circuit is over.

use super::future::{AtPort, End, Future, Passing, Place, Rest};
use super::local::Local;
use super::{ArbitratedLoop, Going, Known, PortSet, Ports, number_of};
use crate::arbitrated_loop::Surroundings;
use crate::arbitrated_loop::fast::{Edge, Flight};
use crate::loop_port::standing::Since;
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

    /// The end of a circuit that is over, behind the last event.
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
        for (port, at_port) in ports.iter().zip(&mut rest.ports) {
            let AtPort { standing, unlocked_at, signal_at, queues, line } = at_port;
            let mut is_said = self.ports[port].standing(origin, |tag| number_of(frames, tag), standing);
            for (queue, numbers) in self.ports[port].queues().into_iter().zip(queues) {
                let number = |frame| frames.iter().position(|other| other == frame);
                numbers.clear();
                numbers.extend(queue.iter().filter_map(number).map(|number| number as u8));
                is_said &= numbers.len() == queue.len();
            }
            if !is_said {
                return false;
            }
            (*unlocked_at, *signal_at) = (since(fast.unlocked_at[port]), since(fast.signal_at[port]));
            line.clear();
            line.extend(self.line(port, origin));
        }
        let nobody = PortSet::default();
        (rest.awake, rest.locked) =
            (nobody.with(ports.set(), fast.awake), nobody.with(ports.set(), fast.locked));
        let round = self.geometry.round();
        let may_pass = |flight: &&Flight| flight.sent + flight.length + round > now;
        let number = |port: u8| self.known.going.end_of(port.into());
        let passing = |flight: &Flight| Passing {
            sent: since(flight.sent),
            length: flight.length,
            from: number(flight.from),
            to: number(flight.to),
        };
        rest.passing.clear();
        rest.passing.extend(fast.flights.iter().filter(may_pass).map(passing));
        rest.passing_until = since(fast.passing_until);
        let resting = fast.awake.is_empty().then_some(fast.resting);
        rest.resting = resting.map(|(word, port, at)| (word, number(port as u8), since(at)));
        true
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
        let Going { ports, future, .. } = *going;
        let end = futures[future].end.as_ref();
        let behind = end.map_or((now, Order::default()), |end| going.time_of(&end.place));
        self.stand_as_known(now, future, |future| &future.end);
        self.let_others_know();
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
        let Going { ports, origin, ref frames, .. } = self.known.going;
        let Some(End { rest: Some(rest), idles, .. }) = which(&self.known.futures[future]) else { return };
        let fast = &mut self.fast;
        fast.in_circuit = PortSet::default();
        fast.leaving = PortSet::default();
        fast.addressed = PortSet::default();
        self.items.clear();
        fast.flights.clear();
        fast.passing_until = rest.passing_until.after(origin);
        if now < fast.passing_until {
            fast.flights.extend(rest.passing.iter().map(|passing| Flight {
                sent: passing.sent.after(origin),
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
            fast.signal_at[port] = at_port.signal_at.after(origin);
            fast.lines[port].clear();
            for &(at, word) in &at_port.line {
                fast.lines[port].push_back(Edge { at: at.after(origin), word });
            }
            let frame = |&number: &u8| frames.get(usize::from(number)).copied();
            let [first, second] = &at_port.queues;
            let queues = (first.iter().filter_map(frame), second.iter().filter_map(frame));
            let tag = |number: u8| frames.get(usize::from(number)).map(|frame| frame.tag);
            self.ports[port].stand(&at_port.standing, origin, tag, queues);
        }
        self.known.going.idles = *idles;
    }
}
