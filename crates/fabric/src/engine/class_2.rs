//! Class 2 (`crate::class_2`): ACKs, end-to-end credit, F_BSY and F_RJT.
//!
//! Link control goes before all other frames that a node has to send, and needs no end-to-end credit. Among the other frames, the first
//! frame with credit at its destination is sent, so frames to one node keep their order. The port itself handles an ACK when its last word
//! has arrived, and the buffer of the ACK is free then.
//!
//! A node looks for missing answers only when a frame waits for an answer: answers that are overdue by then are counted as lost first.

use super::buffered_frame::BufferedFrame;
use super::{Fabric, FabricEvent, FabricHost, FrameWait, NodeEvent};
use crate::class_2::Class2Parameters;
use crate::layout::{FabricLayout, LinkEndDevice};
use sansim_fc::frame::{Frame, LinkControl, PduKind};
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// A frame that has no answer yet: the time at which its first word left, its destination node, and the
/// frame.
type Unanswered = (Time, u16, Frame);

/// The state of class 2 at one node, for all nodes to which it sends.
#[derive(Clone, Debug, Default)]
struct Node {
    /// The node's frames that have no answer, in their order.
    unanswered: VecDeque<Unanswered>,
    /// The number of frames without an answer, by destination node.
    by_node: Vec<u32>,
    /// The frames in the node's buffers, in the order in which they came.
    to_empty: VecDeque<Frame>,
    /// The time at which the node looks for missing answers; never if no frame waits for an answer.
    looks: Time,
}

impl Node {
    fn count(&self, to: u16) -> u32 {
        self.by_node.get(usize::from(to)).copied().unwrap_or(0)
    }

    fn count_mut(&mut self, to: u16) -> &mut u32 {
        if self.by_node.len() <= usize::from(to) {
            self.by_node.resize(usize::from(to) + 1, 0);
        }
        &mut self.by_node[usize::from(to)]
    }

    /// Frames that began before this time are no longer expected to be answered.
    fn gives_up(&mut self, before: Time) -> u64 {
        let mut count = 0;
        while let Some(&(_, to, _)) = self.unanswered.front().filter(|(begun, _, _)| *begun <= before) {
            self.unanswered.pop_front();
            *self.count_mut(to) -= 1;
            count += 1;
        }
        count
    }

    /// The time at which the first unanswered frame to a node began.
    fn first_to(&self, node: u16) -> Option<Time> {
        self.unanswered.iter().find(|(_, to, _)| *to == node).map(|(begun, _, _)| *begun)
    }
}

/// Counts of class 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class2Counts {
    /// The number of ACKs that nodes made.
    pub acknowledged: u64,
    /// The number of F_BSYs and F_RJTs that switches made.
    pub refused: u64,
    /// The number of frames for which no answer was made, because they were lost.
    pub without_answer: u64,
    /// The number of answers that were lost.
    pub answers_lost: u64,
    /// The number of frames whose answer did not come in time.
    pub overdue: u64,
    /// The number of answers that came too late.
    pub late: u64,
}

/// The state of class 2 in a fabric.
#[derive(Clone, Debug)]
pub struct Class2State {
    /// The end-to-end credit towards each node.
    credit: Vec<u32>,
    answer_time: Span,
    nodes: Vec<Node>,
    /// The controller of each switch.
    controllers: Vec<u16>,
    /// The number of nodes that are not controllers of switches.
    first_controller: u16,
    counts: Class2Counts,
}

impl Class2State {
    fn gives_up(&mut self, now: Time, node: u16) {
        let before = now.ticks().checked_sub(self.answer_time.ticks());
        let of = &mut self.nodes[usize::from(node)];
        self.counts.overdue += before.map_or(0, |before| of.gives_up(Time(before)));
    }

    /// Whether a frame may be sent to a node with the end-to-end credit there.
    fn has_credit(&self, node: u16, to: u16) -> bool {
        self.nodes[usize::from(node)].count(to) < self.credit[usize::from(to)]
    }
}

