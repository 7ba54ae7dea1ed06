//! Frames that join the queue of a port which only repeats, behind other frames, at times that are known
//! before.
//!
//! A frame that joins a queue with frames changes nothing that the port transmits, so it need not be an input. As an input, however,
//! each frame that the node hands over makes a port in MONITORING be served in its slot. If in exactly that slot an IDLE comes in
//! and opens the access window, the port arbitrates in the slot, otherwise from the next slot on. The port is therefore given the
//! times at which these frames come.

use super::{LoopPort, PortEffectReceiver, PortState};
use crate::frame::Frame;
use sansim_kernel::{Span, Time};

/// Arrivals of frames at a queue, at equal intervals.
#[derive(Clone, Copy, Debug)]
pub struct QueueArrivals {
    /// The arrival time of the first frame.
    pub first: Time,
    /// The interval from one arrival to the next.
    pub every: Span,
    /// The number of frames.
    pub count: u64,
    /// The time of an arrival at which the port asked for the slot that begins with the arrival.
    asked_at: Time,
}

impl QueueArrivals {
    pub(super) const NOTHING: Self =
        Self { first: Time::NEVER, every: Span::ZERO, count: 0, asked_at: Time::NEVER };

    /// Arrivals of this number of frames, from the time `first` on.
    pub fn new(first: Time, every: Span, count: u64) -> Self {
        Self { first, every, count, asked_at: Time::NEVER }
    }

    /// Whether the last frame has come, and its slot has begun.
    pub(super) fn is_over(&self, now: Time, word: Span) -> bool {
        self.last_by(Time::NEVER).is_none_or(|last| last + word <= now)
    }

    /// The time of the last arrival up to a moment.
    fn last_by(&self, moment: Time) -> Option<Time> {
        if self.count == 0 || moment < self.first {
            return None;
        }
        let later = ((moment - self.first).ticks() / self.every.ticks().max(1)).min(self.count - 1);
        Some(self.first + self.every * later)
    }

    /// Ends the arrivals at this time, and forgets arrivals that are more than a word old.
    fn ends_before(&mut self, from: Time, word: Span) {
        let before = Time(from.ticks().saturating_sub(1));
        self.count = match self.last_by(before) {
            Some(last) if last + word > from => (last - self.first).ticks() / self.every.ticks().max(1) + 1,
            _ => 0,
        };
    }
}

impl LoopPort {
    /// Whether another frame that joins the queue only lengthens it: the queue has frames, and none leaves while the port repeats.
    pub(crate) fn only_queues(&self) -> bool {
        self.state.is_repeating() && !self.frames.is_empty() && !self.gathers() && self.class_2.is_none()
    }

    /// Whether no frames join the queue without inputs.
    pub(crate) fn gets_no_frames_later(&self) -> bool {
        self.queueing.count == 0
    }

    /// Announces the times at which frames will join the queue of a port that only repeats; the frames are handed over later.
    pub(crate) fn frames_will_queue(&mut self, queueing: QueueArrivals) {
        self.queueing = queueing;
    }

    /// Adds frames to the queue of a port that only repeats.
    pub(crate) fn queue_frames(&mut self, frames: impl Iterator<Item = Frame>) {
        // Frames that are counted in runs are added faster by this loop than one by one.
        frames.for_each(|frame| self.frames.push_back(frame));
    }

    /// From the time `from` on, frames are inputs of the port again.
    pub(crate) fn queues_no_more(&mut self, now: Time, from: Time, effects: &mut impl PortEffectReceiver) {
        self.queueing.ends_before(from, self.link.word);
        let asked = std::mem::replace(&mut self.queueing.asked_at, Time::NEVER) == now;
        let is_to_come = from <= now;
        if asked && is_to_come && self.state == PortState::Monitoring && self.wake_at == now {
            // The frame that was announced for this moment will be an input if it does come, and asks for its
            // slot then.
            self.wake_at = Time::NEVER;
            self.plan(now + self.link.word, effects);
        }
    }

    /// Whether the port is served in this slot, in which a fill word has come in, because a frame joins its queue in the
    /// slot.
    #[inline]
    pub(super) fn is_served_for_queue(&mut self, slot: Time) -> bool {
        self.queueing.count > 0 && self.state == PortState::Monitoring && self.queues_in(slot)
    }

    fn queues_in(&mut self, slot: Time) -> bool {
        let Some(last) = self.queueing.last_by(slot) else { return false };
        let comes = last + self.link.word > slot;
        if last == slot && self.wake_at > slot {
            self.queueing.asked_at = slot;
        }
        comes
    }
}
