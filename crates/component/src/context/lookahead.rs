//! Steps that are computed without events: frame bursts, DMA prefetches of adapters, cached circuits of a loop.

use super::Context;
use crate::site::{EventTurn, PortRef, Timer};

/// The lookahead of a component: its steps without events.
pub struct LookaheadHandle<'c, 'a>(&'c mut Context<'a>);

impl<'a> Context<'a> {
    /// The lookahead of this component.
    #[inline]
    pub fn lookahead(&mut self) -> LookaheadHandle<'_, 'a> {
        LookaheadHandle(self)
    }
}

impl LookaheadHandle<'_, '_> {
    /// A network reports that the next data frames at one of its ports may form a frame burst.
    #[inline]
    pub fn may_begin_burst(&mut self, port: u16) {
        if self.0.around.takes_bursts {
            self.0.around.look_for_burst(PortRef { component: self.0.me, port });
        }
    }

    /// A network reports that one of its ports has entered a circuit, and may send.
    #[inline]
    pub fn circuit_entered(&mut self, port: u16) {
        if self.0.around.takes_bursts {
            self.0.around.in_circuit.push(PortRef { component: self.0.me, port });
            self.0.around.looks_for_bursts = true;
        }
    }

    /// For an adapter: its next DMA transfers may affect no other component until its port is in a circuit.
    #[inline]
    pub fn may_fetch_ahead(&mut self) {
        if self.0.around.takes_bursts {
            self.0.around.may_fetch_ahead.push(self.0.me);
            self.0.around.looks_for_bursts = true;
        }
    }
}

impl Context<'_> {
    /// Whether an event of the component in this instant, with this turn and place, would have come before the present event.
    #[inline]
    pub fn event_has_passed(&self, turn: EventTurn, place: u16) -> bool {
        turn.order(self.site.rank, Timer { what: 0, place, number: 0 })
            < self.around.calendar.present_place().1
    }

    /// The first rank of the component's events.
    pub fn first_event_rank(&self) -> u16 {
        self.site.rank
    }
}
