//! A thread that polls the adapters in turn, or a processor that waits for interrupts.
//!
//! Polls that find nothing are no events: which adapter a poll looks at, and how many polls there were, follows from the time. A thread plans the first
//! of its polls that comes to an adapter with something to do. Another one may have taken that by then; so such a poll looks again. Where polls cross buses they
//! are events ([`crossing`](super::crossing)).

use crate::slices::Slices;
use sansim_kernel::{EventKey, Span, Time};
use std::collections::VecDeque;

/// The activity of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// It has not been started, or has stopped.
    Stopped,
    /// It polls since then, over no bus, and looked at this adapter first.
    Polls(Time, usize),
    /// It waits for an interrupt; or it polls next, if nothing goes on in line.
    Waits,
    /// It has polled since then for an adapter whose bus it has not been given.
    Crosses(Time),
    /// It polls since then, an event for itself; it had its bus, if there is one, at this time.
    Reads { since: Time, granted: Time },
    /// It has paused, because all sources are exhausted.
    Rests,
    /// It takes the interrupt of an adapter.
    Interrupt,
    /// It works on the job at this place.
    Works(u32),
    /// Something else has its processor.
    Slice,
}

/// See the text at the top of this file.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub doing: Doing,
    /// The event that ends the activity, and its time; for a polling thread only if it is to find something.
    pub ends: Option<(Time, EventKey)>,
    /// Jobs that it goes on with before it looks for others.
    pub next: VecDeque<u32>,
    /// The adapter that it looks at next.
    pub card: usize,
    /// It stops when it is done.
    pub stops: bool,
    /// Other load on its processor.
    pub slices: Option<Slices>,
}

impl Thread {
    /// A thread that does this, and looks at this adapter first.
    pub fn new(doing: Doing, card: usize, slices: Option<Slices>) -> Self {
        Self { doing, ends: None, next: VecDeque::with_capacity(16), card, stops: false, slices }
    }

    /// Whether it could begin with something at this instant, at which it has been done with something else.
    pub fn is_free(&self, now: Time) -> bool {
        match self.doing {
            Doing::Polls(since, _) => since == now,
            Doing::Waits | Doing::Rests | Doing::Stopped => true,
            _ => false,
        }
    }

    /// When the next poll ends after now that looks at an adapter, if it polls.
    pub fn looks_at(&self, card: usize, cards: usize, poll: Span, now: Time) -> Option<Time> {
        let Doing::Polls(since, first) = self.doing else { return None };
        let before = (card + cards - first) % cards;
        let once = since + Span((before as u64 + 1) * poll.ticks());
        if once > now {
            return Some(once);
        }
        let round = cards as u64 * poll.ticks();
        Some(once + Span(((now - once).ticks() / round + 1) * round))
    }

    /// Polls that it has ended since it began to, if it polls.
    pub fn polls(&self, poll: Span, now: Time) -> u64 {
        match self.doing {
            Doing::Polls(since, _) if since <= now => (now - since).ticks() / poll.ticks(),
            _ => 0,
        }
    }
}
