//! A port is one end of a link, with its transmitter and its buffers.

use super::buffered_frame::NONE;
use super::input_queue::InputQueue;
use super::link_states::{CreditLackTimes, LinkEndState};
use super::losses::EndLosses;
use super::output_requests::OutputRequests;
use crate::layout::LinkEndDevice;
use crate::switch::{Arbiter, ArbiterName};
use sansim_fc::link::{BusyTransmitter, LinkCredit, LinkRules};
use sansim_kernel::{Span, Time};
use sansim_rules::RuleName;
use std::collections::VecDeque;

/// The use of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortUse {
    /// The number of frames that the port sent.
    pub frames: u64,
    /// The time in which the port sent frames, including the whole duration of a frame that is being sent.
    pub sending: Span,
    /// The time in which the port had a frame to send, and no credit.
    pub stalled: Span,
    /// The time since which the port has had a frame and no credit, if it is in that state.
    pub stalled_since: Option<Time>,
    /// The use under earlier rules of the link.
    pub earlier: EarlierRules,
}

/// The use of a port under earlier rules of its link, as far as it depends on the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EarlierRules {
    /// The number of frames that began under earlier rules.
    frames: u64,
    /// The time for which these frames were on the cable.
    on_cables: Span,
    /// The time of the gaps behind these frames.
    gaps: Span,
}

impl EarlierRules {
    /// The use up to now, when the rules are about to change.
    pub fn until_now(usage: &PortUse, rules: &LinkRules) -> Self {
        Self { frames: usage.frames, on_cables: usage.time_on_cables(rules), gaps: usage.time_of_gaps(rules) }
    }
}

impl PortUse {
    /// The time for which the frames of the port were on the cable, each from one end to the other.
    pub fn time_on_cables(&self, rules: &LinkRules) -> Span {
        self.earlier.on_cables + rules.latency * (self.frames - self.earlier.frames)
    }

    /// The time of the gaps behind the frames of the port.
    pub fn time_of_gaps(&self, rules: &LinkRules) -> Span {
        self.earlier.gaps + rules.time_of_words(rules.gap_words) * (self.frames - self.earlier.frames)
    }
}

/// The credit of a port by virtual channel. Most ports have one channel, whose credit is stored without a
/// vector.
#[derive(Clone, Debug)]
pub struct PortCredit {
    first: LinkCredit,
    more: Vec<LinkCredit>,
}

impl PortCredit {
    /// Credit at login for the given number of buffers of each channel. There is at least one channel.
    pub fn at_login(buffers: &[u32]) -> Self {
        let mut credits = buffers.iter().map(|&buffers| LinkCredit::at_buffer_count(buffers));
        let first = credits.next().unwrap_or_else(|| LinkCredit::at_buffer_count(0));
        Self { first, more: credits.collect() }
    }

    /// The credit of a channel.
    #[inline]
    pub fn channel_credit(&mut self, channel: u8) -> &mut LinkCredit {
        if channel == 0 { &mut self.first } else { &mut self.more[usize::from(channel) - 1] }
    }

    /// Whether a channel has credit.
    #[inline]
    pub fn has_credit(&self, now: Time, channel: u8) -> bool {
        let credit = if channel == 0 { &self.first } else { &self.more[usize::from(channel) - 1] };
        credit.credit_at(now) > 0
    }

    /// The credit of each channel.
    pub fn credit_by_channel(&self) -> impl Iterator<Item = &LinkCredit> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// Applies the R_RDYs that have arrived by now.
    pub fn apply_arrived_readies(&mut self, now: Time) {
        self.first.available_credit(now);
        self.more.iter_mut().for_each(|credit| {
            credit.available_credit(now);
        });
    }

    /// Whether the port has more than one channel.
    #[inline]
    pub fn has_several_channels(&self) -> bool {
        !self.more.is_empty()
    }

    /// The arrival time of the next R_RDY in flight, on any channel. R_RDYs that have arrived must have been
    /// settled before.
    #[inline]
    pub fn next_ready_arrival(&self) -> Option<Time> {
        if self.more.is_empty() {
            return self.first.next_ready_arrival();
        }
        self.credit_by_channel().filter_map(LinkCredit::next_ready_arrival).min()
    }
}

