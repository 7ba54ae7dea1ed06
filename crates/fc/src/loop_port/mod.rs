//! A loop port (L_Port): the state machine, its fill words, its signalling and its credit.
//!
//! Longer than 500 lines: the states of a port share its transmitter, its queue and its circuit.
//!
//! Models FC-AL-2 as Wang 2005 sections 4.3.1.2 to 4.3.1.4 does in steady state, with eight states. While the loop is initialised
//! ([`crate::arbitrated_loop::initialisation`]) a port is in one of two more. The
//! rules of a loop port are spread over several files:
//!
//! * [`state`] - the states, and how a received signal and a request change them (Wang figure 4.6);
//! * [`fill`] - which fill word the port transmits, and the access window of the fairness algorithm;
//! * [`signalling`] - when R_RDY, frames, OPN and CLS go out: gaps, credit, order of the queues (FC-2).
//!
//! A port reports each effect of an input as it happens ([`effects`]).
//!
//! Times. A port acts in word slots of its own: `phase + k * word`. All its inputs from the loop are given at the slot in which it would
//! *repeat* the received word, that is after its port delay. A repeating port passes the word on in the slot in which it receives the word.
//! A port that reacts to a word does so from the next slot on; the analyzer trace of Wang figure 5.2 shows this one word between a
//! returning ARB(x) and OPN, and between a returning ARB(F0) and IDLE.
//!
//! Assumption: all ports have one common clock, so there is no elastic insertion or deletion. Damaged words are a matter of the loop
//! ([`crate::arbitrated_loop::word_loss`]).

mod ahead;
pub mod burst;
mod class_2;
mod closing_first;
pub mod effects;
pub mod fill;
mod frame_decisions;
mod initialisation;
mod own_rules;
pub mod parameters;
pub mod queueing;
pub mod schedule;
mod scheduled_arrivals;
pub mod signalling;
mod slots;
pub(crate) mod snapshot;
pub mod state;

use crate::address::FcAddress;
use crate::al_pa::AlPa;
use crate::credit::{ReceiverCredit, SenderCredit};
use crate::frame::{Frame, RequestTag};
use crate::slots::WordSlots;
use crate::word::{FillWord, LinkItem, PrimitiveSignal};
pub use effects::{PortEffect, PortEffectReceiver, QueueWait};
pub use frame_decisions::{LOOP_ACCESS, LOOP_CIRCUIT, LOOP_QUEUE};
use own_rules::OwnLoopRules;
pub use parameters::{
    CircuitFrames, FcPort, PassivePortParameters, PortDefaults, PortParameters, WithinSequence,
};
use queueing::QueueArrivals;
use sansim_kernel::{Span, Time};
use sansim_pdu::Address;
use schedule::ScheduleInForce;
pub use schedule::{ArbitrationSchedule, DriveFairness, LoopSharing};
use scheduled_arrivals::Coming;
pub use state::PortState;
use std::collections::VecDeque;
use std::sync::Arc;

/// The facts that a port learns from its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopFacts {
    /// The address of the port on the loop.
    pub al_pa: AlPa,
    /// Time of a transmission word.
    pub word: Span,
    /// The slots of the port.
    pub slots: WordSlots,
    /// An IDLE that comes in while the port is in a circuit opens its access window. Otherwise only an IDLE in MONITORING or
    /// ARBITRATING opens the window, or an IDLE that is still coming in when the port leaves the circuit.
    pub access_in_circuit: bool,
    /// Whether the loop accepts transmissions that are certain before their slot has come.
    pub tells_ahead: bool,
    /// Whether the node of the port is notified of the end of a circuit.
    pub tells_ends: bool,
    /// The domain and area of the addresses of the loop: zero on a private loop.
    pub area: u32,
    /// Whether the port is the FL_Port of the loop.
    pub is_fl_port: bool,
}

/// The login parameters of a port that its partners use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Login {
    /// Login_BB_Credit.
    pub credit: u32,
    /// Whether the port sends and receives frames in one circuit at the same time.
    pub full_duplex: bool,
    /// Whether the port supports DHD.
    pub dynamic_half_duplex: bool,
}

impl Login {
    /// The login of a port with these parameters.
    pub fn from_port_parameters(port: &PortParameters) -> Self {
        Self {
            credit: port.login_credit,
            full_duplex: port.full_duplex,
            dynamic_half_duplex: port.dynamic_half_duplex,
        }
    }
}

