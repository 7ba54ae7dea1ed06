//! Learns an outcome that is not cached yet: applies the rules to the pending events, and then restores
//! everything.

use super::local::{Local, LocalEvent, says};
use super::outcome::{Edge, End, Foretold, Input, Notification, Place, Within};
use super::{
    ActiveCircuit, ArbitratedLoop, Frames, Given, LEFT_ALONE, LearningBudget, NotificationKind, Ports,
};
use crate::arbitrated_loop::fast::Edge as FillEdge;
use crate::arbitrated_loop::fast::{Flight, PortSet};
use crate::arbitrated_loop::items::Items;
use crate::arbitrated_loop::{LoopEvent, LoopHost, PortEvent};
use crate::frame::Frame;
use crate::loop_port::snapshot::RelativeTime;
use crate::loop_port::{LoopPort, PortState};
use crate::word::FillWord;
use sansim_kernel::{Order, Time};
use std::collections::VecDeque;

/// The most events of a circuit that are computed ahead.
const MOST_EVENTS: usize = 256;

/// The state of a loop that the ports of a circuit change, saved while an outcome is computed.
struct Saved {
    ports: Vec<(usize, LoopPort, VecDeque<FillEdge>, Time)>,
    items: Items,
    sets: [PortSet; 4],
    flights: VecDeque<Flight>,
    passing_until: Time,
    resting: (FillWord, usize, Time),
}

/// Whether a frame within its sequence has started at a port that waited, in which case a frame burst may
/// follow.
fn another_begins_burst(told: &[((Time, Order), usize, PortEvent)], ports: Ports) -> bool {
    let started = |(_, port, upcall): &(_, usize, PortEvent)| {
        !ports.both().contains(port) && matches!(upcall, PortEvent::Started(frame) if frame.is_within_unit())
    };
    told.iter().any(started)
}

impl ArbitratedLoop {
    /// Saves the state of the ports, and continues with copies.
    fn set_aside(&mut self, ports: Ports) -> Saved {
        fn aside<T: Clone>(what: &mut T) -> T {
            let copy = what.clone();
            std::mem::replace(what, copy)
        }
        let fast = &mut self.fast;
        let ports = ports.iter().map(|port| {
            let (it, line) = (aside(&mut self.ports[port]), aside(&mut fast.lines[port]));
            (port, it, line, fast.signal_at[port])
        });
        Saved {
            ports: ports.collect(),
            items: aside(&mut self.items),
            sets: [fast.awake, fast.in_circuit, fast.leaving, fast.addressed],
            flights: aside(&mut fast.flights),
            passing_until: fast.passing_until,
            resting: fast.resting,
        }
    }

    fn put_back(&mut self, saved: Saved) {
        let fast = &mut self.fast;
        self.items = saved.items;
        [fast.awake, fast.in_circuit, fast.leaving, fast.addressed] = saved.sets;
        fast.flights = saved.flights;
        fast.passing_until = saved.passing_until;
        fast.resting = saved.resting;
        for (port, it, line, signal_at) in saved.ports {
            self.ports[port] = it;
            fast.lines[port] = line;
            fast.signal_at[port] = signal_at;
        }
    }

    /// Caches the outcome of the present state with these pending events. `is_over` says that the circuit is over.
    /// Returns the number of the outcome.
    pub(super) fn learn(
        &mut self,
        pending: Vec<LocalEvent>,
        at_once: Vec<(u8, NotificationKind)>,
        is_over: bool,
    ) -> u32 {
        let ActiveCircuit { ports, behind, idles, .. } = self.known.going;
        let saved = self.set_aside(ports);
        let (locked, unlocked_at) = (self.fast.locked, self.fast.unlocked_at.clone());
        let local = Local { pending, told: Vec::new(), present: behind };
        let foretold = self.apart(|it| it.look_ahead(local, is_over));
        self.known.going.idles = idles;
        self.put_back(saved);
        (self.fast.locked, self.fast.unlocked_at) = (locked, unlocked_at);
        self.known.counts.learned += 1;
        self.known.patience().costs(LearningBudget::LEARNING);
        self.known.memory.put_future(&at_once, foretold)
    }

    /// Runs the circuit ahead as long as no other component affects it. Returns the outcome of the circuit.
    fn look_ahead(&mut self, mut local: Local, is_over: bool) -> Foretold {
        let ActiveCircuit { ports, origin, .. } = self.known.going;
        let begin = local.present;
        let (mut over, mut end) = (None, None);
        let mut was_open = is_over;
        let mut waits = false;
        for _ in 0..MOST_EVENTS {
            let sleeps = self.fast.awake.is_empty();
            was_open |= !self.fast.in_circuit.is_empty();
            if was_open && (over.is_none() || sleeps) && self.is_over(ports, local.present.0) {
                let here = self.end_here(&local);
                *(if sleeps { &mut end } else { &mut over }) = here;
            }
            let wants_more = |port: usize| {
                self.ports[port].state() != PortState::Monitoring || self.ports[port].queued_frames() > 0
            };
            if (was_open && sleeps) || (over.is_some() && ports.iter().any(wants_more)) {
                break;
            }
            let Some(next) = local.next() else {
                waits = over.is_none();
                break;
            };
            if self.may_open_another(next.port, ports) {
                break;
            }
            let told = local.told.len();
            self.step(&mut local);
            if another_begins_burst(&local.told[told..], ports) {
                break;
            }
        }
        let place = |(at, order): (Time, Order)| Place { at: RelativeTime::of(at, origin), order };
        let no_rest = |at| End { place: place(at), rest: None };
        // If no port is idle in the end, other components may affect what comes after the circuit.
        let end = match end.or_else(|| over.take()) {
            Some(end) if end.place == place(begin) => Some(no_rest(begin)),
            None if !waits => Some(no_rest(local.present)),
            end => end,
        };
        let going = &self.known.going;
        let last = end.as_ref().map(|end| going.time_of(&end.place));
        let before = local.told.iter().take_while(|(at, ..)| last.is_none_or(|last| *at <= last));
        let tells = |&(at, port, ref upcall): &((Time, Order), usize, _)| {
            Some(Notification {
                place: place(at),
                end: going.end_of(port),
                says: says(upcall, &going.frames)?,
            })
        };
        match before.map(tells).collect() {
            Some(told) => Foretold { told, over, end },
            // The notification is about a frame that does not belong to the circuit.
            None => Foretold { end: Some(no_rest(begin)), ..Foretold::default() },
        }
    }

