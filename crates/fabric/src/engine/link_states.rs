//! How the two ends of a link bring it up and reset it (`sansim_fc::link::state`).
//!
//! The signal that an end sends between frames is known from its start, and so is the time at which the other end hears it: an event for each change
//! and none between. An end that is not active sends no frame and no R_RDY. A link that comes up, and one that is reset when an end has had no credit
//! for E_D_TOV, counts credit anew when the first of its ends becomes active: then nothing else is on the line, and credit is that of login, less the
//! occupied buffers. R_RDYs for those go when they become free, behind the first fill words of their end.
//!
//! Assumptions: a frame that is being sent is sent to its end before LR; frames in buffers stay there (FC-FS lets an end process or discard them);
//! sequences are not lost; logins that a port has to make anew take no time.

use super::buffered_frame::Held;
use super::{Fabric, FabricEvent, FabricHost};
use crate::layout::FabricEnd;
use sansim_fc::link::{LinkState, Sequence};
use sansim_kernel::Time;
use std::collections::VecDeque;

/// Among the events of an instant what ends hear and their time-outs come behind the others of their class.
const UNIT: u32 = 1 << 17;
/// The end of OLS comes behind what is heard then.
const OFFLINE_UNIT: u32 = 3 << 17;

/// One end of a link.
#[derive(Clone, Debug, Default)]
pub struct LinkEnd {
    state: LinkState,
    /// The sequences that the other end has begun to send: its first word, when it is heard, and the sequence.
    coming: VecDeque<(Time, Time, Sequence)>,
    /// The sequence that it hears.
    hears: Option<Sequence>,
    /// Until then it sends OLS, whatever it hears.
    offline_until: Time,
    /// Buffers that became free while it could send no R_RDY, by their channels.
    owed: Vec<u8>,
}

/// Since when a port has had no credit.
#[derive(Clone, Debug)]
pub struct Lacks {
    /// By virtual channel: since when a frame has found no credit; never if there is some, or no frame asked.
    since: Vec<Time>,
    /// When it looks whether that is too long; never if that is not planned.
    looks: Time,
}

impl Lacks {
    /// There is credit by each of so many channels.
    pub fn new(channels: usize) -> Self {
        Self { since: vec![Time::NEVER; channels], looks: Time::NEVER }
    }

    /// A frame goes by a channel.
    #[inline]
    pub fn goes(&mut self, channel: u8) {
        self.since[usize::from(channel)] = Time::NEVER;
    }
}

impl Fabric {
    /// A link is dead: both ends see that at once.
    pub(super) fn goes_down(&mut self, link: usize) {
        for port in [2 * link, 2 * link + 1] {
            let of = &mut self.ports[port];
            of.is_active = false;
            *of.end = LinkEnd { state: LinkState::Failed, ..LinkEnd::default() };
            if let Some(lacks) = &mut of.lacks {
                lacks.since.fill(Time::NEVER);
            }
        }
        self.works[link] = false;
    }

    /// A link is alive again, and its ends bring it up: OLS from one at a switch that has just been switched on, NOS from others.
    pub(super) fn comes_up(&mut self, now: Time, link: usize, around: &mut impl FabricHost) {
        let ports = [2 * link as u32, 2 * link as u32 + 1];
        if self.ports[2 * link].rules.ready_words == 0 {
            // A line without primitives needs no sequences.
            self.count_anew(link, around);
            ports.iter().for_each(|&port| self.ports[port as usize].is_active = true);
            self.works_again(now, link, around);
            ports.iter().for_each(|&port| self.plan_if_wanted(now, port, around));
            return;
        }
        for port in ports {
            let until = now + self.times.offline;
            let is_on = match self.ports[port as usize].at {
                FabricEnd::Switch(switch) => self.switches[usize::from(switch)].since == Some(now),
                FabricEnd::Node(_) => false,
            };
            if is_on {
                let end = &mut self.ports[port as usize].end;
                (end.state, end.offline_until) = (LinkState::OfflineSent, until);
                around.schedule(until, FabricEvent::Offline(port), OFFLINE_UNIT + port);
            }
        }
        ports.iter().for_each(|&port| self.begins_to_send(now, port, around));
    }

    /// An end begins to send what its state says.
    fn begins_to_send(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let of = &self.ports[port as usize];
        let (rules, sequence, start) = (of.rules, of.end.state.sends(), of.line.after(&of.rules, now));
        let at = start + rules.words(sequence.heard_after()) + rules.latency;
        let coming = &mut self.ports[port as usize ^ 1].end.coming;
        // A sequence that it sent too few times before is never heard.
        if coming.back().is_some_and(|&(first, _, before)| first + rules.words(before.heard_after()) > start)
        {
            coming.pop_back();
        }
        coming.push_back((start, at, sequence));
        around.schedule(at, FabricEvent::Hears(port ^ 1), UNIT + (port ^ 1));
    }

