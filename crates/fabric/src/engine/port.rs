//! A port: one end of a link, with its transmitter and its buffers.

use super::held::NONE;
use crate::layout::At;
use crate::switch::{Arbiter, ArbiterName};
use sansim_fc::link::{Line, LinkCredit, LinkRules};
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// What a port did.
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

/// See the module text.
#[derive(Clone, Debug)]
pub struct Port {
    pub at: At,
    /// Its number at its switch.
    pub local: u16,
    /// Its number among the places that are seen.
    pub place: u16,
    pub rules: LinkRules,
    /// The transmitter.
    pub line: Line,
    pub credit: LinkCredit,
    /// The frame that is being sent.
    pub sending: u32,
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
    pub usage: PortUse,
}

impl Port {
    pub fn new(at: At, local: u16, rules: LinkRules, credit: u32, arbiter: ArbiterName) -> Self {
        Self {
            at,
            local,
            place: 0,
            rules,
            line: Line::default(),
            credit: LinkCredit::login(credit),
            sending: NONE,
            without_credit: NONE,
            requests: VecDeque::with_capacity(16),
            wake: Time::NEVER,
            arbiter: arbiter.arbiter(),
            occupied: 0,
            waiting: VecDeque::with_capacity(16),
            leaving: 0,
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

    /// It has a frame to send and no credit, from now on or no more.
    pub fn stalls(&mut self, now: Time, stalls: bool) {
        if stalls {
            self.usage.stalled_since.get_or_insert(now);
        } else if let Some(since) = self.usage.stalled_since.take() {
            self.usage.stalled += now - since;
        }
    }
}