/// The circuit a port is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Circuit {
    /// The other end of the circuit; unknown to a port opened in half duplex.
    peer: Option<AlPa>,
    /// Whether this port sent the OPN that opened the circuit.
    owner: bool,
    /// The slot of the OPN that opened the circuit. The OPN may be announced before its slot.
    opens_at: Time,
    /// Whether this port may send frames in the circuit.
    may_send: bool,
    /// Whether both ends of the circuit support DHD.
    dynamic: bool,
    /// Whether DHD has been sent (by the owner) or received: after DHD the owner sends no more frames, and the
    /// opened port closes first.
    relinquished: bool,
    sender: SenderCredit,
    receiver: ReceiverCredit,
    /// The number of R_RDYs still to be sent for frames that were processed after CLS came. This field is
    /// used only with `close_after_frames`.
    to_return: u32,
    /// The exchange of a sequence of which this port has sent a frame but not the last frame. This field is
    /// used only with [`WithinSequence::Hold`].
    unfinished: Option<RequestTag>,
}

/// The earliest slots of the next signals, by the spacing rules of [`signalling`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Earliest {
    ready: Time,
    frame: Time,
    close: Time,
}

/// The port of a loop with this domain and area at which an address is; the FL_Port for addresses beyond the loop.
#[inline]
pub(crate) fn port_of_address(address: Address, area: u32) -> AlPa {
    if address.area() == area { AlPa::from_network_address(address) } else { AlPa::FABRIC }
}

/// A loop port.
#[derive(Clone, Debug)]
pub struct LoopPort {
    parameters: PortParameters,
    schedule: ScheduleInForce,
    /// The rules of the user about frames that join the queue, if there are any.
    own_rules: Option<Box<OwnLoopRules>>,
    /// Whether the port may ever have a reason to close first, apart from DHD.
    may_close_first: bool,
    link: LoopFacts,
    /// The time from the slot of a received R_RDY to the earliest SOF on its credit, at least one word.
    frame_reaction: Span,
    state: PortState,
    // The fields that follow describe the fill words of the port.
    received_fill: FillWord,
    received_fill_since: Time,
    current_fill: FillWord,
    /// The earliest slot of the current fill word, because the port answers a word that arrived in the slot
    /// before.
    answers_from: Time,
    sent_fill: FillWord,
    sent_fill_since: Time,
    access: bool,
    /// Whether ARB(F0) was sent since the loop was won.
    f0_sent: bool,
    f0_on_its_way: bool,
    purge_f0: bool,
    /// Whether the port's own ARB(x) from before the circuit is still coming in. An ARB(x) from before the circuit
    /// has gone round a loop without an owner and does not win the loop.
    purge_own: bool,
    // The fields that follow describe the transmitter of the port.
    free_at: Time,
    act_at: Time,
    wake_at: Time,
    /// A slot that is still to come, for which the port asked before it asked for an earlier slot.
    also_asked: Time,
    earliest: Earliest,
    sending: Option<Frame>,
    /// Whether a frame is coming in. This field is maintained only with `ready_between_frames`.
    receiving: bool,
    coming: Coming,
    /// The slot in which the port passes on a fill word that came while it received a frame burst.
    passes_fill: Time,
    /// The slot in which the port is in MONITORING again, while the loop is initialised.
    initialised_at: Time,
    // The fields that follow describe the circuit and the buffers of the port.
    circuit: Circuit,
    occupied_buffers: u32,
    closed_by_peer: bool,
    /// Frames sent since the loop was won.
    frames_in_tenancy: u32,
    /// The port whose data a command interrupted, while this port keeps the loop to return to that data.
    interrupted: Option<AlPa>,
    // The fields that follow are the outgoing queues.
    frames: VecDeque<Frame>,
    commands: VecDeque<Frame>,
    /// The requests of which frames wait and no more frames come, although the last one does not end its sequence.
    cut_short: Vec<RequestTag>,
    /// Frames that join the queue at announced times, without an input.
    queueing: QueueArrivals,
    told: Option<(RequestTag, QueueWait)>,
    /// The slot that the frame at the head of the queue asked for when it came while the port repeated; the wait of the frame is reported
    /// from that slot on. Words that pass before that slot do not count, because the fast loop does not deliver them to a port that had
    /// nothing to send.
    told_from: Time,
    /// The logins of the other ports, by address, in one list for all ports of a loop.
    logins: Arc<[Login; 256]>,
    /// The state of class 2, if the port sends in it.
    class_2: Option<Box<class_2::Acknowledgement>>,
}