    /// An end may hear something new.
    pub(super) fn hears(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        while let Some(&(_, at, sequence)) = self.ports[port as usize].end.coming.front()
            && at <= now
        {
            let end = &mut self.ports[port as usize].end;
            end.coming.pop_front();
            end.hears = Some(sequence);
            if end.state != LinkState::OfflineSent || now >= end.offline_until {
                let to = end.state.hears(sequence);
                self.change_state(now, port, to, around);
            }
        }
    }

    /// An end has sent OLS for long enough and answers what it hears.
    pub(super) fn offline(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let end = &self.ports[port as usize].end;
        if end.state == LinkState::OfflineSent
            && end.offline_until == now
            && let Some(sequence) = end.hears
        {
            let to = end.state.hears(sequence);
            self.change_state(now, port, to, around);
        }
    }

    fn change_state(&mut self, now: Time, port: u32, to: LinkState, around: &mut impl FabricHost) {
        let of = &mut self.ports[port as usize];
        let from = std::mem::replace(&mut of.end.state, to);
        if from == to {
            return;
        }
        of.is_active = false;
        let first = of.line.after(&of.rules, now);
        if from.sends() != to.sends() {
            self.begins_to_send(now, port, around);
        }
        if to == LinkState::Active {
            self.becomes_active(now, port, first, around);
        }
    }

    /// An end becomes active, with its first fill word in this slot.
    fn becomes_active(&mut self, now: Time, port: u32, first: Time, around: &mut impl FabricHost) {
        let link = port as usize / 2;
        let is_other = self.ports[port as usize ^ 1].is_active;
        if !is_other {
            self.count_anew(link, around);
        }
        let of = &mut self.ports[port as usize];
        of.is_active = true;
        of.line.begins_anew(&of.rules, first);
        let owed = std::mem::take(&mut of.end.owed);
        owed.into_iter().for_each(|channel| self.send_ready(now, port, channel, around));
        if is_other && !self.works[link] {
            self.works_again(now, link, around);
        }
        self.plan_if_wanted(now, port, around);
    }

    /// A link is a way again.
    fn works_again(&mut self, now: Time, link: usize, around: &mut impl FabricHost) {
        self.works[link] = true;
        self.reroute(now, around);
    }

    /// Both ends count credit anew: it is that of login, less the buffers that are still taken.
    fn count_anew(&mut self, link: usize, around: &mut impl FabricHost) {
        for port in [2 * link as u32, 2 * link as u32 + 1] {
            self.reset(port);
            let of = &mut self.ports[port as usize];
            of.end.owed.clear();
            around.changed(of.place);
            if let Some(lacks) = &mut of.lacks {
                lacks.since.fill(Time::NEVER);
            }
        }
    }

    /// A buffer is free while its port can send no R_RDY.
    #[cold]
    pub(super) fn owes(&mut self, port: u32, channel: u8) {
        self.ports[port as usize].end.owed.push(channel);
    }

    /// A frame has found no credit at a port.
    pub(super) fn lacks_credit(&mut self, now: Time, port: u32, channel: u8, around: &mut impl FabricHost) {
        let (Some(lacks), Some(time_out)) =
            (&mut self.ports[port as usize].lacks, self.times.credit_time_out)
        else {
            return;
        };
        let since = &mut lacks.since[usize::from(channel)];
        *since = (*since).min(now);
        if lacks.looks == Time::NEVER {
            lacks.looks = *since + time_out;
            around.schedule(lacks.looks, FabricEvent::TimeOut(port), UNIT + port);
        }
    }

    /// The channels by which a frame might leave by a port, if there were credit: a bit each, if there are several.
    pub(super) fn lacking(&self, now: Time, port: u32, held: &Held) -> u32 {
        let of = &self.ports[port as usize];
        if of.lacks.is_none() {
            return 0;
        }
        let (lead, ways) = (of.lead as u16, &held.ways);
        let bit = |channel: u8, leads: bool| u32::from(leads && !of.credits.has(now, channel)) << channel;
        let onto = bit(ways.onto, ways.outputs.ports().contains(&lead));
        onto | bit(self.parameters.channels, ways.escape == lead)
    }

    /// A port looks whether it has had no credit for too long. Then it resets its link.
    pub(super) fn time_out(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let of = &mut self.ports[port as usize];
        let (Some(lacks), Some(time_out)) = (&mut of.lacks, self.times.credit_time_out) else { return };
        if lacks.looks != now {
            return;
        }
        lacks.looks = Time::NEVER;
        for (since, credit) in lacks.since.iter_mut().zip(of.credits.all()) {
            if credit.seen(now) > 0 {
                *since = Time::NEVER;
            }
        }
        let Some(&since) = lacks.since.iter().min().filter(|&&since| since < Time::NEVER) else { return };
        if since + time_out > now {
            lacks.looks = since + time_out;
            around.schedule(lacks.looks, FabricEvent::TimeOut(port), UNIT + port);
        } else if of.is_active {
            lacks.since.fill(Time::NEVER);
            self.counts.resets += 1;
            self.change_state(now, port, LinkState::ResetSent, around);
        }
    }
}
