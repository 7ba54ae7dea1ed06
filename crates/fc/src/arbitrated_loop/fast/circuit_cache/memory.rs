//! The memory of the cache of circuits, close together: with many ports, scattered data would exceed the processor's cache.

use super::NotificationKind;
use super::outcome::{
    CircuitKey, CircuitOutcome, Edge, End, EndState, Foretold, Notification, OnLine, Passing, Shape,
};
use super::ports::Ports;
use crate::arbitrated_loop::fast::PortSet;
use crate::loop_port::snapshot::{PortSnapshot, RelativeTime};
use crate::word::FillWord;
use std::collections::HashMap;

/// The most outcomes that are cached; when the number is reached, all outcomes are dropped.
const MOST_FUTURES: usize = 4_096;

/// The memory of the cache of circuits. Outcomes, keys and ends are identified by
/// number.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    futures: Vec<CircuitOutcome>,
    /// The notifications of the cached outcomes, stored one outcome after the other.
    told: Vec<Notification>,
    edges: Vec<Edge>,
    roots: Vec<Root>,
    rests: Vec<RestAt>,
    /// Snapshots of ports, most of which are stored once, and their places by their hashes.
    standings: Vec<PortSnapshot>,
    by_print: HashMap<u64, u32>,
    shapes: Vec<(u8, Shape)>,
    gone: Vec<(u8, u8)>,
    lines: Vec<OnLine>,
    passing: Vec<Passing>,
}

/// A range of consecutive entries of a list.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    count: u32,
}

impl Run {
    /// Appends these entries to a list, and returns their range.
    fn put<T>(all: &mut Vec<T>, these: impl IntoIterator<Item = T>) -> Self {
        let first = all.len();
        all.extend(these);
        Self { first: first as u32, count: (all.len() - first) as u32 }
    }

    #[inline]
    fn of<T>(self, all: &[T]) -> &[T] {
        let first = self.first as usize;
        &all[first..first + self.count as usize]
    }
}

/// A cached [`CircuitKey`], with its outcome.
#[derive(Clone, Debug)]
struct Root {
    ports: PortSet,
    standings: [u32; Ports::MOST],
    shapes: Run,
    lines: Run,
    future: u32,
}

/// A cached [`EndState`].
#[derive(Clone, Debug)]
pub(super) struct RestAt {
    pub(super) idles: [RelativeTime; Ports::MOST],
    standings: [u32; Ports::MOST],
    pub(super) unlocked_at: [RelativeTime; Ports::MOST],
    pub(super) awake: PortSet,
    pub(super) locked: PortSet,
    gone: Run,
    lines: Run,
    pub(super) passing_until: RelativeTime,
    passing: Run,
    pub(super) resting: Option<(FillWord, u8, RelativeTime)>,
}

impl CircuitKey {
    /// A hash that is almost always different for different circuit keys.
    pub(super) fn print(&self) -> u64 {
        let set = self.ports.0;
        let seed = set as u64 ^ (set >> 64) as u64 ^ self.shapes.len() as u64;
        self.standings[..self.count].iter().fold(seed, |print, standing| standing.print(print))
    }
}

impl Memory {
    /// Whether the cache has space for another outcome.
    pub(super) fn has_room(&self) -> bool {
        self.futures.len() < MOST_FUTURES
    }

    #[inline]
    pub(super) fn future(&self, number: u32) -> &CircuitOutcome {
        &self.futures[number as usize]
    }

    /// A notification of an outcome.
    #[inline]
    pub(super) fn told(&self, number: u32) -> &Notification {
        &self.told[number as usize]
    }

    /// The notifications that are caused immediately by the input that leads to an outcome, each with the end
    /// that is notified.
    #[inline]
    pub(super) fn at_once(&self, future: &CircuitOutcome) -> impl Iterator<Item = (u8, NotificationKind)> {
        let end = future.told as usize;
        self.told[end - usize::from(future.at_once)..end].iter().map(|told| (told.end, told.says))
    }

    /// The successors of an outcome by inputs, in the order in which they were learned.
    #[inline]
    pub(super) fn edges(&self, future: u32) -> impl Iterator<Item = &Edge> {
        let mut next = self.future(future).edges;
        std::iter::from_fn(move || {
            let edge = self.edges.get(next? as usize)?;
            next = edge.others;
            Some(edge)
        })
    }

    /// The number of a circuit key, if it is among `roots`, which lists hashes with the number of each key.
    #[inline]
    pub(super) fn root(&self, roots: &[(u64, u32)], print: u64, beginning: &CircuitKey) -> Option<u32> {
        let mut with_print = roots.iter().filter(|root| root.0 == print).map(|&(_, root)| root);
        with_print.find(|&root| self.is_like(&self.roots[root as usize], beginning))
    }

    /// The outcome of a circuit key, found by the number of the key.
    pub(super) fn comes_of(&self, root: u32) -> u32 {
        self.roots[root as usize].future
    }

    fn is_like(&self, root: &Root, beginning: &CircuitKey) -> bool {
        let CircuitKey { ports, standings, count, shapes, lines } = beginning;
        let known = root.standings[..*count].iter().map(|&standing| &self.standings[standing as usize]);
        root.ports == *ports
            && root.shapes.of(&self.shapes) == *shapes
            && known.eq(&standings[..*count])
            && root.lines.of(&self.lines) == *lines
    }

