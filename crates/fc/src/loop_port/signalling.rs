//! FC-2 signalling: the order and spacing of what a port transmits within a circuit.
//!
//! Sources: Wang 2005 section 4.3.1.3 and the traces of figures 5.2 and 5.3.
//!
//! * Six words lie between a frame and the next, or between OPN and the first frame. R_RDYs may be among the six and do
//!   not lengthen the gap (figure 5.3: 527 words from one 2 KiB frame to the next with two R_RDYs between).
//! * An R_RDY has two fill words before it, counted from the last frame or signal.
//! * CLS has six fill words before it (figure 5.2: after a frame and after an R_RDY).
//! * First R_RDYs, then frames, then CLS.
//!
//! Control takes no time of its own (Wang 4.3.1.3).

use super::fill::IDLES_AFTER_CHANGE;
use super::{LoopPort, PortEffect, PortState, Waiting};
use crate::frame::{Frame, FrameKind};
use crate::word::{FillWord, Item, Signal};
use sansim_kernel::Time;

/// Words between two frames, or between OPN and a frame.
pub const FRAME_GAP: u64 = 6;
/// Fill words before an R_RDY.
pub const FILL_BEFORE_READY: u64 = 2;
/// Fill words before a CLS.
pub const FILL_BEFORE_CLOSE: u64 = 6;

impl LoopPort {
    /// The frame that decides where the next circuit goes.
    pub(super) fn head(&self) -> Option<&Frame> {
        self.commands.front().or_else(|| self.frames.front())
    }

    /// Whether the port has anything to send.
    pub(super) fn wants_loop(&self) -> bool {
        !self.commands.is_empty() || !self.frames.is_empty()
    }

    /// Whether a command for somebody else shall end the present circuit (Wang 3.4.3, only for the owner).
    fn preempted(&self) -> bool {
        self.config.schedule.command_preemption
            && self.circuit.owner
            && self.commands.front().is_some_and(|c| Some(c.destination) != self.circuit.peer)
    }

    /// Which queue holds the next frame for the other end of the circuit: `Some(true)` for the commands.
    fn next_is_command(&self) -> Option<bool> {
        let for_peer = |f: &Frame| Some(f.destination) == self.circuit.peer;
        if !self.circuit.may_send {
            None
        } else if self.commands.front().is_some_and(for_peer) {
            Some(true)
        } else if !self.preempted() && self.frames.front().is_some_and(for_peer) {
            Some(false)
        } else {
            None
        }
    }

    /// Sends whatever is due in this slot and asks for the next slot in which something may be due.
    pub(super) fn transmit(&mut self, now: Time, effects: &mut Vec<PortEffect>) {
        if now < self.free_at || now < self.act_at {
            self.wake(self.free_at.max(self.act_at), effects);
            return;
        }
        let next = match self.state {
            PortState::Monitoring
            | PortState::Arbitrating
            | PortState::TransmittedClose
            | PortState::Transfer => Time::NEVER,
            PortState::ArbitrationWon => {
                let after_idles = self.sent_fill_since + self.words(IDLES_AFTER_CHANGE);
                if self.sent_fill == FillWord::Idle && now < after_idles {
                    self.wake(after_idles, effects);
                    return;
                }
                self.open(now, effects);
                Time::NEVER
            }
            PortState::Open | PortState::Opened | PortState::ReceivedClose => {
                self.transmit_in_circuit(now, effects)
            }
        };
        if now >= self.free_at {
            self.sync_fill(now, effects);
            if next > now && next < Time::NEVER {
                self.wake(next, effects);
            }
        } else if self.state.repeats() || self.has_more_to_do() {
            self.wake(self.free_at, effects);
        }
    }

    /// Whether there is a reason to be served when the present item has gone out.
    fn has_more_to_do(&self) -> bool {
        self.sending.is_some()
            || self.current_fill != self.sent_fill
            || !matches!(self.state, PortState::TransmittedClose | PortState::Transfer)
    }

