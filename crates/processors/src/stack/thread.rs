//! A thread that polls the adapters in turn, or a processor that waits for interrupts.
//!
//! Polls that find nothing are no events: the adapter that a poll reads, and the number of polls, follow from the time. A thread plans the
//! first of its polls that comes to an adapter with a job. Another thread may have found the job by then; after such a poll the thread
//! plans anew. Where polls cross buses, each poll is an event ([`crossing`](super::crossing)).

use crate::slices::OtherLoadSlices;
use sansim_kernel::{EventKey, Span, Time};
use std::collections::VecDeque;

/// The activity of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// The thread has not been started, or has stopped.
    Stopped,
    /// The thread polls since this time, over no bus, and polled this adapter first.
    Polls(Time, usize),
    /// The thread waits for an interrupt; or it polls next, if no job continues in line.
    Waits,
    /// The thread waits since this time for the bus of an adapter that it polls.
    Crosses(Time),
    /// The thread polls since this time, as an event; the bus, if there is one, was granted at the second time.
    Reads { since: Time, granted: Time },
    /// The thread has paused, because all sources are exhausted.
    Rests,
    /// The thread handles the interrupt of an adapter.
    Interrupt,
    /// The thread works on the job at this index.
    Works(u32),
    /// Other load has the processor of the thread.
    Slice,
}

/// A thread that polls the adapters in turn, or a processor that waits for interrupts.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub doing: Doing,
    /// The event that ends the activity, and its time; for a polling thread only if it is to find a job.
    pub ends: Option<(Time, EventKey)>,
    /// The jobs in line that the thread does before it polls again.
    pub next: VecDeque<u32>,
    /// The adapter that the thread polls next.
    pub card: usize,
    /// Whether the thread stops when its job is done.
    pub stops: bool,
    /// The slices of other load on the thread's processor.
    pub slices: Option<OtherLoadSlices>,
}

impl Thread {
    /// A thread with this activity, which polls this adapter first.
    pub fn new(doing: Doing, card: usize, slices: Option<OtherLoadSlices>) -> Self {
        Self { doing, ends: None, next: VecDeque::with_capacity(16), card, stops: false, slices }
    }

    /// Whether the thread could begin a job at this instant, at which it has finished another.
    pub fn may_begin_job(&self, now: Time) -> bool {
        match self.doing {
            Doing::Polls(since, _) => since == now,
            Doing::Waits | Doing::Rests | Doing::Stopped => true,
            _ => false,
        }
    }

    /// The end of the next poll of an adapter after now, if the thread polls.
    pub fn next_poll_end(&self, card: usize, cards: usize, poll: Span, now: Time) -> Option<Time> {
        let Doing::Polls(since, first) = self.doing else { return None };
        let before = (card + cards - first) % cards;
        let once = since + Span((before as u64 + 1) * poll.ticks());
        if once > now {
            return Some(once);
        }
        let round = cards as u64 * poll.ticks();
        Some(once + Span(((now - once).ticks() / round + 1) * round))
    }

    /// The number of polls that the thread has ended since it began to poll; 0 if it does not poll.
    pub fn poll_count(&self, poll: Span, now: Time) -> u64 {
        match self.doing {
            Doing::Polls(since, _) if since <= now => (now - since).ticks() / poll.ticks(),
            _ => 0,
        }
    }
}
