//! Fill words: what a port transmits between frames and signals, and how the access window opens and closes.
//!
//! Sources: FC-AL-2 current fill word rules and the fairness algorithm as described by Wang 2005, section 3.3.2.
//!
//! * A repeating port passes the fill word it receives. A port that arbitrates replaces IDLE and every ARB of lower priority by its own
//!   ARB(x).
//! * The owner of the loop sends ARB(F0). When the owner's ARB(F0) comes back no port arbitrates: the owner sends IDLE, and every port that
//!   receives IDLE may arbitrate again (a new access window). When the owner receives another port's ARB(y) it goes back to ARB(F0).
//! * An end of a circuit answers a fill word, or passes it on, from the next slot on.
//! * A change to IDLE is followed by at least two IDLE words before anything else (XMIT_2_IDLES).
//!
//! Assumptions where the standard's text was not at hand: a port that arbitrates does not pass an IDLE on (if it passed two IDLEs before
//! its ARB(x), windows would open while others still wait, and the pure read rows of Wang's table 6.5 under fairness would come out up to
//! 60 % too high); an ARB(x) that its own port receives while it does not arbitrate any more is replaced by IDLE (one that comes in when a
//! port leaves a circuit that it closed first, too, and the port does not arbitrate before it is gone); and a port that gave up the loop
//! before its ARB(F0) came back, or while it was still coming in, replaces it by IDLE, for otherwise it would circulate for ever without an
//! owner.

use super::{LoopPort, PortEffect, PortEffectReceiver, PortState};
use crate::word::FillWord;
use sansim_kernel::Time;

/// IDLE words that follow a change to IDLE before anything else is sent.
pub const IDLES_AFTER_CHANGE: u64 = 2;

impl LoopPort {
    /// Takes note of a received fill word and changes the port's own accordingly.
    pub(super) fn fill_received(&mut self, now: Time, word: FillWord, effects: &mut impl PortEffectReceiver) {
        if word == FillWord::Idle && (self.link.access_in_circuit || self.state.is_repeating()) {
            self.access = true;
        }
        let own = FillWord::Arb(self.link.al_pa);
        match self.state {
            PortState::Monitoring => {
                self.purge_own = self.purge_own && word == own;
                self.note_f0(word);
                self.current_fill = self.repeated_fill(word);
                self.sync_fill(now, effects);
            }
            PortState::Arbitrating if word == own => self.win(now, effects),
            PortState::Arbitrating => {
                self.current_fill = self.repeated_fill(word);
                self.sync_fill(now, effects);
            }
            // A fill word that arrives with the first ARB(F0) of the owner, or before it, does not reflect
            // that ARB(F0).
            _ if self.circuit.owner && now <= self.sent_fill_since => {}
            _ if self.circuit.owner => match word {
                FillWord::ArbF0 if self.f0_sent => {
                    self.f0_on_its_way = false;
                    self.answers_with(now, FillWord::Idle);
                }
                FillWord::Arb(_) if word != own => {
                    self.f0_on_its_way = false;
                    // An IDLE that the port must send but could not send yet still goes out first.
                    if self.current_fill != FillWord::Idle || self.sent_fill == FillWord::Idle {
                        self.answers_with(now, FillWord::ArbF0);
                    }
                }
                _ => {}
            },
            _ => {
                // In OPENED, or when closing after having been opened, the port passes ARB words on one word
                // later, so that arbitration continues past it.
                if word != own {
                    self.answers_with(now, word);
                }
            }
        }
    }

    /// In a circuit a port answers a fill word from the next slot on.
    fn answers_with(&mut self, now: Time, word: FillWord) {
        if self.current_fill != word {
            self.current_fill = word;
            self.answers_from = now + self.link.word;
        }
    }

    /// The fill word that a repeating port sends in place of a received fill word.
    fn repeated_fill(&self, word: FillWord) -> FillWord {
        let own = self.link.al_pa;
        if self.state == PortState::Arbitrating {
            match word {
                FillWord::Arb(other) if other < own => word,
                _ => FillWord::Arb(own),
            }
        } else {
            match word {
                FillWord::Arb(other) if other == own => FillWord::Idle,
                FillWord::ArbF0 if self.purge_f0 => FillWord::Idle,
                _ => word,
            }
        }
    }

    /// Tracks the port's own ARB(F0) on the loop after the port gave up the loop.
    fn note_f0(&mut self, word: FillWord) {
        match word {
            FillWord::ArbF0 => self.f0_on_its_way = false,
            FillWord::Arb(_) => {
                self.f0_on_its_way = false;
                self.purge_f0 = false;
            }
            FillWord::Idle if !self.f0_on_its_way => self.purge_f0 = false,
            FillWord::Idle => {}
        }
    }

    /// Whether another port's ARB(x) is coming in.
    fn others_arbitrate(&self) -> bool {
        matches!(self.received_fill, FillWord::Arb(x) if x != self.link.al_pa)
    }

