//! A port while its loop is initialised: it leaves its circuit, forgets all words on the loop, and is in MONITORING again after CLS.
//!
//! The frames in the queue of the port and in its buffers remain; frames in flight are lost, and the loop reports them.

use super::own_rules::OwnLoopRules;
use super::{
    ArbitrationSchedule, Circuit, Earliest, LoopPort, PortEffect, PortEffectReceiver, PortState, QueueWait,
};
use crate::frame::Frame;
use crate::slots::WordSlots;
use crate::word::FillWord;
use sansim_kernel::Time;

impl LoopPort {
    /// The loop is initialised from now on; the port is in MONITORING again from the slot `until` on. A port that sends the first LIP
    /// recognises its own LIPs in the slot `lip_is_back`.
    pub(crate) fn begin_initialisation(
        &mut self,
        lip_is_back: Option<Time>,
        until: Time,
        effects: &mut impl PortEffectReceiver,
    ) {
        // The node hears of the end of a frame although not all of its words were sent.
        if let Some(frame) = self.sending.take().filter(|frame| self.ends_for_node(frame)) {
            effects.push(PortEffect::Sent(frame));
        }
        if !self.state.is_repeating() && self.link.tells_ends {
            effects.push(PortEffect::CircuitEnded);
        }
        if self.circuit.owner {
            effects.push(PortEffect::Owns(false));
        }
        let first_slot = Time::ZERO + self.link.slots.first_slot_start();
        self.state = if lip_is_back.is_some() { PortState::Initialising } else { PortState::OpenInit };
        (self.received_fill, self.received_fill_since) = (FillWord::Idle, first_slot);
        (self.sent_fill, self.sent_fill_since) = (FillWord::Idle, first_slot);
        (self.current_fill, self.answers_from) = (FillWord::Idle, Time::ZERO);
        self.access = true;
        (self.f0_sent, self.f0_on_its_way, self.purge_f0, self.purge_own) = (false, false, false, false);
        self.free_at = Time::ZERO;
        self.act_at = lip_is_back.unwrap_or(until);
        self.initialised_at = until;
        (self.wake_at, self.also_asked) = (Time::NEVER, Time::NEVER);
        self.earliest = Earliest { ready: Time::ZERO, frame: Time::ZERO, close: Time::ZERO };
        self.receiving = false;
        self.lose_arrivals();
        self.passes_fill = Time::NEVER;
        self.circuit = Circuit::default();
        self.closed_by_peer = false;
        self.frames_in_tenancy = 0;
        self.interrupted = None;
        self.forgets_unanswered(None);
        self.told = None;
        self.wake(self.act_at, effects);
    }

    /// The port has these slots and this schedule from the initialisation on that begins now.
    pub(crate) fn take_place(&mut self, slots: WordSlots, schedule: &ArbitrationSchedule) {
        self.link.slots = slots;
        self.schedule = schedule.in_force();
        if self.own_rules.as_ref().is_none_or(|own| !own.are_of(schedule)) {
            self.own_rules = OwnLoopRules::of_schedule(schedule);
        }
        self.update_closing_first();
    }

    /// Reports that the first frame of the queue waits for the loop, which is being initialised.
    pub(crate) fn waits_for_initialisation(&mut self, effects: &mut impl PortEffectReceiver) {
        if let Some(tag) = self.head().map(|head| head.tag) {
            self.tell(tag, QueueWait::Loop, effects);
        }
    }

    /// Removes the frames of the queues that satisfy a condition, first the commands that go before other frames.
    /// A port that arbitrates and has no frame left goes on, because its ARB(x) is on the loop, and gives the loop back when it has won.
    pub(crate) fn remove_from_queues(
        &mut self,
        now: Time,
        goes: impl Fn(&Frame) -> bool,
        effects: &mut impl PortEffectReceiver,
    ) -> Vec<Frame> {
        let mut removed = Vec::new();
        for queue in [&mut self.commands, &mut self.frames] {
            removed.extend(queue.iter().copied().filter(&goes));
            queue.retain(|frame| !goes(frame));
        }
        if let Some(own) = &mut self.own_rules {
            removed.iter().for_each(|frame| own.frame_leaves(frame));
        }
        if self.told.is_some_and(|(tag, _)| removed.iter().any(|frame| frame.tag == tag)) {
            self.told = None;
        }
        if !removed.is_empty() {
            self.take_in(now);
            self.plan(self.next_word_slot(now), effects);
        }
        removed
    }
}
