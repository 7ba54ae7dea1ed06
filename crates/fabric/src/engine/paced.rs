//! Nodes that send no faster than they may: for an ingress limit of their switch, or because a congestion notice names the node to which they send
//! (`crate::congestion`).
//!
//! A frame begins when the payload of the one before it has passed at the rate. One that may not go yet keeps no other back that goes to another node.

use super::Fabric;
use crate::layout::NodePlan;
use sansim_kernel::{Span, TICKS_PER_NS, Time};
use std::collections::HashMap;

/// How long so many bytes take at a rate.
pub fn takes(bytes: u32, rate: u64) -> Span {
    Span((u64::from(bytes) * (TICKS_PER_NS * 1_000_000_000)).div_ceil(rate))
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Paces {
    /// By node: its limit, and when it may begin the next frame.
    nodes: Vec<(Option<u64>, Time)>,
    /// What is sent to a node of which a notice tells.
    notice_rate: Option<u64>,
    /// From a node to another one: when it may begin the next frame.
    pairs: HashMap<(u16, u16), Time>,
}

impl Paces {
    /// Nodes of which any is limited, or may be told to be.
    pub fn of(nodes: &[NodePlan], notice_rate: Option<u64>) -> Option<Box<Self>> {
        let is_any = notice_rate.is_some() || nodes.iter().any(|node| node.limit.is_some());
        let limits = nodes.iter().map(|node| (node.limit, Time::ZERO)).collect();
        is_any.then(|| Box::new(Self { nodes: limits, notice_rate, pairs: HashMap::new() }))
    }
}

impl Fabric {
    /// When a node may begin a frame at the earliest.
    pub(super) fn may_begin_at(&self, now: Time, node: u16, held: u32) -> Time {
        let Some(paces) = &self.paces else { return now };
        let own = paces.nodes.get(usize::from(node)).map_or(now, |of| of.1);
        let to = self.held[held].to;
        let told_until = self.looks.as_ref().map_or(Time::ZERO, |looks| looks.told_until(to));
        let pair = paces.pairs.get(&(node, to)).map_or(now, |&at| at.min(told_until));
        now.max(own).max(pair)
    }

    /// It begins one.
    pub(super) fn has_begun(&mut self, now: Time, node: u16, held: u32) {
        let Some(paces) = &mut self.paces else { return };
        let at = &self.held[held];
        if let Some((Some(rate), next)) = paces.nodes.get_mut(usize::from(node)) {
            *next = now + takes(at.frame.payload_bytes, *rate);
        }
        if let Some(rate) = paces.notice_rate
            && self.looks.as_ref().is_some_and(|looks| now < looks.told_until(at.to))
        {
            paces.pairs.insert((node, at.to), now + takes(at.frame.payload_bytes, rate));
        }
    }
}