impl LoopPort {
    /// A port at rest on a loop on which all ports transmit IDLE. `logins` holds the login that the port at
    /// each address announced.
    pub fn new(
        parameters: &PortParameters,
        schedule: &ArbitrationSchedule,
        link: LoopFacts,
        logins: &Arc<[Login; 256]>,
    ) -> Self {
        let reaction = parameters.frame_reaction.span.ticks().div_ceil(link.word.ticks()).max(1);
        let mut port = Self {
            may_close_first: false,
            parameters: parameters.clone(),
            own_rules: OwnLoopRules::of_schedule(schedule),
            schedule: schedule.in_force(),
            link,
            frame_reaction: link.word * reaction,
            state: PortState::Monitoring,
            received_fill: FillWord::Idle,
            received_fill_since: Time::ZERO + link.slots.first_slot_start(),
            current_fill: FillWord::Idle,
            answers_from: Time::ZERO,
            sent_fill: FillWord::Idle,
            sent_fill_since: Time::ZERO + link.slots.first_slot_start(),
            access: true,
            f0_sent: false,
            f0_on_its_way: false,
            purge_f0: false,
            purge_own: false,
            free_at: Time::ZERO,
            act_at: Time::ZERO,
            wake_at: Time::NEVER,
            also_asked: Time::NEVER,
            earliest: Earliest { ready: Time::ZERO, frame: Time::ZERO, close: Time::ZERO },
            sending: None,
            receiving: false,
            coming: Coming::nothing(),
            passes_fill: Time::NEVER,
            initialised_at: Time::ZERO,
            circuit: Circuit::default(),
            occupied_buffers: 0,
            closed_by_peer: false,
            frames_in_tenancy: 0,
            interrupted: None,
            frames: VecDeque::with_capacity(64),
            commands: VecDeque::with_capacity(64),
            cut_short: Vec::new(),
            queueing: QueueArrivals::NOTHING,
            told: None,
            told_from: Time::ZERO,
            logins: Arc::clone(logins),
            class_2: None,
        };
        port.update_closing_first();
        port
    }

    /// Attaches the loop of the port to a switch port with this domain and area.
    pub(crate) fn attach(&mut self, area: u32) {
        self.link.area = area;
        self.link.is_fl_port = self.link.al_pa == AlPa::FABRIC;
        self.update_closing_first();
    }

    /// The parameters.
    pub fn parameters(&self) -> &PortParameters {
        &self.parameters
    }

    /// The address of the port on the loop.
    pub fn al_pa(&self) -> AlPa {
        self.link.al_pa
    }

    /// The present state.
    pub fn state(&self) -> PortState {
        self.state
    }

    /// Whether the port has won the loop and has not given it up.
    pub fn is_owner(&self) -> bool {
        self.circuit.owner
    }

    /// Frames waiting to be sent.
    pub fn queued_frames(&self) -> usize {
        self.frames.len() + self.commands.len()
    }

    /// The number of frames that the port may send now in its circuit.
    pub fn credit(&self, now: Time) -> u32 {
        let may_send = !self.state.is_repeating() && self.circuit.may_send && now >= self.circuit.opens_at;
        if may_send { self.credit_at(now) } else { 0 }
    }

    /// The exchange of the first frame that waits.
    pub fn first_waiting_exchange(&self) -> Option<RequestTag> {
        self.head().map(|frame| frame.tag)
    }

    /// Incoming buffers that hold a frame.
    pub fn occupied_buffers(&self) -> u32 {
        self.occupied_buffers
    }

    /// The first slot of the port at or after `now`.
    pub fn next_word_slot(&self, now: Time) -> Time {
        self.link.slots.first_slot_from(now)
    }

    /// The port of the loop to which a frame goes; frames to addresses beyond the loop go to the FL_Port.
    #[inline]
    pub(crate) fn towards(&self, destination: Address) -> AlPa {
        port_of_address(destination, self.link.area)
    }

    /// The domain and area of the addresses of the loop.
    pub(crate) fn area(&self) -> u32 {
        self.link.area
    }

    fn words(&self, count: u64) -> Span {
        self.link.word * count
    }

    /// The queue in which a frame waits.
    fn queue_for(&mut self, frame: &Frame) -> &mut VecDeque<Frame> {
        if self.goes_first(frame) { &mut self.commands } else { &mut self.frames }
    }