    /// R_RDY, frame or CLS, whichever is due first. Returns the next slot in which one may be due.
    fn transmit_in_circuit(&mut self, now: Time, effects: &mut Vec<PortEffect>) -> Time {
        let mut next = Time::NEVER;
        let free_buffers = self.config.incoming_buffers - self.occupied_buffers;
        if self.circuit.receiver.may_send_ready(free_buffers) && !self.preempted() {
            if now >= self.earliest.ready {
                self.circuit.receiver.ready_sent();
                self.send_signal(now, Signal::ReceiverReady, effects);
                let after = now + self.config.word;
                self.earliest.ready = self.earliest.ready.max(after + self.words(FILL_BEFORE_READY));
                self.earliest.close = self.earliest.close.max(after + self.words(FILL_BEFORE_CLOSE));
                return Time::NEVER;
            }
            next = next.min(self.earliest.ready);
        }
        if let Some(command) = self.next_is_command() {
            if self.circuit.sender.may_send() {
                if now >= self.earliest.frame {
                    self.send_frame(now, command, effects);
                    return Time::NEVER;
                }
                return next.min(self.earliest.frame);
            }
            // No credit: wait for R_RDY, unless CLS has been received and none can come any more.
            if self.state != PortState::ReceivedClose {
                return next;
            }
        }
        if self.state == PortState::Opened || !self.may_close() {
            return next;
        }
        if now < self.earliest.close {
            return next.min(self.earliest.close);
        }
        self.close(now, effects);
        Time::NEVER
    }

    /// Whether nothing stands in the way of CLS but the spacing.
    fn may_close(&self) -> bool {
        if self.state == PortState::ReceivedClose {
            self.guaranteed_buffers_free()
                && (!self.config.close_after_frames || self.unprocessed_in_circuit == 0)
        } else {
            true
        }
    }

    fn close(&mut self, now: Time, effects: &mut Vec<PortEffect>) {
        self.send_signal(now, Signal::Close, effects);
        let after = now + self.config.word;
        if self.preempted() && self.frames.front().is_some_and(|f| Some(f.destination) == self.circuit.peer) {
            self.interrupted = self.circuit.peer;
        }
        if self.state == PortState::ReceivedClose {
            self.release(after, effects);
        } else if self.circuit.owner && self.keeps_loop() {
            self.state = PortState::Transfer;
        } else {
            self.state = PortState::TransmittedClose;
        }
    }

    /// Whether the owner goes on to its next circuit without arbitrating: unfair ports, and Command-First when a command
    /// waits or when it returns to the data that a command interrupted.
    fn keeps_loop(&self) -> bool {
        let schedule = &self.config.schedule;
        let command_first =
            schedule.command_preemption && (self.is_unfair_now() || self.interrupted.is_some());
        self.wants_loop() && (!schedule.fair || command_first)
    }

    pub(super) fn send_signal(&mut self, now: Time, signal: Signal, effects: &mut Vec<PortEffect>) {
        self.free_at = now + self.config.word;
        effects.push(PortEffect::Send(Item::Signal(signal)));
    }

    fn send_frame(&mut self, now: Time, command: bool, effects: &mut Vec<PortEffect>) {
        let queue = if command { &mut self.commands } else { &mut self.frames };
        let Some(frame) = queue.pop_front() else { return };
        debug_assert!(!command || frame.kind == FrameKind::Command);
        self.circuit.sender.frame_sent();
        self.free_at = now + self.words(frame.words());
        self.sending = Some(frame);
        self.space_after(self.free_at);
        self.told = Some((frame.exchange, Waiting::Wire));
        effects.push(PortEffect::Waits(frame.exchange, Waiting::Wire));
        effects.push(PortEffect::Send(Item::Frame(frame)));
    }

    /// Spacing after a frame that ended just before `end`.
    fn space_after(&mut self, end: Time) {
        self.earliest.ready = end + self.words(FILL_BEFORE_READY);
        self.earliest.frame = end + self.words(FRAME_GAP);
        self.earliest.close = end + self.words(FILL_BEFORE_CLOSE);
    }

    /// Spacing after an OPN that was sent or received just before `end`.
    pub(super) fn space_after_open(&mut self, end: Time) {
        self.space_after(end);
    }
}
