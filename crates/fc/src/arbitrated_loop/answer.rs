//! Carries out a port's answers to its inputs.

use super::{LoopEvent, LoopHost, PortEvent};
use crate::loop_port::{LoopPort, PortEffect, PortEffectReceiver, PortState};
use crate::word::{FillWord, LinkItem};
use sansim_kernel::Time;

/// The transmission with which a port answers an input, and the slot in which the transmission begins.
pub(crate) enum Transmits {
    Nothing,
    Fill(Time, FillWord),
    Item(Time, LinkItem),
    /// A signal, and another fill word from the slot after it on.
    ItemAndFill((Time, LinkItem), (Time, FillWord)),
}

impl Transmits {
    /// The slot in which an item is transmitted, if the answer has an item.
    pub(crate) fn item_at(&self) -> Option<Time> {
        match self {
            Self::Item(at, _) | Self::ItemAndFill((at, _), _) => Some(*at),
            Self::Nothing | Self::Fill(..) => None,
        }
    }
}

/// The state of a port before an input.
#[derive(Clone, Copy)]
pub(crate) struct Before {
    pub(crate) state: PortState,
    pub(crate) owned: bool,
}

impl Before {
    #[inline]
    pub(crate) fn of(port: &LoopPort) -> Self {
        Self { state: port.state(), owned: port.is_owner() }
    }
}

/// Carries out the effects of a port on an input. An input causes at most one transmission; the transmission is kept until the port
/// has answered, because it changes the state of other ports.
pub(crate) struct Answer<'a, S> {
    now: Time,
    port: usize,
    pub(crate) around: &'a mut S,
    pub(crate) transmits: Transmits,
}

impl<'a, S: LoopHost> Answer<'a, S> {
    pub(crate) fn new(now: Time, port: usize, around: &'a mut S) -> Self {
        Self { now, port, around, transmits: Transmits::Nothing }
    }

    #[inline]
    fn transmit(&mut self, what: Transmits) {
        debug_assert!(matches!(self.transmits, Transmits::Nothing), "a port transmits two things at once");
        self.transmits = what;
    }

    /// Transmits a fill word, perhaps after a signal.
    #[inline]
    fn fill(&mut self, at: Time, word: FillWord) {
        match self.transmits {
            Transmits::Item(before, item) => {
                self.transmits = Transmits::ItemAndFill((before, item), (at, word))
            }
            _ => self.transmit(Transmits::Fill(at, word)),
        }
    }
}

impl<S: LoopHost> PortEffectReceiver for Answer<'_, S> {
    #[inline(always)]
    fn push(&mut self, effect: PortEffect) {
        let upcall = match effect {
            PortEffect::Wake(at) => return self.around.schedule(at, self.port, LoopEvent::Slot),
            PortEffect::Fill(at, word) => return self.fill(at, word),
            PortEffect::Send(at, item) => return self.transmit(Transmits::Item(at, item)),
            PortEffect::Started(frame) => PortEvent::Started(frame),
            PortEffect::Sent(frame) => PortEvent::Sent(frame),
            PortEffect::Received(frame) => PortEvent::Received(frame),
            PortEffect::Acknowledged(frame) => PortEvent::Acknowledged(frame),
            PortEffect::Waits(tag, waiting) => PortEvent::Waits(tag, waiting),
            PortEffect::Owns(owns) => PortEvent::Owns(owns),
            PortEffect::CircuitEnded => PortEvent::CircuitEnded,
            PortEffect::Initialised => PortEvent::Initialised,
        };
        self.around.upcall(self.now, self.port, upcall);
    }
}
