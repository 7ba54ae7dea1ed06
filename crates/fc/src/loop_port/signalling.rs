//! FC-2 signalling: the order and spacing of a port's transmissions within a circuit.
//!
//! Sources: Wang 2005 section 4.3.1.3 and the traces of figures 5.2 and 5.3.
//!
//! * Six words lie between a frame and the next, or between OPN and the first frame. R_RDYs may be among these six words and do not
//!   lengthen the gap (figure 5.3: 527 words from one 2 KiB frame to the next with two R_RDYs between).
//! * An R_RDY has two fill words before it, counted from the last frame or signal.
//! * CLS has six fill words before it (figure 5.2: after a frame and after an R_RDY).
//! * An R_RDY is sent only while the other end can use it: while the other end may send frames in this circuit and has not sent CLS. The
//!   opener of a half-duplex circuit therefore sends no R_RDY, and no port sends one after CLS came.
//! * No R_RDY delays a CLS: R_RDYs are sent before a frame or while the port waits for something ("in between the frame", 4.3.1.3). Only a
//!   port with `close_after_frames` returns buffers before its CLS: the buffers that it waited for (figure 5.2).
//! * A port with `ready_between_frames` sends no R_RDY while a frame comes in.
//! * [`WithinSequence`] decides what a port does when the next frame of a sequence is still on its way from memory.
//! * In class 2 the opener of a half-duplex circuit sends R_RDYs as well, for ACKs (`class_2.rs` beside this file).
//! * [`CircuitFrames`] decides which frames of the queue go in a circuit.
//!
//! The control of the port takes no time of its own (Wang 4.3.1.3).

use super::class_2::InCircuit;
use super::fill::IDLES_AFTER_CHANGE;
use super::{CircuitFrames, LoopPort, PortEffect, PortEffectReceiver, PortState, QueueWait, WithinSequence};
use crate::al_pa::AlPa;
use crate::frame::{Frame, PduKind, RequestTag};
use crate::word::{FillWord, LinkItem, PrimitiveSignal};
use sansim_kernel::Time;

/// The number of words between two frames, or between OPN and a frame.
pub const FRAME_GAP: u64 = 6;
/// The number of fill words before an R_RDY.
pub const FILL_BEFORE_READY: u64 = 2;
/// The number of fill words before a CLS.
pub const FILL_BEFORE_CLOSE: u64 = 6;

/// The next item that a port will send.
#[derive(Clone, Copy)]
enum Next {
    Nothing,
    Open,
    Ready,
    /// A frame, from the command queue (`true`) or from the queue of other frames.
    Frame(bool),
    /// DHD: the other end shall close the circuit.
    Relinquish,
    Close,
}

/// The next transmission with the first slot in which the spacing rules allow it; the slot is never if there
/// is no transmission.
#[derive(Clone, Copy)]
pub(super) struct Due {
    next: Next,
    pub(super) at: Time,
}

impl Due {
    const NOTHING: Self = Self { next: Next::Nothing, at: Time::NEVER };
}

impl LoopPort {
    /// The frame whose destination decides to which port the next circuit goes.
    #[inline]
    pub(super) fn head(&self) -> Option<&Frame> {
        if self.class_2.is_some() {
            return self.head_in_class_2();
        }
        self.commands.front().or_else(|| self.frames.front())
    }

    /// The place in the queue of the next frame for a port, if that frame may go before the frames ahead of
    /// it.
    #[inline]
    pub(super) fn place_of_next(&self, peer: AlPa) -> Option<usize> {
        if self.class_2.is_some() {
            return self.place_in_class_2(peer);
        }
        let goes_there = |frame: &Frame| self.towards(frame.destination) == peer;
        match self.parameters.circuit_frames {
            CircuitFrames::Head => self.frames.front().is_some_and(goes_there).then_some(0),
            CircuitFrames::All => self.frames.iter().position(goes_there),
        }
    }

    /// The frame whose wait the port reports: in a circuit the next frame to the other end, if there is one.
    pub(super) fn next_up(&self) -> Option<&Frame> {
        let in_circuit = matches!(self.state, PortState::Open | PortState::Opened | PortState::ReceivedClose);
        if self.class_2.is_some() && in_circuit {
            return self.next_up_in_class_2();
        }
        if self.parameters.circuit_frames == CircuitFrames::Head || !in_circuit || !self.commands.is_empty() {
            return self.head();
        }
        self.next_of_frames().or_else(|| self.frames.front())
    }

