//! A destination that shares its segment with others: the switch must win that segment first. It sends the *opener's* ARB(x) into it, as
//! a station that arbitrates would, and when that has come back all others there repeat (US 6,324,181). A station there of higher priority
//! that arbitrates comes first, as on any loop. It sends that ARB(x) for as long as somebody elsewhere waits for the segment, so that the
//! stations there know of it and no new access window opens.

use super::switch_port::Mode;
use super::{LoopSwitch, Surroundings};
use crate::word::FillWord;
use sansim_kernel::Time;

impl LoopSwitch {
    /// Begins to arbitrate in the segment of `port`.
    pub(super) fn seek(&mut self, now: Time, opener: usize, port: usize, around: &mut impl Surroundings) {
        self.active += 1;
        self.switch_ports[port].mode = Mode::Seeking(opener);
        self.change_fill(now, port, around);
        // It may have been arbitrating all the time that the segment had an owner, and what it sent have come round.
        if self.switch_ports[port].sent_since < now
            && self.switch_ports[port].sent == self.switch_ports[port].received
        {
            self.seek_goes_on(now, port, opener, around);
        }
    }

    /// What a port transmits while it arbitrates in its segment.
    pub(super) fn fill_of_seeking(&self, port: usize, opener: usize) -> FillWord {
        let Some(held) = &self.switch_ports[opener].held else { return FillWord::Idle };
        let x = self.ports[held.opener].al_pa();
        match self.switch_ports[port].received {
            FillWord::Arb(y) if y < x && self.stands_at(y, port) => FillWord::Arb(y),
            _ => FillWord::Arb(x),
        }
    }

    /// A fill word comes in while a port arbitrates in its segment.
    pub(super) fn seek_goes_on(
        &mut self,
        now: Time,
        port: usize,
        opener: usize,
        around: &mut impl Surroundings,
    ) {
        let Some(held) = &self.switch_ports[opener].held else { return };
        let x = self.ports[held.opener].al_pa();
        match self.switch_ports[port].received {
            FillWord::Arb(y) if y == x => self.join(now, opener, port, around),
            FillWord::Arb(y) if y < x && self.stands_at(y, port) => {
                self.switch_ports[port].won = true;
                if let Some(station) = self.station_of(y) {
                    self.last_turn[station] = Some(now);
                }
            }
            _ => {}
        }
    }

    /// A station of the segment won it instead: the opener waits again, before all others.
    pub(super) fn abandon_seeking(&mut self, now: Time, port: usize, around: &mut impl Surroundings) {
        if let Mode::Seeking(opener) = self.switch_ports[port].mode {
            self.switch_ports[port].mode = Mode::Closed;
            self.switch_ports[port].queue.insert(0, opener);
            self.leave_room(now, around);
        }
    }
}
