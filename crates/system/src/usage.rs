//! What a run counts besides its I/Os: what must balance, and how busy loop and nodes are.

use sansim_fc::frame::FrameKind;
use sansim_kernel::{Span, Time, Total};

/// Counts that must balance, kept over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// I/Os issued.
    pub issued: u64,
    /// I/Os completed.
    pub completed: u64,
    /// Frames that left a port, by kind: command, transfer ready, data, response.
    pub frames_sent: [u64; 4],
    /// Frames that arrived in a buffer, by kind.
    pub frames_received: [u64; 4],
    /// Data bytes that left a port.
    pub data_sent: u64,
    /// Data bytes of completed I/Os.
    pub data_completed: u64,
    /// I/Os whose ledger did not add up to the response time.
    pub ledger_errors: u64,
    /// The first of them, by its number.
    pub first_ledger_error: Option<u64>,
}

/// The kinds of frames in words, in the order of the counts.
pub(crate) const FRAME_KINDS: [&str; 4] =
    ["FCP_CMND frames", "FCP_XFER_RDY frames", "FCP_DATA frames", "FCP_RSP frames"];

/// Place of a kind of frame in the counts.
pub(crate) fn kind_index(kind: FrameKind) -> usize {
    match kind {
        FrameKind::Command => 0,
        FrameKind::TransferReady => 1,
        FrameKind::Data => 2,
        FrameKind::Response => 3,
    }
}

/// Use of the loop, of a whole run or of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopUse {
    /// Time in which some port owned the loop.
    pub owned: Span,
    /// Time in which at least one frame was being sent.
    pub carrying: Span,
    /// Time in which two were: one by each end of a full duplex circuit.
    pub both_ways: Span,
    /// Tenancies begun.
    pub tenancies: u64,
    /// Frames sent.
    pub frame_count: u64,
    /// Since when some port has owned it.
    pub(crate) owned_since: Option<Time>,
    /// When the frames that are being sent will have been sent, and when the first of two.
    carrying_until: Time,
    both_until: Time,
}

impl LoopUse {
    /// A port begins to send a frame, which takes so long.
    pub(crate) fn frame_begins(&mut self, now: Time, takes: Span) {
        self.frame_count += 1;
        let (before, ends) = (self.carrying_until.max(now), now + takes);
        self.carrying += ends.saturating_since(before);
        let both_until = before.min(ends);
        self.both_ways += both_until - now;
        self.both_until = self.both_until.max(both_until);
        self.carrying_until = before.max(ends);
    }

    /// Use up to now, of which what is going on is a part.
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

impl std::ops::Sub for LoopUse {
    type Output = Self;
    fn sub(self, start: Self) -> Self {
        Self {
            owned: self.owned - start.owned,
            carrying: self.carrying - start.carrying,
            both_ways: self.both_ways - start.both_ways,
            tenancies: self.tenancies - start.tenancies,
            frame_count: self.frame_count - start.frame_count,
            ..self
        }
    }
}

/// Frames on their way, each from its first word at the sender to its last at the receiver.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OnWire {
    frames: u64,
    /// Sum of the ends less the sum of the begins, in ticks modulo 2^128: an addition for each, whatever is on its way.
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

    /// Time on the way, of all frames together, up to now.
    pub(crate) fn total(&self, now: Time) -> Total {
        Total(self.ticks.wrapping_add(u128::from(self.frames) * u128::from(now.ticks())))
    }
}

/// How busy the blocks of a node have been, in a whole run or in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeUse {
    /// FCP main processor.
    pub processor: Span,
    /// DMA scheduler and transfer.
    pub dma: Span,
    /// Incoming frame process.
    pub incoming: Span,
    /// Single frame transfer.
    pub single_frame: Span,
    /// Access and media transfer (drives), of every command.
    pub drive: Total,
    /// Commands in work in a drive, from the start of each until its status was made.
    pub occupied: Total,
}

impl std::ops::Sub for NodeUse {
    type Output = Self;
    fn sub(self, start: Self) -> Self {
        Self {
            processor: self.processor - start.processor,
            dma: self.dma - start.dma,
            incoming: self.incoming - start.incoming,
            single_frame: self.single_frame - start.single_frame,
            drive: self.drive - start.drive,
            occupied: self.occupied - start.occupied,
        }
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