    /// Whether the next event of a port may open a port that does not belong to the circuit.
    fn may_open_another(&self, port: usize, ports: Ports) -> bool {
        let it = &self.ports[port];
        let may_open =
            matches!(it.state(), PortState::Arbitrating | PortState::ArbitrationWon | PortState::Transfer);
        let opens = it.opens().and_then(|destination| self.index_of(destination));
        may_open && opens.is_none_or(|opens| opens == port || !ports.contains(opens))
    }

    /// An input comes that leads to no cached outcome. Returns whether the circuit still runs from the cache.
    pub(super) fn learn_input(
        &mut self,
        now: Time,
        port: usize,
        frame: Option<Frame>,
        around: &mut impl LoopHost,
    ) -> bool {
        // In this case two frames of the ends of the circuit are within their sequences.
        let going = &self.known.going;
        let is_second = frame.is_some_and(|frame| going.within > 0 && going.is_within_at_end(port, &frame));
        if is_second {
            self.known.pair().left_alone = LEFT_ALONE;
        }
        if is_second || self.known.going.frames.len() >= Frames::MOST || !self.known.has_room() {
            self.fall_back_to_events(now, around);
            return false;
        }
        let (pending, is_over) = self.replay(now, |order| around.has_passed(order));
        // After the end of the circuit, frames come at any time.
        let state = self.ports[port].state();
        if is_over && frame.is_some() {
            self.go_on_by_events(pending, around);
            return false;
        }
        let slot = self.ports[port].next_word_slot(now);
        let (came, comes) = self.ports[port].between_what_comes(now);
        let wakes_at = self.ports[port].wakes_at();
        let goes = frame.and_then(|frame| self.goes_to(port, &frame));
        let going = &mut self.known.going;
        let (behind, origin, end) = (going.behind, going.origin, going.end_of(port));
        let input = Input::of(frame.map(|frame| (frame, goes)), &going.frames);
        going.takes(port, frame);
        let mut local = Local { pending, told: Vec::new(), present: behind };
        let before = local.next().map(|next| (next.at, next.order));
        self.give(&mut local, Given { at: now, behind, port, frame });
        // The slots are computed as in `plan` and `enqueue` of the port.
        let next = self.ports[port].would_wake_at();
        let (slots, asks_for) = match state {
            PortState::Monitoring if frame.is_some() => ((slot, slot), slot),
            _ if (state.is_repeating() && frame.is_none()) || next >= wakes_at => {
                ((Time::ZERO, Time::NEVER), Time::NEVER)
            }
            _ if slot <= next => ((Time::ZERO, next), next),
            _ => ((slot, slot), slot),
        };
        let is_next = asks_for == now && around.has_passed(LoopEvent::Slot.event_order(port as u16));
        let since = |at: Time| RelativeTime::of(at, origin);
        let place = |(at, order): (Time, Order)| Place { at: since(at), order };
        let within = Within {
            behind: place(behind),
            before: before.map(place),
            comes: (came.map_or(RelativeTime::of(origin, origin), since), since(comes)),
            slots: (since(slots.0), since(slots.1)),
        };
        let going = &self.known.going;
        let tells =
            |(_, port, upcall): &(_, usize, _)| Some((going.end_of(*port), says(upcall, &going.frames)?));
        let at_once: Option<Vec<(u8, NotificationKind)>> = local.told.iter().map(tells).collect();
        for (_, port, upcall) in local.told {
            #[cfg(debug_assertions)]
            if let Some(says) = says(&upcall, &self.known.going.frames) {
                self.known.going.told.push((now, port, says));
            }
            around.upcall(now, port, upcall);
        }
        let Some(at_once) = at_once.filter(|_| !is_next) else {
            self.go_on_by_events(local.pending, around);
            return true;
        };
        let from = self.known.going.future;
        let to = self.learn(local.pending.clone(), at_once, is_over);
        let edge = Edge { end, input, within, asks_for: since(asks_for), to, others: None };
        self.known.memory.put_edge(from, edge);
        if !self.known.memory.future(to).is_of_use() {
            self.go_on_by_events(local.pending, around);
            return true;
        }
        self.known.goes_on_with(to);
        let going = &mut self.known.going;
        going.pending = Some(local.pending);
        #[cfg(debug_assertions)]
        going.told.clear();
        self.schedule_cached(around);
        true
    }
}
