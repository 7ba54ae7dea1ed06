//! Nodes that send at a limited rate: because of an ingress limit of their switch, or because a congestion notice names the node to which
//! they send; and nodes that ask for data at a limited rate, because congestion signals say that they withhold credit
//! (`crate::congestion`).
//!
//! A frame may begin when the payload of the frame before it has passed at the limited rate; a frame that asks for data may begin when the
//! data that were requested before have passed at that rate. A frame that may not be sent yet holds up no other frame that may be sent.

use super::Fabric;
use crate::congestion::CongestionParameters;
use crate::layout::NodePlan;
use sansim_kernel::{Span, TICKS_PER_NS, Time};
use std::collections::HashMap;

/// The time of this number of bytes at a rate.
pub fn transfer_time(bytes: u32, rate: u64) -> Span {
    Span((u64::from(bytes) * (TICKS_PER_NS * 1_000_000_000)).div_ceil(rate))
}

/// The rate limit of a node, and its state.
#[derive(Clone, Copy, Debug)]
struct Pace {
    limit: Option<u64>,
    /// The time at which the node may begin the next frame; and the time at which it may begin the next frame
    /// that asks for data, while it obeys a signal.
    next: Time,
    next_asking: Time,
}

/// The rate limits of all nodes.
#[derive(Clone, Debug)]
pub struct NodeRateLimits {
    nodes: Vec<Pace>,
    /// The rate to a node that a notice names, and the rate at which a node asks for data after signals.
    notice_rate: Option<u64>,
    signal_rate: Option<u64>,
    /// For a node and a destination node: the time at which the first may begin the next frame to the second.
    pairs: HashMap<(u16, u16), Time>,
}

impl NodeRateLimits {
    /// The state of the nodes, if any node is limited or may be notified to limit itself.
    pub fn for_limited_nodes(nodes: &[NodePlan], congestion: &CongestionParameters) -> Option<Box<Self>> {
        let is_any = congestion.notifies_nodes() || nodes.iter().any(|node| node.limit.is_some());
        let CongestionParameters { notice_rate, signal_rate, .. } = *congestion;
        let pace = |node: &NodePlan| Pace { limit: node.limit, next: Time::ZERO, next_asking: Time::ZERO };
        let nodes = nodes.iter().map(pace).collect();
        is_any.then(|| Box::new(Self { nodes, notice_rate, signal_rate, pairs: HashMap::new() }))
    }
}

impl Fabric {
    /// The earliest time at which a node may begin a frame.
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

    /// A node begins a frame.
    pub(super) fn has_begun(&mut self, now: Time, node: u16, held: u32) {
        let Some(paces) = &mut self.paces else { return };
        let at = &self.held[held];
        let is_told = |node: u16| self.looks.as_ref().is_some_and(|looks| now < looks.notified_until(node));
        let asks_for = at.frame.asks_for_bytes();
        if let Some(pace) = paces.nodes.get_mut(usize::from(node)) {
            if let Some(rate) = pace.limit {
                pace.next = now + transfer_time(at.frame.payload_bytes, rate);
            }
            if let Some(rate) = paces.signal_rate
                && asks_for > 0
                && is_told(node)
            {
                pace.next_asking = now + transfer_time(asks_for, rate);
            }
        }
        if let Some(rate) = paces.notice_rate
            && is_told(at.to)
        {
            paces.pairs.insert((node, at.to), now + transfer_time(at.frame.payload_bytes, rate));
        }
    }
}