    /// Whether the port has enough frames in its queues to arbitrate.
    #[inline]
    pub(super) fn wants_loop(&self) -> bool {
        if self.class_2.is_some() {
            return self.wants_loop_in_class_2();
        }
        !self.commands.is_empty()
            || self.frames.front().is_some_and(|head| head.kind != PduKind::Data || self.has_gathered())
    }

    /// Whether the port checks its whole queue before it arbitrates.
    pub(crate) fn gathers(&self) -> bool {
        matches!(self.parameters.within_sequence, WithinSequence::Gather(_))
    }

    /// Whether as many frames of a sequence have come from memory as [`WithinSequence`] requires, or the last frame
    /// of the sequence has.
    pub(super) fn has_gathered(&self) -> bool {
        let WithinSequence::Gather(needed) = self.parameters.within_sequence else { return true };
        // A sequence of an aborted exchange gets no more frames.
        if self.frames.iter().any(|f| f.kind.is_link_service()) {
            return true;
        }
        let data = self.frames.iter().filter(|f| f.kind == PduKind::Data);
        data.clone().any(|f| f.last_of_unit) || data.count() >= needed as usize
    }

    /// Whether the port holds the circuit open without a frame to send: the next frame of a sequence is being fetched from memory. The
    /// port does not hold the circuit if that frame lacks R_RDYs that will not arrive, nor if another frame goes first.
    #[inline]
    pub(super) fn holds_circuit(&self) -> bool {
        self.circuit.unfinished.is_some()
            && (self.frames.is_empty() || self.only_acknowledges())
            && !self.preempted()
            && !self.tenancy_used_up()
            && (self.state != PortState::ReceivedClose || self.circuit.sender.may_send())
    }

    /// Whether a command shall end the present circuit (Wang 3.4.3): a command for another port ends the owner's circuit, and, if the
    /// schedule allows it, a command that cannot be sent in the circuit ends the circuit in which the port was opened.
    #[inline]
    pub(super) fn preempted(&self) -> bool {
        let schedule = &self.schedule;
        schedule.command_first_preemption
            && self.commands.front().filter(|command| self.ends_circuit(command)).is_some_and(|command| {
                let for_peer = Some(self.towards(command.destination)) == self.circuit.peer;
                if self.circuit.owner {
                    !for_peer
                } else {
                    schedule.command_first_closes_opened && !(for_peer && self.circuit.may_send)
                }
            })
            && (self.class_2.is_none() || self.first_command_has_credit())
    }

    /// Whether the owner has sent as many frames as it is allowed before it gives up the loop.
    fn tenancy_used_up(&self) -> bool {
        let sent = self.frames_in_tenancy;
        self.circuit.owner && self.parameters.frames_per_tenancy.is_some_and(|most| u64::from(sent) >= most)
    }

    /// Whether a frame for this address may be sent in the present circuit, apart from credit.
    pub(super) fn may_send_to(&self, destination: AlPa) -> bool {
        self.circuit.may_send && self.circuit.peer == Some(destination) && !self.tenancy_used_up()
    }

    /// The frame of the queue that would be sent next in the present circuit.
    #[inline]
    fn next_of_frames(&self) -> Option<&Frame> {
        match self.parameters.circuit_frames {
            CircuitFrames::Head => self.frames.front(),
            CircuitFrames::All => self.frames.get(self.place_of_next(self.circuit.peer?)?),
        }
    }

    /// The queue with the next frame for the other end of the circuit: `Some(true)` for the commands.
    #[inline]
    pub(super) fn next_is_command(&self) -> Option<bool> {
        // Most often nothing waits, so this case is tested first.
        if self.commands.is_empty() && self.frames.is_empty() {
            return None;
        }
        if self.class_2.is_some() {
            return match self.next_in_class_2() {
                InCircuit::Nothing | InCircuit::WaitsForAck => None,
                InCircuit::Command => Some(true),
                InCircuit::Frame(_) => Some(false),
            };
        }
        if !self.circuit.may_send {
            return None;
        }
        let may_go = |f: &Frame| self.may_send_to(self.towards(f.destination));
        if self.commands.front().is_some_and(may_go) {
            Some(true)
        } else if !self.preempted() && self.next_of_frames().is_some_and(may_go) {
            Some(false)
        } else {
            None
        }
    }