impl Fabric {
    /// Makes the nodes of the fabric send in class 2. Losses on the links are drawn by the same streams as in a
    /// new fabric.
    #[must_use]
    pub fn with_class_2(self, parameters: &Class2Parameters) -> Self {
        let (nodes, links) = (self.layout.nodes.len(), self.layout.links.len());
        let layout = self.layout.with_controllers();
        let controllers = |layout: &FabricLayout| {
            let of = |switch| layout.controller_of_switch(switch).unwrap_or_default();
            (0..layout.switches.len() as u16).map(of).collect()
        };
        let class_2 = Class2State {
            credit: layout
                .nodes
                .iter()
                .map(|node| match parameters.end_to_end_credit {
                    0 => node.buffers,
                    credit => credit,
                })
                .collect(),
            answer_time: parameters.answer_time,
            nodes: vec![Node { looks: Time::NEVER, ..Node::default() }; nodes],
            controllers: controllers(&layout),
            first_controller: nodes as u16,
            counts: Class2Counts::default(),
        };
        let mut fabric = Self::new(layout, &self.parameters, self.routing).with_times(self.times);
        fabric.shows_nodes(nodes, links);
        (fabric.class_2, fabric.may_fail) = (Some(Box::new(class_2)), self.may_fail);
        fabric.choose_path()
    }

    /// The counts of class 2.
    pub fn class_2_counts(&self) -> Class2Counts {
        self.class_2.as_ref().map_or_else(Class2Counts::default, |class_2| class_2.counts)
    }

    /// The end-to-end credit that has not come back.
    pub fn end_to_end_missing(&self) -> u64 {
        let nodes = self.class_2.iter().flat_map(|class_2| &class_2.nodes);
        nodes.map(|node| node.unanswered.len() as u64).sum()
    }

    /// The end-to-end credit of frames whose answers were lost or never made, and that are not overdue yet.
    pub fn end_to_end_lost(&self) -> u64 {
        let of = self.class_2_counts();
        (of.without_answer + of.answers_lost + of.late).saturating_sub(of.overdue)
    }

    /// Whether a node is the controller of a switch.
    #[inline]
    pub(super) fn is_controller(&self, node: u16) -> bool {
        self.class_2.as_ref().is_some_and(|class_2| node >= class_2.first_controller)
    }

    /// Puts a frame that is handed over into its place in the queue of its node.
    pub(super) fn queue(&mut self, port: u32, held: u32) {
        let class_2 = self.class_2.is_some();
        let frame = &mut self.held[held].frame;
        frame.class_2 = class_2 && frame.kind != PduKind::Ip;
        let queue = &self.ports[port as usize].queue;
        let place = if class_2 && self.held[held].frame.is_link_control() {
            queue.iter().position(|&other| !self.held[other].frame.is_link_control())
        } else {
            None
        };
        let queue = &mut self.ports[port as usize].queue;
        queue.insert(place.unwrap_or(queue.len()), held);
    }

    /// The first frame that a node may send as far as class 2 is concerned.
    pub(super) fn next_in_class_2(&mut self, now: Time, port: u32, node: u16) -> Option<u32> {
        let Some(class_2) = &mut self.class_2 else {
            return self.ports[port as usize].queue.front().copied();
        };
        if node < class_2.first_controller {
            class_2.gives_up(now, node);
        }
        let mut queue = self.ports[port as usize].queue.iter();
        queue
            .find(|&&held| {
                let held = &self.held[held];
                let needs_credit = held.frame.class_2 && !held.frame.is_link_control();
                !needs_credit || class_2.has_credit(node, held.to)
            })
            .copied()
    }

    /// All frames of a node wait for answers: the node looks again when the first of the answers may be
    /// overdue.
    pub(super) fn waits_for_answers(
        &mut self,
        now: Time,
        port: u32,
        node: u16,
        around: &mut impl FabricHost,
    ) {
        let Some(class_2) = &mut self.class_2 else { return };
        let queue = &self.ports[port as usize].queue;
        let of = &mut class_2.nodes[usize::from(node)];
        let first = queue.iter().filter_map(|&held| of.first_to(self.held[held].to)).min();
        if let Some(begun) = first {
            let at = (begun + class_2.answer_time).max(now);
            if at < of.looks {
                of.looks = at;
                around.schedule(at, FabricEvent::Overdue(node), node.into());
            }
        }
        if let Some(&held) = queue.front() {
            around.upcall(now, node, NodeEvent::Waits(self.held[held].frame.tag, FrameWait::Credit));
        }
    }