    /// The port begins to arbitrate in this slot.
    pub(super) fn start_arbitrating(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        self.state = PortState::Arbitrating;
        self.purge_f0 = false;
        self.f0_on_its_way = false;
        self.current_fill = self.repeated_fill(self.received_fill);
        self.sync_fill(now, effects);
    }

    /// The port becomes (or is again) a repeater; `next` is the first slot in which it repeats.
    pub(super) fn start_repeating(&mut self, was_owner: bool, next: Time) {
        self.state = PortState::Monitoring;
        if self.received_fill == FillWord::Idle && !self.link.access_in_circuit {
            self.access = true;
        }
        self.purge_f0 = was_owner && (self.f0_on_its_way || self.received_fill == FillWord::ArbF0);
        self.current_fill = self.repeated_fill(self.received_fill);
        self.answers_from = next;
        self.free_at = self.free_at.max(next);
    }

    /// The earliest slot in which another fill word may be sent: the transmitter is free and IDLE had its two words.
    pub(super) fn fill_may_change_at(&self) -> Time {
        let stays = if self.sent_fill == FillWord::Idle { IDLES_AFTER_CHANGE } else { 1 };
        let stays_until = self.sent_fill_since + self.words(stays);
        self.free_at.max(self.act_at).max(stays_until).max(self.answers_from)
    }

    /// Transmits the current fill word from this slot on, if the rules allow it.
    pub(super) fn sync_fill(&mut self, now: Time, effects: &mut impl PortEffectReceiver) {
        if self.current_fill == self.sent_fill || now < self.fill_may_change_at() {
            return;
        }
        self.sent_fill = self.current_fill;
        self.sent_fill_since = now;
        if self.sent_fill == FillWord::Idle {
            let after = now + self.words(IDLES_AFTER_CHANGE);
            self.earliest.ready = self.earliest.ready.max(after);
            self.earliest.frame = self.earliest.frame.max(after);
            self.earliest.close = self.earliest.close.max(after);
        }
        if self.circuit.owner {
            match self.sent_fill {
                FillWord::ArbF0 => {
                    self.f0_sent = true;
                    self.f0_on_its_way = true;
                }
                // Another port began to arbitrate before the IDLE could be sent, so the owner goes back to
                // ARB(F0) after it.
                FillWord::Idle if self.others_arbitrate() => self.current_fill = FillWord::ArbF0,
                _ => {}
            }
        }
        effects.push(PortEffect::Fill(now, self.sent_fill));
    }

    /// Whether the fairness algorithm, or a rule that goes before it, lets the port arbitrate for its head frame.
    pub(super) fn may_arbitrate(&self) -> bool {
        self.access || self.is_unfair_now()
    }

    /// Whether the port acts in unfair mode for the frame at its head.
    pub(super) fn is_unfair_now(&self) -> bool {
        !self.schedule.is_fair()
            || (self.schedule.command_first_arbitration
                && self.head().is_some_and(|head| self.skips_window(head)))
    }

    /// Whether the port changed to IDLE itself, instead of passing an IDLE on, less than two words ago: its next fill word
    /// may have to wait for the second IDLE, as may the fill word of a port close before it, which learns from this port when
    /// the IDLE passed.
    pub(super) fn holds_idle(&self, now: Time) -> bool {
        self.sent_fill == FillWord::Idle
            && self.sent_fill_since != self.received_fill_since
            && now < self.sent_fill_since.max(self.received_fill_since) + self.words(IDLES_AFTER_CHANGE)
    }

    /// The word that the port receives now, and the time since which it receives the word. The function
    /// serves to restore a port that was suspended.
    pub fn received_fill_word(&self) -> (FillWord, Time) {
        (self.received_fill, self.received_fill_since)
    }

    /// Whether the port saw IDLE since it last won the loop.
    pub fn has_access_window(&self) -> bool {
        self.access
    }

    /// Brings a suspended port up to date: the fill word that it has sent since the time `since`, and whether an IDLE has passed since the
    /// port lost access.
    pub fn catch_up(&mut self, fill: FillWord, since: Time, access: bool) {
        debug_assert_eq!(self.state, PortState::Monitoring);
        self.access |= access;
        if (fill, since) == (self.sent_fill, self.sent_fill_since) {
            return;
        }
        self.received_fill = fill;
        self.received_fill_since = since;
        self.current_fill = fill;
        self.sent_fill = fill;
        self.sent_fill_since = since;
    }

    /// The word that the port sends now, and the time since which it sends the word.
    pub fn sent_fill_word(&self) -> (FillWord, Time) {
        (self.sent_fill, self.sent_fill_since)
    }

    /// An item that the port repeats (without having been shown it) occupies its transmitter until `until`.
    pub fn transmitter_busy_until(&mut self, until: Time) {
        self.free_at = self.free_at.max(until);
    }
}
