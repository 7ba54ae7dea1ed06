//! A port: one end of a link, with its transmitter and its buffers.

use super::buffered_frame::NONE;
use super::link_states::{Lacks, LinkEnd};
use super::losses::EndLosses;
use crate::layout::FabricEnd;
use crate::switch::{Arbiter, ArbiterName};
use sansim_fc::link::{BusyTransmitter, LinkCredit, LinkRules};
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// The use of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortUse {
    /// Frames that it sent.
    pub frames: u64,
    /// Time in which it sent frames, those that are being sent counted whole.
    pub sending: Span,
    /// Time in which it had a frame to send, and no credit.
    pub stalled: Span,
    /// Since when it has been in that state.
    pub stalled_since: Option<Time>,
}

/// Credit by virtual channel. Most ports have one channel, whose credit is at hand.
#[derive(Clone, Debug)]
pub struct Credits {
    first: LinkCredit,
    more: Vec<LinkCredit>,
}

impl Credits {
    /// Credit for as many frames by each channel. There is at least one.
    pub fn login(buffers: &[u32]) -> Self {
        let mut credits = buffers.iter().map(|&buffers| LinkCredit::login(buffers));
        let first = credits.next().unwrap_or_else(|| LinkCredit::login(0));
        Self { first, more: credits.collect() }
    }

    /// That of a channel.
    #[inline]
    pub fn of(&mut self, channel: u8) -> &mut LinkCredit {
        if channel == 0 { &mut self.first } else { &mut self.more[usize::from(channel) - 1] }
    }

    /// Whether there is any by a channel.
    #[inline]
    pub fn has(&self, now: Time, channel: u8) -> bool {
        let credit = if channel == 0 { &self.first } else { &self.more[usize::from(channel) - 1] };
        credit.seen(now) > 0
    }

    /// That of each channel.
    pub fn all(&self) -> impl Iterator<Item = &LinkCredit> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// R_RDYs that are in by now count.
    pub fn settle(&mut self, now: Time) {
        self.first.available(now);
        self.more.iter_mut().for_each(|credit| {
            credit.available(now);
        });
    }

    /// Whether there is more than one channel.
    #[inline]
    pub fn are_several(&self) -> bool {
        !self.more.is_empty()
    }

    /// When the next R_RDY in flight will be in, whatever its channel. Those that are in have been settled.
    #[inline]
    pub fn next(&self) -> Option<Time> {
        if self.more.is_empty() {
            return self.first.next();
        }
        self.all().filter_map(LinkCredit::next).min()
    }
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Port {
    pub at: FabricEnd,
    /// Its number at its switch, that of the first link of its trunk.
    pub local: u16,
    /// The lead port of its trunk, at this end; itself if it is in none. The lead port has the frames that wait to leave by the trunk, and those that
    /// came by it.
    pub lead: u32,
    /// All ports of the trunk that it leads, itself the first; none if it leads none.
    pub members: Vec<u32>,
    /// Its number among the places that are seen.
    pub place: u16,
    pub rules: LinkRules,
    /// Whether frames and R_RDYs may go: its link is up.
    pub is_active: bool,
    pub end: Box<LinkEnd>,
    /// Since when it has had no credit, if it resets its link for want of it.
    pub lacks: Option<Box<Lacks>>,
    /// The transmitter.
    pub line: BusyTransmitter,
    pub credits: Credits,
    /// The losses of its link, if it may have any.
    pub losses: Option<Box<EndLosses>>,
    /// The frame that is being sent.
    pub sending: u32,
    /// The one that has been stopped for it.
    pub stopped: u32,
    /// The virtual channel of the buffers for control messages at the other end, if there are any.
    pub control_channel: Option<u8>,
    /// The frame that is the first here and has no credit, if there is one.
    pub without_credit: u32,
    /// Frames that want to leave here; of a node in their order.
    pub requests: VecDeque<u32>,
    /// When it next looks whether it may send; never if that is not planned.
    pub wake: Time,
    pub arbiter: Arbiter,
    /// Buffers: how many are taken, frames in them that have not begun to leave, in the order in which they came, and how many leave.
    pub occupied: u32,
    pub waiting: VecDeque<u32>,
    pub leaving: u32,
    /// When it next looks whether a frame has waited in its buffers for too long; never if that is not planned.
    pub expires: Time,
    pub usage: PortUse,
}

impl Port {
    pub fn new(
        at: FabricEnd,
        local: u16,
        lead: u32,
        rules: LinkRules,
        buffers: &[u32],
        arbiter: ArbiterName,
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
            credits: Credits::login(buffers),
            losses: None,
            sending: NONE,
            stopped: NONE,
            control_channel: None,
            without_credit: NONE,
            requests: VecDeque::with_capacity(16),
            wake: Time::NEVER,
            arbiter: arbiter.arbiter(),
            occupied: 0,
            waiting: VecDeque::with_capacity(16),
            leaving: 0,
            expires: Time::NEVER,
            usage: PortUse::default(),
        }
    }

    /// How long it has sent frames.
    pub fn sent_for(&self, now: Time) -> Span {
        self.usage.sending - self.line.left_to_send(now)
    }

    /// How long it has had a frame to send and no credit.
    pub fn stalled_for(&self, now: Time) -> Span {
        let goes_on = self.usage.stalled_since.map_or(Span::ZERO, |since| now.saturating_since(since));
        self.usage.stalled + goes_on
    }
}
