//! Reports of failures, losses and incidents by components.

use super::Context;
use crate::error_log::{ErrorCounts, TimeOut};
use crate::incident_log::{Incident, IncidentKind, IncidentSubject};
use sansim_kernel::Time;
use sansim_request::{LossCause, LostRequest, Request, RequestId};

/// Reports failures, losses and incidents.
pub struct FailureReporter<'c, 'a>(&'c mut Context<'a>);

impl<'a> Context<'a> {
    /// The reports of failures, losses and incidents.
    #[inline]
    pub fn failures(&mut self) -> FailureReporter<'_, 'a> {
        FailureReporter(self)
    }
}

impl FailureReporter<'_, '_> {
    /// A device that this component presents has failed, by its number in the system: all components that may send requests to it are
    /// notified at this moment ([`EventAction::DeviceFails`](crate::EventAction::DeviceFails)).
    pub fn report_device_failure(&mut self, device: u32) {
        self.0.around.failed_devices.push(device);
    }

    /// The component cannot continue, and never will: the run ends soon, and [`fault`](crate::Component::fault) has the reason.
    pub fn stop_run_with_fault(&mut self) {
        self.0.around.given_up = true;
    }

    /// A request gets no answer, because of an event at this component. A recorded loss only feeds the reports.
    pub fn lose_request(&mut self, id: RequestId, cause: LossCause) {
        self.0.around.requests.record_loss(id, LostRequest { component: self.0.me.0, cause });
        if cause == LossCause::FrameLost {
            self.0.around.errors.record_lost_frame(self.0.me);
        }
    }

    /// A request gets an answer after all: what was lost of it is sent again.
    pub fn recover_request(&mut self, id: RequestId) {
        self.0.around.requests.forget_loss(id);
    }

    /// Something has happened at this component of itself. It lasts until a time, or for no time if that is the present. The report changes nothing.
    pub fn report_incident(&mut self, kind: IncidentKind, until: Time, subject: IncidentSubject) {
        let (at, component) = (self.0.now, self.0.me);
        self.0.around.incidents.record(Incident { at, until, component, kind, subject, count: 1 });
    }

    /// The errors that this host has seen so far.
    pub fn error_counts(&mut self) -> &mut ErrorCounts {
        self.0.around.errors.host_counts(self.0.me)
    }

    /// Notes that a request of this host timed out: it was sent at this time, and this was its n-th attempt. `told` is the request as the
    /// error message shows it.
    pub fn report_time_out(&mut self, id: RequestId, told: Request, since: Time, attempt: u32) {
        let (line, loss) = self.0.around.requests.line_and_loss(id);
        let time_out = TimeOut { at: self.0.now, host: self.0.me, request: told, attempt, since, line, loss };
        self.0.around.errors.record_time_out(time_out);
    }
}
