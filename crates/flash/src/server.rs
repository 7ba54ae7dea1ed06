//! Servers, which do one operation at a time, and the channels that they share.

use crate::operations::{Kind, List, NONE};
use sansim_kernel::{Span, Time, Total};
use std::collections::VecDeque;

/// The state of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// The server is idle.
    Nothing,
    /// The server has an operation to begin and waits for the channel.
    Asking,
    /// The server receives a command and works in the flash.
    Working,
    /// The server has read data, which wait for the channel.
    Sending,
    /// The operation of the server is being interrupted.
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

/// A server: a chip, a die or a plane that does one operation at a time.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub doing: Doing,
    /// The waiting operations: reads of hosts and of the mapping, those of garbage collection, and the number of programs, for which each
    /// plane has a list of its own.
    pub reads: List,
    pub collections: List,
    /// The waiting operations that empty the SLC cache.
    pub folds: List,
    pub programs: u32,
    /// The first of the operations in work, and their kind.
    pub active: u32,
    pub kind: Kind,
    pub array_from: Time,
    pub array_until: Time,
    pub interrupted: Option<Interrupted>,
    /// A counter of begun and interrupted operations, by which void events are recognised.
    pub turn: u32,
    /// The number of planes in which garbage collection precedes hosts.
    pub short_planes: u32,
    /// The time for which the server has worked for garbage collection, without the present operation, and the time since which that works.
    pub collected: Span,
    pub collects_since: Option<Time>,
    /// The time for which the server has worked, without the present operation, and the time since which that works.
    busy: Total,
    busy_since: Option<Time>,
    /// The number of planes that work, and the busy time of all planes.
    planes: u32,
    planes_busy: Total,
}

impl Server {
    pub fn new() -> Self {
        Self {
            doing: Doing::Nothing,
            reads: List::EMPTY,
            collections: List::EMPTY,
            folds: List::EMPTY,
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

    /// The time for which the server has worked for garbage collection, up to now.
    pub fn collection_time(&self, now: Time) -> Span {
        self.collected + self.collects_since.map_or(Span::ZERO, |since| now.saturating_since(since))
    }

    /// The server works no more for garbage collection.
    pub fn end_collecting(&mut self, now: Time) {
        self.collected = self.collection_time(now);
        self.collects_since = None;
    }

    /// This many of the server's planes work from now on.
    pub fn start_planes(&mut self, now: Time, planes: u32) {
        (self.busy, self.planes_busy) = (self.busy_time(now), self.planes_busy_time(now));
        self.busy_since = (planes > 0).then_some(now);
        self.planes = planes;
    }

    /// The busy time of all planes of the server, up to now.
    pub fn planes_busy_time(&self, now: Time) -> Total {
        let since = self.busy_since.map_or(Span::ZERO, |since| now.saturating_since(since));
        self.planes_busy + Total(u128::from(since.ticks()) * u128::from(self.planes))
    }

    /// The time for which the server has worked, up to now.
    pub fn busy_time(&self, now: Time) -> Total {
        self.busy + self.busy_since.map_or(Total::ZERO, |since| now.saturating_since(since).into())
    }
}

/// A channel, with one transfer at a time.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    /// The time until which the channel is occupied.
    pub until: Time,
    /// Whether an event is set for the end of the transfer.
    pub told: bool,
    /// Whether a server is choosing the operation that it begins on the channel.
    pub offered: bool,
    /// The server whose data the channel transmits, which is notified of the end.
    pub carries: Option<u32>,
    /// Servers with data, which go first, and servers that would begin an operation.
    pub sending: VecDeque<u32>,
    pub asking: VecDeque<u32>,
    /// The time for which the channel was occupied, up to `until`.
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

    /// Whether a server waits for the channel.
    pub fn has_waiting_server(&self) -> bool {
        !self.sending.is_empty() || !self.asking.is_empty()
    }

    /// Occupies the channel for a time.
    pub fn occupy_channel(&mut self, now: Time, span: Span) {
        debug_assert!(now >= self.until, "a channel carries one thing at a time");
        self.until = now + span;
        self.taken += span;
    }

    /// The busy time of the channel, up to now.
    pub fn busy_time(&self, now: Time) -> Total {
        self.taken - self.until.saturating_since(now).into()
    }
}
