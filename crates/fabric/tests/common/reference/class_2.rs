//! Class 2 in the plain fabric: at every tick each node checks which of its frames have no answer.

use super::Reference;
use sansim_fabric::class_2::Class2Parameters;
use sansim_fabric::layout::LinkEndDevice;
use sansim_fc::frame::{Frame, LinkControl, PduKind};

#[derive(Default)]
pub struct Class2 {
    credit: Vec<u32>,
    answer_time: u64,
    /// The number of nodes that are not controllers of switches.
    nodes: usize,
    /// The frames that were sent and have no answer, with the times at which they were sent.
    unanswered: Vec<(u64, Frame)>,
}

impl Reference {
    /// The plain fabric in class 2, for a layout that has controllers behind this number of nodes.
    pub fn in_class_2(mut self, nodes: usize, parameters: &Class2Parameters) -> Self {
        let credit = |buffers| match parameters.end_to_end_credit {
            0 => buffers,
            credit => credit,
        };
        self.class_2 = Some(Class2 {
            credit: self.layout.nodes.iter().map(|node| credit(node.buffers)).collect(),
            answer_time: parameters.answer_time.ticks(),
            nodes,
            unanswered: Vec::new(),
        });
        for (_, _, frame) in &mut self.inputs {
            frame.class_2 = frame.kind != PduKind::Ip;
        }
        self
    }

    /// Frames whose answer is overdue do not occupy end-to-end credit any more.
    pub(super) fn give_up(&mut self, now: u64) {
        if let Some(class_2) = &mut self.class_2 {
            let time = class_2.answer_time;
            class_2.unanswered.retain(|(begun, _)| begun + time > now);
        }
    }

    /// The place in the queue of a node of the first frame that it may send.
    pub(super) fn first_to_send(&self, port: usize) -> Option<usize> {
        self.ends[port].queue.iter().position(|frame| {
            let Some(class_2) = &self.class_2 else { return true };
            let pair = |other: &Frame| (other.source, other.destination) == (frame.source, frame.destination);
            let under_way = class_2.unanswered.iter().filter(|(_, other)| pair(other)).count();
            let is_free = frame.is_link_control() || !frame.class_2;
            is_free || under_way < class_2.credit[self.node_of(frame.destination)] as usize
        })
    }

    /// A frame leaves its node.
    pub(super) fn begins(&mut self, now: u64, node: u16, frame: &Frame) {
        match &mut self.class_2 {
            Some(class_2) if frame.is_link_control() => {
                if usize::from(node) < class_2.nodes {
                    self.note(now, node, "answers", frame);
                }
                return;
            }
            Some(class_2) if frame.class_2 => class_2.unanswered.push((now, *frame)),
            _ => {}
        }
        self.note(now, node, "started", frame);
    }

    /// Link control has arrived at its node.
    pub(super) fn answer_in(&mut self, now: u64, to: usize, node: u16, frame: &Frame) {
        self.note(now, node, "taken", frame);
        if let Some(class_2) = &mut self.class_2 {
            class_2.unanswered.retain(|(_, other)| {
                let is_it = other.tag == frame.tag && frame.control.is_some_and(|(_, of)| other.kind == of);
                !is_it
            });
        }
        self.ends[to].buffers.retain(|stored| stored.frame != *frame);
        self.give_back(now, to, 0);
    }

    /// A node has emptied the buffer of a frame, or a switch has discarded the frame: the answer joins the
    /// waiting answers.
    pub(super) fn answer(&mut self, now: u64, at: LinkEndDevice, frame: &Frame, kind: LinkControl) {
        let Some(class_2) = &self.class_2 else { return };
        if !frame.class_2 || frame.is_link_control() {
            return;
        }
        let node = match at {
            LinkEndDevice::Node(node) => node,
            LinkEndDevice::Switch(switch) => class_2.nodes as u16 + switch,
        };
        if matches!(at, LinkEndDevice::Switch(_)) {
            self.note(now, node, "refuses", frame);
        }
        let port = self.ends.iter().position(|end| end.at == LinkEndDevice::Node(node)).expect("a port");
        let queue = &mut self.ends[port].queue;
        let place = queue.iter().position(|other| !other.is_link_control());
        queue.insert(place.unwrap_or(queue.len()), frame.link_control_answer(kind));
        if !self.works[port / 2] {
            self.drop_answers(now, port);
        }
    }

    /// The link of a node has failed: answers that wait for it are dropped.
    pub(super) fn drop_answers(&mut self, now: u64, port: usize) {
        let LinkEndDevice::Node(node) = self.ends[port].at else { return };
        while self.ends[port].queue.front().is_some_and(|frame| frame.is_link_control()) {
            let answer = self.ends[port].queue.pop_front().expect("looked");
            self.begins(now, node, &answer);
            self.lose(now, &answer);
        }
    }
}
