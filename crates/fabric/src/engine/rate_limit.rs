//! Nodes that send no faster than they may: for an ingress limit of their switch, or because a congestion notice names the node to which they send; and
//! nodes that ask for no more than they may, because congestion signals say that they withhold credit (`crate::congestion`).
//!
//! A frame begins when the payload of the one before it has passed at the rate; one that asks for data when what the one before asked for has. One that
//! may not go yet keeps no other back that may.

use super::Fabric;
use crate::congestion::CongestionParameters;
use crate::layout::NodePlan;
use sansim_kernel::{Span, TICKS_PER_NS, Time};
use std::collections::HashMap;

/// How long so many bytes take at a rate.
pub fn takes(bytes: u32, rate: u64) -> Span {
    Span((u64::from(bytes) * (TICKS_PER_NS * 1_000_000_000)).div_ceil(rate))
}

/// The pace of a node.
#[derive(Clone, Copy, Debug)]
struct Pace {
    limit: Option<u64>,
    /// When it may begin the next frame; and the next that asks for data, while it keeps to a signal.
    next: Time,
    next_asking: Time,
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Paces {
    nodes: Vec<Pace>,
    /// The rate to a node that a notice names, and the rate of data that a node asks for after signals.
    notice_rate: Option<u64>,
    signal_rate: Option<u64>,
    /// From a node to another one: when it may begin the next frame.
    pairs: HashMap<(u16, u16), Time>,
}

impl Paces {
    /// The nodes, if any is limited or may be notified to limit itself.
    pub fn of(nodes: &[NodePlan], congestion: &CongestionParameters) -> Option<Box<Self>> {
        let is_any = congestion.tells() || nodes.iter().any(|node| node.limit.is_some());
        let CongestionParameters { notice_rate, signal_rate, .. } = *congestion;
        let pace = |node: &NodePlan| Pace { limit: node.limit, next: Time::ZERO, next_asking: Time::ZERO };
        let nodes = nodes.iter().map(pace).collect();
        is_any.then(|| Box::new(Self { nodes, notice_rate, signal_rate, pairs: HashMap::new() }))
    }
}

impl Fabric {
    /// When a node may begin a frame at the earliest.
    pub(super) fn may_begin_at(&self, now: Time, node: u16, held: u32) -> Time {
        let Some(paces) = &self.paces else { return now };
        let told_until =
            |node: u16| self.looks.as_ref().map_or(Time::ZERO, |looks| looks.notified_until(node));
        let at = &self.held[held];
        let own = paces.nodes.get(usize::from(node)).map_or(now, |of| {
            let asks = at.frame.asks_for_bytes() > 0;
            if asks { of.next.max(of.next_asking.min(told_until(node))) } else { of.next }
        });
        let pair = paces.pairs.get(&(node, at.to)).map_or(now, |&next| next.min(told_until(at.to)));
        now.max(own).max(pair)
    }

    /// It begins one.
    pub(super) fn has_begun(&mut self, now: Time, node: u16, held: u32) {
        let Some(paces) = &mut self.paces else { return };
        let at = &self.held[held];
        let is_told = |node: u16| self.looks.as_ref().is_some_and(|looks| now < looks.notified_until(node));
        let asks_for = at.frame.asks_for_bytes();
        if let Some(pace) = paces.nodes.get_mut(usize::from(node)) {
            if let Some(rate) = pace.limit {
                pace.next = now + takes(at.frame.payload_bytes, rate);
            }
            if let Some(rate) = paces.signal_rate
                && asks_for > 0
                && is_told(node)
            {
                pace.next_asking = now + takes(asks_for, rate);
            }
        }
        if let Some(rate) = paces.notice_rate
            && is_told(at.to)
        {
            paces.pairs.insert((node, at.to), now + takes(at.frame.payload_bytes, rate));
        }
    }
}
