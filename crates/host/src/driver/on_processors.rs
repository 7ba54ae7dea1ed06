//! A driver whose work is done by the processors of its host.
//!
//! The arrival process of the thesis is a submission, the completion process a completion; each uses any free processor for its time. The
//! driver sees a completion when a processor has handled it.

use sansim_component::scheduling::QueuedRequest;
use sansim_component::{Context, Message, ProcessorWork, ProcessorWorkKind};
use sansim_kernel::Span;
use sansim_request::{RequestId, Status};
use std::collections::VecDeque;

/// The work of a driver that the processors of its host do.
#[derive(Clone, Debug)]
pub(super) struct OnProcessors {
    /// The port at the processors.
    port: u16,
    submissions: VecDeque<QueuedRequest>,
    completions: VecDeque<(RequestId, u16, Status)>,
}

impl OnProcessors {
    /// The driver's work at the processors at this port; there is no work at first.
    pub fn new(port: u16) -> Self {
        Self { port, submissions: VecDeque::with_capacity(256), completions: VecDeque::with_capacity(256) }
    }

    /// The processors have to set up a request.
    pub fn submit_setup_work(&mut self, cx: &mut Context<'_>, next: QueuedRequest, time: Span) {
        self.submissions.push_back(next);
        let work = ProcessorWork { request: Some(next.request), time, of: ProcessorWorkKind::Submission };
        cx.send(self.port, Message::Work(work));
    }

    /// Notes that the processors have done the submission of a request, and returns it.
    pub fn setup_work_done(&mut self, id: RequestId) -> Option<QueuedRequest> {
        // The request is mostly among the first of the list.
        let place = self.submissions.iter().position(|waiting| waiting.request == id)?;
        self.submissions.remove(place)
    }

    /// A request that was sent by a port of the driver has been completed; processors detect the completion at this source, an adapter or a
    /// device.
    pub fn submit_completion_work(
        &mut self,
        cx: &mut Context<'_>,
        (source, port): (u16, u16),
        (id, status): (RequestId, Status),
        time: Span,
    ) {
        self.completions.push_back((id, port, status));
        let work = ProcessorWork { request: Some(id), time, of: ProcessorWorkKind::Completion(source) };
        cx.send(self.port, Message::Work(work));
    }

    /// A processor has handled the completion of a request: returns the port by which the request was sent, and its status.
    pub fn completion_work_done(&mut self, id: RequestId) -> Option<(u16, Status)> {
        let place = self.completions.iter().position(|&(other, ..)| other == id)?;
        self.completions.remove(place).map(|(_, port, status)| (port, status))
    }
}
