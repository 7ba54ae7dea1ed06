//! Requests that a controller does not carry out: those beyond its queue limit, those that end with an error, and aborted ones.

use super::catalogue::segment;
use super::{Controller, InHand};
use sansim_component::errors::DeviceError;
use sansim_component::{Context, Message};
use sansim_request::{LossCause, RequestId, Status};

impl InHand {
    /// The entry of a request that came by this port.
    pub(super) fn by(port: u16) -> Self {
        Self {
            port,
            admitted: false,
            job: false,
            processed: false,
            has_data: false,
            stored: false,
            foreign: false,
            forwarded: false,
            internal: false,
            status: None,
            answered: false,
            aborted: false,
            unanswered: false,
            handed_out: false,
            sent: false,
            behind: None,
        }
    }
}

impl Controller {
    /// Whether the controller rejects a new request, with an answer or without one, instead of carrying it out.
    pub(super) fn turns_away(&mut self, cx: &mut Context<'_>, port: u16, request: RequestId) -> bool {
        let status = if self.parameters.queue_limit.is_some_and(|limit| self.in_hand.len() as u64 >= limit) {
            Status::QueueFull
        } else {
            match self.errors.draw_error() {
                None => return false,
                Some(DeviceError::Busy) => Status::Busy,
                Some(DeviceError::CheckCondition(sense_key)) => sense_key.status(),
                Some(DeviceError::NoAnswer) => {
                    cx.ledger().locate_request(request, segment::NO_ANSWER);
                    cx.failures().lose_request(request, LossCause::NoAnswer);
                    self.unanswered += 1;
                    self.in_hand.insert(request, InHand { unanswered: true, ..InHand::by(port) });
                    return true;
                }
            }
        };
        self.in_hand.insert(request, InHand { processed: true, answered: true, ..InHand::by(port) });
        cx.answer(port, request, status);
        true
    }

    /// A child request has been sent by this port, or waits for a path.
    pub(super) fn is_behind(&mut self, id: RequestId, part: RequestId, port: Option<u16>) {
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            in_hand.behind = Some((part, port));
        }
    }

    /// The initiator aborts a request. The child request is aborted at its device; the processor is not interrupted.
    pub(super) fn abort(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.answered || in_hand.aborted {
            return;
        }
        in_hand.aborted = true;
        let InHand { unanswered, behind, job, internal, .. } = *in_hand;
        match behind {
            Some((part, Some(port))) => cx.send(port, Message::Abort(part)),
            Some((part, None)) => {
                self.paths.drop_waiting_request(part);
                self.complete(cx, part, Status::Aborted);
            }
            // The processor, the resources or the internal queue finish with the request before it ends.
            None if self.current == Some(id) || job || internal => {}
            None => {
                if let Some(pair) = &mut self.pair {
                    pair.forget(id);
                }
                self.unanswered -= u32::from(unanswered);
                self.waiting.retain(|waiting| *waiting != id);
                let device = cx.request(id).device;
                self.outside.forget(id, device);
                self.answer(cx, id, Status::Aborted);
            }
        }
    }

    /// The reason why the controller could not continue, at the end of a run.
    pub(super) fn unanswered_for_ever(&self) -> Option<String> {
        (self.unanswered > 0).then(|| {
            format!(
                "requests that it took and does not answer (`no_answer`): {}, and nobody aborts them; give the drivers of the \
                 hosts a `time_out`",
                self.unanswered
            )
        })
    }
}