    /// The next slot in which the port has something to do, if nothing else happens.
    pub(super) fn next_to_do(&self) -> Time {
        let free = self.free_at.max(self.act_at);
        let mut next = Time::NEVER;
        // The end of a frame matters to the node, or because the next frame begins to wait for credit at that
        // moment.
        if self.sending.is_some_and(|f| {
            self.ends_for_node(&f)
                || self.holds_circuit()
                || self.waits_for_ack()
                || (!self.circuit.sender.may_send() && self.next_is_command().is_some())
        }) {
            next = self.free_at;
        }
        if self.current_fill != self.sent_fill {
            next = next.min(self.fill_may_change_at());
        }
        if self.may_advance() {
            return next.min(self.act_at);
        }
        next.min(self.due().at.max(free))
    }

    /// The next item that the port will send, and the first slot in which it may be sent. Nothing is due in states that the
    /// port leaves by itself.
    #[inline]
    pub(super) fn due(&self) -> Due {
        match self.state {
            PortState::ArbitrationWon => {
                let held = self.sent_fill == FillWord::Idle;
                let at =
                    if held { self.sent_fill_since + self.words(IDLES_AFTER_CHANGE) } else { Time::ZERO };
                Due { next: Next::Open, at }
            }
            PortState::Open | PortState::Opened | PortState::ReceivedClose => self.due_in_circuit(),
            _ => Due::NOTHING,
        }
    }

    /// R_RDYs go before frames, unless a frame may go earlier; R_RDYs do not delay CLS.
    fn due_in_circuit(&self) -> Due {
        let waits = self.next_is_command();
        let after = match waits.and_then(|command| Some((command, self.frame_may_go_at()?))) {
            Some((command, at)) => Due { next: Next::Frame(command), at },
            // Without credit the port waits for R_RDY, unless CLS has been received and no R_RDY can arrive
            // any more.
            None if (waits.is_some() || self.waits_for_ack()) && self.state != PortState::ReceivedClose => {
                Due::NOTHING
            }
            _ if self.holds_circuit() || !self.may_close() => Due::NOTHING,
            _ if self.shall_relinquish() => Due { next: Next::Relinquish, at: self.earliest.ready },
            _ => Due { next: Next::Close, at: self.earliest.close },
        };
        match after.next {
            Next::Frame(_) if after.at < self.earliest.ready => after,
            Next::Relinquish => after,
            Next::Close if self.state == PortState::Open => after,
            _ if self.owes_ready() => Due { next: Next::Ready, at: self.earliest.ready },
            _ => after,
        }
    }

    /// Whether the port has an R_RDY to send: for a free buffer while the other end can use the R_RDY, and for the buffers that the port
    /// granted with its answer to CLS.
    pub(super) fn owes_ready(&self) -> bool {
        let usable = match self.state {
            PortState::Open => {
                self.parameters.full_duplex || self.circuit.relinquished || self.class_2.is_some()
            }
            PortState::Opened => self.grants_as_opened(),
            _ => return self.circuit.to_return > 0,
        };
        let free_buffers = self.parameters.incoming_buffers - self.occupied_buffers;
        usable && !self.receiving && self.circuit.receiver.may_send_ready(free_buffers)
    }

    /// The oldest frame leaves its buffer. Frames are processed in the order in which they came.
    pub(super) fn note_processed(&mut self) {
        if self.state == PortState::ReceivedClose
            && self.parameters.close_after_frames
            && self.occupied_buffers <= self.circuit.receiver.frames_received()
        {
            self.circuit.to_return += 1;
        }
    }

