//! Lost frames and lost credit (R_RDY) on a link of a switch, and the recovery of the credit (`sansim_fc::link::loss` and `recovery`).
//!
//! For each frame and each R_RDY that it sends, a port draws a random number that decides whether it is lost. The arrival of a mark at the
//! other end, and the losses that it reveals, are known ahead, so credit that BB_SCr restores is recorded like the credit of R_RDYs; only a
//! mark behind lost frames is an event, because R_RDYs are sent in answer to it.

use super::{Fabric, FabricEvent, FabricHost};
use sansim_fc::link::{LinkRules, RecoveryCounters};
use sansim_kernel::{RandomStream, Time};
use std::collections::VecDeque;

/// The losses of the frames and R_RDYs that one end of a link has sent.
#[derive(Clone, Debug)]
pub struct EndLosses {
    frames: RandomStream,
    readies: RandomStream,
    /// The counts of frames and of R_RDYs that the end has sent, by virtual channel.
    counts: Vec<[RecoveryCounters; 2]>,
    /// The marks behind frames in flight: the time at which each arrives, its channel, and the number of
    /// missing frames.
    marks: VecDeque<(Time, u8, u32)>,
    /// The credit of this end that is lost for now.
    pub missing: u64,
}

impl EndLosses {
    /// The state of an end that has sent nothing yet.
    pub fn new(seed: u64, name: &str, channels: usize) -> Self {
        let stream = |what: &str| RandomStream::new(seed, &format!("{name}/{what}"));
        Self {
            frames: stream("frames"),
            readies: stream("readies"),
            counts: vec![[RecoveryCounters::default(); 2]; channels],
            marks: VecDeque::new(),
            missing: 0,
        }
    }

    /// The link is reset: both ends begin to count from zero.
    pub fn reset_counters(&mut self) {
        self.counts.fill([RecoveryCounters::default(); 2]);
        self.marks.clear();
        self.missing = 0;
    }

    /// A frame is sent on a link that may lose it. Returns whether the frame is lost; and if a mark follows
    /// it, the number of frames that are missing then.
    pub fn frame_sent(&mut self, rules: &LinkRules, channel: u8) -> (bool, Option<u32>) {
        let lost = rules.frame_loss.draw_event(&mut self.frames);
        (lost, self.counts[usize::from(channel)][0].count_sent(rules.bb_sc_n, lost))
    }

    /// An R_RDY is sent on a link that may lose it.
    fn ready(&mut self, rules: &LinkRules, channel: u8) -> (bool, Option<u32>) {
        let lost = rules.ready_loss.draw_event(&mut self.readies);
        (lost, self.counts[usize::from(channel)][1].count_sent(rules.bb_sc_n, lost))
    }
}

impl Fabric {
    /// A port begins to send a frame on a link that may lose it. Returns whether the frame is lost. BB_SCs, if it is due, follows
    /// directly behind the frame.
    pub(super) fn frame_is_lost(
        &mut self,
        now: Time,
        port: u32,
        channel: u8,
        around: &mut impl FabricHost,
    ) -> bool {
        let of = &mut self.ports[port as usize];
        let Some(losses) = &mut of.losses else { return false };
        let (lost, mark) = losses.frame_sent(&of.rules, channel);
        losses.missing += u64::from(lost);
        if let Some(missing) = mark {
            let is_in = of.line.ready_slot(&of.rules, now) + of.rules.latency;
            if missing > 0 {
                losses.marks.push_back((is_in, channel, missing));
                around.schedule(is_in, FabricEvent::Mark(port ^ 1), port ^ 1);
            }
        }
        lost
    }

    /// A port sends an R_RDY on a link that may lose it; without a loss the R_RDY would arrive at the given time. Returns the
    /// time from which on the other end has more credit.
    pub(super) fn ready_may_be_lost(
        &mut self,
        now: Time,
        port: u32,
        channel: u8,
        is_in: Time,
    ) -> Option<Time> {
        let of = &mut self.ports[port as usize];
        let Some(losses) = &mut of.losses else { return Some(is_in) };
        let (lost, mark) = losses.ready(&of.rules, channel);
        // BB_SCr follows directly behind the R_RDY.
        let mark = mark.map(|missing| (of.line.ready_slot(&of.rules, now) + of.rules.latency, missing));
        let peer = &mut self.ports[port as usize ^ 1];
        let credit = peer.credits.channel_credit(channel);
        if !lost {
            credit.ready_will_arrive(is_in);
        }
        let (at, back) = mark.unwrap_or((is_in, 0));
        (0..back).for_each(|_| credit.ready_will_arrive(at));
        if let Some(losses) = &mut peer.losses {
            losses.missing += u64::from(lost);
            losses.missing -= u64::from(back);
        }
        if lost { (back > 0).then_some(at) } else { Some(is_in) }
    }

    /// BB_SCs has arrived behind lost frames: R_RDYs are sent back for the missing frames.
    pub(super) fn mark(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        while let Some((channel, missing)) = self.due_mark(now, port ^ 1) {
            // An end that resets the link counts all credit again.
            let back = if self.ports[port as usize].is_active { missing } else { 0 };
            (0..back).for_each(|_| self.send_ready(now, port, channel, around));
        }
    }

    /// The next mark of a port that has arrived at the other end by now; the credit of the frames missing
    /// there is no longer lost.
    fn due_mark(&mut self, now: Time, port: u32) -> Option<(u8, u32)> {
        let losses = self.ports[port as usize].losses.as_mut()?;
        let &(_, channel, missing) = losses.marks.front().filter(|(at, _, _)| *at <= now)?;
        losses.marks.pop_front();
        losses.missing -= u64::from(missing);
        Some((channel, missing))
    }
}