    /// The node hands over a frame to be sent.
    pub fn enqueue(&mut self, now: Time, frame: Frame, effects: &mut impl PortEffectReceiver) {
        self.take_in(now);
        if self.own_rules.is_some() {
            self.decide_urgency(now, &frame);
        }
        let is_head = self.commands.is_empty() && (self.goes_first(&frame) || self.frames.is_empty());
        if self.class_2.is_some() {
            self.queue_in_class_2(frame);
        } else {
            self.queue_for(&frame).push_back(frame);
        }
        let slot = self.next_word_slot(now);
        if self.state == PortState::Monitoring {
            if is_head {
                self.told_from = slot;
            }
            self.wake(slot, effects);
        } else {
            self.plan(slot, effects);
            self.tell_waiting(now, effects);
        }
    }

    /// The node has emptied an incoming frame buffer.
    pub fn buffer_freed(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        debug_assert!(self.occupied_buffers > 0, "a buffer was freed that held nothing");
        self.take_in(now);
        self.note_processed();
        self.occupied_buffers -= 1;
        if !self.state.is_repeating() {
            self.plan(self.next_word_slot(now), effects);
        }
    }

    /// No more frames of a request come from the node: the port does not hold its circuit for them. Frames of the request that wait still leave.
    #[cold]
    pub fn sequence_ends(&mut self, now: Time, tag: RequestTag, effects: &mut impl PortEffectReceiver) {
        self.take_in(now);
        if self.frames.iter().any(|frame| frame.tag == tag) {
            self.cut_short.push(tag);
        }
        if self.circuit.unfinished == Some(tag) {
            self.circuit.unfinished = None;
            if !self.state.is_repeating() {
                self.plan(self.next_word_slot(now), effects);
            }
        }
    }

    /// Handles a slot for which the port asked with [`PortEffect::Wake`]. Slots that were replaced by an earlier slot are
    /// ignored.
    pub fn handle_slot(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        if self.wake_at != now {
            return;
        }
        self.wake_at = Time::NEVER;
        self.take_in(now);
        if now >= self.free_at {
            if let Some(frame) = &self.sending
                && self.ends_for_node(frame)
            {
                effects.push(PortEffect::Sent(*frame));
            }
            self.sending = None;
        }
        while now >= self.act_at && self.may_advance() {
            self.advance(now, effects);
        }
        self.transmit(now, effects);
        self.plan(now + self.link.word, effects);
        self.tell_waiting(now, effects);
    }

    /// The received fill word changes in this slot. If no item can arrive in the next slot, the fill word that the port is certain to
    /// transmit there is announced now.
    pub fn receive_fill(
        &mut self,
        now: Time,
        word: FillWord,
        stays_alone: bool,
        effects: &mut impl PortEffectReceiver,
    ) {
        self.take_in_before(now);
        self.received_fill = word;
        self.received_fill_since = now;
        let is_connected = !self.state.is_repeating() && self.state != PortState::ArbitrationWon;
        self.fill_received(now, word, effects);
        let soonest = if self.is_served_for_queue(now) {
            now
        } else if stays_alone {
            self.transmit_ahead(now, effects)
        } else {
            now + self.link.word
        };
        // In a circuit, a new fill word makes nothing else due.
        if !is_connected || self.current_fill != self.sent_fill {
            self.plan(soonest, effects);
        }
        self.tell_waiting(now, effects);
    }

    /// The first word of an item is received in this slot. Returns whether the port consumed the item; if not, the port
    /// has repeated it. For a frame that is consumed, call [`Self::frame_end`] when its last word has arrived.
    pub fn receive_item(
        &mut self,
        now: Time,
        item: &LinkItem,
        effects: &mut impl PortEffectReceiver,
    ) -> bool {
        self.take_in(now);
        // A port that became owner by TRANSFER may send OPN in the word behind its CLS. A port that closed first has received
        // that CLS and is a repeater in this slot.
        if matches!(item, LinkItem::Signal(PrimitiveSignal::Open { .. }))
            && !self.circuit.owner
            && now >= self.act_at
        {
            self.advance_if_closed(now, effects);
        }
        let consumed = self.item_received(now, item);
        match item {
            // Only the end of a consumed frame matters, see `frame_end`.
            LinkItem::Frame(_) if consumed => {
                self.frame_comes(now, now + self.words(item.length_in_words()));
                self.take_in(now);
                return true;
            }
            _ if consumed => self.plan(now + self.link.word, effects),
            _ => {
                self.free_at = self.free_at.max(now + self.words(item.length_in_words()));
                effects.push(PortEffect::Send(now, *item));
            }
        }
        self.tell_waiting(now, effects);
        consumed
    }

