//! What a drive does not carry out: commands for which it has no room, those it makes an error with, and those that are aborted.

use super::catalogue::DriveStage;
use super::{Drive, InWork};
use sansim_component::Context;
use sansim_component::errors::DeviceError;
use sansim_kernel::Total;
use sansim_request::{Cause, RequestId, Status};

impl Drive {
    /// Commands that it has.
    pub(super) fn has(&self) -> usize {
        self.waiting.len() + self.in_work.len() + self.unanswered.len()
    }

    /// Whether it does not carry out a command that it gets, but answers it otherwise or not at all.
    pub(super) fn turns_away(&mut self, cx: &mut Context<'_>, port: u16, request: RequestId) -> bool {
        if self.failed {
            cx.answer(port, request, Status::Failed);
            return true;
        }
        if self.parameters.queue_limit.is_some_and(|limit| self.has() as u64 >= limit) {
            cx.answer(port, request, Status::QueueFull);
            return true;
        }
        match self.errors.draw() {
            None => return false,
            Some(DeviceError::Busy) => cx.answer(port, request, Status::Busy),
            Some(DeviceError::CheckCondition) => cx.answer(port, request, Status::CheckCondition),
            Some(DeviceError::NoAnswer) => {
                cx.enter(request, DriveStage::NoAnswer as usize);
                cx.lose(request, Cause::NoAnswer);
                self.unanswered.push((request, port));
            }
        }
        true
    }

    /// The one who asked does not want a command any more.
    pub(super) fn abort(&mut self, cx: &mut Context<'_>, request: RequestId) {
        if let Some(place) = self.unanswered.iter().position(|&(other, _)| other == request) {
            let (_, port) = self.unanswered.remove(place);
            cx.answer(port, request, Status::Aborted);
        } else if let Some(place) = self.waiting.iter().position(|command| command.request == request) {
            let Some(command) = self.waiting.remove(place) else { return };
            cx.answer(command.port, request, Status::Aborted);
        } else if let Some(index) = self.place_of(request)
            && !self.in_work[index].answered
        {
            self.stop(cx, index);
        }
    }

    /// A command in work is not gone on with.
    fn stop(&mut self, cx: &mut Context<'_>, index: usize) {
        let InWork { command, timer, until, accessed, .. } = self.in_work[index];
        if let Some(timer) = timer {
            cx.cancel(timer);
        }
        match &mut self.cache {
            Some(cache) => cache.stop(),
            None => {
                // What is still to come of it does not.
                let ahead = Total::from(until.saturating_since(cx.now));
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

    /// Why it could not go on, at the end of a run.
    pub(super) fn unanswered_for_ever(&self) -> Option<String> {
        let unanswered = self.unanswered.len();
        (unanswered > 0).then(|| {
            format!(
                "commands that it took and does not answer (`no_answer`): {unanswered}, and nobody aborts them; give the drivers \
                 of the hosts a `time_out`"
            )
        })
    }
}
