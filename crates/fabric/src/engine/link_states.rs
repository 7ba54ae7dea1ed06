//! The behaviour of the two ends of a link that bring it up and reset it (`sansim_fc::link::state`).
//!
//! The signal that an end sends between frames is determined when it begins, and so is the time at which the other end recognises it: each
//! change is one event, with no event in between. An end that is not active sends no frame and no R_RDY. The ends of a link that comes up,
//! or is reset when an end has had no credit for E_D_TOV, count credit again when the first of the two ends becomes active: then nothing
//! else is on the line, and the credit is the credit at login, less the occupied buffers. R_RDYs for the occupied buffers are sent when the
//! buffers become free, behind the first fill words of their end.
//!
//! Assumptions: a frame that is being sent is completed before LR; frames in buffers stay there (FC-FS lets an end process or discard
//! them); sequences are not lost; a port needs no time to log in again.

use super::buffered_frame::BufferedFrame;
use super::{Fabric, FabricEvent, FabricHost};
use crate::layout::LinkEndDevice;
use sansim_fc::link::{LinkState, PrimitiveSequence};
use sansim_kernel::Time;
use std::collections::VecDeque;

/// Among the events of one instant, sequences that ends recognise and time-outs of ends come after the other
/// events of their class.
const UNIT: u32 = 1 << 17;
/// The end of OLS comes after sequences that are recognised at the same instant.
const OFFLINE_UNIT: u32 = 3 << 17;

/// The state of one end of a link.
#[derive(Clone, Debug, Default)]
pub struct LinkEndState {
    state: LinkState,
    /// The sequences that the other end has begun to send: for each the time of its first word, the time at
    /// which it is recognised, and the sequence.
    coming: VecDeque<(Time, Time, PrimitiveSequence)>,
    /// The sequence that the end has recognised.
    hears: Option<PrimitiveSequence>,
    /// The time until which the end sends OLS, whatever it recognises.
    offline_until: Time,
    /// The buffers that became free while the end could send no R_RDY, by their channels.
    owed: Vec<u8>,
}

/// The times since which a port has had no credit.
#[derive(Clone, Debug)]
pub struct CreditLackTimes {
    /// For each virtual channel, the time since which a frame has found no credit; never if there is credit,
    /// or if no frame has asked for it.
    since: Vec<Time>,
    /// The time at which the port checks whether it has lacked credit for too long; never if no check is
    /// scheduled.
    looks: Time,
}

impl CreditLackTimes {
    /// The state of a port with credit on each of its channels.
    pub fn new(channels: usize) -> Self {
        Self { since: vec![Time::NEVER; channels], looks: Time::NEVER }
    }

    /// A frame is sent on a channel.
    #[inline]
    pub fn frame_sent(&mut self, channel: u8) {
        self.since[usize::from(channel)] = Time::NEVER;
    }
}

impl Fabric {
    /// A link is dead: both ends notice that at once.
    pub(super) fn goes_down(&mut self, link: usize) {
        for port in [2 * link, 2 * link + 1] {
            let of = &mut self.ports[port];
            of.is_active = false;
            *of.end = LinkEndState { state: LinkState::Failed, ..LinkEndState::default() };
            if let Some(lacks) = &mut of.lacks {
                lacks.since.fill(Time::NEVER);
            }
        }
        self.works[link] = false;
    }

    /// A link is alive again, and its ends bring it up: an end at a switch that has just been switched on sends OLS, other ends
    /// send NOS.
    pub(super) fn comes_up(&mut self, now: Time, link: usize, around: &mut impl FabricHost) {
        let ports = [2 * link as u32, 2 * link as u32 + 1];
        if self.ports[2 * link].rules.ready_words == 0 {
            // The ends of a line without primitives need no sequences.
            self.count_anew(link, around);
            ports.iter().for_each(|&port| self.ports[port as usize].is_active = true);
            self.works_again(now, link, around);
            ports.iter().for_each(|&port| self.plan_if_wanted(now, port, around));
            return;
        }
        for port in ports {
            let until = now + self.times.offline;
            let is_on = match self.ports[port as usize].at {
                LinkEndDevice::Switch(switch) => self.switches[usize::from(switch)].since == Some(now),
                LinkEndDevice::Node(_) => false,
            };
            if is_on {
                let end = &mut self.ports[port as usize].end;
                (end.state, end.offline_until) = (LinkState::OfflineSent, until);
                around.schedule(until, FabricEvent::Offline(port), OFFLINE_UNIT + port);
            }
        }
        ports.iter().for_each(|&port| self.begins_to_send(now, port, around));
    }

