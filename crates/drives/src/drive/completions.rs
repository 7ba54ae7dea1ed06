//! Commands that come to an end: they are done; or before that, they are aborted, or the drive fails.

use super::{Drive, InWork};
use sansim_component::Context;
use sansim_kernel::Total;
use sansim_request::{Operation, RequestId, Status};

impl Drive {
    /// Ends the service of a command; its status is made next.
    pub(super) fn done(&mut self, cx: &mut Context<'_>, index: usize) {
        let InWork { command, answered, .. } = &mut self.in_work[index];
        *answered = true;
        if command.operation == Operation::Write {
            self.firmware.faults.sectors.make_readable(command.from, command.bytes);
        }
        cx.answer(command.port, command.request, Status::Good);
    }

    /// The initiator aborts a command.
    pub(super) fn abort(&mut self, cx: &mut Context<'_>, request: RequestId) {
        if self.firmware.abort(cx, request) {
            return;
        }
        if let Some(place) = self.waiting.iter().position(|command| command.request == request) {
            let Some(command) = self.waiting.remove(place) else { return };
            cx.answer(command.port, request, Status::Aborted);
        } else if let Some(index) = self.place_of(request)
            && !self.in_work[index].answered
        {
            self.stop(cx, index);
        }
    }

    /// A command in work is stopped.
    fn stop(&mut self, cx: &mut Context<'_>, index: usize) {
        let InWork { command, timer, until, accessed, .. } = self.in_work[index];
        let now = self.own_time(cx);
        if let Some(timer) = timer {
            cx.cancel_timer(timer);
        }
        match &mut self.cache {
            Some(cache) => cache.end_command(),
            None => {
                // The remaining access or transfer time is cancelled.
                let ahead = Total::from(until.saturating_since(now));
                if accessed {
                    self.transferred = self.transferred - ahead;
                } else {
                    self.positioned = self.positioned - ahead;
                }
            }
        }
        cx.answer(command.port, command.request, Status::Aborted);
        self.leave(cx, index);
    }

    /// Brings the drive to the present; the drive may have failed at random meanwhile.
    #[inline]
    pub(super) fn pass(&mut self, cx: &mut Context<'_>) {
        let outages = &mut self.firmware.faults.outages;
        if outages.next_phase_change() <= cx.now && outages.catch_up(cx.now) {
            self.firmware.give_up(cx);
            self.end_all(cx);
        }
    }

    /// Fails all commands that the drive has not answered.
    pub(super) fn end_all(&mut self, cx: &mut Context<'_>) {
        let now = self.own_time(cx);
        match &mut self.cache {
            Some(cache) => cache.stop_by_failure(now),
            None => {
                // The remaining access and transfer times of the commands are cancelled.
                self.positioned = self.positioning(now);
                self.transferred = self.transferring(now);
            }
        }
        for command in self.waiting.drain(..) {
            cx.answer(command.port, command.request, Status::Failed);
        }
        for work in self.in_work.drain(..) {
            self.occupied.decrease(cx.now, 1);
            if let Some(timer) = work.timer {
                cx.cancel_timer(timer);
            }
            if !work.answered {
                cx.answer(work.command.port, work.command.request, Status::Failed);
            }
        }
        self.short_of_room = false;
    }
}
