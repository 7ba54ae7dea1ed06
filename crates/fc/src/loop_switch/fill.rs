//! Fill words at a port of the switch.
//!
//! * A port that is not joined closes its segment in itself: ARB is answered at the port. A station that arbitrates gets its own ARB(x)
//!   back after the path through the port instead of the path round a whole loop (US 6,324,181; HP P4459A).
//! * Where other stations want the port too, the policy decides whether ARB(x) is sent back or another
//!   contender comes first.
//! * Two ports that are joined pass on each other's fill words: the two segments are one loop.
//! * A trunk whose OPN is answered with CLS gets no ARB back until the CLS of the opener has arrived. The CLS may wait at the other end
//!   behind R_RDYs that the OPN had delayed, while the ARB with which the opener tries again passes there at once: the ARB would win, and
//!   the second OPN would arrive where the first conversation is not over.
//! * Words that remain on a segment that was separated from another are removed: an ARB(x) of no station on the segment, and an ARB(F0)
//!   before any station on the segment has won, are sent back as IDLE. Without this rule such words would circulate for ever.

use super::switch_port::Mode;
use super::{LoopHost, LoopSwitch};
use crate::word::FillWord;
use sansim_kernel::Time;

impl LoopSwitch {
    /// Another fill word arrives at a port in this slot.
    pub(super) fn fill_at_switch(
        &mut self,
        now: Time,
        port: usize,
        word: FillWord,
        around: &mut impl LoopHost,
    ) {
        self.switch_ports[port].received = word;
        match self.switch_ports[port].mode {
            Mode::Closed => {
                self.note_wish(now, port);
                if word == FillWord::Idle {
                    self.note_withdrawal(port);
                }
                self.serve(now, port, around);
            }
            Mode::Seeking(opener) => self.seek_goes_on(now, port, opener, around),
            Mode::Joined(to) => self.change_fill(now, to, around),
        }
        self.change_fill(now, port, around);
    }

    /// Whether an ARB of a station of the segment arrives at the port.
    pub(super) fn is_asked(&self, port: usize) -> bool {
        matches!(self.switch_ports[port].received, FillWord::Arb(x) if self.stands_at(x, port))
    }

    /// Records the time since which a station of the segment asks for the port.
    pub(super) fn note_wish(&mut self, now: Time, port: usize) {
        let asked = self.is_asked(port);
        let since = &mut self.switch_ports[port].asked_since;
        *since = if asked { (*since).min(now) } else { Time::NEVER };
    }

    /// A station that won and had nothing more to send transmits IDLE before any OPN.
    fn note_withdrawal(&mut self, port: usize) {
        let port = &mut self.switch_ports[port];
        if port.held.is_none() && !port.refusing {
            port.won = false;
        }
    }

    /// The fill word that a port should transmit.
    pub(super) fn wanted_fill(&self, port: usize) -> FillWord {
        let this = &self.switch_ports[port];
        match this.mode {
            Mode::Joined(peer) => self.switch_ports[peer].received,
            Mode::Closed if this.refusing && self.is_trunk(port) => FillWord::Idle,
            Mode::Closed if self.is_shared(port) && !this.queue.is_empty() => {
                self.fill_of_seeking(port, this.queue[0])
            }
            Mode::Closed => match this.received {
                FillWord::Arb(x) if this.won && self.stands_at(x, port) => this.received,
                FillWord::ArbF0 if this.won => FillWord::ArbF0,
                _ => FillWord::Idle,
            },
            Mode::Seeking(opener) => self.fill_of_seeking(port, opener),
        }
    }

    /// Transmits the fill word that the port should transmit, in this slot or as soon as possible.
    pub(super) fn change_fill(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let wanted = self.wanted_fill(port);
        if wanted == self.switch_ports[port].sent {
            return;
        }
        let at = self.switch_ports[port].fill_may_change_at();
        if now < at {
            self.wake_switch(port, at, around);
            return;
        }
        let this = &mut self.switch_ports[port];
        (this.sent, this.sent_since) = (wanted, now);
        self.carry_fill(now, self.node_of(port), wanted, around);
        self.look_whether_won(now, port, around);
    }
}
