//! Rules of users at a loop port: which frames go before others, skip the access window, and end circuits with other ports.
//!
//! A rule decides once for each frame, when the frame joins the queue of the port. Frames of data take their turn without a decision, because a sequence
//! is sent in order.

use super::frame_decisions::QueueFrame;
use super::schedule::ArbitrationSchedule;
use super::{LoopPort, PortState};
use crate::frame::{Frame, PduKind};
use sansim_kernel::{TICKS_PER_NS, Time};
use sansim_pdu::Pdu;
use sansim_rules::{Decider, RuleName};
use sansim_schema::decision::as_feature;

/// The treatment of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Urgency {
    /// Whether the frame goes before others.
    pub goes_first: bool,
    /// Whether the port may arbitrate for the frame without its access window.
    pub skips_window: bool,
    /// Whether the frame ends the circuit of the port with another port.
    pub ends_circuit: bool,
}

/// The decision about one treatment.
#[derive(Clone, Debug)]
enum Level {
    /// All commands, or no frames.
    Commands(bool),
    Own(Decider),
}

impl Level {
    fn of(rule: &RuleName<bool>) -> Self {
        match rule {
            RuleName::BuiltIn(commands) => Self::Commands(*commands),
            RuleName::Own(rule) => Self::Own(Decider::from(rule.clone())),
        }
    }

    fn is_urgent(&mut self, now_ns: u64, is_command: bool, common: &[i64]) -> bool {
        match self {
            Self::Commands(commands) => *commands && is_command,
            Self::Own(decider) => {
                let view = decider.view();
                view.begin(common);
                (0..2).for_each(|urgent| view.add_candidate(&[urgent]));
                decider.choose(now_ns) == 1
            }
        }
    }
}

/// The rules of a user at a port, and the treatment of the frames in its queue.
#[derive(Clone, Debug)]
pub(super) struct OwnLoopRules {
    schedule: ArbitrationSchedule,
    queue: Level,
    access: Level,
    circuit: Level,
    /// The frames that are treated out of turn.
    urgent: Vec<(Pdu, Urgency)>,
}

impl OwnLoopRules {
    /// The rules of a schedule; none if all are built in.
    pub fn of_schedule(schedule: &ArbitrationSchedule) -> Option<Box<Self>> {
        schedule.has_own_rules().then(|| {
            Box::new(Self {
                schedule: schedule.clone(),
                queue: Level::of(&schedule.command_first_queue),
                access: Level::of(&schedule.command_first_arbitration),
                circuit: Level::of(&schedule.command_first_preemption),
                urgent: Vec::new(),
            })
        })
    }

    /// Whether these are the rules of a schedule.
    pub fn are_of(&self, schedule: &ArbitrationSchedule) -> bool {
        self.schedule == *schedule
    }

    /// The treatment of a frame in the queue.
    pub fn urgency(&self, frame: &Frame) -> Urgency {
        if frame.kind == PduKind::Data {
            return Urgency::default();
        }
        let found = self.urgent.iter().find(|(known, _)| *known == frame.pdu);
        found.map(|(_, urgency)| *urgency).unwrap_or_default()
    }

    /// A frame has left the queue.
    pub fn frame_leaves(&mut self, frame: &Frame) {
        if let Some(place) = self.urgent.iter().position(|(known, _)| *known == frame.pdu) {
            self.urgent.swap_remove(place);
        }
    }
}

impl LoopPort {
    /// The rules of the user decide about a frame that joins the queue.
    #[cold]
    pub(super) fn decide_urgency(&mut self, now: Time, frame: &Frame) {
        if frame.kind == PduKind::Data || frame.is_link_control() {
            return;
        }
        let Some(mut own) = self.own_rules.take() else { return };
        let now_ns = now.ticks() / TICKS_PER_NS;
        let to = self.towards(frame.destination);
        let in_circuit = !self.state.is_repeating() && self.state != PortState::ArbitrationWon;
        let common = QueueFrame {
            now: as_feature(now_ns),
            command: (frame.kind == PduKind::Command).into(),
            transfer_ready: (frame.kind == PduKind::TransferReady).into(),
            response: (frame.kind == PduKind::Response).into(),
            write: frame.write.into(),
            destination: to.address_byte().into(),
            waiting: as_feature(self.queued_frames()),
            urgent_waiting: as_feature(self.commands.len()),
            access: self.access.into(),
            owner: self.circuit.owner.into(),
            circuit: match self.circuit.peer {
                _ if !in_circuit => 0,
                Some(peer) if peer == to => 1,
                _ => 2,
            },
        };
        let common = common.values();
        let is_command = frame.kind == PduKind::Command;
        let urgency = Urgency {
            goes_first: own.queue.is_urgent(now_ns, is_command, &common),
            skips_window: own.access.is_urgent(now_ns, is_command, &common),
            ends_circuit: own.circuit.is_urgent(now_ns, is_command, &common),
        };
        if urgency != Urgency::default() {
            own.urgent.push((frame.pdu, urgency));
        }
        self.own_rules = Some(own);
    }

    /// Whether a frame of the queue goes before those that wait for their turn.
    #[inline]
    pub(super) fn goes_first(&self, frame: &Frame) -> bool {
        match &self.own_rules {
            None => self.schedule.command_first_queue && frame.kind == PduKind::Command,
            Some(own) => own.urgency(frame).goes_first,
        }
    }

    /// Whether the port may arbitrate for a frame of the queue without its access window.
    #[inline]
    pub(super) fn skips_window(&self, frame: &Frame) -> bool {
        match &self.own_rules {
            None => self.schedule.command_first_arbitration && frame.kind == PduKind::Command,
            Some(own) => own.urgency(frame).skips_window,
        }
    }

    /// Whether a frame that goes before others ends a circuit with another port.
    #[inline]
    pub(super) fn ends_circuit(&self, frame: &Frame) -> bool {
        match &self.own_rules {
            None => self.schedule.command_first_preemption,
            Some(own) => own.urgency(frame).ends_circuit,
        }
    }
}
