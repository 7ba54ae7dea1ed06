//! The states of a loop port and the transitions between them.
//!
//! Source: Wang 2005 section 4.3.1.2, figure 4.6 (FC-AL-2 without initialisation and error recovery; those states are entered by
//! [`super::initialisation`]), and figure 4.8 for the
//! transitions that wait until the buffers promised by Login_BB_Credit are free.

use super::{Circuit, Login, LoopPort, PortEffect, PortEffectReceiver};
use crate::al_pa::AlPa;
use crate::credit::{ReceiverCredit, SenderCredit};
use crate::word::{FillWord, LinkItem, PrimitiveSignal};
use sansim_kernel::Time;

/// State of a loop port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PortState {
    /// The port repeats; it has nothing to send, or may not arbitrate yet.
    #[default]
    Monitoring,
    /// The port repeats, and replaces fill words of lower priority by its own ARB(x).
    Arbitrating,
    /// The port's own ARB(x) has come back; it is about to send OPN.
    ArbitrationWon,
    /// The port is the owner of the circuit.
    Open,
    /// The port is the opened end of a circuit.
    Opened,
    /// The port has sent CLS and waits for the CLS of the other end.
    TransmittedClose,
    /// The port has received CLS and may finish sending.
    ReceivedClose,
    /// The port is an owner that sent CLS but keeps the loop for the next circuit.
    Transfer,
    /// The port has begun to initialise the loop, and sends LIP until its own LIP is back.
    Initialising,
    /// The loop is initialised; the port neither sends nor receives frames of its node.
    OpenInit,
}

impl PortState {
    /// Whether the port repeats what it receives.
    pub fn is_repeating(self) -> bool {
        matches!(self, Self::Monitoring | Self::Arbitrating | Self::Initialising | Self::OpenInit)
    }

    /// The standard's code of the state, 0 to 9.
    pub fn state_code(self) -> u8 {
        self as u8
    }

    /// The state with that code.
    pub fn from_code(code: u8) -> Option<Self> {
        const ALL: [PortState; 10] = [
            PortState::Monitoring,
            PortState::Arbitrating,
            PortState::ArbitrationWon,
            PortState::Open,
            PortState::Opened,
            PortState::TransmittedClose,
            PortState::ReceivedClose,
            PortState::Transfer,
            PortState::Initialising,
            PortState::OpenInit,
        ];
        ALL.get(usize::from(code)).copied()
    }
}

impl LoopPort {
    /// The port's own ARB(x) came back: the port has won the loop. OPN is sent in the next slot.
    pub(super) fn win(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        self.state = PortState::ArbitrationWon;
        if self.schedule.is_fair() && !self.is_unfair_now() {
            self.access = false;
        }
        self.circuit = Circuit { owner: true, ..Circuit::default() };
        self.frames_in_tenancy = 0;
        self.current_fill = FillWord::ArbF0;
        self.f0_sent = false;
        self.f0_on_its_way = false;
        self.act_at = now + self.link.word;
        effects.push(PortEffect::Owns(true));
    }

    /// The owner opens a circuit with the port to which its head frame goes.
    pub(super) fn open(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        let Some(destination) = self.head().map(|f| self.towards(f.destination)) else {
            self.release(now, effects);
            return;
        };
        self.state = PortState::Open;
        if self.interrupted == Some(destination) {
            self.interrupted = None;
        }
        let login = self.logins[usize::from(destination.address_byte())];
        self.circuit = Circuit {
            peer: Some(destination),
            owner: true,
            opens_at: now,
            may_send: true,
            dynamic: self.parameters.dynamic_half_duplex && login.dynamic_half_duplex,
            relinquished: false,
            sender: SenderCredit::at_circuit_start(login.credit),
            receiver: ReceiverCredit::at_circuit_start(self.parameters.login_credit),
            ..Circuit::default()
        };
        // Only a port whose address is in the OPN can be answered after DHD.
        let named = self.parameters.full_duplex || self.circuit.dynamic;
        let source = named.then_some(self.link.al_pa);
        self.send_signal(now, PrimitiveSignal::Open { destination, source }, effects);
        let behind = now + self.link.word;
        self.space_after_open(behind);
        // Nothing else can be due in that slot, and no fill word that comes in until then changes the
        // transmission.
        if self.link.tells_ahead {
            self.sync_fill(behind, effects);
        }
    }

