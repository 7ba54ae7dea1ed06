//! A destination that shares its segment with other stations: the switch must win the segment first. The switch sends the *opener's* ARB(x)
//! into the segment, as a station that arbitrates would, and when that ARB(x) has come back all stations on the segment repeat (US
//! 6,324,181). A station on the segment that arbitrates with higher priority comes first, as on any loop. The switch sends that ARB(x) for
//! as long as an opener elsewhere waits for the segment, so that the stations on the segment notice it and no new access window opens.
//!
//! An ARB(x) that arrives less than one round after the switch began to send it is not the switch's own: it was left on the segment by an
//! earlier conversation, in which the two segments were one loop and the opener arbitrated already. Meanwhile a station on the segment may
//! have got its own ARB back.

use super::switch_port::Mode;
use super::{LoopHost, LoopSwitch};
use crate::word::FillWord;
use sansim_kernel::Time;

impl LoopSwitch {
    /// Begins to arbitrate in the segment of `port`.
    pub(super) fn seek(&mut self, now: Time, opener: usize, port: usize, around: &mut impl LoopHost) {
        self.takes_room(port);
        self.switch_ports[port].mode = Mode::Seeking(opener);
        self.change_fill(now, port, around);
        // The port may have been arbitrating all the time that the segment had an owner, so that its ARB(x) has come
        // round already.
        self.look_whether_won(now, port, around);
    }

    /// A port that arbitrates in its segment has won the segment when the ARB(x) that it sends arrives, one round after it
    /// began to send it.
    pub(super) fn look_whether_won(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let this = &self.switch_ports[port];
        let Mode::Seeking(opener) = this.mode else { return };
        let Some(held) = &self.switch_ports[opener].held else { return };
        let own = FillWord::Arb(self.ports[held.opener].al_pa());
        if this.sent != own || this.received != own {
            return;
        }
        let comes_round = this.sent_since + self.segments[port].geometry.round_trip_time();
        if now < comes_round {
            self.wake_switch(port, comes_round, around);
        } else {
            self.join(now, opener, port, around);
        }
    }

    /// The fill word that a port transmits while it arbitrates in its segment.
    pub(super) fn fill_of_seeking(&self, port: usize, opener: usize) -> FillWord {
        let Some(held) = &self.switch_ports[opener].held else { return FillWord::Idle };
        let x = self.ports[held.opener].al_pa();
        match self.switch_ports[port].received {
            FillWord::Arb(y) if self.goes_before(port, y, x) => FillWord::Arb(y),
            _ => FillWord::Arb(x),
        }
    }

    /// A fill word arrives while a port arbitrates in its segment.
    pub(super) fn seek_goes_on(&mut self, now: Time, port: usize, opener: usize, around: &mut impl LoopHost) {
        let Some(held) = &self.switch_ports[opener].held else { return };
        let x = self.ports[held.opener].al_pa();
        match self.switch_ports[port].received {
            FillWord::Arb(y) if y == x => self.look_whether_won(now, port, around),
            FillWord::Arb(y) if self.goes_before(port, y, x) => {
                self.switch_ports[port].won = true;
                if let Some(station) = self.station_of(y) {
                    self.has_turn(now, port, station);
                }
            }
            _ => {}
        }
    }

    /// A station of the segment won it instead: the opener waits again, before all other openers.
    pub(super) fn abandon_seeking(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        if let Mode::Seeking(opener) = self.switch_ports[port].mode {
            self.switch_ports[port].mode = Mode::Closed;
            self.switch_ports[port].queue.insert(0, opener);
            self.leave_room(now, port, around);
        }
    }
}
