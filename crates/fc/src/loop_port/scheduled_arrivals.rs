//! Arrivals that a port has to handle only when something else happens: starts of frames, and R_RDYs.
//!
//! The start of a received frame delays R_RDYs, and an R_RDY counts as credit. Neither arrival makes a port do anything in the slot of the
//! arrival: a frame that waits for an R_RDY starts at least a word later. The fast loop therefore announces these arrivals to a port when
//! they are sent, with the time of arrival; the port applies them before its next later input, and asks for the slot of a frame that waits.

use super::{LoopPort, PortEffectReceiver, PortState};
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// Items in flight to a port.
#[derive(Clone, Debug)]
pub(super) struct Coming {
    /// The begin and the end of each frame that is coming in and has not ended. The list is maintained only with
    /// `ready_between_frames`.
    pub(super) frames: VecDeque<(Time, Time)>,
    /// The arrival times of the R_RDYs.
    pub(super) ready: VecDeque<Time>,
    /// The earliest arrival that the port has not handled yet.
    pub(super) next: Time,
}

impl Coming {
    pub(super) fn nothing() -> Self {
        Self { frames: VecDeque::with_capacity(8), ready: VecDeque::with_capacity(8), next: Time::NEVER }
    }
}

impl LoopPort {
    /// A frame that this port will receive begins to come in at the time `begin`.
    pub(crate) fn frame_comes(&mut self, begin: Time, end: Time) {
        if self.parameters.ready_between_frames {
            self.coming.frames.push_back((begin, end));
            self.note_coming();
        }
    }

    /// Whether a frame that has not ended yet may end by this slot.
    pub(super) fn frame_may_end_by(&self, slot: Time) -> bool {
        if !self.parameters.ready_between_frames {
            return self.circuit.receiver.outstanding_credit() > 0;
        }
        self.coming.frames.front().is_some_and(|&(_, end)| end <= slot)
    }

    /// An R_RDY for this port will arrive in this slot.
    pub(crate) fn ready_comes(&mut self, at: Time, effects: &mut impl PortEffectReceiver) {
        self.coming.ready.push_back(at);
        self.note_coming();
        self.wake_for_credit(effects);
    }

    /// R_RDYs that are in flight, or that the port has not handled yet.
    pub(crate) fn ready_to_come(&self) -> impl ExactSizeIterator<Item = Time> {
        self.coming.ready.iter().copied()
    }

    /// All items in flight to the port are lost.
    pub(super) fn lose_arrivals(&mut self) {
        self.coming.frames.clear();
        self.coming.ready.clear();
        self.note_coming();
    }

    /// The R_RDYs before this time have arrived in a frame burst.
    pub(super) fn forget_ready(&mut self, before: Time) {
        let passed = self.coming.ready.partition_point(|at| *at < before);
        self.coming.ready.drain(..passed);
        self.note_coming();
    }

    /// Removes this many frames that arrived in a frame burst, and notes whether the next is being received.
    pub(super) fn forget_frames(&mut self, ends: usize, receiving: bool) {
        self.coming.frames.drain(..ends.min(self.coming.frames.len()));
        self.receiving = receiving;
        self.note_coming();
    }

    /// Applies the arrivals up to now.
    #[inline]
    pub(super) fn take_in(&mut self, now: Time) {
        if self.coming.next <= now {
            self.take_in_some(now);
        }
    }

    /// Applies the arrivals before this instant. A fill word is handled before other arrivals in its slot.
    #[inline]
    pub(super) fn take_in_before(&mut self, now: Time) {
        if self.coming.next < now {
            self.take_in_some(Time(now.ticks() - 1));
        }
    }

    fn take_in_some(&mut self, until: Time) {
        while let Some(&at) = self.coming.ready.front()
            && at <= until
        {
            self.coming.ready.pop_front();
            self.receiver_ready(at);
        }
        self.receiving = self.coming.frames.front().is_some_and(|&(begin, _)| begin <= until);
        self.note_coming();
    }

    /// The frame that was coming in has arrived completely. Returns whether the port had noted the beginning
    /// of the frame.
    pub(super) fn frame_is_in(&mut self) -> bool {
        let was_receiving = std::mem::take(&mut self.receiving);
        if self.coming.frames.pop_front().is_some() {
            self.note_coming();
        }
        was_receiving
    }

    pub(super) fn note_coming(&mut self) {
        let frame = self.coming.frames.front().filter(|_| !self.receiving).map(|(begin, _)| begin);
        let ready = self.coming.ready.front();
        let never = &Time::NEVER;
        self.coming.next = *frame.unwrap_or(never).min(ready.unwrap_or(never));
    }

    /// Asks for the slot of a frame that waits for an R_RDY in flight.
    fn wake_for_credit(&mut self, effects: &mut impl PortEffectReceiver) {
        let in_circuit = matches!(self.state, PortState::Open | PortState::Opened | PortState::ReceivedClose);
        if in_circuit
            && !self.circuit.sender.may_send()
            && self.next_is_command().is_some()
            && let Some(at) = self.frame_may_go_at()
        {
            self.wake(at.max(self.free_at).max(self.act_at), effects);
        }
    }

    /// The first slot in which a frame has credit and the spacing rules allow it; none if no R_RDY for it is in
    /// flight.
    #[inline]
    pub(super) fn frame_may_go_at(&self) -> Option<Time> {
        if self.circuit.sender.may_send() {
            return Some(self.earliest.frame);
        }
        let ready = self.coming.ready.get(self.circuit.sender.readies_to_discard() as usize)?;
        Some(self.earliest.frame.max(*ready + self.frame_reaction))
    }

    /// An R_RDY arrived in this slot.
    pub(super) fn receiver_ready(&mut self, slot: Time) {
        let could_send = self.circuit.sender.may_send();
        self.circuit.sender.receiver_ready();
        if !could_send {
            let reaction: Span = self.frame_reaction;
            self.earliest.frame = self.earliest.frame.max(slot + reaction);
        }
    }

    /// The number of frames that the port may send on the R_RDYs that have arrived up to now.
    pub(super) fn credit_at(&self, now: Time) -> u32 {
        let mut sender = self.circuit.sender;
        self.coming.ready.iter().take_while(|at| **at <= now).for_each(|_| sender.receiver_ready());
        sender.available_credit()
    }
}