    /// Another port opens this port.
    fn opened(&mut self, now: Time, source: Option<AlPa>) {
        self.state = PortState::Opened;
        let login = source.map_or(Login::default(), |s| self.logins[usize::from(s.address_byte())]);
        self.circuit = Circuit {
            peer: source,
            owner: false,
            may_send: self.parameters.full_duplex && login.full_duplex,
            dynamic: self.parameters.dynamic_half_duplex && login.dynamic_half_duplex,
            relinquished: false,
            sender: SenderCredit::at_circuit_start(login.credit),
            receiver: ReceiverCredit::at_circuit_start(self.parameters.login_credit),
            ..Circuit::default()
        };
        self.purge_f0 = false;
        // An owner that came by TRANSFER sent its ARB(F0) long before; this port, which arbitrated, has replaced
        // that ARB(F0).
        if self.received_fill == crate::word::FillWord::ArbF0 {
            self.current_fill = self.received_fill;
        }
        self.act_at = now + self.link.word;
        self.space_after_open(self.act_at);
    }

    /// An item arrives. Returns whether the port consumes the item.
    pub(super) fn item_received(&mut self, now: Time, item: &LinkItem) -> bool {
        if self.state.is_repeating() {
            return match item {
                LinkItem::Signal(PrimitiveSignal::Open { destination, source })
                    if *destination == self.link.al_pa =>
                {
                    self.opened(now, *source);
                    true
                }
                _ => false,
            };
        }
        let next = now + self.link.word;
        match item {
            LinkItem::Frame(_) => {}
            LinkItem::Signal(PrimitiveSignal::ReceiverReady) => self.receiver_ready(now),
            LinkItem::Signal(PrimitiveSignal::Close) => {
                match self.state {
                    PortState::Open | PortState::Opened => self.state = PortState::ReceivedClose,
                    // The other end has closed too: `advance` leaves the circuit when the promised buffers
                    // are free.
                    PortState::TransmittedClose | PortState::Transfer => self.circuit.may_send = false,
                    _ => {}
                }
                self.closed_by_peer = true;
                self.act_at = next;
            }
            // The destination is absent and the OPN came all the way round: the owner closes the circuit. An OPN for another port reaches
            // a port in a circuit only if signals were lost.
            LinkItem::Signal(PrimitiveSignal::Open { destination, .. })
                if self.circuit.owner && self.circuit.peer == Some(*destination) =>
            {
                self.closed_by_peer = true;
                self.state = PortState::TransmittedClose;
                self.act_at = next;
            }
            LinkItem::Signal(PrimitiveSignal::DynamicHalfDuplex) => {
                if self.state == PortState::Opened && self.circuit.dynamic {
                    self.circuit.relinquished = true;
                    self.circuit.may_send = true;
                    self.act_at = next;
                }
            }
            // LIP reaches no port as an item: the loop is initialised as a whole.
            LinkItem::Signal(
                PrimitiveSignal::Mark | PrimitiveSignal::Initialise { .. } | PrimitiveSignal::Open { .. },
            ) => {}
        }
        true
    }

    /// Whether a transition that happens by itself is due.
    #[inline]
    pub(super) fn may_advance(&self) -> bool {
        match self.state {
            PortState::Monitoring => self.wants_loop() && self.may_arbitrate() && !self.purge_own,
            PortState::TransmittedClose | PortState::Transfer => {
                self.closed_by_peer && self.guaranteed_buffers_free()
            }
            PortState::Initialising | PortState::OpenInit => true,
            _ => false,
        }
    }

    /// Makes a transition that happens by itself, if [`Self::may_advance`].
    pub(super) fn advance(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        match self.state {
            PortState::Monitoring => self.start_arbitrating(now, effects),
            PortState::TransmittedClose => self.release(now, effects),
            PortState::Initialising => {
                self.state = PortState::OpenInit;
                self.act_at = self.initialised_at;
            }
            PortState::OpenInit => {
                self.start_repeating(false, now);
                effects.push(PortEffect::Initialised);
            }
            _ => {
                self.closed_by_peer = false;
                self.state = PortState::ArbitrationWon;
                self.circuit_ended(effects);
            }
        }
    }

    /// Leaves the circuit if both ends have closed it.
    pub(super) fn advance_if_closed(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        if self.state == PortState::TransmittedClose && self.may_advance() {
            self.advance(now, effects);
        }
    }

    /// The port leaves the circuit and repeats from this slot on.
    pub(super) fn release(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        let was_owner = self.circuit.owner;
        self.interrupted = None;
        self.circuit = Circuit::default();
        self.closed_by_peer = false;
        self.start_repeating(was_owner, now);
        self.purge_own = !was_owner && self.received_fill == FillWord::Arb(self.link.al_pa);
        self.circuit_ended(effects);
        if was_owner {
            effects.push(PortEffect::Owns(false));
        }
    }

    fn circuit_ended(&self, effects: &mut impl PortEffectReceiver) {
        if self.link.tells_ends {
            effects.push(PortEffect::CircuitEnded);
        }
    }

    /// Figure 4.8: the buffers promised by Login_BB_Credit must be free before the port can be opened again.
    pub(super) fn guaranteed_buffers_free(&self) -> bool {
        self.parameters.incoming_buffers - self.occupied_buffers >= self.parameters.login_credit
    }
}
