//! The use of a loop: the time for which it is owned, and for which it carries frames in one direction or in
//! both.

use sansim_kernel::{Span, Time, Total};

/// The use of a loop since the beginning of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoopUse {
    /// The time in which a port owned the loop.
    pub owned: Span,
    /// The time in which at least one frame was being sent.
    pub carrying: Span,
    /// The time in which two frames were being sent, one by each end of a full duplex circuit.
    pub both_ways: Span,
    /// The number of tenancies that have begun.
    pub tenancies: u64,
    /// The number of frames that were sent.
    pub frame_count: u64,
    /// The time since which a port has owned the loop.
    owned_since: Option<Time>,
    /// The times at which the last frame in transfer ends, and at which the first of two ends.
    carrying_until: Time,
    both_until: Time,
}

impl LoopUse {
    /// A port owns the loop from now on.
    pub(crate) fn owner_begins(&mut self, now: Time) {
        self.tenancies += 1;
        self.owned_since = Some(now);
    }

    /// Notes that the port no longer owns the loop.
    pub(crate) fn owner_ends(&mut self, now: Time) {
        let since = self.owned_since.take().unwrap_or(now);
        self.owned += now - since;
    }

    /// A port begins to send a frame that takes the time `takes`.
    pub(crate) fn frame_begins(&mut self, now: Time, takes: Span) {
        self.frame_count += 1;
        let (before, ends) = (self.carrying_until.max(now), now + takes);
        self.carrying += ends.saturating_since(before);
        let both_until = before.min(ends);
        self.both_ways += both_until - now;
        self.both_until = self.both_until.max(both_until);
        self.carrying_until = before.max(ends);
    }

    /// All ports stop, and the frames in transfer are cut off.
    pub(crate) fn stops(&mut self, now: Time) {
        *self = self.until(now);
    }

    /// The use of the loop up to now, including circuits and frames in progress.
    pub(crate) fn until(mut self, now: Time) -> Self {
        if let Some(since) = self.owned_since {
            self.owned += now - since;
            self.owned_since = Some(now);
        }
        self.carrying -= self.carrying_until.saturating_since(now);
        self.both_ways -= self.both_until.saturating_since(now);
        (self.carrying_until, self.both_until) = (now, now);
        self
    }
}

/// The initialisations of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Initialisations {
    /// The number of initialisations that have begun.
    pub count: u64,
    /// The time that they have taken, or will take.
    takes: Span,
    /// The end of the last.
    ends: Time,
}

impl Initialisations {
    /// The loop is initialised from now on, until it works again; an initialisation that is going on begins anew.
    pub(crate) fn begins(&mut self, now: Time, works_at: Time) {
        self.count += 1;
        let from = self.ends.max(now);
        self.takes += works_at.saturating_since(from);
        self.ends = self.ends.max(works_at);
    }

    /// The time in which the loop was initialised, up to now.
    pub(crate) fn until(&self, now: Time) -> Span {
        self.takes - self.ends.saturating_since(now)
    }
}

/// Frames in flight, each from its first word at the sender to its last at the receiver.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OnWire {
    frames: u64,
    /// The sum of the ends less the sum of the begins, in ticks modulo 2^128: one addition for each begin and end, however
    /// many frames are in flight.
    ticks: u128,
}

impl OnWire {
    pub(crate) fn begins(&mut self, now: Time) {
        self.frames += 1;
        self.ticks = self.ticks.wrapping_sub(now.ticks().into());
    }

    pub(crate) fn ends(&mut self, now: Time) {
        self.frames -= 1;
        self.ticks = self.ticks.wrapping_add(now.ticks().into());
    }

    /// Transit time of all frames together, up to now.
    pub(crate) fn total(&self, now: Time) -> Total {
        Total(self.ticks.wrapping_add(u128::from(self.frames) * u128::from(now.ticks())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_are_sent_at_once_in_both_directions_carry_the_loop_once() {
        let mut usage = LoopUse::default();
        usage.frame_begins(Time(100), Span(50));
        assert_eq!((usage.until(Time(120)).carrying, usage.until(Time(120)).both_ways), (Span(20), Span(0)));
        usage.frame_begins(Time(130), Span(50));
        usage.frame_begins(Time(300), Span(10));
        let at = |now| (usage.until(now).carrying, usage.until(now).both_ways);
        assert_eq!(at(Time(400)), (Span(80 + 10), Span(20)));
        assert_eq!(at(Time(304)), (Span(80 + 4), Span(20)), "of a frame that is being sent what has passed");
        assert_eq!(usage.frame_count, 3);
    }
}
