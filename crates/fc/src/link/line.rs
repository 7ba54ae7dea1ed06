//! The transmitter of a link: the times at which it sends frames and R_RDYs.
//!
//! R_RDYs go before frames. Nothing is sent between the end of a frame and the first slot of an R_RDY, and no frame begins in a slot
//! that an R_RDY may have; so the time of an R_RDY is known as soon as its buffer is free: the R_RDY goes behind the frame that is
//! being sent and behind earlier R_RDYs. The time of an R_RDY is therefore recorded at once, without an event.

use super::rules::LinkRules;
use sansim_kernel::{Span, Time};

/// The items that keep a transmitter busy: its last frame and its last R_RDY.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusyTransmitter {
    /// The time at which the last word of the last frame is sent; in the future during the frame.
    frame_end: Option<Time>,
    /// The time at which the last R_RDY is sent.
    ready_end: Option<Time>,
}

impl BusyTransmitter {
    /// The first slot from now on in which a frame may begin, if the transmitter sends nothing before it.
    #[inline]
    pub fn next_frame(&self, rules: &LinkRules, now: Time) -> Time {
        let frame = self.frame_end.map_or(now, |end| end + rules.time_of_words(rules.gap_words));
        let ready = self.ready_end.map_or(now, |end| end + rules.time_of_words(rules.fill_words));
        rules.next_word_slot(now.max(frame).max(ready))
    }

    /// A frame with this number of words begins in this slot. Returns the time at which the last word of the
    /// frame has been sent.
    #[inline]
    pub fn begin_sending_frame(&mut self, rules: &LinkRules, slot: Time, words: u64) -> Time {
        debug_assert!(self.next_frame(rules, slot) == slot, "a frame begins within what came before it");
        let end = slot + rules.time_of_words(words);
        self.frame_end = Some(end);
        end
    }

    /// A buffer has become free: its R_RDY goes in the first slot that it may have. Returns the time at which the
    /// R_RDY has been sent.
    #[inline]
    pub fn ready_slot(&mut self, rules: &LinkRules, now: Time) -> Time {
        if rules.ready_words == 0 {
            // Only a line that is held back has an R_RDY end.
            return self.ready_end.map_or(now, |end| now.max(end));
        }
        let after = |end: Option<Time>| end.map_or(now, |end| end + rules.time_of_words(rules.fill_words));
        let slot = rules.next_word_slot(now.max(after(self.frame_end)).max(after(self.ready_end)));
        let end = slot + rules.time_of_words(rules.ready_words);
        self.ready_end = Some(end);
        end
    }

    /// The first slot from now on after the current frame and after the R_RDYs that are scheduled.
    pub fn first_free_slot(&self, rules: &LinkRules, now: Time) -> Time {
        let ends = self.frame_end.into_iter().chain(self.ready_end);
        rules.next_word_slot(ends.fold(now, Time::max))
    }

    /// The end of the link has become active in this slot: first it sends as many fill words as lie between frames.
    pub fn restart_link(&mut self, rules: &LinkRules, slot: Time) {
        self.frame_end = None;
        self.ready_end = Some(slot + rules.time_of_words(rules.gap_words - rules.fill_words));
    }

    /// The transmitter begins its next frame or R_RDY later by this time than it could begin a frame now.
    pub fn hold_back(&mut self, rules: &LinkRules, now: Time, time: Span) {
        let after = |end: Option<Time>, words| end.map_or(now, |end| end + rules.time_of_words(words));
        let frame = after(self.frame_end, rules.gap_words);
        let ready = after(self.ready_end, rules.fill_words);
        let from = now.max(frame).max(ready) + time;
        self.ready_end =
            Some(Time(from.ticks().saturating_sub(rules.time_of_words(rules.fill_words).ticks())));
    }

    /// The time at which the last word of the last frame is sent, in the past or in the future.
    pub fn last_frame_end(&self) -> Option<Time> {
        self.frame_end
    }

    /// Moves the end of the current frame: the frame stops now, or continues later. The end may be moved only on links without R_RDYs
    /// between frames, because R_RDYs are scheduled after the earlier end.
    pub fn move_frame_end(&mut self, end: Time) {
        self.frame_end = Some(end);
    }

    /// The time that the current frame still takes to send.
    pub fn remaining_send_time(&self, now: Time) -> Span {
        self.frame_end.map_or(Span::ZERO, |end| end.saturating_since(now))
    }
}
