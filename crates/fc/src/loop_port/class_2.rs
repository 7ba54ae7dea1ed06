//! Class 2 at a loop port: ACK_1 and end-to-end credit.
//!
//! Source: FC-FS for ACK_1 and end-to-end credit; FC-AL-2, as the Seagate Fibre Channel Interface Manual restates it, for half duplex: a
//! port that was opened by OPN(yy) may send R_RDYs and link control only.
//!
//! * A port acknowledges each frame when its node has emptied the buffer of the frame. Link control goes before all other frames, needs
//!   credit (R_RDY) as they do, and no end-to-end credit. The port itself handles an ACK when its last word has come.
//! * Both ends of a circuit send ACKs in it, in half duplex too; so the opener sends R_RDYs as well. A port that was opened by OPN(yy), which
//!   names its destination alone, knows its opener by the source of the first frame.
//! * A port does not arbitrate for a frame without end-to-end credit. In a circuit it waits for the ACK as for an R_RDY.
//! * CLS does not wait for ACKs (our decision: no source says so, and the buffers of the other end would keep the loop). The other end sends
//!   the ACKs that it has, within its credit, before its CLS, and opens a circuit for the rest. With `close_after_frames` it has them all.
//! * IP frames go in class 3. An initialisation gives all end-to-end credit back, and an ACK for a frame from before it is discarded.

use super::{LoopPort, PortState};
use crate::al_pa::AlPa;
use crate::frame::{Frame, LinkControl, PduKind};
use crate::loop_port::parameters::CircuitFrames;
use std::collections::VecDeque;
use std::sync::Arc;

/// The state of class 2 at a port.
#[derive(Clone, Debug)]
pub(super) struct Acknowledgement {
    /// The end-to-end credit at the port of each address.
    credit: Arc<[u32; 256]>,
    /// The frames that have no ACK yet, in the order in which they were sent.
    unanswered: Vec<Frame>,
    /// The frames in the buffers of the port, in the order in which they came.
    to_empty: VecDeque<Frame>,
}

/// The next frame of a circuit in class 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InCircuit {
    /// No frame may go in the circuit.
    Nothing,
    /// The next frame needs an ACK for an earlier one first.
    WaitsForAck,
    /// A command, from the queue of commands.
    Command,
    /// The frame at this place in the queue of other frames.
    Frame(usize),
}

impl LoopPort {
    /// The port sends in class 2, with this end-to-end credit at the port of each address.
    pub(crate) fn sends_in_class_2(&mut self, credit: &Arc<[u32; 256]>) {
        let credit = Arc::clone(credit);
        self.class_2 =
            Some(Box::new(Acknowledgement { credit, unanswered: Vec::new(), to_empty: VecDeque::new() }));
    }

    /// The frames that the port has sent and that have no ACK.
    pub fn unanswered_frames(&self) -> usize {
        self.class_2.as_ref().map_or(0, |class_2| class_2.unanswered.len())
    }

    /// Puts a frame that the node hands over into its place: link control goes before all other frames.
    #[cold]
    pub(super) fn queue_in_class_2(&mut self, mut frame: Frame) {
        frame.class_2 = frame.kind != PduKind::Ip;
        if !frame.is_link_control() {
            self.queue_for(&frame).push_back(frame);
            return;
        }
        let place = self.frames.iter().position(|other| !other.is_link_control());
        self.frames.insert(place.unwrap_or(self.frames.len()), frame);
    }

    fn has_end_to_end_credit(&self, frame: &Frame) -> bool {
        let Some(class_2) = self.class_2.as_ref().filter(|_| frame.class_2 && !frame.is_link_control())
        else {
            return true;
        };
        let there = self.towards(frame.destination);
        let unanswered = class_2.unanswered.iter().filter(|one| self.towards(one.destination) == there);
        (unanswered.count() as u32) < class_2.credit[usize::from(there.address_byte())]
    }

    /// The frame for which the port opens a circuit: link control, a command, or the first other frame. A frame without end-to-end credit
    /// keeps those behind it back unless all frames for a port go in its circuit.
    #[cold]
    pub(super) fn head_in_class_2(&self) -> Option<&Frame> {
        let may_go = |frame: &&Frame| self.has_end_to_end_credit(frame);
        if let Some(control) = self.frames.front().filter(|frame| frame.is_link_control()) {
            return Some(control);
        }
        let command = self.commands.front().filter(may_go);
        let frame = || match self.parameters.circuit_frames {
            CircuitFrames::Head => self.frames.front().filter(may_go),
            CircuitFrames::All => self.frames.iter().find(may_go),
        };
        command.or_else(frame)
    }

    /// The place in the queue of the first frame other than link control that is for a port, if it may go before the frames ahead of it.
    #[cold]
    pub(super) fn place_in_class_2(&self, peer: AlPa) -> Option<usize> {
        let goes_there = |frame: &Frame| self.towards(frame.destination) == peer;
        let mut others = self.frames.iter().enumerate().filter(|(_, frame)| !frame.is_link_control());
        match self.parameters.circuit_frames {
            CircuitFrames::Head => others.next().filter(|(_, frame)| goes_there(frame)),
            CircuitFrames::All => others.find(|(_, frame)| goes_there(frame)),
        }
        .map(|(place, _)| place)
    }

