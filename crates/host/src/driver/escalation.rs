//! Escalation: after an abort without an answer the driver has the target end more commands together, function by function.
//!
//! Source: Linux, `drivers/scsi/scsi_error.c` (abort, then reset of the logical unit, then of the target) and `FC_SCSI_TM_TOV` of
//! `drivers/scsi/libfc/fc_fcp.c`, the time for which each function may take. All wait the same time, so the request that was aborted or
//! escalated first is due first, and one timer is enough. A driver without `escalation` records nothing here.

use super::{Host, what};
use sansim_component::{Context, EventTurn, Message, TaskManagement, Timer};
use sansim_kernel::{EventKey, Span, Time};
use sansim_request::RequestId;
use std::collections::VecDeque;

/// A request whose abort, or the function after it, has not been answered.
#[derive(Clone, Copy, Debug)]
struct Unanswered {
    request: RequestId,
    port: u16,
    at: Time,
    /// The number of functions that have been asked for.
    step: usize,
}

/// The requests that wait for the answer to their aborts.
#[derive(Clone, Debug, Default)]
pub(super) struct Escalations {
    steps: Vec<TaskManagement>,
    patience: Span,
    unanswered: VecDeque<Unanswered>,
    timer: Option<EventKey>,
}

impl Escalations {
    /// A driver that asks for these functions in turn, each when the step before has not been answered for a time.
    pub fn new(steps: &[TaskManagement], patience: Span) -> Self {
        Self { steps: steps.to_vec(), patience, ..Self::default() }
    }

    /// A step of a request has been taken, and the next is due when it is not answered.
    pub fn step_taken(&mut self, cx: &mut Context<'_>, request: RequestId, port: u16, step: usize) {
        if step < self.steps.len() {
            self.unanswered.push_back(Unanswered { request, port, at: cx.now + self.patience, step });
            self.watch(cx);
        }
    }

    fn watch(&mut self, cx: &mut Context<'_>) {
        if self.timer.is_none()
            && let Some(first) = self.unanswered.front()
        {
            let turn = EventTurn::turn_of_node(u32::from(what::ESCALATION));
            self.timer = Some(cx.set_cancellable_timer(first.at, turn, Timer::new(what::ESCALATION, 0)));
        }
    }

    /// A request has been answered.
    #[inline]
    pub fn request_answered(&mut self, cx: &mut Context<'_>, request: RequestId) {
        if !self.unanswered.is_empty() {
            self.unanswered.retain(|one| one.request != request);
            // A timer without a request would keep a run going.
            if self.unanswered.is_empty()
                && let Some(timer) = self.timer.take()
            {
                cx.cancel_timer(timer);
            }
        }
    }
}

impl Host {
    /// Handles the timer: takes the next step for each request that is due.
    pub(super) fn escalation_due(&mut self, cx: &mut Context<'_>) {
        self.escalations.timer = None;
        while let Some(&Unanswered { request, port, at, step }) = self.escalations.unanswered.front()
            && at <= cx.now
        {
            self.escalations.unanswered.pop_front();
            cx.failures().error_counts().task_management += 1;
            cx.send(port, Message::Manage(request, self.escalations.steps[step]));
            self.escalations.step_taken(cx, request, port, step + 1);
        }
        self.escalations.watch(cx);
    }
}
