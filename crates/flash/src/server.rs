//! Servers, which do one operation at a time, and the channels that they share.

use crate::operations::{Kind, List, NONE};
use sansim_kernel::{Span, Time, Total};
use std::collections::VecDeque;

/// The state of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// Nothing.
    Nothing,
    /// It has something to begin and waits for the channel.
    Asking,
    /// It takes a command and works in the flash.
    Working,
    /// It has data that were read, for the channel.
    Sending,
    /// It is being interrupted.
    Suspending,
}

/// The interrupted operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interrupted {
    pub first: u32,
    pub kind: Kind,
    pub left: Span,
    pub for_collection: bool,
}

/// A chip, a die or a plane: what does one operation at a time.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub doing: Doing,
    /// The operations that wait: reads of hosts and of the mapping, those of garbage collection, and how many programs, which each plane
    /// has in a list of its own.
    pub reads: List,
    pub collections: List,
    pub programs: u32,
    /// The first of the operations in work, and what they do.
    pub active: u32,
    pub kind: Kind,
    pub array_from: Time,
    pub array_until: Time,
    pub interrupted: Option<Interrupted>,
    /// Counts what it begins and what is interrupted, to know events that have become void.
    pub turn: u32,
    /// Planes in which garbage collection goes before hosts.
    pub short_planes: u32,
    /// How long it has worked for garbage collection, but for the present operation, which it has since then.
    pub collected: Span,
    pub collects_since: Option<Time>,
    /// How long it has worked, but for the present operation, which it has since then.
    busy: Total,
    busy_since: Option<Time>,
    /// How many of its planes work, and how long all of them have in all.
    planes: u32,
    planes_busy: Total,
}

impl Server {
    pub fn new() -> Self {
        Self {
            doing: Doing::Nothing,
            reads: List::EMPTY,
            collections: List::EMPTY,
            programs: 0,
            active: NONE,
            kind: Kind::Read,
            array_from: Time::ZERO,
            array_until: Time::ZERO,
            interrupted: None,
            turn: 0,
            short_planes: 0,
            collected: Span::ZERO,
            collects_since: None,
            busy: Total::ZERO,
            busy_since: None,
            planes: 0,
            planes_busy: Total::ZERO,
        }
    }

    /// How long it has worked for garbage collection up to now.
    pub fn collected_by(&self, now: Time) -> Span {
        self.collected + self.collects_since.map_or(Span::ZERO, |since| now.saturating_since(since))
    }

    /// It works no more for garbage collection.
    pub fn end_collecting(&mut self, now: Time) {
        self.collected = self.collected_by(now);
        self.collects_since = None;
    }

    /// So many of its planes work from now on.
    pub fn work(&mut self, now: Time, planes: u32) {
        (self.busy, self.planes_busy) = (self.busy_by(now), self.planes_busy_by(now));
        self.busy_since = (planes > 0).then_some(now);
        self.planes = planes;
    }

    /// How long its planes have worked up to now, all of them in all.
    pub fn planes_busy_by(&self, now: Time) -> Total {
        let since = self.busy_since.map_or(Span::ZERO, |since| now.saturating_since(since));
        self.planes_busy + Total(u128::from(since.ticks()) * u128::from(self.planes))
    }

    /// How long it has worked up to now.
    pub fn busy_by(&self, now: Time) -> Total {
        self.busy + self.busy_since.map_or(Total::ZERO, |since| now.saturating_since(since).into())
    }
}

/// A channel: one transfer at a time.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    /// Until when it is taken.
    pub until: Time,
    /// Whether an event says so.
    pub told: bool,
    /// A server is being asked what it begins on it.
    pub offered: bool,
    /// The server whose data it carries, to which it says so.
    pub carries: Option<u32>,
    /// Servers with data, which go first, and servers that would begin something.
    pub sending: VecDeque<u32>,
    pub asking: VecDeque<u32>,
    /// How long it was taken, up to `until`.
    taken: Total,
}

impl Channel {
    pub fn new(servers: u32) -> Self {
        let line = || VecDeque::with_capacity(servers as usize);
        Self {
            until: Time::ZERO,
            told: false,
            offered: false,
            carries: None,
            sending: line(),
            asking: line(),
            taken: Total::ZERO,
        }
    }

    /// Whether a server waits for it.
    pub fn is_wanted(&self) -> bool {
        !self.sending.is_empty() || !self.asking.is_empty()
    }

    /// It is taken for so long.
    pub fn take(&mut self, now: Time, span: Span) {
        debug_assert!(now >= self.until, "a channel carries one thing at a time");
        self.until = now + span;
        self.taken += span;
    }

    /// How long it was taken up to now.
    pub fn busy_by(&self, now: Time) -> Total {
        self.taken - self.until.saturating_since(now).into()
    }
}
