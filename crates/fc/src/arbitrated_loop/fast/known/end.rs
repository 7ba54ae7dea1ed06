//! Where a known circuit is over.

use super::future::{End, Future, Lists, Passing, Place, Rest};
use super::local::Local;
use super::{ArbitratedLoop, Going, Known, number_of};
use crate::arbitrated_loop::Surroundings;
use crate::arbitrated_loop::fast::{Edge, Flight, PortSet};
use crate::loop_port::standing::Since;
use sansim_kernel::Time;

impl ArbitratedLoop {
    /// Whether a circuit of these ports is over, and nothing is on its way but fill words.
    pub(super) fn is_over(&self, ports: [usize; 2], now: Time) -> bool {
        let fast = &self.fast;
        fast.in_circuit.is_empty()
            && fast.leaving.is_empty()
            && fast.addressed.is_empty()
            && self.items.len() == 0
            && ports.into_iter().all(|port| self.ports[port].stands(now))
    }

    /// The end of a circuit that is over, behind the last event.
    pub(super) fn end_here(&self, local: &Local) -> Option<End> {
        let Going { ports, origin, .. } = self.known.going;
        let (at, order) = local.present;
        let rest = self.rest(at, Lists::default())?;
        let idles = self.idles(ports).map(|at| Since::of(at, origin));
        let place = Place { at: Since::of(at, origin), order };
        Some(End { place, idles, rest: Some(Box::new(rest)) })
    }

    /// How everything stands that has to do with the two ports, in these lists.
    fn rest(&self, now: Time, mut lists: Lists) -> Option<Rest> {
        let Going { ports, origin, ref frames, .. } = self.known.going;
        let fast = &self.fast;
        let since = |at: Time| Since::of(at, origin);
        let end = |port: usize| u8::from(port == ports[1]);
        let number = |tag| number_of(frames, tag);
        let [one, other] = ports.map(|port| self.ports[port].standing(origin, number));
        for (&port, numbers) in ports.iter().zip(&mut lists.queues) {
            for (queue, numbers) in self.ports[port].queues().into_iter().zip(numbers) {
                numbers.clear();
                for frame in queue {
                    numbers.push(frames.iter().position(|other| other == frame)? as u8);
                }
            }
        }
        for (&port, line) in ports.iter().zip(&mut lists.lines) {
            line.clear();
            line.extend(self.line(port, origin));
        }
        let round = self.geometry.round();
        let may_pass = |flight: &&Flight| flight.sent + flight.length + round > now;
        let passing = |flight: &Flight| Passing {
            sent: since(flight.sent),
            length: flight.length,
            from: end(flight.from.into()),
            to: end(flight.to.into()),
        };
        lists.passing.clear();
        lists.passing.extend(fast.flights.iter().filter(may_pass).map(passing));
        let resting = fast.awake.is_empty().then_some(fast.resting);
        Some(Rest {
            ports: [one?, other?],
            awake: ports.map(|port| fast.awake.contains(port)),
            locked: ports.map(|port| fast.locked.contains(port)),
            unlocked_at: ports.map(|port| since(fast.unlocked_at[port])),
            signal_at: ports.map(|port| since(fast.signal_at[port])),
            passing_until: since(fast.passing_until),
            resting: resting.map(|(word, port, at)| (word, end(port), since(at))),
            lists,
        })
    }

    /// A known circuit comes to its end with the present event.
    pub(super) fn end_known(&mut self, now: Time, around: &mut impl Surroundings) {
        #[cfg(debug_assertions)]
        if self.known.counts.is_compared() {
            self.compare_end(now, around);
        }
        let Known { going, counts, from_sleep, .. } = &mut self.known;
        counts.ended += 1;
        if going.from_sleep {
            from_sleep.pays();
        }
        let Going { ports, future, .. } = *going;
        self.stand_as_known(now, future, |future| &future.end);
        self.let_others_know();
        for port in ports {
            for (at, event) in self.comes_at(port) {
                around.schedule(at, port, event);
            }
        }
    }

    /// Works out by the rules what was known, and how everything stands now.
    #[cfg(debug_assertions)]
    fn compare_end(&mut self, now: Time, around: &mut impl Surroundings) {
        (self.known.scratch.pending, _) = self.replay_known(now, |order| around.has_passed(order));
        let lists = std::mem::take(&mut self.known.scratch.lists);
        let worked_out = self.rest(now, lists);
        let Known { futures, going, .. } = &self.known;
        let end = futures[going.future].end.as_ref();
        let known = end.and_then(|end| end.rest.as_deref());
        assert_eq!(known, worked_out.as_ref(), "a known circuit ended another way");
        assert_eq!(
            end.map(|end| end.idles),
            Some(going.idles),
            "IDLEs of a known circuit passed at other times"
        );
        self.known.scratch.lists = worked_out.map(|rest| rest.lists).unwrap_or_default();
    }

    /// Everything at the two ports stands as it does at an end of a future.
    pub(super) fn stand_as_known(
        &mut self,
        now: Time,
        future: usize,
        which: impl Fn(&Future) -> &Option<End>,
    ) {
        let Going { ports, origin, ref frames, .. } = self.known.going;
        let Some(End { rest: Some(rest), idles, .. }) = which(&self.known.futures[future]) else { return };
        let fast = &mut self.fast;
        let both = PortSet::both(ports);
        fast.in_circuit = PortSet::default();
        fast.leaving = PortSet::default();
        fast.addressed = PortSet::default();
        self.items.clear();
        fast.flights.clear();
        fast.passing_until = rest.passing_until.after(origin);
        if now < fast.passing_until {
            fast.flights.extend(rest.lists.passing.iter().map(|passing| Flight {
                sent: passing.sent.after(origin),
                length: passing.length,
                from: ports[usize::from(passing.from)] as u8,
                to: ports[usize::from(passing.to)] as u8,
            }));
        }
        if let Some((word, end, at)) = rest.resting {
            fast.resting = (word, ports[usize::from(end)], at.after(origin));
        }
        fast.awake = fast.awake.with(both, PortSet::default());
        fast.locked = fast.locked.with(both, PortSet::default());
        for (end, port) in ports.into_iter().enumerate() {
            fast.awake.set(port, rest.awake[end]);
            fast.locked.set(port, rest.locked[end]);
            fast.unlocked_at[port] = rest.unlocked_at[end].after(origin);
            fast.signal_at[port] = rest.signal_at[end].after(origin);
            let edges = rest.lists.lines[end].iter().map(|&(at, word)| Edge { at: at.after(origin), word });
            fast.lines[port].clear();
            fast.lines[port].extend(edges);
            let frame = |&number: &u8| frames.get(usize::from(number)).copied();
            let [first, second] = &rest.lists.queues[end];
            let queues = (first.iter().filter_map(frame), second.iter().filter_map(frame));
            let tag = |number: u8| frames.get(usize::from(number)).map(|frame| frame.tag);
            self.ports[port].stand(&rest.ports[end], origin, tag, queues);
        }
        self.known.going.idles = *idles;
    }
}