    /// The last word of a consumed frame has arrived.
    pub fn frame_end(&mut self, now: Time, frame: Frame, effects: &mut impl PortEffectReceiver) {
        self.take_in(now);
        let promised = self.circuit.receiver.frame_received();
        debug_assert!(promised, "a frame came without credit");
        debug_assert!(
            self.occupied_buffers < self.parameters.incoming_buffers,
            "no buffer for a received frame"
        );
        let is_ack = self.class_2.is_some() && self.comes_in_class_2(&frame);
        if is_ack {
            let reaction = self.frame_reaction.saturating_sub(self.link.word);
            self.earliest.frame = self.earliest.frame.max(now + reaction);
            effects.push(PortEffect::Acknowledged(frame));
        } else {
            self.occupied_buffers += 1;
            effects.push(PortEffect::Received(frame));
        }
        let was_receiving = self.frame_is_in();
        // R_RDYs may be sent again; or this was the frame for which an opened port delayed its CLS; or the port has more to send.
        let matters = was_receiving
            || self.class_2.is_some()
            || (self.state == PortState::Opened && self.wants_to_close());
        if matters && !self.state.is_repeating() {
            self.plan(now, effects);
        }
    }

    /// Whether the port takes a frame that comes in now: it is for this port, the sender has credit, and a buffer is free. Only where
    /// signals were lost this is not so.
    pub(crate) fn accepts(&self, frame: &Frame) -> bool {
        self.towards(frame.destination) == self.link.al_pa
            && !self.state.is_repeating()
            && self.circuit.receiver.outstanding_credit() > 0
            && self.occupied_buffers < self.parameters.incoming_buffers
    }

    /// The last word of a frame has come that the port took, and no longer accepts.
    pub(crate) fn frame_ends_unseen(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        self.take_in(now);
        if self.frame_is_in() && !self.state.is_repeating() {
            self.plan(now, effects);
        }
    }

    /// Whether only the port itself keeps it in a circuit that both ends have closed.
    pub(crate) fn is_closed_by_peer(&self) -> bool {
        self.closed_by_peer && matches!(self.state, PortState::TransmittedClose | PortState::Transfer)
    }

    /// The port announces no transmission ahead of its slot.
    pub(crate) fn tells_nothing_ahead(&mut self) {
        self.link.tells_ahead = false;
    }

    /// Whether the port only repeats and has nothing to watch for, so that it is a pure delay.
    pub fn is_pure_delay(&self, now: Time) -> bool {
        self.state == PortState::Monitoring
            && self.wake_at == Time::NEVER
            && self.frames.is_empty()
            && self.commands.is_empty()
            && !self.purge_f0
            && !self.purge_own
            && self.free_at <= now
            && self.sent_fill == self.received_fill
            && self.current_fill == self.received_fill
            && !self.holds_idle(now)
    }

    /// Reports the wait of the frame at the head of the queue when the reason has changed.
    #[inline]
    fn tell_waiting(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        if self.sending.is_some() {
            return;
        }
        let nothing_waits =
            self.frames.is_empty() && self.commands.is_empty() && self.circuit.unfinished.is_none();
        if !nothing_waits {
            self.tell_what_waits(now, effects);
        }
    }

    fn tell_what_waits(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        if now < self.told_from && self.state == PortState::Monitoring {
            return;
        }
        if self.holds_circuit() {
            if let Some(tag) = self.circuit.unfinished {
                self.tell(tag, QueueWait::Held, effects);
            }
            return;
        }
        if self.class_2.is_some()
            && let Some(tag) = self.without_end_to_end_credit().map(|frame| frame.tag)
        {
            self.tell(tag, QueueWait::Credit, effects);
            return;
        }
        let Some(head) = self.next_up().filter(|head| head.kind.belongs_to_request()) else { return };
        let waiting = match self.state {
            PortState::Monitoring if !self.wants_loop() => QueueWait::Gathering,
            PortState::Monitoring if !self.may_arbitrate() => QueueWait::AccessWindow,
            PortState::Open | PortState::Opened | PortState::ReceivedClose
                if self.may_send_to(self.towards(head.destination)) =>
            {
                if self.circuit.sender.may_send() {
                    return;
                } else {
                    QueueWait::Credit
                }
            }
            PortState::ArbitrationWon => QueueWait::Credit,
            _ => QueueWait::Loop,
        };
        let tag = head.tag;
        self.tell(tag, waiting, effects);
    }

    fn tell(&mut self, tag: RequestTag, waiting: QueueWait, effects: &mut impl PortEffectReceiver) {
        if self.told != Some((tag, waiting)) {
            self.told = Some((tag, waiting));
            effects.push(PortEffect::Waits(tag, waiting));
        }
    }
}

#[cfg(test)]
mod tests;