    /// Sends the item that is due in this slot.
    pub(super) fn transmit(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        if now < self.free_at || now < self.act_at {
            return;
        }
        let due = self.due();
        if due.at <= now {
            match due.next {
                Next::Nothing => {}
                Next::Open => self.open(now, effects),
                Next::Ready => self.send_ready(now, effects),
                Next::Frame(command) => self.send_frame(now, command, effects),
                Next::Relinquish => self.relinquish(now, effects),
                Next::Close => self.close(now, effects),
            }
        }
        if now >= self.free_at {
            self.sync_fill(now, effects);
        }
    }

    fn send_ready(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        self.circuit.receiver.ready_sent();
        self.circuit.to_return = self.circuit.to_return.saturating_sub(1);
        self.send_signal(now, PrimitiveSignal::ReceiverReady, effects);
        self.space_after_ready(now);
    }

    /// Applies the spacing rules after an R_RDY that was sent in this slot.
    pub(super) fn space_after_ready(&mut self, slot: Time) {
        let after = slot + self.link.word;
        self.free_at = self.free_at.max(after);
        self.earliest.ready = self.earliest.ready.max(after + self.words(FILL_BEFORE_READY));
        self.earliest.close = self.earliest.close.max(after + self.words(FILL_BEFORE_CLOSE));
    }

    /// The owner leaves it to the other end to close the circuit. The owner sends no frame of its own after
    /// this.
    fn relinquish(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        self.circuit.relinquished = true;
        self.circuit.may_send = false;
        self.send_signal(now, PrimitiveSignal::DynamicHalfDuplex, effects);
        let after = now + self.link.word;
        self.earliest.ready = self.earliest.ready.max(after + self.words(FILL_BEFORE_READY));
    }

    /// Whether the owner, which would close the circuit, lets the other end close it. The owner does not if it keeps
    /// the loop, because a circuit that the other end closes cannot be left through TRANSFER, nor if it leaves before
    /// it has sent all its frames.
    fn shall_relinquish(&self) -> bool {
        self.state == PortState::Open
            && self.circuit.dynamic
            && !self.closed_by_peer
            && !self.tenancy_used_up()
            && !self.preempted()
            && !self.keeps_loop()
    }

    /// Whether an opened port grants R_RDYs: it does not if it is about to close, except for the one frame that it
    /// waits for before it closes.
    fn grants_as_opened(&self) -> bool {
        let frame_is_to_come = self.preempted() && self.circuit.receiver.outstanding_credit() > 0;
        !(self.wants_to_close() || frame_is_to_come)
    }

    /// Whether only the spacing rules delay CLS (or DHD).
    fn may_close(&self) -> bool {
        match self.state {
            PortState::ReceivedClose => {
                self.guaranteed_buffers_free()
                    && (!self.parameters.close_after_frames || !self.holds_frames_of_circuit())
            }
            PortState::Opened => self.wants_to_close() && self.will_keep_guaranteed_buffers(),
            _ => !self.circuit.relinquished,
        }
    }

    /// Figure 4.8 b and c: an opened port that closes first stops granting R_RDYs and waits until the buffers promised by
    /// Login_BB_Credit stay free, whatever the owner still sends on its credit. After DHD the owner sends no more frames.
    fn will_keep_guaranteed_buffers(&self) -> bool {
        let free = self.parameters.incoming_buffers - self.occupied_buffers;
        let to_come = if self.circuit.relinquished { 0 } else { self.circuit.receiver.outstanding_credit() };
        free >= to_come + self.parameters.login_credit
    }

    /// Whether a frame that was received in this circuit is still in its buffer. Frames of earlier circuits
    /// leave their buffers first.
    fn holds_frames_of_circuit(&self) -> bool {
        self.occupied_buffers > 0 && self.circuit.receiver.frames_received() > 0
    }

    fn close(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        self.send_signal(now, PrimitiveSignal::Close, effects);
        let after = now + self.link.word;
        let unfinished = self.circuit.unfinished.take();
        let data_left =
            unfinished.is_some() || self.circuit.peer.is_some_and(|peer| self.place_of_next(peer).is_some());
        if self.circuit.owner && self.preempted() && data_left {
            self.interrupted = self.circuit.peer;
        }
        if let Some(tag) = unfinished {
            self.tell(tag, QueueWait::Loop, effects);
        }
        if self.state == PortState::ReceivedClose {
            self.release(after, effects);
        } else if self.circuit.owner && self.keeps_loop() {
            self.state = PortState::Transfer;
        } else {
            self.state = PortState::TransmittedClose;
        }
    }

