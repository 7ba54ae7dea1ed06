//! What a port does in answer to an input, carried out.

use super::{LoopEvent, Surroundings, Upcall};
use crate::loop_port::{Effects, LoopPort, PortEffect, PortState};
use crate::word::{FillWord, Item};
use sansim_kernel::Time;

/// What a port transmits in answer to an input.
pub(crate) enum Transmits {
    Nothing,
    Fill(FillWord),
    Item(Item),
    /// A signal, and this fill word from the slot behind it on.
    ItemAndFill(Item, FillWord),
}

/// A port before an input.
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

/// Carries out what a port does in answer to an input. Only what it transmits, of which there is one thing at most, has to wait until
/// the port is done, for it touches others.
pub(crate) struct Answer<'a, S> {
    now: Time,
    port: usize,
    pub(crate) around: &'a mut S,
    pub(crate) transmits: Transmits,
}

impl<'a, S: Surroundings> Answer<'a, S> {
    pub(crate) fn new(now: Time, port: usize, around: &'a mut S) -> Self {
        Self { now, port, around, transmits: Transmits::Nothing }
    }

    #[inline]
    fn transmit(&mut self, what: Transmits) {
        debug_assert!(matches!(self.transmits, Transmits::Nothing), "a port transmits two things at once");
        self.transmits = what;
    }

    /// A fill word goes in this slot, or behind the signal of this slot.
    #[inline]
    fn fill(&mut self, word: FillWord) {
        match self.transmits {
            Transmits::Item(item) => self.transmits = Transmits::ItemAndFill(item, word),
            _ => self.transmit(Transmits::Fill(word)),
        }
    }
}

impl<S: Surroundings> Effects for Answer<'_, S> {
    #[inline(always)]
    fn push(&mut self, effect: PortEffect) {
        let upcall = match effect {
            PortEffect::Wake(at) => return self.around.schedule(at, self.port, LoopEvent::Slot),
            PortEffect::Await(at) => return self.around.schedule(at, self.port, LoopEvent::Ready),
            PortEffect::Fill(word) => return self.fill(word),
            PortEffect::Send(item) => return self.transmit(Transmits::Item(item)),
            PortEffect::Started(frame) => Upcall::Started(frame),
            PortEffect::Sent(frame) => Upcall::Sent(frame),
            PortEffect::Received(frame) => Upcall::Received(frame),
            PortEffect::Waits(tag, waiting) => Upcall::Waits(tag, waiting),
            PortEffect::Owns(owns) => Upcall::Owns(owns),
            PortEffect::CircuitEnded => Upcall::CircuitEnded,
        };
        self.around.upcall(self.now, self.port, upcall);
    }
}
