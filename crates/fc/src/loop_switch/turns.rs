//! The next contender at a free port: a station at the port that arbitrates, or a station elsewhere that sent an OPN for
//! the port.
//!
//! After a conversation a port listens for the time that a word takes round its segment, and four words: by then a station of the segment
//! that continues (TRANSFER) has sent its OPN, and a station that wants to arbitrate has sent its ARB. After the port has listened the
//! policy chooses the next contender.

use super::arbitration::PortContender;
use super::switch_port::Mode;
use super::{LoopHost, LoopSwitch};
use sansim_kernel::Time;

/// The number of words in which a station reacts to a CLS: one to react, two IDLEs, one for OPN.
const REACTION: u64 = 4;

impl LoopSwitch {
    /// Ends a conversation of a port, or the attempt to open one.
    pub(super) fn over(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let round = self.segments[port].geometry.round_trip_time();
        let this = &mut self.switch_ports[port];
        (this.won, this.refusing, this.closed) = (false, false, false);
        this.listens_until = now + round + this.word * REACTION;
        self.note_wish(now, port);
        self.wake_switch(port, now + self.word, around);
    }

    /// Whether the crossbar may join a port to a port that wants it, leaving the port's own stations out of
    /// account.
    pub(super) fn may_join(&self, now: Time, port: usize) -> bool {
        let this = &self.switch_ports[port];
        let is_free =
            this.mode == Mode::Closed && this.held.is_none() && !this.refusing && this.store.is_empty();
        let alone = !self.is_shared(port);
        // On a segment with several stations the switch arbitrates anyhow.
        let heard = now >= this.listens_until || (self.is_asked(port) && !this.won);
        is_free && (!alone || (!this.won && heard)) && self.has_room(port)
    }

    /// Serves the next contender at a port, if it is free.
    pub(super) fn serve(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        let this = &self.switch_ports[port];
        let asked = this.mode == Mode::Closed && !this.won && self.is_asked(port);
        if this.queue.is_empty() {
            if asked {
                self.switch_ports[port].yields = false;
                self.let_own_go(now, port);
            }
            return;
        }
        if !self.may_join(now, port) {
            // A station that arbitrates at this port need not wait for the end of other conversations: its
            // OPN can wait.
            let heard_at = this.listens_until;
            if asked && this.held.is_none() && !this.refusing && !self.has_room(port) {
                self.let_own_go(now, port);
            }
            if heard_at > now {
                self.wake_switch(port, heard_at, around);
            }
            return;
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        candidates.extend(self.switch_ports[port].queue.iter().map(|&opener| self.candidate(opener)));
        if asked && !self.switch_ports[port].yields {
            candidates.push(self.own_candidate(port));
        }
        let place = self.arbitration.choose(now, &candidates);
        self.candidates = candidates;
        if place == self.switch_ports[port].queue.len() {
            self.let_own_go(now, port);
            return;
        }
        self.switch_ports[port].yields = false;
        let opener = self.switch_ports[port].queue.remove(place);
        self.begin_conversation(now, opener, port, around);
    }

    /// The port sends the ARB back to the segment from which it came.
    fn let_own_go(&mut self, now: Time, port: usize) {
        let station = self.asking_station(port);
        self.has_turn(now, port, station);
        self.switch_ports[port].won = true;
    }

    fn asking_station(&self, port: usize) -> usize {
        let asking = match self.switch_ports[port].received {
            crate::word::FillWord::Arb(x) => self.station_of(x),
            _ => None,
        };
        asking.unwrap_or_else(|| self.stands_for(port))
    }

    fn own_candidate(&self, port: usize) -> PortContender {
        self.candidate_of(port, self.asking_station(port), self.switch_ports[port].asked_since)
    }

    /// The opener at a port, as a candidate for a policy.
    pub(super) fn candidate(&self, port: usize) -> PortContender {
        let held = self.switch_ports[port].held.as_ref();
        held.map_or_else(|| self.own_candidate(port), |held| self.candidate_of(port, held.opener, held.since))
    }

    fn candidate_of(&self, port: usize, station: usize, since: Time) -> PortContender {
        PortContender {
            al_pa: self.ports[station].al_pa(),
            initiates: self.initiates[station],
            since,
            last_turn: self.last_turn[self.cascade.switch_of(port)][station],
        }
    }
}