    /// Whether the owner goes on to its next circuit without arbitrating: unfair ports do, and Command-First does when a
    /// command waits or when the port returns to the data that a command interrupted.
    fn keeps_loop(&self) -> bool {
        let schedule = &self.schedule;
        let ends_circuits = schedule.command_first_preemption
            && (self.own_rules.is_none() || self.head().is_some_and(|head| self.ends_circuit(head)));
        let command_first = ends_circuits && self.is_unfair_now() || self.interrupted.is_some();
        self.wants_loop() && !self.tenancy_used_up() && (!schedule.is_fair() || command_first)
    }

    pub(super) fn send_signal(
        &mut self,
        now: Time,
        signal: PrimitiveSignal,
        effects: &mut impl PortEffectReceiver,
    ) {
        self.free_at = now + self.link.word;
        effects.push(PortEffect::Send(now, LinkItem::Signal(signal)));
    }

    fn send_frame(&mut self, now: Time, command: bool, effects: &mut impl PortEffectReceiver) {
        let frame = if command {
            self.commands.pop_front()
        } else {
            self.place_to_send().and_then(|place| self.frames.remove(place))
        };
        let Some(frame) = frame else { return };
        debug_assert!(!command || frame.kind == PduKind::Command || self.own_rules.is_some());
        if let Some(own) = &mut self.own_rules {
            own.frame_leaves(&frame);
        }
        self.circuit.sender.frame_sent();
        self.frames_in_tenancy += u32::from(!frame.is_link_control());
        self.expects_ack(&frame);
        self.frame_starts(now, frame);
        // The following frames of a sequence reach an FL_Port over the fabric, which may need the loop to
        // deliver them.
        let holds = self.parameters.within_sequence == WithinSequence::Hold && !self.link.is_fl_port;
        if frame.kind == PduKind::Data && holds {
            let goes_on = !frame.last_of_unit && (self.cut_short.is_empty() || !self.is_cut_short(frame.tag));
            self.circuit.unfinished = goes_on.then_some(frame.tag);
        } else if frame.kind.is_link_service() && self.circuit.unfinished == Some(frame.tag) {
            // No more frames of the sequence follow.
            self.circuit.unfinished = None;
        }
        if frame.kind.belongs_to_request() {
            effects.push(PortEffect::Waits(frame.tag, QueueWait::Wire));
        }
        effects.push(PortEffect::Started(frame));
        effects.push(PortEffect::Send(now, LinkItem::Frame(frame)));
    }

    /// Whether no more frames of a request come after those that wait, of which one leaves now.
    #[cold]
    fn is_cut_short(&mut self, tag: RequestTag) -> bool {
        let is_cut_short = self.cut_short.contains(&tag);
        if !self.frames.iter().any(|frame| frame.tag == tag) {
            self.cut_short.retain(|&cut| cut != tag);
        }
        is_cut_short
    }

    /// Whether the node hears of the end of a frame that is sent.
    #[inline]
    pub(crate) fn ends_for_node(&self, frame: &Frame) -> bool {
        (frame.last_of_data && !frame.is_link_control()) || self.link.is_fl_port
    }

    /// A frame that was sent starts in this slot.
    pub(super) fn frame_starts(&mut self, slot: Time, frame: Frame) {
        self.free_at = slot + self.words(frame.length_in_words());
        self.space_after(self.free_at);
        self.sending = Some(frame);
        self.told = frame.kind.belongs_to_request().then_some((frame.tag, QueueWait::Wire));
    }

    /// Applies the spacing rules after a frame that ended just before `end`.
    pub(super) fn space_after(&mut self, end: Time) {
        self.earliest.ready = end + self.words(FILL_BEFORE_READY);
        self.earliest.frame = end + self.words(FRAME_GAP);
        self.earliest.close = end + self.words(FILL_BEFORE_CLOSE);
    }

    /// Applies the spacing rules after an OPN that was sent or received just before `end`.
    pub(super) fn space_after_open(&mut self, end: Time) {
        self.space_after(end);
    }
}