    /// Whether the port has enough frames in its queues to arbitrate.
    #[cold]
    pub(super) fn wants_loop_in_class_2(&self) -> bool {
        self.head_in_class_2().is_some_and(|head| head.kind != PduKind::Data || self.has_gathered())
    }

    /// The next frame of the present circuit, apart from credit by R_RDY.
    #[cold]
    pub(super) fn next_in_class_2(&self) -> InCircuit {
        let Some(peer) = self.circuit.peer else { return InCircuit::Nothing };
        let is_for_peer = |frame: &Frame| self.towards(frame.destination) == peer;
        let acknowledges = |frame: &Frame| frame.is_link_control() && is_for_peer(frame);
        if let Some(place) = self.frames.iter().position(acknowledges) {
            return InCircuit::Frame(place);
        }
        if !self.may_send_to(peer) {
            return InCircuit::Nothing;
        }
        let command = self.commands.front().filter(|command| is_for_peer(command));
        let place = self.place_in_class_2(peer).filter(|_| !self.preempted());
        match (command, place) {
            (Some(command), _) if self.has_end_to_end_credit(command) => InCircuit::Command,
            (_, Some(place)) if self.has_end_to_end_credit(&self.frames[place]) => InCircuit::Frame(place),
            (None, None) => InCircuit::Nothing,
            _ => InCircuit::WaitsForAck,
        }
    }

    /// The frame whose wait the port reports in a circuit.
    #[cold]
    pub(super) fn next_up_in_class_2(&self) -> Option<&Frame> {
        match self.next_in_class_2() {
            InCircuit::Command => self.commands.front(),
            InCircuit::Frame(place) => self.frames.get(place),
            InCircuit::Nothing | InCircuit::WaitsForAck => self.head(),
        }
    }

    /// The place in the queue of the frame that is sent now.
    #[inline]
    pub(super) fn place_to_send(&self) -> Option<usize> {
        if self.class_2.is_some() {
            return self.place_to_send_in_class_2();
        }
        self.circuit.peer.and_then(|peer| self.place_of_next(peer))
    }

    #[cold]
    fn place_to_send_in_class_2(&self) -> Option<usize> {
        let InCircuit::Frame(place) = self.next_in_class_2() else { return None };
        Some(place)
    }

    /// Whether all frames of the queue are link control, which ends no circuit.
    #[cold]
    pub(super) fn only_acknowledges(&self) -> bool {
        self.class_2.is_some() && self.frames.iter().all(Frame::is_link_control)
    }

    /// Whether the first command has end-to-end credit: a command without it interrupts no circuit.
    #[cold]
    pub(super) fn first_command_has_credit(&self) -> bool {
        self.commands.front().is_some_and(|command| self.has_end_to_end_credit(command))
    }

    /// Whether the next frame of the circuit waits for an ACK, which comes as long as the other end has not closed.
    pub(super) fn waits_for_ack(&self) -> bool {
        self.class_2.is_some() && self.next_in_class_2() == InCircuit::WaitsForAck
    }

    /// The first frame that waits, if it waits for end-to-end credit.
    #[cold]
    pub(super) fn without_end_to_end_credit(&self) -> Option<&Frame> {
        let in_circuit = matches!(self.state, PortState::Open | PortState::Opened | PortState::ReceivedClose);
        let waits = if in_circuit { self.waits_for_ack() } else { self.head_in_class_2().is_none() };
        let first =
            || self.commands.front().or_else(|| self.frames.iter().find(|one| !one.is_link_control()));
        waits.then(first).flatten()
    }

    /// A frame begins to leave the port.
    pub(super) fn expects_ack(&mut self, frame: &Frame) {
        if let Some(class_2) = &mut self.class_2
            && frame.class_2
            && !frame.is_link_control()
        {
            class_2.unanswered.push(*frame);
        }
    }

    /// The last word of a frame has come. Returns whether it was link control, which the port itself handles.
    #[cold]
    pub(super) fn comes_in_class_2(&mut self, frame: &Frame) -> bool {
        let source = self.towards(frame.source);
        let Some(class_2) = &mut self.class_2 else { return false };
        if self.state == PortState::Opened && self.circuit.peer.is_none() {
            self.circuit.peer = Some(source);
        }
        if !frame.is_link_control() {
            class_2.to_empty.push_back(*frame);
            return false;
        }
        if let Some(place) = class_2.unanswered.iter().position(|one| frame.is_link_control_for(one)) {
            class_2.unanswered.remove(place);
        }
        true
    }

    /// The ACK for the frame whose buffer the node has emptied; none if that frame went in class 3.
    pub(crate) fn acknowledges(&mut self) -> Option<Frame> {
        let emptied = self.class_2.as_mut()?.to_empty.pop_front()?;
        emptied.class_2.then(|| emptied.link_control_answer(LinkControl::Acknowledge))
    }

    /// End-to-end credit is as at login: at the port of this address, or at all ports.
    pub(crate) fn forgets_unanswered(&mut self, at: Option<AlPa>) {
        let area = self.link.area;
        if let Some(class_2) = &mut self.class_2 {
            let to = |frame: &Frame| super::port_of_address(frame.destination, area);
            class_2.unanswered.retain(|frame| at.is_some_and(|at| to(frame) != at));
        }
    }
}