    /// An end begins to send the sequence of its state.
    fn begins_to_send(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let of = &self.ports[port as usize];
        let (rules, sequence, start) =
            (of.rules, of.end.state.sent_sequence(), of.line.first_free_slot(&of.rules, now));
        let at = start + rules.time_of_words(sequence.recognition_word_count()) + rules.latency;
        let coming = &mut self.ports[port as usize ^ 1].end.coming;
        // A sequence of which the end sent too few words before this one is never recognised.
        if coming.back().is_some_and(|&(first, _, before)| {
            first + rules.time_of_words(before.recognition_word_count()) > start
        }) {
            coming.pop_back();
        }
        coming.push_back((start, at, sequence));
        around.schedule(at, FabricEvent::Hears(port ^ 1), UNIT + (port ^ 1));
    }

    /// An end may recognise a new sequence.
    pub(super) fn hears(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        while let Some(&(_, at, sequence)) = self.ports[port as usize].end.coming.front()
            && at <= now
        {
            let end = &mut self.ports[port as usize].end;
            end.coming.pop_front();
            end.hears = Some(sequence);
            if end.state != LinkState::OfflineSent || now >= end.offline_until {
                let to = end.state.state_after_hearing(sequence);
                self.change_state(now, port, to, around);
            }
        }
    }

    /// An end has sent OLS for long enough and answers the sequence that it has recognised.
    pub(super) fn offline(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let end = &self.ports[port as usize].end;
        if end.state == LinkState::OfflineSent
            && end.offline_until == now
            && let Some(sequence) = end.hears
        {
            let to = end.state.state_after_hearing(sequence);
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
        let first = of.line.first_free_slot(&of.rules, now);
        if from.sent_sequence() != to.sent_sequence() {
            self.begins_to_send(now, port, around);
        }
        if to == LinkState::Active {
            self.becomes_active(now, port, first, around);
        }
    }

    /// An end becomes active and sends its first fill word in this slot.
    fn becomes_active(&mut self, now: Time, port: u32, first: Time, around: &mut impl FabricHost) {
        let link = port as usize / 2;
        let is_other = self.ports[port as usize ^ 1].is_active;
        if !is_other {
            self.count_anew(link, around);
        }
        let of = &mut self.ports[port as usize];
        of.is_active = true;
        of.line.restart_link(&of.rules, first);
        let owed = std::mem::take(&mut of.end.owed);
        owed.into_iter().for_each(|channel| self.send_ready(now, port, channel, around));
        if is_other && !self.works[link] {
            self.works_again(now, link, around);
        }
        self.plan_if_wanted(now, port, around);
    }

    /// A link can be used by paths again.
    fn works_again(&mut self, now: Time, link: usize, around: &mut impl FabricHost) {
        self.works[link] = true;
        self.reroute(now, around);
    }

    /// Both ends count credit again: it is the credit at login, less the buffers that are still occupied.
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

    /// A buffer becomes free while its port can send no R_RDY.
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

    /// The channels by which a frame might leave by a port if there were credit, one bit for each channel.
    pub(super) fn lacking(&self, now: Time, port: u32, held: &BufferedFrame) -> u32 {
        let of = &self.ports[port as usize];
        if of.lacks.is_none() {
            return 0;
        }
        let (lead, ways) = (of.lead as u16, &held.ways);
        let bit =
            |channel: u8, leads: bool| u32::from(leads && !of.credits.has_credit(now, channel)) << channel;
        let onto = bit(ways.onto, ways.outputs.ports().contains(&lead));
        onto | bit(self.parameters.channels, ways.escape == lead)
    }

    /// A port checks whether it has had no credit for too long. A port without credit for too long resets its
    /// link.
    pub(super) fn time_out(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let of = &mut self.ports[port as usize];
        let (Some(lacks), Some(time_out)) = (&mut of.lacks, self.times.credit_time_out) else { return };
        if lacks.looks != now {
            return;
        }
        lacks.looks = Time::NEVER;
        for (since, credit) in lacks.since.iter_mut().zip(of.credits.credit_by_channel()) {
            if credit.credit_at(now) > 0 {
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