    /// The cached state at the end of a circuit, if the state is cached.
    pub(super) fn rest(&self, end: &End) -> Option<&RestAt> {
        end.rest.map(|number| &self.rests[number as usize])
    }

    /// The snapshots of the ports at the end of a circuit, ordered by the number of the port.
    pub(super) fn snapshots(&self, rest: &RestAt) -> impl Iterator<Item = &PortSnapshot> {
        rest.standings.iter().map(|&standing| &self.standings[standing as usize])
    }

    /// The frames that are no longer in the queues of the ports, by the number of the port and the number of
    /// the frame.
    pub(super) fn gone(&self, rest: &RestAt) -> &[(u8, u8)] {
        rest.gone.of(&self.gone)
    }

    pub(super) fn lines(&self, rest: &RestAt) -> &[OnLine] {
        rest.lines.of(&self.lines)
    }

    pub(super) fn passing(&self, rest: &RestAt) -> &[Passing] {
        rest.passing.of(&self.passing)
    }

    /// Whether the cached end state equals the computed end state, for a circuit with this number of ports.
    #[cfg(debug_assertions)]
    pub(super) fn is_rest(&self, rest: &RestAt, other: &EndState, ports: usize) -> bool {
        let EndState {
            idles,
            standings,
            unlocked_at,
            awake,
            locked,
            gone,
            lines,
            passing_until,
            passing,
            resting,
        } = other;
        (rest.idles, rest.unlocked_at, rest.resting) == (*idles, *unlocked_at, *resting)
            && (rest.awake, rest.locked) == (*awake, *locked)
            && self.snapshots(rest).take(ports).eq(&standings[..ports])
            && (self.gone(rest), self.lines(rest), self.passing(rest)) == (gone, lines, passing)
            && rest.passing_until == *passing_until
    }

    /// The whole end state, for printing.
    #[cfg(debug_assertions)]
    pub(super) fn all_of<'a>(&'a self, rest: &'a RestAt) -> impl std::fmt::Debug + 'a {
        let standings: Vec<_> = self.snapshots(rest).collect();
        (rest, standings, self.gone(rest), self.lines(rest), self.passing(rest))
    }

    /// Caches the snapshot of a port. Returns the place of the snapshot.
    fn put_snapshot(&mut self, standing: &PortSnapshot) -> u32 {
        let new = self.standings.len() as u32;
        let place = *self.by_print.entry(standing.print(0)).or_insert(new);
        if self.standings.get(place as usize) == Some(standing) {
            return place;
        }
        self.standings.push(*standing);
        new
    }

    fn put_snapshots(&mut self, standings: &[PortSnapshot]) -> [u32; Ports::MOST] {
        let mut places = [0; Ports::MOST];
        for (place, standing) in places.iter_mut().zip(standings) {
            *place = self.put_snapshot(standing);
        }
        places
    }

    /// Caches the state at the end of a circuit with this number of ports. Returns the place of the end
    /// state.
    pub(super) fn put_rest(&mut self, rest: &EndState, ports: usize) -> u32 {
        let &EndState { idles, unlocked_at, awake, locked, passing_until, resting, .. } = rest;
        let EndState { standings, gone, lines, passing, .. } = rest;
        let rest = RestAt {
            idles,
            standings: self.put_snapshots(&standings[..ports]),
            unlocked_at,
            awake,
            locked,
            gone: Run::put(&mut self.gone, gone.iter().copied()),
            lines: Run::put(&mut self.lines, lines.iter().copied()),
            passing_until,
            passing: Run::put(&mut self.passing, passing.iter().copied()),
            resting,
        };
        self.rests.push(rest);
        (self.rests.len() - 1) as u32
    }

    /// Caches an outcome, with the notifications that are caused immediately by the input that leads to the
    /// outcome. Returns the number of the outcome.
    pub(super) fn put_future(&mut self, at_once: &[(u8, NotificationKind)], foretold: Foretold) -> u32 {
        let Foretold { told, over, end } = foretold;
        self.told.extend(at_once.iter().map(|&(end, says)| Notification {
            end,
            says,
            ..Notification::AT_ONCE
        }));
        let (at_once, count) = (at_once.len() as u16, told.len() as u16);
        let future = CircuitOutcome { told: self.told.len() as u32, count, at_once, over, end, edges: None };
        self.told.extend(told);
        self.futures.push(future);
        (self.futures.len() - 1) as u32
    }

    /// Caches the successor of an outcome for an input, after the successors for other inputs.
    pub(super) fn put_edge(&mut self, from: u32, edge: Edge) {
        let new = Some(self.edges.len() as u32);
        let (mut last, mut next) = (None, self.future(from).edges);
        while let Some(edge) = next {
            (last, next) = (next, self.edges[edge as usize].others);
        }
        match last {
            Some(last) => self.edges[last as usize].others = new,
            None => self.futures[from as usize].edges = new,
        }
        self.edges.push(edge);
    }

    /// Caches the outcome of a circuit key. Returns the number of the circuit key.
    pub(super) fn put_root(&mut self, beginning: &CircuitKey, future: u32) -> u32 {
        let CircuitKey { ports, standings, count, shapes, lines } = beginning;
        let root = Root {
            ports: *ports,
            standings: self.put_snapshots(&standings[..*count]),
            shapes: Run::put(&mut self.shapes, shapes.iter().copied()),
            lines: Run::put(&mut self.lines, lines.iter().copied()),
            future,
        };
        self.roots.push(root);
        (self.roots.len() - 1) as u32
    }
}