/// A port of a fabric.
#[derive(Clone, Debug)]
pub struct FabricPort {
    pub at: LinkEndDevice,
    /// The number of the port at its switch; for a trunk, the number of the port of its first link.
    pub local: u16,
    /// The lead port of the port's trunk, at this end; the port itself if it is in no trunk. The lead port has the frames that wait to
    /// leave by the trunk, and the frames that arrived by it.
    pub lead: u32,
    /// All ports of the trunk that this port leads, beginning with itself; none if it leads no trunk.
    pub members: Vec<u32>,
    /// The number of the port among the places that observers see.
    pub place: u16,
    pub rules: LinkRules,
    /// Whether frames and R_RDYs may be sent, because the link is up.
    pub is_active: bool,
    pub end: Box<LinkEndState>,
    /// The times since which the port has had no credit, if it resets its link for lack of credit.
    pub lacks: Option<Box<CreditLackTimes>>,
    /// The transmitter of the port.
    pub line: BusyTransmitter,
    pub credits: PortCredit,
    /// The losses of the port's link, if it may have losses.
    pub losses: Option<Box<EndLosses>>,
    /// The frame that is being sent.
    pub sending: u32,
    /// The frame that has been stopped for the frame that is being sent.
    pub stopped: u32,
    /// The virtual channel of the buffers for control messages at the other end, if there are any.
    pub control_channel: Option<u8>,
    /// The first frame at this output that has no credit, if there is one.
    pub without_credit: u32,
    /// At a node: the frames that it has to send, in their order.
    pub queue: VecDeque<u32>,
    /// At a switch: the frames that wait to leave by this port.
    pub requests: OutputRequests,
    /// The time at which the port next tries to send; never if no attempt is scheduled.
    pub wake: Time,
    pub arbiter: Arbiter,
    /// The buffers of the port: the number of occupied buffers, the frames in them that have not begun to leave, in the order in
    /// which they came, and the number of frames that are leaving.
    pub occupied: u32,
    pub waiting: InputQueue,
    pub leaving: u32,
    /// On the fast path: the times at which frames will have left the buffers, in order, and the first of them; the number of frames that wait for this output of
    /// a switch; and whether the port has found no credit since it last sent a frame.
    pub departures: VecDeque<Time>,
    pub next_departure: Time,
    pub in_lanes: u32,
    pub waits_for_credit: bool,
    /// The time at which the port next checks whether a frame has waited in its buffers for too long; never if
    /// no check is scheduled.
    pub expires: Time,
    pub usage: PortUse,
}

impl FabricPort {
    pub fn new(
        at: LinkEndDevice,
        local: u16,
        lead: u32,
        rules: LinkRules,
        buffers: &[u32],
        arbiter: &RuleName<ArbiterName>,
    ) -> Self {
        Self {
            at,
            local,
            lead,
            members: Vec::new(),
            place: 0,
            rules,
            is_active: true,
            end: Box::default(),
            lacks: None,
            line: BusyTransmitter::default(),
            credits: PortCredit::at_login(buffers),
            losses: None,
            sending: NONE,
            stopped: NONE,
            control_channel: None,
            without_credit: NONE,
            queue: VecDeque::new(),
            requests: OutputRequests::default(),
            wake: Time::NEVER,
            arbiter: Arbiter::of_rule(arbiter),
            occupied: 0,
            waiting: InputQueue::new(1),
            leaving: 0,
            departures: VecDeque::new(),
            next_departure: Time::NEVER,
            in_lanes: 0,
            waits_for_credit: false,
            expires: Time::NEVER,
            usage: PortUse::default(),
        }
    }

    /// Whether frames wait to leave by the port, or by the trunk that it leads.
    #[inline]
    pub fn has_frames_to_send(&self) -> bool {
        !self.queue.is_empty() || !self.requests.is_empty() || self.in_lanes > 0
    }

    /// The time for which the port has sent frames.
    pub fn sending_time(&self, now: Time) -> Span {
        self.usage.sending - self.line.remaining_send_time(now)
    }

    /// The time for which the port has had a frame to send and no credit.
    pub fn stalled_time(&self, now: Time) -> Span {
        let goes_on = self.usage.stalled_since.map_or(Span::ZERO, |since| now.saturating_since(since));
        self.usage.stalled + goes_on
    }
}
