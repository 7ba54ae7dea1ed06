//! What is the same for the firmware of all drives: which commands it does not carry out.
//!
//! * A drive with as many commands as its `queue_limit` answers one more with QUEUE FULL.
//! * It makes the `errors` that are described of it when it gets a command. One that it does not answer it keeps until that is
//!   aborted.
//! * A drive that fails answers what it has, and whatever it is asked, with a failure, until it is repaired.

use sansim_component::Context;
use sansim_component::errors::{DeviceError, Errors};
use sansim_request::{Cause, RequestId, Status};

/// See the module text.
#[derive(Clone, Debug)]
pub(crate) struct Firmware {
    queue_limit: Option<u64>,
    errors: Errors,
    /// The segment in which a command is that it does not answer.
    no_answer: usize,
    failed: bool,
    /// Commands that it took and does not answer, with the port by which they came.
    unanswered: Vec<(RequestId, u16)>,
}

impl Firmware {
    /// Of a drive that works.
    pub(crate) fn new(queue_limit: Option<u64>, no_answer: usize) -> Self {
        Self { queue_limit, errors: Errors::default(), no_answer, failed: false, unanswered: Vec::new() }
    }

    /// The same with these errors.
    pub(crate) fn with_errors(self, errors: Errors) -> Self {
        Self { errors, ..self }
    }

    /// Commands that it keeps.
    pub(crate) fn keeps(&self) -> usize {
        self.unanswered.len()
    }

    /// Whether it does not have a command carried out that comes, but answers it otherwise or not at all. The drive has so many others.
    pub(crate) fn turns_away(
        &mut self,
        cx: &mut Context<'_>,
        port: u16,
        request: RequestId,
        others: usize,
    ) -> bool {
        if self.failed {
            cx.answer(port, request, Status::Failed);
            return true;
        }
        if self.queue_limit.is_some_and(|limit| (others + self.keeps()) as u64 >= limit) {
            cx.answer(port, request, Status::QueueFull);
            return true;
        }
        match self.errors.draw() {
            None => return false,
            Some(DeviceError::Busy) => cx.answer(port, request, Status::Busy),
            Some(DeviceError::CheckCondition) => cx.answer(port, request, Status::CheckCondition),
            Some(DeviceError::NoAnswer) => {
                cx.enter(request, self.no_answer);
                cx.lose(request, Cause::NoAnswer);
                self.unanswered.push((request, port));
            }
        }
        true
    }

    /// The one who asked does not want a command any more. Answers one that it keeps; returns whether it did.
    pub(crate) fn abort(&mut self, cx: &mut Context<'_>, request: RequestId) -> bool {
        let Some(place) = self.unanswered.iter().position(|&(kept, _)| kept == request) else { return false };
        let (_, port) = self.unanswered.remove(place);
        cx.answer(port, request, Status::Aborted);
        true
    }

    /// The drive fails: what it keeps does, and whatever comes.
    pub(crate) fn fail(&mut self, cx: &mut Context<'_>) {
        self.failed = true;
        for (request, port) in self.unanswered.drain(..) {
            cx.answer(port, request, Status::Failed);
        }
    }

    /// It works again.
    pub(crate) fn repair(&mut self) {
        self.failed = false;
    }

    /// Why the drive could not go on, at the end of a run.
    pub(crate) fn fault(&self) -> Option<String> {
        let unanswered = self.unanswered.len();
        (unanswered > 0).then(|| {
            format!(
                "commands that it took and does not answer (`no_answer`): {unanswered}, and nobody aborts them; give the drivers \
                 of the hosts a `time_out`"
            )
        })
    }
}