    /// A node looks for missing answers.
    pub(super) fn overdue(&mut self, now: Time, node: u16, around: &mut impl FabricHost) {
        let Some(class_2) = &mut self.class_2 else { return };
        let of = &mut class_2.nodes[usize::from(node)];
        if of.looks == now {
            of.looks = Time::NEVER;
            self.plan_if_wanted(now, self.node_ports[usize::from(node)], around);
        }
    }

    /// A frame begins to leave its node.
    pub(super) fn leaves_in_class_2(&mut self, now: Time, port: u32, held: u32) {
        let Some(class_2) = &mut self.class_2 else { return };
        let queue = &mut self.ports[port as usize].queue;
        if let Some(place) = queue.iter().position(|&other| other == held) {
            queue.remove(place);
        }
        let (LinkEndDevice::Node(node), of) = (self.ports[port as usize].at, &self.held[held]) else {
            return;
        };
        if of.frame.class_2 && !of.frame.is_link_control() {
            let node = &mut class_2.nodes[usize::from(node)];
            node.unanswered.push_back((now, of.to, of.frame));
            *node.count_mut(of.to) += 1;
        }
    }

    /// Link control has arrived at its node: the port handles it.
    pub(super) fn answered(
        &mut self,
        now: Time,
        node: u16,
        at: &BufferedFrame,
        around: &mut impl FabricHost,
    ) {
        if let Some(class_2) = &mut self.class_2 {
            class_2.gives_up(now, node);
            let of = &mut class_2.nodes[usize::from(node)];
            let place = of.unanswered.iter().position(|(_, _, frame)| at.frame.is_link_control_for(frame));
            match place.and_then(|place| of.unanswered.remove(place)) {
                Some((_, to, _)) => *of.count_mut(to) -= 1,
                None => class_2.counts.late += 1,
            }
        }
        around.upcall(now, node, NodeEvent::Taken(at.frame));
        self.free_buffer(now, at.port, at.channel, around);
        self.plan_if_wanted(now, at.port, around);
    }

    /// A frame has arrived at its node, which acknowledges it when it has emptied the buffer.
    #[inline]
    pub(super) fn owes_ack(&mut self, node: u16, frame: Frame) {
        if let Some(class_2) = &mut self.class_2 {
            class_2.nodes[usize::from(node)].to_empty.push_back(frame);
        }
    }

    /// A node has emptied a buffer: an ACK is sent for the frame that was in the buffer.
    pub(super) fn acknowledge(&mut self, now: Time, node: u16, around: &mut impl FabricHost) {
        let Some(class_2) = &mut self.class_2 else { return };
        let Some(frame) = class_2.nodes[usize::from(node)].to_empty.pop_front().filter(|frame| frame.class_2)
        else {
            return;
        };
        class_2.counts.acknowledged += 1;
        self.enqueue_frame(now, node, frame.link_control_answer(LinkControl::Acknowledge), around);
    }

    /// A frame is lost. A switch that discarded the frame sends F_BSY or F_RJT; if it cannot, no answer ever
    /// comes.
    pub(super) fn lost_in_class_2(&mut self, now: Time, at: &BufferedFrame, around: &mut impl FabricHost) {
        let Some(class_2) = &mut self.class_2 else { return };
        if at.frame.is_link_control() {
            class_2.counts.answers_lost += 1;
            return;
        }
        if !at.frame.class_2 {
            return;
        }
        let (Some(kind), LinkEndDevice::Switch(switch)) = (at.refused, self.ports[at.port as usize].at)
        else {
            class_2.counts.without_answer += 1;
            return;
        };
        class_2.counts.refused += 1;
        let controller = class_2.controllers[usize::from(switch)];
        let answer = at.frame.link_control_answer(kind);
        around.upcall(now, controller, NodeEvent::Refused(answer));
        self.enqueue_frame(now, controller, answer, around);
    }

    /// Notifies a node that the first word of a frame has left it. The messages that a switch itself makes were reported
    /// before.
    #[inline]
    pub(super) fn tell_started(&self, now: Time, node: u16, frame: Frame, around: &mut impl FabricHost) {
        if !self.is_controller(node) {
            around.upcall(now, node, NodeEvent::Started(frame));
        }
    }
}
