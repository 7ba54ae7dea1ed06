//! The events of a cached circuit that are carried out outside the calendar.

use super::{Frames, LoopEvent, NotificationKind};
use crate::arbitrated_loop::{LoopHost, PortEvent};
use crate::frame::Frame;
use sansim_kernel::{Order, Time};

/// A pending event.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalEvent {
    pub(super) at: Time,
    /// The place in the order of simultaneous events, ranked by the number of the port within the circuit.
    pub(super) order: Order,
    pub(super) port: usize,
    pub(super) event: LoopEvent,
}

/// The surroundings of the loop while an outcome is learned or replayed.
#[derive(Clone, Debug, Default)]
pub(super) struct Local {
    pub(super) pending: Vec<LocalEvent>,
    /// The notifications that nodes would get, each with its place.
    pub(super) told: Vec<((Time, Order), usize, PortEvent)>,
    /// The present place in the order of events: the place of the event that is carried out, or was last; after an input the time
    /// of the input, with the same order.
    pub(super) present: (Time, Order),
}

impl Local {
    /// The next pending event, which stays pending.
    pub(super) fn next(&self) -> Option<LocalEvent> {
        self.pending.iter().min_by_key(|event| (event.at, event.order)).copied()
    }

    /// Removes and returns the next pending event.
    pub(super) fn pop(&mut self) -> Option<LocalEvent> {
        let next = (0..self.pending.len())
            .min_by_key(|&number| (self.pending[number].at, self.pending[number].order))?;
        let event = self.pending.swap_remove(next);
        self.present = (event.at, event.order);
        Some(event)
    }
}

impl LoopHost for Local {
    fn schedule(&mut self, at: Time, port: usize, event: LoopEvent) {
        self.pending.push(LocalEvent { at, order: event.event_order(port as u16), port, event });
    }

    fn upcall(&mut self, _now: Time, port: usize, upcall: PortEvent) {
        // The notification `InCircuit` is for adapters that fetch ahead, and no adapter of a cached circuit
        // does.
        if upcall != PortEvent::InCircuit {
            self.told.push((self.present, port, upcall));
        }
    }
}

/// The notification in an upcall, if it is about one of the numbered frames.
pub(super) fn says(upcall: &PortEvent, frames: &Frames) -> Option<NotificationKind> {
    let number = |frame: &Frame| frames.number_of(frame);
    Some(match upcall {
        PortEvent::Received(frame) => NotificationKind::Received(number(frame)?),
        PortEvent::Started(frame) => NotificationKind::Started(number(frame)?),
        PortEvent::Sent(frame) => NotificationKind::Sent(number(frame)?),
        &PortEvent::Waits(tag, waiting) => NotificationKind::Waits(frames.number_of_tag(tag)?, waiting),
        &PortEvent::Owns(owns) => NotificationKind::Owns(owns),
        PortEvent::CircuitEnded => NotificationKind::CircuitEnded,
        // No circuit of class 2 is cached.
        PortEvent::Acknowledged(_)
        | PortEvent::InCircuit
        | PortEvent::Initialised
        | PortEvent::Initialises(_)
        | PortEvent::Lost(_) => return None,
    })
}
