//! Notices to nodes: of congestion at the port of a node, and of damaged frames on its link (`crate::congestion`).
//!
//! Congestion is reported at the end of each period in which the port to a node was congested (`quarantine.rs`), damaged frames of a node when as
//! many as `link_errors` have come in at its switch within `link_error_time`; then they are counted from zero. A node whose link does not work
//! gets no notice.
//!
//! Assumptions: the switch counts the frames that it finds damaged itself, and no damaged R_RDYs; a notice takes no time and no frame. FPIN is
//! one frame of about a hundred bytes to each node, at most once in a period: at 8GFC and 100 ms a millionth of a link.

use super::{Fabric, FabricEvent, FabricHost, NodeEvent};
use crate::congestion::CongestionParameters;
use sansim_kernel::{Span, Time};
use sansim_pdu::{Notice, NoticeKind};
use std::collections::VecDeque;

/// Among the events of one instant damaged frames come in after all other events of their class.
const UNIT: u32 = 4 << 17;

/// The damaged frames that have come in from nodes.
#[derive(Clone, Debug)]
pub struct LinkErrors {
    /// The number of damaged frames that are reported, and the time within which they come in.
    most: usize,
    within: Span,
    /// The times at which the last damaged frames of each node came in.
    nodes: Vec<VecDeque<Time>>,
}

impl LinkErrors {
    /// The counts of as many nodes, if damaged frames are reported.
    pub fn for_nodes(parameters: &CongestionParameters, nodes: usize) -> Option<Box<Self>> {
        let most = parameters.link_errors? as usize;
        let (within, nodes) = (parameters.link_error_time, vec![VecDeque::new(); nodes]);
        Some(Box::new(Self { most, within, nodes }))
    }

    /// Counts a damaged frame of a node. Returns whether it is to be reported with those before it.
    fn are_reported(&mut self, now: Time, node: u16) -> bool {
        let Some(times) = self.nodes.get_mut(usize::from(node)) else { return false };
        times.push_back(now);
        while times.front().is_some_and(|&first| now.saturating_since(first) > self.within) {
            times.pop_front();
        }
        let is_enough = times.len() >= self.most;
        if is_enough {
            times.clear();
        }
        is_enough
    }
}

impl Fabric {
    /// The last word of a frame that is damaged on its way has left a node.
    pub(super) fn damaged_frame_left(
        &mut self,
        now: Time,
        port: u32,
        node: u16,
        around: &mut impl FabricHost,
    ) {
        if self.link_errors.is_some() {
            let at = now + self.ports[port as usize].rules.latency;
            around.schedule(at, FabricEvent::Damaged(node), UNIT + port);
        }
    }

    /// A damaged frame of a node has come in at its switch.
    pub(super) fn damaged_frame_came(&mut self, now: Time, node: u16, around: &mut impl FabricHost) {
        if self.link_errors.as_mut().is_some_and(|errors| errors.are_reported(now, node)) {
            let notice = self.notice(NoticeKind::LinkIntegrity, node);
            (0..self.node_ports.len() as u16).for_each(|to| self.send_notice(now, to, notice, around));
        }
    }

    /// The port to a node was congested in a period that is over.
    pub(super) fn congestion_is_reported(&mut self, now: Time, node: u16, around: &mut impl FabricHost) {
        let CongestionParameters { notify_peers, notify_node, .. } = self.parameters.congestion;
        if notify_peers {
            let notice = self.notice(NoticeKind::PeerCongestion, node);
            let others = (0..self.node_ports.len() as u16).filter(|&other| other != node);
            others.for_each(|to| self.send_notice(now, to, notice, around));
        }
        if notify_node {
            self.send_notice(now, node, self.notice(NoticeKind::Congestion, node), around);
        }
    }

    /// A notice about the port of a node.
    fn notice(&self, kind: NoticeKind, node: u16) -> Notice {
        let period_ms = self.parameters.congestion.period.as_ns_f64() / 1e6;
        Notice { kind, about: self.layout.nodes[usize::from(node)].address, period_ms: period_ms as u32 }
    }

    fn send_notice(&mut self, now: Time, to: u16, notice: Notice, around: &mut impl FabricHost) {
        let link = self.node_ports[usize::from(to)] as usize / 2;
        if self.alive[link] && !self.is_absent[usize::from(to)] {
            self.counts.notices += 1;
            around.upcall(now, to, NodeEvent::Noticed(notice));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_damaged_frames_within_the_time_are_reported_once() {
        let parameters = CongestionParameters {
            link_errors: Some(3),
            link_error_time: Span(10),
            ..CongestionParameters::NONE
        };
        let mut errors = LinkErrors::for_nodes(&parameters, 2).expect("they are counted");
        let mut reported = |at: u64, node: u16| errors.are_reported(Time(at), node);
        assert_eq!([0, 10, 11].map(|at| reported(at, 0)), [false; 3], "the first came too long before");
        assert!(!reported(11, 1), "another node");
        assert!(reported(20, 0), "those at 10, 11 and 20");
        assert_eq!([21, 22].map(|at| reported(at, 0)), [false; 2], "counted from zero");
        assert!(reported(23, 0));
    }
}
