//! The part of a burst that has passed, as reported to its two ends.

use super::{BurstSchedule, PresentByStepKind};
use sansim_fc::loop_port::burst::AroundFill;
use sansim_kernel::Time;

impl BurstSchedule {
    /// The starts of frames that have not been reported to the sender.
    pub fn unreported_frame_starts(&mut self) -> &[Time] {
        self.starts.from(std::mem::replace(&mut self.told_starts, self.starts.len()))
    }

    /// The time at which the last frame started.
    pub fn last_start_time(&self) -> Option<Time> {
        self.starts.last()
    }

    /// The earliest start of the next frame on the R_RDY that it needs, if the R_RDY has arrived after the
    /// last start.
    pub fn next_start_after_ready(&mut self) -> Time {
        let Some(number) = self.needs().filter(|&number| number < self.passed.ready_came) else {
            return Time::ZERO;
        };
        let before = self.starts.last();
        let comes = self.ready_comes(number).filter(|&comes| before.is_none_or(|start| comes > start));
        comes.map_or(Time::ZERO, |comes| comes + self.circuit.sending.reaction)
    }

    /// Whether there was no credit for the next frame when the last frame started, or, if the queue was empty then, when the next frame
    /// joined the queue at the time `came`.
    pub fn waits_for_credit(&mut self, came: Time) -> bool {
        let Some(start) = self.starts.last() else { return false };
        let since = start.max(came);
        self.needs().and_then(|number| self.ready_comes(number)).is_some_and(|comes| comes > since)
    }

    /// The time at which the last R_RDY was sent.
    pub fn last_ready_time(&self) -> Time {
        self.passed.ready.checked_sub(1).map_or(Time::ZERO, |last| self.ready.at(last))
    }

    /// The R_RDYs before and after the present at the receiving port, at which a fill word has just arrived.
    pub fn readies_around_fill(&mut self) -> AroundFill {
        let next = self.passed.ready;
        let next = if next < self.ready.len() { Some(self.ready.at(next)) } else { self.next_ready() };
        AroundFill { last: self.last_ready_time(), next: next.unwrap_or(Time::NEVER) }
    }

    /// The time at which the last word of the last started frame is sent.
    pub fn last_frame_end(&self) -> Option<Time> {
        self.starts.last().map(|start| start + self.length)
    }

    /// The arrival times of R_RDYs of the burst that are in flight.
    pub fn readies_in_flight(&self) -> impl Iterator<Item = Time> {
        let first = self.passed.ready_came.saturating_sub(self.under_way.len());
        (first..self.passed.ready).map(|number| self.ready.at(number) + self.circuit.back)
    }

    /// The frames of the burst that have started and have not arrived, with the numbers and the start times
    /// of these frames.
    pub fn frames_in_flight(&self) -> impl Iterator<Item = (usize, Time)> {
        let first = self.passed.ends.saturating_sub(self.coming);
        (first..self.passed.starts).map(|number| (number, self.starts.at(number)))
    }

    /// Whether the first word of the next arriving frame has arrived.
    pub fn is_receiving(&self, present: &PresentByStepKind) -> bool {
        let next = self.passed.ends;
        next < self.ends.len() && self.ends.at(next) - self.length < present.begin
    }

    /// The time at which the current frame will be processed, if there is one.
    pub fn frame_processing_end(&self) -> Time {
        let next = self.passed.processed;
        if next < self.processed.len() { self.processed.at(next) } else { Time::ZERO }
    }

    /// The time at which the current frame at the DMA will be stored, if there is one.
    pub fn frame_store_time(&self) -> Time {
        let next = self.passed.stored;
        if next < self.stored.len() { self.stored.at(next) } else { Time::ZERO }
    }
}
